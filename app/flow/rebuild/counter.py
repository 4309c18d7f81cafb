"""What happened at the counter, made again: tickets, voids, refunds, payments, drawers."""

from collections.abc import Mapping

from app.clock import time_text
from app.flow.contact import Passed
from app.flow.rebuild.context import (
    Act,
    Body,
    NotRebuilt,
    Rebuilding,
    moment,
    perhaps,
    taken,
    tender_of,
    told_of,
)
from app.flow.sell import legs_of_sale, passed_in_sale
from app.flow.void import legs_of_void
from app.keno.drawer import CASH, Count, DrawerAct, counted_cents
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.keno.tender import TenderKind, paid_in_kind, tendered_cents
from app.store.queries import drawers as drawer_queries
from app.store.queries import paper, payments
from app.store.queries import tickets as ticket_queries
from app.store.records import money, rebuilding
from app.store.records import tickets as records
from app.store.records.money import Leg, posting_rows
from app.store.records.together import Row, add_rows
from app.store.tables import (
    Account,
    Approval,
    Cancellation,
    Expiry,
    LookUp,
    LostTicket,
    PaidBy,
    Payout,
    Presentation,
    Refund,
    ReportedWin,
    Reprint,
    ShownInPart,
    Slip,
    TaxPaper,
    Ticket,
    Tier,
    Void,
)

NOTHING = b""  # in the place of what was encrypted, and is lost


# ---- tickets -------------------------------------------------------------------------------------


