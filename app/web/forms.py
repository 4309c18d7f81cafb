"""The JSON forms of what stations ask for: plain values out, every fault of the form at once."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from flask import request

from app.flow.access import Approval
from app.flow.contact import Contact
from app.flow.drawer import Closing, Minding
from app.flow.lost_ticket import Loss, LostPayment
from app.flow.patron import Patron
from app.flow.pay import Check, Paying
from app.flow.plays import Changes
from app.flow.print_wanted import WANTED, Wanted
from app.flow.printers import PrinterPlan
from app.flow.refund import Refunding
from app.flow.refusals import No, say_no
from app.flow.report import Asked
from app.flow.reprint import Again, Seen
from app.flow.sell import Sale
from app.flow.stop_sales import Thing
from app.flow.tax_paper import Paper
from app.flow.void import Voiding
from app.keno.documents import conditioning_from, groups_from, read_json, request_from
from app.keno.drawer import DENOMINATIONS, Count, DrawerAct, counted_cents, is_denomination
from app.keno.fields import Fields
from app.keno.refusals import Code, Refusal, refusal, refuse_all
from app.keno.request import Request
from app.keno.spots import NUMBERS
from app.keno.tender import Tender, TenderKind
from app.reports.catalogue import Format

# One bill, chip or coupon, and what can lie on a counter: so that no sum leaves the integers.
CENTS_MAX = 10**11
YEARS = range(2000, 3000)
PARTS_MAX = 50
PIECES_MAX = 10**6
CENTS_DIGITS = 9
# So many numbers of paid tickets, none longer than that, stand in one entry of the log.
TICKETS_MAX, NUMBER_MAX = 4_000, 10**12
_TIME = "a time with its zone, as 2026-12-01T06:00-05:00"


def body() -> tuple[Fields, list[Refusal]]:
    """Return the object that a request carries, and the list for its faults."""
    faults: list[Refusal] = []
    return Fields(read_json(request.get_data()), "", faults), faults


def read_texts(*names: str) -> tuple[str, ...]:
    """Return the texts of a form that has just these."""
    fields, faults = body()
    texts = tuple(fields.text(name) for name in names)
    fields.no_more()
    refuse_all(faults)
    return texts


def read_two(*names: str) -> tuple[tuple[str, ...], Approval | None]:
    """Return the texts of a form, and the second of two people, if the form has them."""
    fields, faults = body()
    texts, second = tuple(fields.text(name) for name in names), _person(fields, "second")
    fields.no_more()
    refuse_all(faults)
    return texts, second


def read_copies() -> int:
    """Return how many copies of a ticket somebody knows of, who approves its payment."""
    fields, faults = body()
    copies = fields.whole("copies", 0, default=0)
    fields.no_more()
    refuse_all(faults)
    return copies


def read_quote() -> Request:
    """Return the request that is to be quoted."""
    fields, faults = body()
    asked = request_from(fields, faults)
    refuse_all(faults)
    return asked


def read_spoken() -> tuple[str, str]:
    """Return a line as a writer types it, and the tender beside it."""
    fields, faults = body()
    line, tender = fields.text("line"), fields.maybe_text("tender")
    fields.no_more()
    refuse_all(faults)
    return line, tender or ""


def read_practice() -> tuple[Request, tuple[Tender, ...]]:
    """Return the request that is practised, and what it is paid with."""
    fields, faults = body()
    asked, tender = request_from(fields.inner("request"), faults), _tender(fields, faults)
    fields.no_more()
    refuse_all(faults)
    return asked, tender


def read_sale() -> Sale:
    """Return the sale that is asked for: of a request, a quick-pick, or a ticket to play again."""
    fields, faults = body()
    series = fields.text("series")
    first_game = fields.maybe_whole("first_game", 1)
    tender = _tender(fields, faults)
    source = fields.take("source")
    if isinstance(source, dict):
        replay = Fields(source, "source", faults)
        replay_of: int | None = replay.whole("ticket", 1)
        replay.no_more()
        what: Request | Changes = _changes(fields, faults)
    else:
        replay_of = None
        if source not in ("request", "quick-pick"):
            choices = 'request, quick-pick, {"ticket": n}'
            faults.append(refusal(Code.NOT_A_CHOICE, "source", field="source", choices=choices))
        what = request_from(fields.inner("request"), faults)
        if (source == "quick-pick") != (what.quick_pick is not None) and not faults:
            spots = what.quick_pick or 0
            faults.append(refusal(Code.QUICK_PICK_ALONE, "request.quick_pick", spots=spots))
    contact = _contact(fields)
    fields.no_more()
    refuse_all(faults)
    return Sale(series, what, tender, first_game, replay_of, contact)


def read_voiding(number: int) -> Voiding:
    """Return the void that is asked for."""
    fields, faults = body()
    code, approval = fields.maybe_text("code"), _approval(fields)
    reason = _reason_beside(code, fields)
    contact, manager = _contact(fields), _person(fields, "manager")
    fields.no_more()
    refuse_all(faults)
    return Voiding(number, reason, code, approval, contact, manager)


def read_refunding(number: int) -> Refunding:
    """Return the refund that is asked for; of the rest of the ticket too, unless that is denied."""
    fields, faults = body()
    code, approval = fields.maybe_text("code"), _approval(fields)
    reason = _reason_beside(code, fields)
    cancel = fields.choice("cancel", ("yes", "no"), default="yes") == "yes"
    contact, manager = _contact(fields), _person(fields, "manager")
    fields.no_more()
    refuse_all(faults)
    return Refunding(number, reason, code, approval, cancel, contact, manager)


def _reason_beside(code: str | None, fields: Fields) -> str:
    """Return why something goes back; whoever has the paper, and so its code, need not say."""
    if code is not None and not fields.has("reason"):
        return "none given"
    return fields.text("reason")


def read_again(*, paper: int | None = None, ticket: int | None = None) -> Again:
    """Return the paper that is to be printed again."""
    fields, faults = body()
    reason, approval = fields.text("reason"), _approval(fields)
    fields.no_more()
    refuse_all(faults)
    return Again(reason, paper, ticket, approval)


def read_seen(paper: int) -> Seen:
    """Return what a writer says of a paper."""
    fields, faults = body()
    copy = fields.whole("copy", 0)
    printed = _chosen(fields, "printed", ("yes", "no"))
    fields.no_more()
    refuse_all(faults)
    return Seen(paper, copy, printed == "yes")


def read_wanted() -> Wanted:
    """Return the paper that is asked for."""
    fields, faults = body()
    slip = _chosen(fields, "slip", list(WANTED))
    drawer, game = fields.maybe_whole("drawer", 1), fields.maybe_whole("game", 1)
    series, part = fields.maybe_text("series"), fields.maybe_whole("part", 1)
    fields.no_more()
    refuse_all(faults)
    return Wanted(WANTED[slip], drawer, series, game, part or 1)


def _chosen(fields: Fields, name: str, choices: Sequence[str]) -> str:
    """Return which of some words a field says; it must say one."""
    if not fields.has(name):
        return fields.text(name)  # which notes that it is missing
    return fields.choice(name, choices, default=choices[0])


def read_locking() -> tuple[Approval | None, str | None]:
    """Return a supervisor's approval of a lock, and why it is locked, if the form has them."""
    fields, faults = body()
    approval, reason = _approval(fields), fields.maybe_text("reason")
    fields.no_more()
    refuse_all(faults)
    return approval, reason


