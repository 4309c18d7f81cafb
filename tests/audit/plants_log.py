"""Plants in a log that a forger writes and signs again, and the fault code of each.

The forger has the keys of the log and of the back office, and not the inspector's.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from rng.core.canonical import canonical
from tests.audit.exporting import Entry, Forgery, said, say
from tests.audit.plants_signed import CARRIED, Change, of_game


def every_win_raised(forgery: Forgery) -> None:
    """A win is raised, and the digest and the certification are made to fit."""
    wins = forgery.tagged("WINS")[-1]
    say(wins, win_cents=said(wins)["win_cents"] + 100, paid_cents=said(wins)["paid_cents"] + 100,
        digest="0" * 64)  # fmt: skip


def first_said(tag: str, **changes: object) -> Change:
    return lambda forgery: say(forgery.tagged(tag)[0], **changes)


def raised(tag: str, name: str, cents: int = 100) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[-1]
        say(entry, **{name: said(entry)[name] + cents})

    return make


def entry_of(tag: str, **body: object) -> dict[str, Any]:
    """An entry that nobody has written."""
    told = {"label": f"keno/{tag.lower()}", "version": 1, **body}
    return {"tag": tag, "salt": "0" * 64, "body": canonical(told).decode()}


def founded_again(forgery: Forgery) -> None:
    house = next(each for each in forgery.lines("log/carried.jsonl") if each["tag"] == "HOUSE")
    forgery.entries.append({"tag": "HOUSE", "salt": house["salt"], "body": house["body"]})


def without_standing(forgery: Forgery) -> None:
    close = forgery.tagged("DAY-CLOSE")[-1]
    told = said(close)
    del told["standing"]
    close["body"] = canonical(told).decode()


def void_in_chips(forgery: Forgery) -> None:
    void = forgery.tagged("VOID")[0]
    say(void, back=[{**each, "kind": "chips"} for each in said(void)["back"]])


def void_of_the_cancelled(forgery: Forgery) -> None:
    """A ticket whose rest was given back is void as well, for its full price."""
    tickets = {said(each)["number"]: each for each in forgery.tagged("TICKET")}
    cancel = next(each for each in forgery.tagged("CANCEL") if said(each)["ticket"] in tickets)
    number = said(cancel)["ticket"]
    sold = tickets[number]
    void = dict(forgery.tagged("VOID")[0])
    price = said(sold)["price_cents"]
    say(void, ticket=number, ticket_leaf=sold["leaf"], price_cents=price,
        voided_at=said(cancel)["time"], back=[{"kind": "currency", "cents": price}])  # fmt: skip
    forgery.entries.remove(cancel)
    place = forgery.entries.index(sold) + 1
    forgery.entries[place:place] = [cancel, void]


def left_out(tag: str, place: int = 0) -> Change:
    return lambda forgery: forgery.entries.remove(forgery.tagged(tag)[place])


def again(tag: str) -> Change:
    return lambda forgery: forgery.entries.append(dict(forgery.tagged(tag)[0]))


def moved_behind_its_lock(tag: str) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[0]
        forgery.entries.remove(entry)
        game = (said(entry)["series"], said(entry)["first_game"])
        locks = (lock for lock in forgery.tagged("LOCK") if of_game(lock) == game)
        forgery.entries.insert(forgery.entries.index(next(locks)) + 1, entry)

    return make


def cancelled_behind_its_lock(forgery: Forgery) -> None:
    """A ticket gets back what it paid for a game that was locked when it was given back."""
    series = {said(each)["number"]: said(each)["series"] for each in forgery.tagged("TICKET")}
    entry, lock = next(
        (cancel, lock)
        for cancel in forgery.tagged("CANCEL")
        for lock in forgery.tagged("LOCK")
        if of_game(lock) == (series.get(said(cancel)["ticket"]), said(cancel)["first_cancelled"])
    )
    forgery.entries.remove(entry)
    forgery.entries.insert(forgery.entries.index(lock) + 1, entry)


def refund(forgery: Forgery) -> dict[str, Any]:
    """A refund of a ticket of which nothing is left then."""
    single = {said(each)["number"] for each in forgery.tagged("TICKET") if said(each)["games"] == 1}
    return next(each for each in forgery.tagged("REFUND") if said(each)["ticket"] in single)


def other_numbers(forgery: Forgery) -> None:
    """A ticket that did not catch all of its numbers has those that were drawn.

    Not one that did, whose win would be the same; nor one that was cancelled, and plays no more.
    """
    draw = forgery.tagged("DRAW")[-1]
    game, drawn = said(draw)["game"], said(draw)["numbers"]
    cancelled = {said(entry)["ticket"] for entry in forgery.tagged("CANCEL")}
    for entry in forgery.tagged("TICKET"):
        body = said(entry)
        plays = body["first_game"] <= game < body["first_game"] + body["games"]
        if plays and body["series"] == "M" and len(body["groups"]) == 1:
            (group,) = body["groups"]
            if body["number"] in cancelled or set(group) <= set(drawn):
                continue
            say(entry, groups=[sorted(drawn[: len(group)])])
            return
    raise LookupError


def figures(forgery: Forgery) -> None:
    close = forgery.tagged("DAY-CLOSE")[-1]
    say(close, figures={**said(close)["figures"], "sales_cents": 1})


def unapproved(forgery: Forgery) -> None:
    paid = max(forgery.tagged("PAID"), key=lambda entry: said(entry)["cents"])
    say(paid, approver=None, manager=None)


def approved_by(**who: str) -> Change:
    def make(forgery: Forgery) -> None:
        paid = next(entry for entry in forgery.tagged("PAID") if said(entry)["manager"])
        say(paid, **who)

    return make


def price(forgery: Forgery) -> None:
    ticket = forgery.tagged("TICKET")[-1]
    say(ticket, price_per_game_cents=said(ticket)["price_per_game_cents"] - 1)


def ways(forgery: Forgery) -> None:
    ticket = forgery.tagged("TICKET")[-1]
    lines = said(ticket)["lines"]
    say(ticket, lines=[{**lines[0], "ways": lines[0]["ways"] + 1}, *lines[1:]])


def other_card(forgery: Forgery) -> None:
    """A ticket is on a card that pays more, which was never brought."""
    say(forgery.tagged("TICKET")[-1], card="1" * 64)


def paid_to_a_loser(forgery: Forgery) -> None:
    paid = forgery.tagged("PAID")[0]
    say(paid, ticket=max(said(entry)["number"] for entry in forgery.tagged("TICKET")) + 1)


def reprinted(forgery: Forgery) -> None:
    """A ticket was printed again before it was paid without an approval."""
    place, paid = next(
        (place, entry)
        for place, entry in enumerate(forgery.entries)
        if entry["tag"] == "PAID" and said(entry)["approver"] is None
    )
    body = {"label": "keno/reprint", "version": 1, "slip": "ticket",
            "about": {"ticket": said(paid)["ticket"]}}  # fmt: skip
    entry = {**paid, "tag": "REPRINT", "body": canonical(body).decode()}
    forgery.entries.insert(place, entry)


def dated(tag: str, name: str, place: int = 0, **by: int) -> Change:
    """An entry says another time."""

    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[place]
        say(entry, **{name: moved(said(entry)[name], timedelta(**by))})

    return make


def lock_of_a_draw_dated_anew(forgery: Forgery) -> None:
    """The lock of a game that was drawn says another time; that of a void game draws nothing."""
    drawn = [of_game(entry) for entry in forgery.tagged("DRAW")]
    lock = next(entry for entry in forgery.tagged("LOCK") if of_game(entry) in drawn)
    say(lock, locked_at=moved(said(lock)["locked_at"], timedelta(seconds=1)))


def moved(moment: str, by: timedelta) -> str:
    return (datetime.fromisoformat(moment) + by).isoformat(timespec="milliseconds")


def everything_dated(**by: int) -> Change:
    """All entries say other times, and agree with each other."""

    def make(forgery: Forgery) -> None:
        for entry in forgery.entries:
            body = said(entry)
            names = ("time", "sold_at", "voided_at", "locked_at", "opened_at")
            times = {name: body[name] for name in names if type(body.get(name)) is str}
            say(entry, **{name: moved(at, timedelta(**by)) for name, at in times.items()})

    return make


def paid_late(forgery: Forgery) -> None:
    """A ticket that nobody brought before is paid after its time."""
    brought = {said(entry)["ticket"] for entry in forgery.tagged("PRESENTED")}
    paid = next(each for each in forgery.tagged("PAID") if said(each)["ticket"] not in brought)
    say(paid, time=moved(said(paid)["time"], timedelta(days=400)))


def expired_early(forgery: Forgery) -> None:
    """A win is posted as expired a day before its time is over."""
    expired = forgery.tagged("EXPIRED")[0]
    forgery.entries.remove(expired)
    forgery.entries.insert(0, expired)


def added(tag: str, place: int = 0, **body: object) -> Change:
    """An entry is added that was never made."""

    def make(forgery: Forgery) -> None:
        document = {"label": f"keno/{tag.lower()}", "version": 1, **body}
        entry = {**forgery.entries[place], "tag": tag, "body": canonical(document).decode()}
        forgery.entries.insert(place, entry)

    return make


def expired_though_brought(forgery: Forgery) -> None:
    """A ticket that was brought in time expires all the same."""
    expired, at = forgery.tagged("EXPIRED")[0], said(forgery.entries[0])["time"]
    added("PRESENTED", ticket=said(expired)["ticket"], time=at)(forgery)


def other_card_in_force(forgery: Forgery) -> None:
    """A ticket is on a card that is in the log, and was not in force."""
    ticket = forgery.tagged("TICKET")[-1]
    cards = [each for each in forgery.lines(CARRIED) if each["tag"] == "CARD"]
    file = next(said(card)["file"] for card in cards if said(card)["card"] == said(ticket)["card"])
    digest = sha256(f"{file}\n".encode()).hexdigest()
    added("CARD", card=digest, file=f"{file}\n")(forgery)
    say(ticket, card=digest)


def put_in_force_by_nobody(forgery: Forgery) -> None:
    first = forgery.entries[0]
    at = said(first)["time"]
    added("CARD-IN-FORCE", card="1" * 64, effective_at=at, time=at)(forgery)


def released_by(**who: str) -> Change:
    def make(forgery: Forgery) -> None:
        entry = forgery.tagged("RELEASED")[0]
        say(entry, **{role: {"staff": code} for role, code in who.items()})

    return make


def behind(entry: Entry, new: Entry) -> Change:
    return lambda forgery: forgery.entries.insert(forgery.entries.index(entry) + 1, new)


def claimed_behind(claim: str, other: str, place: int) -> Change:
    """Insert a payment or expiry of a ticket right behind another entry about the ticket."""

    def make(forgery: Forgery) -> None:
        entry, new = forgery.tagged(other)[place], dict(forgery.tagged(claim)[0])
        is_sale = other == "TICKET"
        number = said(entry)["number" if is_sale else "ticket"]
        leaf = entry["leaf"] if is_sale else said(entry)["ticket_leaf"]
        say(new, ticket=number, ticket_leaf=leaf)
        behind(entry, new)(forgery)

    return make


def sold_twice(forgery: Forgery) -> None:
    ticket = forgery.tagged("TICKET")[-1]
    behind(ticket, dict(ticket))(forgery)


def without_a_lock_in_the_middle(forgery: Forgery) -> None:
    """Leave out the lock of a game between two others of its series."""
    locks = [each for each in forgery.tagged("LOCK") if said(each)["series"] == "M"]
    assert len(locks) > 2
    forgery.entries.remove(locks[1])


def graded_though_void(forgery: Forgery) -> None:
    """Have the next grading be of a game that was locked and is void."""
    locked = [of_game(each) for each in forgery.tagged("LOCK")]
    void = next(each for each in forgery.tagged("VOID-GAME") if of_game(each) in locked)
    later = forgery.entries[forgery.entries.index(void) :]
    series, game = of_game(void)
    say(next(each for each in later if each["tag"] == "WINS"), series=series, game=game)


def with_amounts(day: str, **amounts: int) -> Change:
    """Set the house's amounts from a day on, looser than the rule for the supervisor's."""

    def make(forgery: Forgery) -> None:
        for name, after in {"approval": 10**7, **amounts}.items():
            added("AMOUNT", from_day=day, name=name.replace("_", "-"), after_cents=after)(forgery)

    return make


def paid_alone(forgery: Forgery) -> Entry:
    return next(each for each in forgery.tagged("PAID") if said(each)["approver"] is None)


def shown(how: str, **more: object) -> Change:
    """Have a payment in cash, which one writer made alone, be one without the whole code."""

    def make(forgery: Forgery) -> None:
        alone = (each for each in forgery.tagged("PAID") if said(each)["approver"] is None)
        paid = next(each for each in alone if said(each)["paid_by"] == "cash")
        say(paid, with_code=False, approver="SAM", manager="MAX", shown={"how": how, **more})

    return make


def looked_up_and_paid(forgery: Forgery) -> None:
    """The writer who pays a ticket that can hardly be read had looked it up."""
    paid = paid_alone(forgery)
    told = said(paid)
    body = {"label": "keno/look-up", "version": 1, "first": 1, "last": told["ticket"], "wins": 9,
            "staff": told["writer"], "time": told["time"]}  # fmt: skip
    entry = {**paid, "tag": "LOOK-UP", "body": canonical(body).decode()}
    forgery.entries.insert(forgery.entries.index(paid), entry)
    say(paid, with_code=False, approver="SAM", shown={"how": "identity", "identity": "0" * 64})


def paid_exactly(cents: int, **who: str | None) -> Change:
    """Pay an amount to a patron in one payment, in a house that sets the rule's own amounts."""

    def make(forgery: Forgery) -> None:
        paid = paid_alone(forgery)
        with_amounts(said(paid)["time"][:10], second_tier=1_000_000)(forgery)
        say(paid, cents=cents, contact=None, **who)

    return make


