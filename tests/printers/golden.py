"""`python -m tests.printers.golden`: write the golden bytes and pictures anew, to be looked at."""

from pathlib import Path

from printers.drawing import picture
from printers.escpos import with_code
from printers.paper import ROLLS
from printers.press import Press
from printers.reader import Reader
from tests.printers.samples import CODE, NUMBER, SAMPLES

FOLDER = Path(__file__).parent / "golden"
COPY = "copy"
PAPERS = (*SAMPLES, COPY)


def paper(name: str, roll: str) -> bytes:
    """The true bytes of a sample; of the copy, those of the ticket under its band."""
    if name == COPY:
        return Press().band(1, roll) + paper("ticket", roll)
    return with_code(Press().make(SAMPLES[name], roll), NUMBER, CODE)


def main() -> None:
    """Write them all."""
    for name in PAPERS:
        for roll in ROLLS:
            data = paper(name, roll)
            (FOLDER / f"{name}-{roll}.bin").write_bytes(data)
            picture(Reader().read(data), ROLLS[roll]).save(FOLDER / f"{name}-{roll}.png")


if __name__ == "__main__":
    main()
