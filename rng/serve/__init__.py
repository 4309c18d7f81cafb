"""The two keyed processes. Nothing here chooses a number: `rng.core` does."""
