"""One reader under guided inputs: what leads somewhere new in its code is damaged further.

`python -m tests.proof.guided MODULE READER CORPUS [options of libFuzzer]` takes the reader from the
table READERS of a module, which it imports so that atheris sees every branch. It is a process of
its own because libFuzzer takes over the one it is in and ends it: with 0 after all its inputs, with
another code at the first exception that is not a refusal of that reader.
"""

import sys
from contextlib import suppress
from importlib import import_module

import atheris

# What reads for us is followed too: TOML, and JSON in the form below.
FOLLOWED = ("app", "json", "printers", "rng", "tests", "tomllib")


def main(module: str, name: str, *options: str) -> None:
    """Give one reader guided inputs; this does not return."""
    # Nothing compiled can be followed. Without it Python reads JSON with code of its own.
    sys.modules["_json"] = None  # type: ignore[assignment]
    with atheris.instrument_imports(include=FOLLOWED):
        _, read, refusals = import_module(module).READERS[name]

    def read_or_refuse(data: bytes) -> None:
        with suppress(*refusals):
            read(data)

    atheris.Setup([sys.argv[0], *options], read_or_refuse)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
