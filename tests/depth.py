"""How deep the tests go: `make test` tries a part of what `make proof` tries in full."""

import os

IS_PROOF = os.environ.get("HYPOTHESIS_PROFILE") == "proof"

CRASH_STEP = 1 if IS_PROOF else 3
"""By day a process is killed at every third of the places at which it can die."""
