"""The figures of the house for whoever watches it: facts, alarms, and what was sold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.flow.alarms import Alarm
from app.flow.facts import Facts, read_facts
from app.flow.office import Office
from app.flow.see_alarms import alarms_by
from app.store.queries import watching
from app.store.queries.watching import Sold


@dataclass(frozen=True)
class Figures:
    """All of it, as of one moment."""

    facts: Facts
    alarms: list[Alarm]
    tickets: int  # that the house has ever sold
    sold: Sold  # since the gaming day began


def see_figures(office: Office, folders: Sequence[Path] = ()) -> Figures:
    """Return the figures of the house as it is now."""
    facts = read_facts(office, folders)
    with office.database.reading() as connection:
        tickets = watching.tickets_sold(connection)
        sold = watching.sold_since(connection, facts.day_began)
    return Figures(facts, alarms_by(office, facts), tickets, sold)
