"""`python -m rng rng ...` and `python -m rng inspector ...`: without installing anything."""

import sys

from rng.cli import PROGRAMS, inspector_console, rng_console

if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
    sys.exit(f"usage: python -m rng {{{'|'.join(PROGRAMS)}}} COMMAND ...")
if sys.argv.pop(1) == "rng":
    rng_console()
else:
    inspector_console()