def _moment(text: str) -> datetime | None:
    """Return a moment that is named with its zone, in UTC; none if it is no moment.

    Pages send what a clock on the wall shows, with the name of its zone behind it (RFC 9557), as
    2026-12-01T06:00[America/New_York]: an hour that such a clock skips or shows twice names none.
    """
    shown, _, zone = text.removesuffix("]").partition("[")
    try:
        moment = datetime.fromisoformat(shown)
        if zone and moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone))
            once = moment.utcoffset() == moment.replace(fold=1).utcoffset()
            return moment.astimezone(UTC) if once else None
        return None if zone or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, KeyError, OSError):  # the last two: there is no such zone
        return None


def read_day(text: str) -> date:
    """Return a day of the calendar.

    Refuses: what is none.
    """
    faults: list[Refusal] = []
    day = date.min
    with suppress(ValueError):
        day = date.fromisoformat(text)
    if day.year not in YEARS:
        wanted = "a day, as 2026-12-01,"
        faults.append(refusal(Code.WRONG_TYPE, "day", field="day", wanted=wanted))
    refuse_all(faults)
    return day


def read_closing() -> tuple[datetime | None, str]:
    """Return when a game is to close, if at all, and why."""
    fields, faults = body()
    text, reason = fields.maybe_text("closes_at"), fields.text("reason")
    fields.no_more()
    closes_at = None
    if text is not None:
        closes_at = _moment(text)
        if closes_at is None:
            faults.append(refusal(Code.WRONG_TYPE, "closes_at", field="closes_at", wanted=_TIME))
    refuse_all(faults)
    return closes_at, reason