def paid_in_two_parts(forgery: Forgery) -> None:
    """Pay $1,500.00 in two parts, each just large enough to be added up."""
    paid = paid_alone(forgery)
    day = said(paid)["time"][:10]
    with_amounts(day, second_tier=1_000_000, added_up=75_000)(forgery)
    say(paid, cents=75_000, contact={"id": "c-1", "player_card": None})
    behind(paid, dict(paid))(forgery)


def unexplained(forgery: Forgery) -> None:
    close = forgery.tagged("DAY-CLOSE")[-1]
    say(close, drawers={**said(close)["drawers"], "unexplained_cents": 100})


def frozen_without_grading(forgery: Forgery) -> None:
    """Leave out the grading of a game that is frozen then."""
    frozen = of_game(forgery.tagged("FROZEN")[0])
    gradings = [each for each in forgery.tagged("WINS") if of_game(each) == frozen]
    forgery.entries.remove(gradings[0])


def changed_body(tag: str, change: Callable[[str], str]) -> Change:
    """Change the text of a body, which need not be canonical then."""

    def make(forgery: Forgery) -> None:
        entry = forgery.tagged(tag)[0]
        entry["body"] = change(entry["body"])

    return make


def other_lines(change: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> Change:
    """Have a ticket of one line play other lines."""

    def make(forgery: Forgery) -> None:
        ticket = forgery.tagged("TICKET")[0]
        (line,) = said(ticket)["lines"]
        say(ticket, lines=change(line))

    return make


RESIGNED: dict[str, tuple[Change, str]] = {
    "a ticket is dated back": (dated("TICKET", "sold_at", 5, hours=-2), "entry.time"),
    "a ticket is dated ahead": (dated("TICKET", "sold_at", 5, hours=2), "entry.time"),
    "a payment is dated back": (dated("PAID", "time", 1, minutes=-5), "entry.time"),
    "everything is dated ahead": (everything_dated(hours=1), "entry.cosigned_before"),
    "everything is dated back": (everything_dated(hours=-1), "draw.time"),
    "a lock is dated otherwise than its draw": (
        lock_of_a_draw_dated_anew,
        "draw.other_lock",
    ),
    "a day is closed before it is over": (
        dated("DAY-CLOSE", "time", -1, days=-1),
        "day.closed_early",
    ),
    "a ticket is paid after its time": (paid_late, "payment.late"),
    "a win expires while it can be claimed": (expired_early, "expiry.early"),
    "a win expires at another time": (dated("EXPIRED", "time", hours=-1), "expiry.time"),
    "a win expires whose ticket was brought in time": (expired_though_brought, "expiry.presented"),
    "a game is graded again without a release": (left_out("RELEASED", -1), "game.graded_again"),
    "a game is released by one": (released_by(supervisor="MAX"), "approval.same"),
    "a game is released by a writer": (released_by(supervisor="WALT"), "approval.role"),
    "a game is released by somebody who was disabled": (
        added("STAFF", staff="MAX", change="disabled"),
        "approval.disabled",
    ),
    "a payout is approved by somebody who was disabled": (
        added("STAFF", staff="SAM", change="disabled"),
        "approval.disabled",
    ),
    "a ticket is on a card that was not in force": (other_card_in_force, "ticket.card_in_force"),
    "a game is opened on another card": (
        lambda forgery: say(forgery.tagged("GAME")[0], card="1" * 64),
        "game.card",
    ),
    "a card is put into force that nobody accepted": (put_in_force_by_nobody, "card.not_accepted"),
    "a card is put into force without notice": (put_in_force_by_nobody, "card.notice"),
    "a win is raised, digest and all": (every_win_raised, "game.wins"),
    "a ticket gets the winning numbers": (other_numbers, "game.wins"),
    "a ticket is left out of its game": (left_out("TICKET", 1), "game.sold_file"),
    "a ticket number is missing": (left_out("TICKET", 2), "ticket.gap"),
    "a ticket is sold behind the lock": (moved_behind_its_lock("TICKET"), "ticket.behind_lock"),
    "a ticket is cheaper": (price, "ticket.price"),
    "a ticket has a way more": (ways, "ticket.ways"),
    "a ticket is on another card": (other_card, "ticket.card"),
    "a ticket was not paid for": (raised("TICKET", "change_cents"), "ticket.tender"),
    "a ticket is sold twice": (again("TICKET"), "ticket.gap"),
    "a void is left out": (left_out("VOID"), "game.sold_file"),
    "a void comes too late": (moved_behind_its_lock("VOID"), "void.behind_lock"),
    "a void gives back more": (raised("VOID", "price_cents"), "void.amount"),
    "a void is done twice": (again("VOID"), "void.unknown"),
    "a refund gives back more": (
        lambda forgery: say(refund(forgery), back=[{"kind": "currency", "cents": 1}]),
        "refund.amount",
    ),
    "a refund is given twice": (
        lambda forgery: forgery.entries.append(dict(refund(forgery))),
        "refund.unknown",
    ),
    "a cancellation gives back more": (
        lambda forgery: say(forgery.tagged("CANCEL")[0], back=[{"kind": "currency", "cents": 1}]),
        "refund.amount",
    ),
    "a game is cancelled that the ticket never played": (
        lambda forgery: say(forgery.tagged("CANCEL")[0], first_cancelled=1),
        "refund.games",
    ),
    "a game is cancelled behind its lock": (cancelled_behind_its_lock, "refund.behind_lock"),
    "a lock states more tickets": (raised("LOCK", "tickets", 1), "game.sold_file"),
    "a lock states more money": (raised("LOCK", "handle_cents"), "game.sold_file"),
    "a lock names no cards": (first_said("LOCK", cards=[]), "game.cards"),
    "a lock is of another day": (first_said("LOCK", gaming_day="2026-11-01"), "game.day"),
    "a lock is left out": (left_out("LOCK"), "draw.not_locked"),
    "a draw tells of other numbers": (first_said("DRAW", numbers=[1]), "draw.told_otherwise"),
    "a draw tells of another record": (first_said("DRAW", record="0" * 64), "draw.other_record"),
    "a draw is not told of": (left_out("DRAW"), "draw.not_told"),
    "a void game is told otherwise": (
        first_said("VOID-GAME", handle_cents=1),
        "draw.told_otherwise",
    ),
    "a grading is left out": (left_out("WINS", -1), "game.not_graded"),
    "a certification is left out": (left_out("CERTIFIED", -1), "day.undecided"),
    "a certification of fewer": (first_said("CERTIFIED", tickets=0), "game.certified"),
    "a game is released that was not frozen": (left_out("FROZEN", -1), "game.not_frozen"),
    "a payout is doubled": (again("PAID"), "payment.twice"),
    "a payout is raised": (raised("PAID", "cents"), "payment.amount"),
    "a payout of what nobody won": (paid_to_a_loser, "payment.no_win"),
    "a payout shows other gradings": (first_said("PAID", gradings=[]), "payment.gradings"),
    "a payout gives back more": (
        lambda forgery: say(forgery.tagged("PAID")[0], back=[{"kind": "currency", "cents": 1}]),
        "payment.back",
    ),
    "a large payout without an approval": (unapproved, "approval.missing"),
    "a payout without the code and without an approval": (
        lambda forgery: say(
            next(e for e in forgery.tagged("PAID") if said(e)["approver"] is None),
            with_code=False,
        ),
        "approval.missing",
    ),
    "a payout of a reprinted ticket": (reprinted, "approval.missing"),
    "a payout for which nobody says what was shown": (shown("code"), "shown.missing"),
    "a payout for which something else was shown": (shown("a letter"), "shown.missing"),
    "a payout for seven digits": (
        shown("digits", digits=7, places="X" * 7 + "?" * 18),
        "shown.digits",
    ),
    "a payout for more digits than there are places": (
        shown("digits", digits=26, places="X" * 26),
        "shown.digits",
    ),
    "a payout for fewer digits than it says": (
        shown("digits", digits=9, places="X" * 8 + "?" * 17),
        "shown.digits",
    ),
    "a payout to nobody who is known": (shown("identity", identity=""), "shown.identity"),
    "a payout of a ticket that nobody lost": (shown("claim", claim=""), "shown.early"),
    "a payout of a lost ticket at a window": (shown("claim", claim=""), "shown.window"),
    "a payout by who had looked the ticket up": (looked_up_and_paid, "shown.looked_up"),
    "an approval by a writer": (approved_by(approver="WALT"), "approval.role"),
    "an approval by a supervisor as manager": (approved_by(manager="SUE"), "approval.role"),
    "an approval of one's own": (approved_by(writer="SAM"), "approval.same"),
    "an expiry is raised": (raised("EXPIRED", "cents", 10**9), "expiry.amount"),
    "an expiry is left out": (left_out("EXPIRED"), "day.figures"),
    "the figures of a day": (figures, "day.figures"),
    "the close of a day is left out": (left_out("DAY-CLOSE", -1), "day.not_closed"),
    "the close of a day says it ended later": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], ends_at="2026-11-21T11:00:00.000Z"),
        "day.bounds",
    ),
    "the close of a day hides a frozen game": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], frozen=[{"game": 1}]),
        "day.frozen",
    ),
    "an act after the close of its day": (again("VOID"), "day.closed_before"),
    "the house is founded again": (founded_again, "house.twice"),
    "the close of a day does not say what is unclaimed": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], unclaimed=None), "json.malformed",
    ),
    "the close of a day does not say what stands": (without_standing, "day.standing"),
    "coupons for more than the price": (
        first_said("TICKET", tender=[{"kind": "coupon", "cents": 10**6, "serial": "X"}],
                   change_cents=10**6 - 100),
        "ticket.tender",
    ),
    "a void gives back another kind": (void_in_chips, "void.kind"),
    "a void of what was cancelled in part": (void_of_the_cancelled, "void.in_part"),
    "a restored house leaves out numbers that nobody missed": (
        lambda forgery: forgery.entries.append(
            entry_of("RESTORED", last_number=10**6, numbers_left_out=1)
        ),
        "ticket.gap",
    ),
    "a body of another kind": (first_said("LOCK", label="keno/other"), "entry.label"),
    "a body that is no document": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body="[]"),
        "json.malformed",
    ),
    "a body that is not canonical": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body='{"a":1, "b":2}'),
        "json.malformed",
    ),
    "a body with a number beyond all": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body='{"a":' + "9" * 400 + "}"),
        "json.malformed",
    ),
    "a body that has no end": (
        lambda forgery: forgery.tagged("LOCK")[0].update(body="[" * 9_000 + "]" * 9_000),
        "json.malformed",
    ),
    "the log got a name that both keys never gave it": (
        lambda forgery: forgery.entries.append(
            entry_of("NEW-ORIGIN", act={"body": {}}, last_number=0, numbers_left_out=0)
        ),
        "origin.told_otherwise",
    ),
    "a game is locked after another than the one before": (
        without_a_lock_in_the_middle,
        "game.gap",
    ),
    "a game is graded that is void": (graded_though_void, "game.not_drawn"),
    "a game is drawn twice": (again("DRAW"), "draw.twice"),
    "a ticket is sold again while it plays": (sold_twice, "ticket.twice"),
    "a ticket plays a number twice": (first_said("TICKET", groups=[[1, 1]]), "ticket.malformed"),
    "a payout names another entry as its ticket": (
        first_said("PAID", ticket_leaf="0" * 64),
        "ticket.leaf",
    ),
    "a ticket is paid before it is decided": (
        claimed_behind("PAID", "TICKET", -1),
        "payment.not_decided",
    ),
    "a ticket is paid after it expired": (
        claimed_behind("PAID", "EXPIRED", 0),
        "payment.expired",
    ),
    "a ticket expires before it is decided": (
        claimed_behind("EXPIRED", "TICKET", -1),
        "expiry.not_decided",
    ),
    "a ticket expires after it was paid": (claimed_behind("EXPIRED", "PAID", 0), "expiry.twice"),
    "a ticket expires twice": (again("EXPIRED"), "expiry.expired"),
    "a win expires that nobody won": (first_said("EXPIRED", ticket=10**6), "expiry.no_win"),
    "a payout whose manager is its writer": (approved_by(writer="MAX"), "approval.same"),
    "a payout of exactly $1,500.00 without a supervisor": (
        paid_exactly(150_000),
        "approval.missing",
    ),
    "a payout of exactly $10,000.00 without a manager": (
        paid_exactly(1_000_000, approver="SAM"),
        "approval.missing",
    ),
    "a payout of exactly $1,500.00 in two parts": (paid_in_two_parts, "approval.missing"),
    "a void at another station without a supervisor": (
        first_said("VOID", issued_at="B9"),
        "approval.missing",
    ),
    "a payout of a restored house without a manager": (
        added("RESTORED", last_number=10**6, numbers_left_out=0),
        "approval.missing",
    ),
    "a day is closed after another than the one before": (
        first_said("DAY-CLOSE", day="2026-11-17"),
        "day.gap",
    ),
    "the close of the day before is left out": (left_out("DAY-CLOSE", 0), "day.before"),
    "the close of a day says less is unclaimed": (
        lambda forgery: say(forgery.tagged("DAY-CLOSE")[-1], unclaimed={"2026-11-19": 1}),
        "day.unclaimed",
    ),
    "the close of a day does not explain its drawers": (unexplained, "day.drawers"),
    "a game is frozen that was not graded": (frozen_without_grading, "game.not_graded"),
    "a refund leaves out its void games": (first_said("REFUND", void_games=[]), "refund.games"),
    "a ticket has a number in two groups": (
        first_said("TICKET", groups=[[1, 2], [2, 3]]),
        "ticket.malformed",
    ),
    "a ticket has a group that is a number": (
        first_said("TICKET", groups=[7]),
        "ticket.malformed",
    ),
    "a ticket plays a way twice": (other_lines(lambda line: [line, line]), "ticket.malformed"),
    "a ticket lists a way of other spots": (
        other_lines(lambda line: [{**line, "spots": line["spots"] - 1, "sets": ["A"]}]),
        "ticket.malformed",
    ),
    "a ticket plays spots that its card does not have": (
        other_lines(lambda line: [{**line, "spots": 20}]),
        "ticket.card",
    ),
    "a payout of less than nothing": (first_said("PAID", cents=-1), "json.malformed"),
    "a payout at no time": (
        first_said("PAID", time=7, contact={"id": "c-1", "player_card": None}),
        "json.malformed",
    ),
    "a payout without a time zone": (
        first_said("PAID", time="2026-11-19T19:00:00.000"),
        "json.malformed",
    ),
    "a body with a space in it": (
        changed_body("LOCK", lambda body: body.replace(",", ", ", 1)),
        "json.malformed",
    ),
    "a body with one number that is too large": (
        changed_body("LOCK", lambda body: f'{body[:-1]},"zzz":{2**53}}}'),
        "json.malformed",
    ),
}  # fmt: skip
