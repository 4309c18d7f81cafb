"""The keno back office."""