def read_typed_changes() -> str:
    """Return the large changes of a card as whoever accepts it has typed them."""
    fields, faults = body()
    typed = fields.text("changes", default="")
    fields.no_more()
    refuse_all(faults)
    return typed


def read_promotion() -> tuple[str, Approval]:
    """Return the file of a promotion, and who enters it as well."""
    fields, faults = body()
    file, given = fields.text("file"), fields.inner("second")
    second = Approval(given.text("name"), given.text("secret"))
    given.no_more()
    fields.no_more()
    refuse_all(faults)
    return file, second


def read_stop() -> tuple[Thing, str, Approval | None]:
    """Return what is to be sold no more, or again; why; and the manager, if one is named."""
    fields, faults = body()
    series, schedule = fields.maybe_text("series"), fields.maybe_text("schedule")
    thing = Thing(series, schedule, fields.maybe_whole("spots", 1, NUMBERS))
    reason, manager = fields.text("reason"), _person(fields, "manager")
    fields.no_more()
    refuse_all(faults)
    return thing, reason, manager


def read_since_with_manager() -> tuple[datetime | None, Approval | None]:
    """Return from when a card holds, none: as soon as can be; and the manager, if one is named."""
    fields, faults = body()
    text, manager = fields.maybe_text("from"), _person(fields, "manager")
    fields.no_more()
    since = None if text is None else _moment(text)
    if text is not None and since is None:
        faults.append(refusal(Code.WRONG_TYPE, "from", field="from", wanted=_TIME))
    refuse_all(faults)
    return since, manager


def read_report() -> Asked:
    """Return the report that is asked for."""
    fields, faults = body()
    report, form = fields.text("report"), _chosen(fields, "format", [each.value for each in Format])
    first, last = _day_of(fields, "from", faults), _day_of(fields, "to", faults)
    fields.no_more()
    refuse_all(faults)
    return Asked(report, first, last, Format(form))


def read_bundle() -> tuple[date, date]:
    """Return the days of which a bundle is asked for."""
    fields, faults = body()
    first, last = _day_of(fields, "from", faults), _day_of(fields, "to", faults)
    fields.no_more()
    refuse_all(faults)
    return first, last


def _day_of(fields: Fields, name: str, faults: list[Refusal]) -> date:
    """Return the day that a field names; it must name one."""
    text = fields.text(name)
    try:
        return date.fromisoformat(text)
    except ValueError:
        if fields.has(name):
            faults.append(refusal(Code.WRONG_TYPE, name, field=name, wanted="a day"))
        return date.min


def read_release() -> tuple[str, Approval]:
    """Return why a game is graded again, and the manager who agrees."""
    fields, faults = body()
    reason, given = fields.text("reason"), fields.inner("manager")
    manager = Approval(given.text("name"), given.text("secret"))
    given.no_more()
    fields.no_more()
    refuse_all(faults)
    return reason, manager


def read_printer() -> tuple[PrinterPlan, Approval | None]:
    """Return a printer as it is to be, a station that is to print on it, and the supervisor."""
    fields, faults = body()
    code, address = fields.text("code"), fields.text("address")
    roll, station = fields.maybe_text("roll"), fields.maybe_text("station")
    supervisor = _person(fields, "supervisor")
    fields.no_more()
    refuse_all(faults)
    return PrinterPlan(code, address, roll, [] if station is None else [station]), supervisor


