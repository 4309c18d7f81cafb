"""The acts of entries that were put back into the log: their rows, made again from their bodies.

Bodies are complete as far as money, tickets and games are concerned, so that nearly everything can
be made again, in the order of the log. What cannot, because it is nowhere in the log:

- secrets of people, tokens and one-time codes of stations: new ones are given;
- names and taxpayer numbers on tax papers, and the payee of a check: the log has hashes of them;
- the player card of a patron, unless the restored house knows the card;
- what a station asked, letter by letter: asked again under the same id, it is refused;
- whether a paper came out: it is taken as printed, because it was before the house was lost.

Each such act is listed for staff to look into (`lost_act`); nothing is guessed.

    context   what all of them look up
    counter   tickets, voids, refunds, payments, drawers
    games     games, from opening to certified
    house     cards, people, stations, settings, days
"""

from collections.abc import Mapping
from typing import Any

from app.flow.rebuild.context import Act, NotRebuilt, Rebuilding
from app.flow.rebuild.counter import COUNTER
from app.flow.rebuild.games import GAMES
from app.flow.rebuild.house import HOUSE
from app.store.records.rebuilding import AgainstTheRules, all_or_nothing

# What an entry tells of that leaves no row behind, or only a passing one.
NOTHING_TO_DO = frozenset(
    {
        "SIGN-IN", "SIGN-OUT", "REFUSED", "SOFTWARE", "CALLER", "PROCESS", "RETRIED", "BACKUP",
        "KEYS", "REPORT", "ARCHIVED", "EXPORT",
    }
)  # fmt: skip
ACTS: Mapping[str, Act] = {**COUNTER, **GAMES, **HOUSE}


def rebuild_act(here: Rebuilding, entry: int, tag: str, body: dict[str, Any]) -> str | None:
    """Make the rows of an act again; return what of it is lost, or none if it is whole.

    An act whose rows do not fit what is here leaves nothing behind, and is lost as a whole.
    """
    if tag in NOTHING_TO_DO:
        return None
    act = ACTS.get(tag)
    if act is None:
        return "It is not known how this act is made again."
    try:
        with all_or_nothing(here.unit):
            return act(here, entry, body)
    except NotRebuilt as why:
        return str(why)
    except (AgainstTheRules, LookupError, TypeError, ValueError) as odd:
        return f"It does not fit what is here: {odd!r}."
