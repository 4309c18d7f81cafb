"""Forms as PDF: the blank keno request that patrons fill in, and the rate card that they read."""
