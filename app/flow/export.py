"""Giving the regulator a bundle of some gaming days, signed, to be checked elsewhere (X-audit-log).

Only days that are closed, under a head of the log that the inspector has cosigned: what is given
out can then never be told otherwise.

Write order:

1. The bundle is written under another name beside where it is wanted. *Crash: it lies there, and
   nobody was given it.*
2. One transaction: the entry that says who took what. *Crash before: as above.*
3. The bundle gets its name. *Crash before: it is said to be taken, and is not there; it is asked
   for again, and has the same bytes.*
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from app.audit.archives import ArchiveFile, NotAtHand
from app.audit.bundle import Contents, Stretch, write_bundle
from app.audit.checkpoints import checkpoint_of
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor, Sitting
from app.flow.day import day_bounds
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.see_keys import published_keys
from app.store.queries import Reading, bundles

NEEDED = {"office", "log", "rng", "inspector", "mark"}


@dataclass(frozen=True)
class Exported:
    """A bundle that was given out."""

    first_day: date
    last_day: date
    first: int
    size: int
    manifest: str

    def document(self) -> dict[str, object]:
        """Return it as it is told, and as it stands in the log."""
        return {
            "from": self.first_day.isoformat(),
            "to": self.last_day.isoformat(),
            "first": self.first,
            "size": self.size,
            "manifest": self.manifest,
        }


def export_days(  # noqa: PLR0913, PLR0917  who takes which days where, and what goes along
    office: Office,
    actor: Actor | Sitting,
    first_day: date,
    last_day: date,
    out: Path,
    reports: Iterable[tuple[str, bytes]] = (),
    archives: Sequence[ArchiveFile] = (),
    public: Path | None = None,
) -> Exported:
    """Write a bundle of some gaming days, and say in the log that it was given out.

    Args:
        office: the office.
        actor: who takes it.
        first_day: the first day of it.
        last_day: the last day of it.
        out: where it is wanted; what is there is replaced.
        reports: names and bytes of reports that go along.
        archives: the archives that are at hand.
        public: the folder of public keys, for a process that does not speak with the two.

    Refuses: whoever may not; days in the wrong order; a day that is not closed, or whose close no
    head covers that the inspector has cosigned; while public keys are missing; entries that are in
    an archive which is not at hand.
    """
    if isinstance(actor, Actor):
        permit(actor.role, Permission.RECORDS_EXPORT)
    if last_day < first_day:
        raise say_no(No.EXPORT_ORDER, first=first_day.isoformat(), last=last_day.isoformat())
    keys = published_keys(office, public)
    missing = sorted(NEEDED - keys.keys())
    if missing:
        raise say_no(No.EXPORT_KEYS, keys=", ".join(missing))
    part = out.with_name(f"{out.name}.part")
    try:
        with office.database.reading(at_length=True) as connection, part.open("wb") as file:
            stretch = _stretch(office, connection, first_day, last_day)
            days = first_day, last_day
            contents = Contents(office.house, *days, stretch, keys, reports, archives)
            manifest = write_bundle(file, connection, contents, office.keys.log)
        given = Exported(first_day, last_day, stretch.first, stretch.size, manifest)
        with office.unit() as unit:
            if isinstance(actor, Actor):
                still_acting(unit, actor)
            told = {"by": actor.document(), "time": time_text(unit.now())}
            office.log(unit, Tag.EXPORT, {**given.document(), **told})
            unit.commit()
        part.replace(out)
    except NotAtHand as why:
        raise say_no(No.EXPORT_ARCHIVED, why=str(why)) from None
    finally:
        part.unlink(missing_ok=True)
    return given


def _stretch(office: Office, connection: Reading, first_day: date, last_day: date) -> Stretch:
    """Return from which place of the log up to which cosigned head some days are told."""
    for day in (last_day, first_day):
        if bundles.closed_day(connection, day) is None:
            raise say_no(No.EXPORT_NOT_CLOSED, day=day.isoformat())
    closed = bundles.closed_day(connection, last_day)
    over = None
    if closed is not None and closed.place is not None:
        over = bundles.head_over(connection, closed.place)
    if over is None:
        raise say_no(No.EXPORT_NOT_COSIGNED, day=last_day.isoformat())
    size, note = over
    begins, _ = day_bounds(first_day, office.house.time_zone, office.house.day_starts_minutes)
    first = bundles.first_place(connection, begins)
    return Stretch(first, size, checkpoint_of(note).root, note)
