"""Rate cards: the files that were brought, accepted by two, and in force (X-card-version, 8.3).

What a ticket costs and wins is worked out on the card of its game, so nothing of that is worth more
than this: that the card is the file that the log has, and that the game opened on the card that the
log put into force.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from tomllib import loads

from app.audit.books.card_floor import losing_wager
from app.audit.books.house import House, said
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredEntry

BOTH = {"supervisor", "manager"}


def cards() -> list[Look]:
    """A card is the file of its hash; a game is on the card that was in force as it opened."""
    terms = Terms()
    return [Look(Thing.ENTRY, terms.check), Look(Thing.END, check_files)]


class Terms:
    """Who accepted which card, and from when each holds, as the entries tell it in their order."""

    def __init__(self) -> None:
        self._accepted: dict[str, dict[str, str]] = defaultdict(dict)  # by card: as what, by whom
        self._terms: list[tuple[datetime, int, str]] = []  # from when, by which entry, which card
        self._losing: dict[str, str] = {}  # by card without a letter: a wager that leaves nothing

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """Note what is told of cards; and hold a card put into force, and a game, against it."""
        body = entry.body
        if entry.tag == "CARD" and sha256(body["file"].encode()).hexdigest() != body["card"]:
            yield Fault("cards", f"entry {entry.id} tells of a card that is not its file")
        if entry.tag == "CARD":
            yield from self._bring(entry)
        if entry.tag == "CARD-ACCEPTED":
            self._accepted[body["card"]][body["as"]] = body["by"]["staff"]
        if entry.tag == "CARD-IN-FORCE":
            yield from self._put_in_force(entry)
        if entry.tag == "GAME":
            yield from self._open(entry, stretch.house)

    def _bring(self, entry: StoredEntry) -> Iterator[Fault]:
        """Hold a card against the floor, unless it is a promotion that two people entered."""
        body = entry.body
        wager = losing_wager(body["file"])
        if wager is not None:
            self._losing[body["card"]] = wager
        is_promotion = "approval" in loads(body["file"].removeprefix("\ufeff"))
        if is_promotion and body.get("second", body["by"])["staff"] == body["by"]["staff"]:
            yield Fault("cards", f"entry {entry.id} tells of a promotion that one person entered")

    def _put_in_force(self, entry: StoredEntry) -> Iterator[Fault]:
        card = entry.body["card"]
        by = self._accepted[card]
        if set(by) != BOTH or len(set(by.values())) != len(BOTH):
            told = f"entry {entry.id} put a card into force that two had not accepted"
            yield Fault("cards", told)
        manager, who = entry.body.get("manager"), entry.body["by"]["staff"]
        if any(term[2] == card for term in self._terms) and manager in (None, who):
            yield Fault("cards", f"entry {entry.id} went back to a card, and was the word of one")
        if card in self._losing:
            told = f"entry {entry.id} put a card into force on which the house keeps nothing of "
            yield Fault("cards", told + self._losing[card])
        self._terms.append((datetime.fromisoformat(entry.body["effective_at"]), entry.id, card))

    def _open(self, entry: StoredEntry, house: House) -> Iterator[Fault]:
        body = entry.body
        name, opened = f"{body['series']}-{body['game']}", body["opened_at"]
        begun = [term for term in self._terms if term[0] <= datetime.fromisoformat(opened)]
        if not begun or max(begun)[2] != body["card"]:
            yield Fault("cards", f"game {name} opened on a card that was not in force")
        game = house.games.get((body["series"], body["game"]))
        if game is None:
            yield Fault("cards", f"game {name} opened, and is not there")
            return
        digest = house.card_hashes.get(game.card, b"").hex()
        if (digest, said(game.opened_at)) != (body["card"], opened):
            yield Fault("cards", f"game {name} is not as it opened")


def check_files(_: object, house: House) -> Iterator[Fault]:
    """The file of a card has the hash by which it is known."""
    for card, digest in house.card_hashes.items():
        if sha256(house.card_files[card].encode()).digest() != digest:
            yield Fault("cards", f"card {digest.hex()[:12]} is not the file that was brought")