def read_hash(text: str) -> bytes:
    """Return the hash of a rate card.

    Refuses: what is none.
    """
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise say_no(No.CARD_UNKNOWN) from None


def _approval(fields: Fields) -> Approval | None:
    return _person(fields, "approval")


def _person(fields: Fields, field: str) -> Approval | None:
    """Return the name and the secret of a second person, if they are given."""
    if not fields.has(field):
        fields.maybe_text(field)
        return None
    given = fields.inner(field)
    approval = Approval(given.text("name"), given.text("secret"))
    given.no_more()
    return approval


def read_opening() -> tuple[Count, Approval | None]:
    """Return what two people counted in a drawer, and who the second one is."""
    fields, faults = body()
    count, verifier = _count(fields, faults), _person(fields, "verifier")
    fields.no_more()
    refuse_all(faults)
    return count, verifier


def read_drawer_closing(drawer: int) -> tuple[Closing, Approval | None]:
    """Return what two people counted at the close of a drawer, and who the second one is."""
    fields, faults = body()
    count, verifier = _count(fields, faults), _person(fields, "verifier")
    tickets = fields.wholes("tickets") if fields.has("tickets") else None
    if tickets is not None and (len(tickets) > TICKETS_MAX or not all(map(_is_number, tickets))):
        where = {"field": "tickets", "low": 1, "high": NUMBER_MAX}
        faults.append(refusal(Code.OUT_OF_RANGE, "tickets", **where))
    reason = fields.maybe_text("reason")
    fields.no_more()
    refuse_all(faults)
    return Closing(drawer, count, tickets, reason), verifier


def _is_number(number: int) -> bool:
    return 1 <= number <= NUMBER_MAX


def read_movement() -> tuple[Mapping[TenderKind, int], Approval | None]:
    """Return what is put into a drawer or taken out of it, by kind, and who is with the writer."""
    fields, faults = body()
    given = fields.inner("amounts")
    amounts = {kind: given.whole(kind, 0, CENTS_MAX, default=0) for kind in DENOMINATIONS}
    given.no_more()
    approval = _approval(fields)
    fields.no_more()
    if not faults and not any(amounts.values()):
        faults.append(refusal(Code.OUT_OF_RANGE, "amounts", field="amounts", low=1, high=CENTS_MAX))
    refuse_all(faults)
    return {kind: cents for kind, cents in amounts.items() if cents}, approval


def read_minding(drawer: int, act: DrawerAct) -> Minding:
    """Return what is to be done with a drawer as a whole."""
    fields, faults = body()
    station = fields.maybe_text("station") if act is DrawerAct.MOVE else None
    words = fields.maybe_text("words")
    fields.no_more()
    refuse_all(faults)
    return Minding(drawer, act, station, words)


def read_paying(number: int) -> Paying:
    """Return the payment that is asked for."""
    fields, faults = body()
    code, reason = fields.maybe_text("code"), fields.maybe_text("reason")
    approval, manager = _approval(fields), _person(fields, "manager")
    check = None
    if fields.has("check"):
        given = fields.inner("check")
        check = Check(given.text("number"), given.text("payee"))
        given.no_more()
    else:
        fields.maybe_text("check")
    contact, patron = _contact(fields), _patron(fields)
    fields.no_more()
    refuse_all(faults)
    return Paying(number, code, reason, approval, manager, check, contact, patron)


def read_loss(number: int) -> Loss:
    """Return what somebody says who lost a ticket."""
    fields, faults = body()
    patron = _patron(fields) or Patron("", "")
    loss = Loss(number, patron, fields.text("bought"), fields.text("surveillance"))
    fields.no_more()
    refuse_all(faults)
    return loss


def read_lost_payment(number: int) -> LostPayment:
    """Return the payment of a lost ticket that is asked for."""
    fields, faults = body()
    reason, procedure = fields.text("reason"), fields.maybe_text("procedure")
    given = fields.inner("check")
    check = Check(given.text("number"), given.text("payee"))
    given.no_more()
    approval = _approval(fields)
    fields.no_more()
    refuse_all(faults)
    return LostPayment(number, reason, check, approval, procedure or None)


