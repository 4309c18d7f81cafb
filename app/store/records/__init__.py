"""What is written, inside a unit of work. Nothing here commits: that is for a stage to do."""
