"""The keys of the writer's page and how tickets are typed: one list, for page, card and manual.

What a key does is in `static/js/writer`; a test holds this list against it.
"""

from typing import NamedTuple


class Key(NamedTuple):
    """A key: what stands beside it on the page, and what it does."""

    key: str
    short: str
    does: str


LINE_KEYS = (
    Key("Enter", "sell", "sells; on an empty line: the next patron"),
    Key("Tab", "tender", "to the tender; nothing there means exact"),
    Key("PgDn", "ticket at hand", "from the line to the ticket at hand, or what else is"),
    Key("Esc", "clear", "back to the line; once more, and it is cleared"),
)
FUNCTION_KEYS = (
    Key(
        "F2", "play again", "play the last ticket, or the scanned one, again: it stands in the line"
    ),
    Key("F3", "look up", "look a ticket up by its number"),
    Key("F4", "void", "void: then scan the ticket"),
    Key("F5", "player card", "the player card of the patron; Enter leads back"),
    Key("F6", "drawer", "the drawer: open, fill, bleed, break, close"),
    Key("F7", "next patron", "the next patron"),
    Key("F8", "paper", "paper: what waits, test page"),
    Key("F9", "cash and play again", "cash the scanned ticket and play it again"),
    Key("F10", "series", "the next series"),
    Key("F1", "keys", "this list"),
)
# What only counts while something is at hand.
TICKET_KEYS = (
    Key("Enter", "", "pays what it says"),
    Key("F5", "", "the rest, or games that were void: money back"),
    Key("F8", "", "print the ticket again, as a copy"),
)
DRAWER_KEYS = (
    Key("F", "", "fill from the bank"),
    Key("B", "", "bleed to the bank"),
    Key("K", "", "break"),
    Key("C", "", "close, counted blind by two"),
)
PAPER_KEYS = (
    Key("Y", "", "it is here"),
    Key("N", "", "it is not: a copy"),
    Key("T", "", "test page"),
)

# Lines as writers type them, and what they are.
LINES = (
    ("4 8 15 16 @1", "straight, one dollar"),
    ("4 8 / 15 16 2/2 1/4 @1", "two groups: ways / spots @ rate"),
    ("4 8 15 16 k33 1/4 1/5 @1", "with a king"),
    ("1 2 / 3 4 / 5 6 2/4 A+B A+C @1", "only the sets that are listed"),
    ("q8 @1 x3", "quick-pick of eight, three games"),
    ("4 8 15 16 @1 x15 $15", "the price that the patron wrote: checked"),
)
TENDER = ("20 chips5 coin2.50 tokens3 coupon:C17=5", "what the patron pays with")

# What is seen when something goes wrong, and what it means.
TROUBLES = (
    (
        "No connection to the centre",
        "nothing can be sold; what you asked for last is asked again by itself, and is done once",
    ),
    ("Did the ticket print?", "the printer did not say; Y or N"),
    (
        "Printer B1 is out of paper. 2 slips wait ...",
        "refill it; what waits prints automatically, and nothing is sold twice",
    ),
    ("Printer B1 is low on paper", "have a new roll ready"),
    ("a sentence in red", "read it out; nothing was done"),
)