def sold(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A ticket."""
    number, tender = body["number"], tender_of(body["tender"])
    sold_at, drawer = moment(body["sold_at"]), here.drawer_of(body["writer"])
    last_game = body["first_game"] + body["games"] - 1
    rows, lost = here.in_contact(body, number, passed_in_sale(tender, body["price_cents"]), sold_at)
    answer = {
        "number": number,
        "printed_number": printed_number(number),
        "last_game": last_game,
        "rate_card": body["card"],
        "numbers": body["groups"],
        **taken(body, "series first_game price_cents change_cents conditioning expires_at"),
        **told_of(body),
    }
    ticket = {
        **taken(
            body,
            "number series first_game games type source replay_of price_per_game_cents price_cents",
        ),
        "last_game": last_game,
        "play": {"groups": body["groups"], "lines": body["lines"]},
        "card": here.card(body["card"]),
        "tendered_cents": tendered_cents(tender),
        "station": here.station(body["station"]),
        "staff": here.person(body["writer"]),
        "drawer": drawer,
        "sold_at": sold_at,
        "code_key": body.get("code_key", here.office.keys.newest),
        "request": body["request_id"],
        "prints_expiry": perhaps(body["expires_at"]),
    }
    legs = legs_of_sale(drawer, tender, body["price_cents"], body["change_cents"])
    add_rows(
        here.unit,
        entry,
        [
            here.asked(body, answer),
            (Ticket, ticket),
            *records.tender_rows(number, tender),
            *posting_rows(legs),
            here.job(body, Slip.TICKET, {"ticket": number}),
            *rows,
        ],
    )
    rebuilding.pass_number(here.unit, "ticket", number)
    for part in tender:
        if part.serial is not None and not records.spend_coupon(here.unit, part.serial, number):
            raise NotRebuilt(f"Coupon {part.serial} is spent on another ticket here.")
    return lost


def voided(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A ticket that was taken back."""
    ticket, at = here.ticket(body["ticket"]), moment(body["voided_at"])
    drawer = here.drawer_of(body["writer"])
    tender = ticket_queries.tender_of(here.unit.connection, ticket.number)
    paid = paid_in_kind(tender, ticket.price_cents)
    gone = [part for part in paid if part.kind is not TenderKind.COUPON]
    cash = [part for part in gone if part.kind in CASH]
    passed = Passed(out_cents=tendered_cents(gone), cash_out_cents=tendered_cents(cash))
    rows, lost = here.in_contact(body, ticket.number, passed, at)
    answer = {"number": ticket.number, "back": body["back"], "back_cents": ticket.price_cents}
    values = {"ticket": ticket.number, "reason": body["reason"], "voided_at": at}
    add_rows(
        here.unit,
        entry,
        [
            here.asked(body, answer | told_of(body)),
            (Void, values | _authority(here, body, drawer)),
            *rows,
            *posting_rows(legs_of_void(drawer, paid)),
            here.job(body, Slip.VOID, {"ticket": ticket.number}),
        ],
    )
    records.give_back_coupons(here.unit, paid)
    return lost


def refunded(here: Rebuilding, entry: int, body: Body) -> str | None:
    """Money back for games that are not played: cancelled, or void."""
    ticket, at = here.ticket(body["ticket"]), moment(body["time"])
    drawer, cash_cents = here.drawer_of(body["writer"]), tendered_cents(tender_of(body["back"]))
    passed = Passed(out_cents=cash_cents, cash_out_cents=cash_cents)
    rows, lost = here.in_contact(body, ticket.number, passed, at)
    answer = {
        "number": ticket.number,
        "cancelled_from": body["first_cancelled"],
        "back_cents": cash_cents,
        **taken(body, "void_games back coupon_cents coupons_back"),
        **told_of(body),
    }
    authority = _authority(here, body, drawer)
    rows = [here.asked(body, answer), *rows]
    if body["first_cancelled"] is not None:
        games = ticket.last_game - body["first_cancelled"] + 1
        values = {
            "ticket": ticket.number,
            "first_cancelled": body["first_cancelled"],
            "cents": games * ticket.price_per_game_cents,
            "back": body["back"],
            "reason": body["reason"],
            "cancelled_at": at,
        }
        rows.append((Cancellation, values | authority))
    rows += _refunds(here, body, authority)
    legs = [
        Leg(Account.DRAWER, -cash_cents, drawer, TenderKind.CURRENCY),
        Leg(Account.COUPONS, -body["coupon_cents"]),
        Leg(Account.PREPAID, cash_cents + body["coupon_cents"]),
    ]
    job = here.job(body, Slip.REFUND, {"ticket": ticket.number, **answer})
    add_rows(here.unit, entry, [*rows, *posting_rows(legs), job])
    tender = ticket_queries.tender_of(here.unit.connection, ticket.number)
    back = [part for part in tender if part.serial in body["coupons_back"]]
    records.give_back_coupons(here.unit, back)
    return lost


def _refunds(here: Rebuilding, body: Body, authority: Body) -> list[Row]:
    price = here.ticket(body["ticket"]).price_per_game_cents
    values = {
        "ticket": body["ticket"],
        "cents": price,
        "back": body["back"],
        "refunded_at": moment(body["time"]),
        **authority,
    }
    return [(Refund, {**values, "game": game}) for game in body["void_games"]]


def _authority(here: Rebuilding, body: Body, drawer: int | None) -> Body:
    return {
        "station": here.station(body["station"]),
        "staff": here.person(body["writer"]),
        "drawer": drawer,
        "approver": here.somebody(body["approver"]),
        "with_code": body["with_code"],
        "request": body["request_id"],
    }


# ---- payments ------------------------------------------------------------------------------------


def paid(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A winning ticket was paid."""
    number, at = body["ticket"], moment(body["time"])
    how = Shown(body.get("shown", {"how": Shown.CODE.value})["how"])
    drawer = None if how is Shown.CLAIM else here.drawer_of(body["writer"])
    by_check = body["paid_by"] == PaidBy.CHECK.value
    back_cents, cents = tendered_cents(tender_of(body["back"])), body["cents"]
    cash_cents = back_cents if by_check else back_cents + cents
    passed = Passed(out_cents=cents + back_cents, cash_out_cents=cash_cents)
    rows, lost = here.in_contact(body, number, passed, at)
    authority = _authority(here, body, drawer)
    payout = {
        "ticket": number,
        "payee": NOTHING if by_check else None,
        "manager": here.somebody(body["manager"]),
        "paid_at": at,
        **taken(body, "cents paid_by check_number reason"),
        **authority,
    }
    out = Leg(Account.DRAWER, -cents, drawer, TenderKind.CURRENCY)
    legs = [
        Leg(Account.WINS_PAYABLE, cents),
        Leg(Account.CHECKS, -cents) if by_check else out,
        Leg(Account.DRAWER, -back_cents, drawer, TenderKind.CURRENCY),
        Leg(Account.COUPONS, -body["coupon_cents"]),
        Leg(Account.PREPAID, back_cents + body["coupon_cents"]),
    ]
    answer = {
        "number": number,
        "win_cents": cents,
        "refund_cents": back_cents,
        "pay_cents": cents + back_cents,
        **taken(body, "void_games gradings paid_by"),
        **told_of(body),
    }
    slip = {"ticket": number, "cents": cents, "refund_cents": back_cents}
    slip["signature"] = body["approver"] is not None
    approvals = (
        []
        if how is Shown.CLAIM
        else [
            *_approval(here, body, Tier.SUPERVISOR, body["approver"]),
            *_approval(here, body, Tier.MANAGER, body["manager"]),
        ]
    )
    if how is Shown.IDENTITY:
        lost = "Who the patron is who was paid is not in the log."
    add_rows(
        here.unit,
        entry,
        [
            here.asked(body, answer),
            (Payout, payout),
            *_shown(here, body),
            *approvals,
            *_refunds(here, body, authority),
            *rows,
            *posting_rows(legs),
            here.job(body, Slip.PAYOUT, slip),
        ],
    )
    return "To whom the check was made out is not in the log." if by_check else lost


def _shown(here: Rebuilding, body: Body) -> list[Row]:
    """Return what was shown of a ticket that was paid without its whole code."""
    said = body.get("shown", {})
    if said.get("how", Shown.CODE.value) == Shown.CODE.value:
        return []
    losses = payments.reported_lost(here.unit.connection, body["ticket"])
    claims = {time_text(each.claimed_at): each.entry for each in losses}
    values = {
        "ticket": body["ticket"],
        "how": said["how"],
        "places": said.get("places"),
        "sealed": NOTHING if "identity" in said else None,
        "salted": bytes.fromhex(said["identity"]) if "identity" in said else None,
        "claim": claims[said["claim"]] if "claim" in said else None,
        "procedure": said.get("procedure"),
    }
    return [(ShownInPart, values)]


def looked_up(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A win was looked up without its code."""
    values = {
        **taken(body, "first last wins"),
        "station": here.station(body["station"]),
        "staff": here.person(body["staff"]),
        "looked_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(LookUp, values)])
    return None


def lost(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A ticket was reported lost; the log has only a hash of who did."""
    values = {
        **taken(body, "ticket bought surveillance"),
        "sealed": NOTHING,
        "salted": bytes.fromhex(body["patron"]),
        "station": here.station(body["station"]),
        "staff": here.person(body["staff"]),
        "claimed_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(LostTicket, values)])
    return "Who lost the ticket is not in the log."


def _approval(here: Rebuilding, body: Body, tier: Tier, code: str | None) -> list[Row]:
    """Return the approval that was given in place; one from a page has an entry of its own."""
    if code is None:
        return []
    connection, number = here.unit.connection, body["ticket"]
    given = payments.approvals(connection, number, paper.newest_copy_of(connection, number))
    if any((each.tier, each.code, each.cents) == (tier, code, body["cents"]) for each in given):
        return []
    values = {
        "ticket": body["ticket"],
        "tier": tier.value,
        "staff": here.person(code),
        "cents": body["cents"],
        "seen": body["gradings"],
        "given_at": moment(body["time"]),
    }
    return [(Approval, values)]


def approved(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A payment was approved from a page."""
    values = {
        "ticket": body["number"],
        "tier": body["tier"],
        "staff": here.person(body["approver"]),
        "cents": body["cents"],
        "seen": body["gradings"],
        "given_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(Approval, values)])
    return None


def presented(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A ticket was brought, and could not be paid yet."""
    values = {
        "ticket": body["ticket"],
        "why": body["why"],
        "station": here.station(body["station"]),
        "staff": here.person(body["writer"]),
        "presented_at": moment(body["time"]),
    }
    add_rows(here.unit, entry, [(Presentation, values)])
    return None


def reported(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A tax paper was filled in; the log has only a hash of whose it is."""
    values = {
        "ticket": body["number"],
        "sealed": NOTHING,
        "salted": bytes.fromhex(body["patron"]),
        "station": here.station(body["station"]),
        "staff": here.person(body["writer"]),
        "done_at": moment(body["time"]),
        **taken(body, "game win_cents wager_cents due_at_cents"),
    }
    wins: list[Row] = [(ReportedWin, {**win, "game": body["game"]}) for win in body["wins"]]
    add_rows(here.unit, entry, [(TaxPaper, values), *wins])
    return "The name and the number on the tax paper are not in the log."


def expired(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A win that nobody came for."""
    cents = body["cents"]
    values = {"ticket": body["ticket"], "cents": cents, "expired_at": moment(body["time"])}
    legs = [Leg(Account.WINS_PAYABLE, cents), Leg(Account.EXPIRED, -cents)]
    add_rows(here.unit, entry, [(Expiry, values), *posting_rows(legs)])
    return None


# ---- drawers -------------------------------------------------------------------------------------


def opened(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A drawer was opened, counted by two."""
    count, at = _count(body["counted"]), moment(body["time"])
    station, staff = here.station(body["station"]), here.person(body["writer"])
    # Entries of earlier software do not name their drawer: it was the next one.
    drawer = body["drawer"] if "drawer" in body else money.next_drawer(here.unit)
    money.open_drawer(here.unit, drawer, station, staff, entry, at)
    rebuilding.pass_number(here.unit, "drawer", drawer)
    legs = [Leg(Account.DRAWER, cents, drawer, kind) for kind, cents in count.cents.items()]
    rows = [
        money.count_row(drawer, count, staff, here.person(body["verifier"]), closing=False),
        *posting_rows([*legs, Leg(Account.BANK, -count.total_cents)]),
        here.job(body, Slip.COUNT, {"drawer": drawer, "closing": False}),
    ]
    add_rows(here.unit, entry, rows)
    return None


def moved(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A drawer was filled, bled, suspended, resumed, moved or explained."""
    drawer, act, at = here.drawer(body["drawer"]), DrawerAct(body["act"]), moment(body["time"])
    station, writer = here.station(body["station"]), here.person(body["writer"])
    approver, amounts = here.somebody(body["approver"]), body["amounts"]
    rows = [
        money.move_row(
            drawer.id, act, station, writer, approver, at, amounts=amounts, words=body["words"]
        )
    ]
    if act in (DrawerAct.FILL, DrawerAct.BLEED):
        sign, total = (1 if act is DrawerAct.FILL else -1), sum(amounts.values())
        legs = [
            Leg(Account.DRAWER, sign * cents, drawer.id, TenderKind(kind))
            for kind, cents in amounts.items()
        ]
        said = {"drawer": drawer.id, "act": act.value, "cents": total, "amounts": amounts}
        rows += posting_rows([*legs, Leg(Account.BANK, -sign * total)])
        rows.append(here.job(body, Slip.MOVEMENT, said))
    elif act is not DrawerAct.EXPLAIN:
        suspended = at if body["state"] == "suspended" else None
        money.set_drawer(here.unit, drawer.id, station, suspended)
    add_rows(here.unit, entry, rows)
    return None


def closed(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A drawer was closed, counted blind by two."""
    drawer, count, at = here.drawer(body["drawer"]), _count(body["counted"]), moment(body["time"])
    expected = drawer_queries.contents(here.unit.connection, drawer.id)
    if sum(expected.values()) != body["expected_cents"]:
        raise NotRebuilt(f"Drawer {drawer.id} should have other contents than it has here.")
    legs = [Leg(Account.DRAWER, -cents, drawer.id, kind) for kind, cents in expected.items()]
    rest = [
        Leg(Account.BANK, count.total_cents),
        Leg(Account.OVER_SHORT, -body["over_short_cents"]),
    ]
    writer, verifier = here.person(body["writer"]), here.person(body["verifier"])
    rows = [
        money.count_row(drawer.id, count, writer, verifier, closing=True),
        *posting_rows([*legs, *rest]),
        here.job(body, Slip.COUNT, {"drawer": drawer.id, "closing": True}),
    ]
    add_rows(here.unit, entry, rows)
    money.close_drawer(here.unit, drawer.id, at)
    return None


def _count(document: Body) -> Count:
    """Return a count as it was kept: by denomination where it was counted so."""
    pieces = {
        TenderKind(kind): {int(value): number for value, number in counted.items()}
        for kind, counted in document.items()
        if isinstance(counted, dict)
    }
    cents = {
        TenderKind(kind): counted_cents(pieces[TenderKind(kind)])
        if isinstance(counted, dict)
        else counted
        for kind, counted in document.items()
    }
    return Count(cents, pieces)


# ---- paper ---------------------------------------------------------------------------------------


def printed(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A paper that was for no act."""
    add_rows(here.unit, entry, [here.job(body, Slip(body["slip"]), body["about"])])
    return None


def reprinted(here: Rebuilding, entry: int, body: Body) -> str | None:
    """A copy of a paper: of a ticket it matters for ever, because it is then paid with approval."""
    return _copied(here, entry, body, body["copy"], body["reason"], body["approver"])


def said_of_paper(here: Rebuilding, entry: int, body: Body) -> str | None:
    """Somebody said whether a paper came out; if it did not, a copy was printed by itself."""
    if body["copy_queued"] is None:
        return None
    return _copied(here, entry, body, body["copy_queued"], "it did not print", None)


def _copied(  # noqa: PLR0913, PLR0917  which copy of what, why, and on whose word
    here: Rebuilding, entry: int, body: Body, copy: int, reason: str, approver: str | None
) -> str | None:
    """Keep a copy; its paper is known by the number of an entry, which may be another one here."""
    about, job = body.get("about") or {}, body["paper"]
    if "ticket" in about and body["slip"] == Slip.TICKET.value:
        job = paper.paper_of_ticket(here.unit.connection, about["ticket"]) or job
    found = paper.job(here.unit.connection, job)
    if found is None or (about and found.payload != about):
        raise NotRebuilt(f"It is not known which paper had the number {body['paper']}.")
    station, request = here.station(body["station"]), f"restored-{entry}"
    values = {
        "job": job,
        "copy": copy,
        "reason": reason,
        "station": station,
        "staff": here.person(body["writer"]),
        "approver": here.somebody(approver),
        "asked_at": moment(body["time"]),
        "request": request,
    }
    kept = here.asked({**body, "request_id": request}, {"paper": job, "copy": copy})
    add_rows(here.unit, entry, [kept, (Reprint, values)])
    return None if job == body["paper"] else f"Its paper has the number {job} here."


COUNTER: Mapping[str, Act] = {
    "TICKET": sold,
    "VOID": voided,
    "CANCEL": refunded,
    "REFUND": refunded,
    "PAID": paid,
    "APPROVED": approved,
    "PRESENTED": presented,
    "LOOK-UP": looked_up,
    "LOST-TICKET": lost,
    "TAX-PAPER": reported,
    "EXPIRED": expired,
    "DRAWER-OPEN": opened,
    "DRAWER-MOVE": moved,
    "DRAWER-CLOSE": closed,
    "PRINT": printed,
    "REPRINT": reprinted,
    "ON-PAPER": said_of_paper,
}
