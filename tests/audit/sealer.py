"""A sealer in a process of its own, which stops itself at one point of its work (SIGSTOP).

    python tests/audit/sealer.py URL KEYS POINT

It prints the note that it is answered. Whoever started it lets it go on, or kills it.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.flow.keys import read_keys
from app.flow.office import Office
from app.flow.seal import seal_log
from app.store.database import Database
from app.store.queries import log as queries
from app.store.records import log as records

# Where it stops: what it has just done, or is just about to do.
POINTS: dict[str, tuple[Any, str, bool]] = {
    "read": (queries, "pending", True),
    "placed": (records, "swap_head", True),
    "signing": (records, "add_checkpoint", False),
}


def stopping(real: Callable[..., object], *, after: bool) -> Callable[..., object]:
    """Return a function that stops the process once, after it did its work or before."""
    times = iter([True])

    def stopped(*args: object) -> object:
        if after:
            answer = real(*args)
        if next(times, False):
            os.kill(os.getpid(), signal.SIGSTOP)
        return answer if after else real(*args)

    return stopped


def main(url: str, keys: str, point: str) -> None:
    """Seal the log of a house."""
    module, name, after = POINTS[point]
    setattr(module, name, stopping(getattr(module, name), after=after))
    database = Database(url)
    sys.stdout.write(seal_log(Office(database, read_keys(Path(keys)))))
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