def _patron(fields: Fields) -> Patron | None:
    """Return who a patron is, if it is said."""
    if not fields.has("patron"):
        fields.maybe_text("patron")
        return None
    given = fields.inner("patron")
    patron = Patron(given.text("name"), given.text("document"))
    given.no_more()
    return patron


def read_presenting() -> tuple[str | None, Contact | None]:
    """Return the code of a ticket that is presented, and the contact."""
    fields, faults = body()
    code, contact = fields.maybe_text("code"), _contact(fields)
    fields.no_more()
    refuse_all(faults)
    return code, contact


def read_paper(number: int) -> Paper:
    """Return the tax paper that was filled in."""
    fields, faults = body()
    paper = Paper(
        number,
        fields.whole("game", 1),
        fields.text("name"),
        fields.text("taxpayer_number"),
        _contact(fields),
        fields.maybe_text("code"),
        _approval(fields),
    )
    fields.no_more()
    refuse_all(faults)
    return paper


def _contact(fields: Fields) -> Contact | None:
    if not fields.has("contact"):
        fields.maybe_text("contact")
        return None
    given = fields.inner("contact")
    contact = Contact(given.text("id"), given.maybe_text("player_card"))
    given.no_more()
    return contact


def _count(fields: Fields, faults: list[Refusal]) -> Count:
    """Return a count: by kind in cents, or by denomination as {"2000": 5} for five twenties."""
    given = fields.inner("counted")
    cents: dict[TenderKind, int] = {}
    pieces: dict[TenderKind, dict[int, int]] = {}
    for kind in DENOMINATIONS:
        if not isinstance(given.peek(kind), dict):
            cents[kind] = given.whole(kind, 0, CENTS_MAX, default=0)
            continue
        pieces[kind] = _pieces(kind, given.inner(kind), faults)
        cents[kind] = counted_cents(pieces[kind])
    given.no_more()
    if sum(cents.values()) > CENTS_MAX:
        where = {"field": "counted", "low": 0, "high": CENTS_MAX}
        faults.append(refusal(Code.OUT_OF_RANGE, "counted", **where))
    return Count({kind: each for kind, each in cents.items() if each}, pieces)


def _pieces(kind: TenderKind, given: Fields, faults: list[Refusal]) -> dict[int, int]:
    pieces = {}
    for name in given.names():
        number = given.whole(name, 0, PIECES_MAX)
        if name.isdecimal() and len(name) < CENTS_DIGITS and is_denomination(kind, int(name)):
            pieces[int(name)] = number
        else:
            where = given.place_of(name)
            faults.append(refusal(Code.NOT_A_CHOICE, where, field=where, choices="denominations"))
    return pieces


def _tender(fields: Fields, faults: list[Refusal]) -> tuple[Tender, ...]:
    tender = []
    parts = fields.items("tender")
    if len(parts) > PARTS_MAX:
        where = {"field": "tender", "low": 0, "high": PARTS_MAX}
        faults.append(refusal(Code.OUT_OF_RANGE, "tender", **where))
    for place, part in enumerate(parts[:PARTS_MAX]):
        each = Fields(part, f"tender[{place}]", faults)
        kind = each.choice("kind", TenderKind, default="")
        cents, serial = each.whole("cents", 1, CENTS_MAX), each.maybe_text("serial")
        each.no_more()
        if kind:
            tender.append(Tender(TenderKind(kind), cents, serial))
    return tuple(tender)


def _changes(fields: Fields, faults: list[Refusal]) -> Changes:
    """Return what is changed of a ticket that is played again: whatever the request names."""
    if not fields.has("request"):
        fields.maybe_text("request")
        return Changes()
    given = fields.inner("request")
    named = any(given.has(name) for name in ("groups", "kings"))
    groups = groups_from(given)
    changes = Changes(
        groups=groups if named else None,
        conditioning=conditioning_from(given, faults) or None,
        games=given.maybe_whole("games", 1),
        price_cents=given.maybe_whole("price_cents"),
    )
    given.no_more()
    return changes
