"""Draws quick-card.pdf, the writer's keys on one page, from the list that the page itself shows.

A test compares it with the file. Draw it anew with `make card`.
"""

from pathlib import Path

from app.web.writer import card_of

CARD = Path(__file__).parents[1] / "quick-card.pdf"
HOUSE = "Keno"


def main() -> None:
    """Draw it."""
    CARD.write_bytes(card_of(HOUSE))


if __name__ == "__main__":
    main()
