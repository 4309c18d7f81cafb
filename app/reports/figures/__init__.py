"""The figures of every report: pure functions from what the log told to what a report says."""
