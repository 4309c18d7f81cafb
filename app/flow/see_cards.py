"""Rate cards as those who decide on them see them: checked, and held against the one in force."""

from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from fractions import Fraction

from app.flow.access import Credentials, who_is_at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.stop_sales import stopped_words
from app.keno.card_changes import Change, large_changes
from app.keno.card_checks import ADVANTAGE_MAX, all_figures, check_card
from app.keno.card_file import read_card
from app.keno.refusals import Refusal, Refused
from app.store.queries import cards, stops
from app.store.unit import Unit


@dataclass(frozen=True)
class Advantage:
    """What the house keeps of a wager, exactly, on a card and on the one in force."""

    schedule: str
    spots: int
    now: Fraction
    before: Fraction | None


@dataclass(frozen=True)
class CardSeen:
    """A version of the rate card, what is wrong with it, and what it would change."""

    name: str
    faults: list[Refusal]
    advantages: list[Advantage]
    changes: list[Change]  # the large ones, which each acceptor types
    difference: list[str]
    most: Fraction
    was_in_force: bool = False  # so that it comes back with a manager outside keno


@dataclass(frozen=True)
class Version:
    """A version that was brought: who accepted it, and from when it holds."""

    hash: str
    name: str
    accepted: list[str]
    effective_at: datetime | None
    holds: bool


def see_versions(office: Office, credentials: Credentials) -> list[Version]:
    """Return every version of the rate card, the newest first."""
    who_is_at_work(office, credentials, Permission.FLOOR_SEE)
    with office.database.reading() as connection:
        now = Unit(office.database, connection).now()
        holds = cards.card_in_force(connection, now)
        since = {term.card: term.effective_at for term in reversed(cards.terms(connection))}
        return [
            Version(
                card.hash.hex(),
                card.name,
                sorted(consent.value for consent in cards.acceptances(connection, card.id)),
                since.get(card.id),
                card.id == holds,
            )
            for card in cards.all_cards(connection)
        ]


def see_stops(office: Office) -> list[dict[str, str]]:
    """Return what is not sold for now, in words, and why."""
    with office.database.reading() as connection:
        return stopped_words(stops.stopped(connection))


def see_version(office: Office, credentials: Credentials, digest: str) -> tuple[CardSeen, str]:
    """Return a version that was brought, and its file.

    Refuses: whoever may not see it; a version that is not there.
    """
    who_is_at_work(office, credentials, Permission.FLOOR_SEE)
    try:
        wanted = bytes.fromhex(digest)
    except ValueError:
        wanted = b""
    with office.database.reading() as connection:
        card = cards.card_hashed(connection, wanted)
        terms = cards.terms(connection)
    if card is None:
        raise say_no(No.CARD_UNKNOWN)
    seen = look_at(office, card.file.encode())
    was_in_force = any(term.card == card.id for term in terms)
    return replace(seen, was_in_force=was_in_force), card.file


def look_at(office: Office, file: bytes) -> CardSeen:
    """Return a card as it would be, whether it was brought or not."""
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        holds = cards.card_in_force(connection, unit.now())
        before_file = "" if holds is None else cards.card_with(connection, holds).file
    try:
        card = read_card(file)
    except Refused as no:
        return CardSeen("", list(no.refusals), [], [], [], ADVANTAGE_MAX)
    in_force = read_card(before_file.encode()) if before_file else None
    before = all_figures(in_force) if in_force else {}
    changes = list(large_changes(card, in_force))
    advantages = [
        Advantage(
            schedule,
            spots,
            figures.house_advantage,
            before[schedule][spots].house_advantage if spots in before.get(schedule, {}) else None,
        )
        for schedule, by_spots in all_figures(card).items()
        for spots, figures in sorted(by_spots.items())
    ]
    told = file.decode("utf-8", "replace").splitlines()
    difference = list(
        unified_diff(before_file.splitlines(), told, "in force", "this one", lineterm="")
    )
    return CardSeen(
        card.name, list(check_card(card)), advantages, changes, difference, ADVANTAGE_MAX
    )
