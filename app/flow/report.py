"""Making a report from the log: finding the stretch of its days, and reading it (X-audit-log).

A report is made from entries that have their place in the log, and from nothing else that could be
changed: whoever makes it again over the same stretch gets the same bytes.

First every leaf of the stretch is worked out again from its tag, salt and body: entries are found
by their tags, and one whose tag was changed would be missed. Over these leaves the tree is grown,
and must lead to the head that was signed: or whoever changes an entry and its leaf together had a
report of it. What stands from before the stretch is held against that head as it is read, and
against the facts that it tells of; the rest of what was before is for the books, which look at all
of it every night.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

from app.audit.log_check import public_leaf
from app.audit.sealed import Sealed
from app.audit.tags import Tag
from app.audit.tiles import Tree
from app.clock import time_text
from app.flow.day import day_bounds, gaming_day
from app.flow.office import Office
from app.flow.permissions import FOR
from app.flow.refusals import No, say_no
from app.flow.seal import seal_log
from app.flow.settle import win_line
from app.keno.refusals import Refused
from app.reports.catalogue import CATALOGUE, Format, Report
from app.reports.csv import csv_of
from app.reports.document import Document, make_document
from app.reports.pdf import pdf_of
from app.reports.told import Act, LostLeaf, Period, Stretch, Told, time_of
from app.store.queries import Reading, keeping, log, settling, stretches
from app.store.queries.log import EntryRow, StoredHashes
from rng.merkle import ProofFailed, leaf_hash

ROWS_MOST = 200_000  # of a report with a row for every act; more is asked for in parts
ENTRIES_MOST = 2_000_000  # that are read for such a report
LINES_MOST = 60_000  # of one that is to be printed
DAYS_MOST = 366

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """A report that is asked for."""

    report: str
    first: date
    last: date
    format: Format


def check_asked(asked: Asked) -> Report:
    """Return the report that is meant.

    Refuses: one that there is not; days in the wrong order, or more than a year of them.
    """
    report = CATALOGUE.get(asked.report)
    if report is None:
        raise say_no(No.NO_SUCH_REPORT, report=asked.report)
    if asked.last < asked.first:
        raise say_no(No.DAYS_BACKWARDS, first=asked.first, last=asked.last)
    if (asked.last - asked.first).days >= DAYS_MOST:
        raise say_no(No.DAYS_MANY, most=DAYS_MOST)
    return report


def make_report(
    office: Office,
    asked: Asked,
    size: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Document:
    """Make a report.

    Args:
        office: whose log it is.
        asked: which report, of which days.
        size: of the log at which it was made before, to make the same of days not yet closed.
        progress: is told how many entries were read, of how many; it may raise to stop.

    Refuses: what cannot be asked for; days before the house or still to come; too many rows.
    """
    report = check_asked(asked)
    seal_log(office)  # what has happened until now has its place
    with office.database.reading(at_length=True) as connection:
        told = tell(office, connection, asked.first, asked.last, size, progress)
        entries = told.stretch.size - told.stretch.first
        if report.is_detail and entries > ENTRIES_MOST:
            raise say_no(No.REPORT_LONG, rows=f"{entries:,}", most=f"{ROWS_MOST:,}")
        document = make_document(report, told)
    _check_length(document, asked.format)
    return document


def rendered(document: Document, format_: Format) -> bytes:
    """Return a report in one of its forms."""
    if format_ is Format.PDF:
        return pdf_of(document)
    return csv_of(document) if format_ is Format.CSV else document.json()


def reports_of(office: Office, first: date, last: date) -> Iterator[tuple[str, bytes]]:
    """Yield every report of some days with the name of its file, to go along with a bundle.

    Long lists as CSV, everything else as PDF and JSON; one that is too long says so in its place.
    """
    for report in CATALOGUE.values():
        forms = (Format.CSV,) if report.is_detail else (Format.PDF, Format.JSON)
        try:
            document = make_report(office, Asked(report.id, first, last, forms[0]))
        except Refused as no:
            yield f"{report.id}.txt", f"{no.refusals[0].message}\n".encode()
            continue
        for form in forms:
            yield f"{report.id}.{form.value}", rendered(document, form)


def log_report(office: Office, asked: Asked, document: Document, by: dict[str, object]) -> None:
    """Have in the log that somebody pulled a report (X-access)."""
    with office.unit() as unit:
        body = {
            "report": asked.report,
            "from": asked.first.isoformat(),
            "to": asked.last.isoformat(),
            "format": asked.format.value,
            "size": document.stretch.size,
            "content": document.hash,
            "by": by,
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.REPORT, body)
        unit.commit()


# ---- what a report is told -----------------------------------------------------------------------


def tell(  # noqa: PLR0913, PLR0917  of which house, where read, which days, until where
    office: Office,
    connection: Reading,
    first: date,
    last: date,
    size: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Told:
    """Return what the log tells of some days.

    Refuses: days before the house was founded, or still to come; a size that the log never had;
    a log that is not as it was sealed; while it is told, days whose entries are in an archive.
    """
    house = office.house
    period = _period(office, first, last)
    stretch = _stretch(office, connection, period, size)

    def looked(place: int) -> None:
        progress(place - stretch.first, stretch.size - stretch.first)

    sealed = Sealed(connection, house.log_origin, office.keys.log.public_key(), stretch.size)
    kinds, lost = _check_leaves(connection, stretch, sealed, looked)

    def acts(*tags: str) -> Iterator[Act]:
        for entry in stretches.between(connection, stretch.first, stretch.size, tags, looked):
            if not entry.is_lost:
                yield _act(entry)

    def standing(*tags: str) -> Iterator[Act]:
        for hidden in stretches.hidden(connection, tags):
            raise say_no(No.LOG_CHANGED, entry=hidden)
        for entry in stretches.standing(connection, stretch.size, tags):
            if (entry.position or 0) < stretch.first:
                _check_before(entry, sealed)
            yield _act(entry)

    return Told(
        house=house.name,
        jurisdiction=house.jurisdiction,
        period=period,
        stretch=stretch,
        acts=acts,
        standing=standing,
        kinds=kinds,
        lost=lost,
        sheets=lambda wins: _sheet(connection, wins),
        settled_before=lambda wins: _settled_before(connection, stretch, sealed, wins),
        may={act.value: tuple(sorted(role.value for role in FOR[act])) for act in FOR},
        day_of=lambda at: gaming_day(at, house.time_zone, house.day_starts_minutes),
    )


def _act(entry: EntryRow) -> Act:
    if not entry.body:  # a report without it would be wrong, and nobody could see that
        raise say_no(No.DAYS_ARCHIVED)
    body = json.loads(entry.body)
    return Act(entry.id, entry.position or 0, entry.tag, time_of(entry.tag, body), body)


def _check_leaf(entry: EntryRow) -> None:
    """Refuse an entry whose leaf is not that of its tag and body, whichever was changed."""
    if leaf_hash(public_leaf(entry)) != entry.leaf:
        raise say_no(No.LOG_CHANGED, entry=entry.id)


def _check_before(entry: EntryRow, sealed: Sealed) -> None:
    """Refuse an entry from before the stretch that is not under the signed head."""
    _check_leaf(entry)
    try:
        sealed.check_entry(entry)
    except ProofFailed:
        raise say_no(No.LOG_CHANGED, entry=entry.id) from None


def _check_leaves(
    connection: Reading, stretch: Stretch, sealed: Sealed, looked: Callable[[int], None]
) -> tuple[Mapping[str, int], tuple[LostLeaf, ...]]:
    """Check every leaf of a stretch; return how many entries of each tag it has, and what is lost.

    Refuses: a stretch that is not as it was sealed.
    """
    archives = keeping.archives(connection)
    noted = {each.entry: each.why for each in keeping.lost_acts(connection)}
    kinds: Counter[str] = Counter()
    lost, where = [], f"between {stretch.first} and {stretch.size}"
    try:
        tree = sealed.before(stretch.first)
    except ProofFailed:
        raise say_no(No.LOG_CHANGED, entry=where) from None
    for entry in stretches.between(connection, stretch.first, stretch.size, (), looked):
        if entry.is_lost and entry.tag == Tag.LOST and entry.id in noted:
            lost.append(LostLeaf(entry.position or 0, entry.leaf, noted[entry.id]))
        elif entry.is_lost or (entry.is_archived and entry.archived not in archives):
            raise say_no(No.LOG_CHANGED, entry=entry.id)
        else:
            _check_leaf(entry)
        kinds[entry.tag] += 1
        tree.add(entry.leaf)
    try:
        sealed.check(tree.root())
    except ProofFailed:
        raise say_no(No.LOG_CHANGED, entry=where) from None
    return kinds, tuple(lost)


def _sheet(connection: Reading, wins: Act) -> list[tuple[int, int, int]]:
    """Return ticket, win and what is paid of it for every winner of a game whose wins were cut.

    Wins stand in tables; the log has their digest, which must be that of what is read.
    """
    attempt = stretches.settled_by(connection, wins.entry)
    rows, digest = [], sha256()
    with closing(settling.wins_of(connection, -1 if attempt is None else attempt)) as found:
        for each in found:
            digest.update(win_line(each.ticket, each.uncut_cents, each.cents, each.paid_cents))
            rows.append((each.ticket, each.cents, each.paid_cents))
    if digest.hexdigest() != wins.body["digest"]:
        raise say_no(No.LOG_CHANGED, entry=wins.entry)
    return rows


def _settled_before(connection: Reading, stretch: Stretch, sealed: Sealed, wins: Act) -> Act:
    """Return the WINS that a later grading of the same game took the place of."""
    wanted = (wins.body["series"], wins.body["game"], wins.body["run"] - 1)
    entry = stretches.settled_in(connection, *wanted)
    if entry is None or entry.tag != Tag.WINS or (entry.position or 0) >= stretch.size:
        raise say_no(No.LOG_CHANGED, entry=wins.entry)
    _check_before(entry, sealed)
    before = _act(entry)
    if tuple(before.body[name] for name in ("series", "game", "run")) != wanted:
        raise say_no(No.LOG_CHANGED, entry=entry.id)
    return before


def _period(office: Office, first: date, last: date) -> Period:
    house, now = office.house, office.now()
    today = gaming_day(now, house.time_zone, house.day_starts_minutes)
    founded = gaming_day(house.founded_at, house.time_zone, house.day_starts_minutes)
    if first < founded or last > today:
        raise say_no(No.DAYS_OUTSIDE, first=founded, last=today)
    begins, _ = day_bounds(first, house.time_zone, house.day_starts_minutes)
    _, ends = day_bounds(last, house.time_zone, house.day_starts_minutes)
    return Period(first, last, begins, ends, house.time_zone)


def _stretch(office: Office, connection: Reading, period: Period, size: int | None) -> Stretch:
    """Return the stretch of a period: up to the close of its last day, or as far as the log is."""
    closed_at = stretches.close_position(connection, period.last)
    until = log.signed_size(connection)
    if closed_at is not None and closed_at >= until:
        closed_at = None  # until the head over it is signed
    if size is not None and not 0 < size <= until:
        raise say_no(No.NO_SUCH_SIZE, size=size, most=until)
    end = size if size is not None else until if closed_at is None else closed_at + 1
    opened = stretches.opened_before(connection, period.first)
    first = stretches.size_before(connection, period.begins)
    first = min(first, end) if opened is None else min(first, opened, end)
    if stretches.count(connection, first, end) != end - first:
        raise say_no(No.LOG_CHANGED, entry=f"between {first} and {end}")
    root = Tree(StoredHashes(connection)).root(end)
    whole = closed_at is not None and end > closed_at
    return Stretch(office.house.log_origin, first, end, root, whole)


def _check_length(document: Document, format_: Format) -> None:
    rows = sum(len(section.rows) for section in document.content.sections)
    most = LINES_MOST if format_ is Format.PDF else ROWS_MOST
    if rows > most:
        raise say_no(No.REPORT_LONG, rows=f"{rows:,}", most=f"{most:,}")
