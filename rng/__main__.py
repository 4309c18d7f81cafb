"""`python -m rng rng ...` and `python -m rng inspector ...`: without installing anything."""

import sys

from rng.cli import PROGRAMS, main

if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
    sys.exit(f"usage: python -m rng {{{'|'.join(PROGRAMS)}}} COMMAND ...")
sys.exit(main(sys.argv[1], sys.argv[2:]))
