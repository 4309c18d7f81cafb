"""Rate cards: checked when brought, accepted by two, put into force with notice (15.3(e), 8.3)."""

import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from argon2 import PasswordHasher

from app.flow.access import Credentials, at_console
from app.flow.change_notice import change_notice
from app.flow.found_house import found_house
from app.flow.house_settings import change_setting
from app.flow.keys import read_keys
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.plays import Changes
from app.flow.quote import quote_request
from app.flow.rate_cards import FILE_MAX, accept_card, bring_card, enter_promotion, put_in_force
from app.flow.sell import Sale
from app.keno.house_settings import Setting
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store import schema
from app.store.database import Database
from app.store.queries import cards
from app.store.records.house import add_staff
from app.store.tables import Role
from app.store.unit import Unit
from tests.floor import MAX, NOON, SAM, SUE, Floor, dollar, keys_and_ceremony, plan, secret_of, tick
from tests.flow.rate_cards import FILE, SECOND, accepted, at
from tests.keyed import KeyedHouse
from tests.looking import bodies, refuses, rows

NOTICE = timedelta(minutes=30)  # the least that a house can set
CASH = (Tender(TenderKind.CURRENCY, 2_000),)


def card_in_force(floor: Floor, moment: datetime) -> str:
    with floor.office.database.reading() as connection:
        card = cards.card_in_force(connection, moment)
        assert card is not None
        return cards.card_with(connection, card).name


# ---- bringing ------------------------------------------------------------------------------------


@pytest.mark.rule("15.3(e)", "X-audit-log")
def test_a_card_that_is_brought_is_kept_and_logged_as_the_file_that_it_is(floor: Floor) -> None:
    digest = bring_card(floor.office, floor.sam, SECOND)
    assert digest == sha256(SECOND).digest()
    found = "SELECT name, file FROM card WHERE hash = :digest"
    assert rows(floor, found, digest=digest) == [("Second card", SECOND.decode())]
    body = bodies(floor, "CARD")[-1]
    assert (body["card"], body["name"], body["file"]) == (
        digest.hex(),
        "Second card",
        SECOND.decode(),
    )
    assert body["by"]["staff"] == "SAM"
    floor.check_books()


@pytest.mark.rule("15.3(e)")
def test_a_card_with_faults_is_refused_with_all_of_them_and_not_kept(floor: Floor) -> None:
    """Faults of form and faults before the law, in one answer."""
    file = (
        SECOND.replace(b"claim_minutes = 525_600", b"claim_minutes = 525_601")
        .replace(b"aggregate_cents = 10_000_000", b"aggregate_cents = 9_999_999")
        .replace(b'rounding = "up"', b'rounding = "sideways"')
        .replace(b"1 = { 1 = 300 }", b"1 = { 1 = 200 }")
    )
    with refuses(
        "document.not_a_choice",
        "card.advantage_too_high",
        "card.aggregate_too_low",
        "card.claim_too_long",
    ):
        bring_card(floor.office, floor.sam, file)
    assert rows(floor, "SELECT count(*) FROM card") == [(1,)]


def test_what_is_no_card_is_refused(floor: Floor) -> None:
    for file, code in (
        (b"not a card", "document.not_toml"),
        (b"\xff\xfe", "document.not_utf8"),
        (SECOND.ljust(FILE_MAX + 1, b"\n"), "document.too_long"),
    ):
        with refuses(code):
            bring_card(floor.office, floor.sam, file)


def test_the_name_of_a_card_has_at_most_a_hundred_characters(floor: Floor) -> None:
    def named(name: str) -> bytes:
        return FILE.replace(b"Test card", name.encode())

    for name in ("", "x" * 101):
        with refuses("card.name"):
            bring_card(floor.office, floor.sam, named(name))
    assert bring_card(floor.office, floor.sam, named("x" * 100))


def test_a_card_is_brought_once(floor: Floor) -> None:
    with refuses("card.known"):
        bring_card(floor.office, floor.sam, FILE)
    bring_card(floor.office, floor.sam, FILE + b"\n")


@pytest.mark.rule("15.3(e)", "X-audit-log")
def test_the_longest_card_that_may_be_brought_can_be_brought(floor: Floor) -> None:
    digest = bring_card(floor.office, floor.sam, SECOND.ljust(FILE_MAX, b"\n"))
    assert rows(floor, "SELECT length(file) FROM card WHERE hash = :digest", digest=digest) == [
        (FILE_MAX,)
    ]
    floor.check_books()


# ---- accepting -----------------------------------------------------------------------------------


@pytest.mark.rule("15.3(e)", "X-access")
def test_a_card_needs_a_supervisor_and_a_manager_from_outside(floor: Floor) -> None:
    digest = bring_card(floor.office, floor.sam, SECOND)
    in_an_hour = floor.moment[0] + timedelta(hours=1)
    with refuses("card.not_accepted"):
        put_in_force(floor.office, floor.sam, digest, in_an_hour)
    accept_card(floor.office, floor.sam, digest)
    with refuses("card.not_accepted"):
        put_in_force(floor.office, floor.sam, digest, in_an_hour)
    accept_card(floor.office, at(floor, MAX), digest)
    floor.publish_cards_half_an_hour_ahead()
    put_in_force(floor.office, floor.sam, digest, in_an_hour)
    told = [(body["as"], body["by"]["staff"]) for body in bodies(floor, "CARD-ACCEPTED")]
    assert told[-2:] == [("supervisor", "SAM"), ("manager", "MAX")]
    floor.check_books()


@pytest.mark.rule("X-access")
def test_the_managers_acceptance_alone_is_not_enough(floor: Floor) -> None:
    digest = bring_card(floor.office, floor.sam, SECOND)
    accept_card(floor.office, at(floor, MAX), digest)
    with refuses("card.not_accepted"):
        put_in_force(floor.office, floor.sam, digest, floor.moment[0] + timedelta(hours=1))


@pytest.mark.rule("X-access")
def test_two_of_the_same_side_are_one_acceptance(floor: Floor) -> None:
    digest = bring_card(floor.office, floor.sam, SECOND)
    accept_card(floor.office, floor.sam, digest)
    with floor.office.unit() as unit:
        secret = floor.office.hasher.hash(secret_of("Ken"))
        add_staff(unit, "KEN", "Ken", Role.KENO_MANAGER, secret)
        unit.commit()
    for name in (SAM, SUE, "Ken"):
        with refuses("card.already_accepted"):
            accept_card(floor.office, at(floor, name), digest)
    with refuses("card.not_accepted"):
        put_in_force(floor.office, floor.sam, digest, floor.moment[0] + timedelta(hours=1))


@pytest.mark.rule("X-access")
def test_one_person_accepts_on_one_side_only_even_after_a_change_of_role(floor: Floor) -> None:
    """Two different people: whoever was promoted is still the same person."""
    digest = bring_card(floor.office, floor.sam, SECOND)
    sam = floor.sam
    accept_card(floor.office, sam, digest)
    with refuses("approval.same_person"):
        accept_card(floor.office, replace(sam, role=Role.OUTSIDE_MANAGER), digest)


def test_an_acceptance_holds_for_its_own_card_only(floor: Floor) -> None:
    accepted(floor)
    other = bring_card(floor.office, floor.sam, SECOND + b"\n")
    with refuses("card.not_accepted"):
        put_in_force(floor.office, floor.sam, other, floor.moment[0] + timedelta(hours=1))


def test_a_card_that_is_not_here_is_neither_accepted_nor_put_into_force(floor: Floor) -> None:
    for digest in (bytes(32), b""):
        with refuses("card.unknown"):
            accept_card(floor.office, floor.sam, digest)
        with refuses("card.unknown"):
            put_in_force(floor.office, floor.sam, digest, floor.moment[0] + timedelta(hours=1))


# ---- notice --------------------------------------------------------------------------------------


@pytest.mark.rule("8.3")
def test_a_card_is_published_before_it_takes_effect(floor: Floor) -> None:
    digest = accepted(floor)
    floor.publish_cards_half_an_hour_ahead()
    floor.office.database.clock = lambda: floor.moment[0]
    now = floor.moment[0]
    for early in (now, now - timedelta(days=1), now + NOTICE - timedelta(microseconds=1)):
        with refuses("card.too_early"):
            put_in_force(floor.office, floor.sam, digest, early)
    put_in_force(floor.office, floor.sam, digest, now + NOTICE)
    found = "SELECT published_at, effective_at FROM card_term ORDER BY id DESC LIMIT 1"
    ((published_at, effective_at),) = rows(floor, found)
    assert published_at < effective_at
    assert card_in_force(floor, now + NOTICE - timedelta(microseconds=1)) == "Test card"
    assert card_in_force(floor, now + NOTICE) == "Second card"


@pytest.mark.rule("8.3", "X-audit-log")
def test_the_log_tells_from_when_a_card_holds(floor: Floor) -> None:
    digest = accepted(floor)
    put_in_force(floor.office, floor.sam, digest, NOON + timedelta(hours=25))
    body = bodies(floor, "CARD-IN-FORCE")[-1]
    assert (body["card"], body["effective_at"]) == (digest.hex(), "2026-11-17T18:00:00.000Z")
    assert body["by"]["staff"] == "SAM"


@pytest.mark.rule("8.3")
def test_a_house_without_a_card_opens_no_game_and_needs_no_notice_for_its_first(
    empty_url: str, tmp_path: Path
) -> None:
    moment = [NOON]
    database = Database(empty_url, lambda: tick(moment))
    schema.upgrade(database)
    shutil.copytree(keys_and_ceremony(), tmp_path, dirs_exist_ok=True)
    keys, ceremony = read_keys(tmp_path / "keys"), tmp_path / "ceremony"
    keyed = KeyedHouse(ceremony)
    office = Office(database, keys, keyed.processes(), hasher=PasswordHasher(1, 8, 1))
    floor = Floor(office, found_house(office, plan()), moment, ceremony, keyed)
    wanda = floor.writing()
    with refuses("card.none_in_force"):
        open_first_game(office, floor.sam, "M")
    with refuses("card.none_in_force"):
        quote_request(office, wanda, Request(groups=((1,),), conditioning="1/1 @ 1.00"))
    with refuses("game.none_open"):
        floor.sell(wanda)
    digest = accepted(floor, FILE)
    with refuses("card.too_early"):  # not even the first holds from before it was published
        put_in_force(office, floor.sam, digest, moment[0] - timedelta(seconds=1))
    put_in_force(office, floor.sam, digest, moment[0] + timedelta(seconds=1))
    floor.pass_time(seconds=2)
    assert open_first_game(office, floor.sam, "M") == 1
    assert floor.sell(wanda)["number"] == 1
    floor.check_books()
    floor.close()


@pytest.mark.rule("8.3", "X-card-floor")
def test_a_new_card_waits_a_gaming_day_and_the_card_before_half_an_hour(floor: Floor) -> None:
    """To go back takes a supervisor and a manager outside keno, and no new acceptance."""
    second, day = accepted(floor), timedelta(days=1)
    with refuses("card.too_early"):
        put_in_force(floor.office, floor.sam, second, floor.moment[0] + day - timedelta(minutes=1))
    assert put_in_force(floor.office, floor.sam, second) > floor.moment[0] + day - NOTICE
    floor.pass_time(minutes=1_441)
    first, max_ = sha256(FILE).digest(), at(floor, MAX)
    soon = floor.moment[0] + NOTICE + timedelta(minutes=1)
    for manager in (None, at(floor, SUE)):
        with refuses("amount.two_sides"):
            put_in_force(floor.office, floor.sam, first, soon, manager)
    with refuses("card.too_early"):
        put_in_force(floor.office, floor.sam, first, soon - timedelta(minutes=5), max_)
    put_in_force(floor.office, floor.sam, first, soon, max_)
    assert bodies(floor, "CARD-IN-FORCE")[-1]["manager"] == "MAX"
    assert card_in_force(floor, soon - timedelta(minutes=1)) == "Second card"
    assert card_in_force(floor, soon) == "Test card"
    floor.check_books()


@pytest.mark.rule("8.3")
def test_a_card_of_long_ago_waits_like_a_new_one(floor: Floor) -> None:
    """Only the card before the one in force is back in half an hour."""
    floor.put_in_force(SECOND)
    floor.put_in_force(SECOND.replace(b"Second", b"Third"))
    max_ = at(floor, MAX)
    change_setting(floor.office, floor.sam, max_, Setting.CARD_NOTICE_MINUTES, 120)
    in_an_hour = floor.moment[0] + timedelta(hours=1)
    with refuses("card.too_early"):
        put_in_force(floor.office, floor.sam, sha256(FILE).digest(), in_an_hour, max_)
    put_in_force(floor.office, floor.sam, sha256(SECOND).digest(), in_an_hour, max_)
    # A card that is to come gives way to the one in force, which is published for a later time.
    third = sha256(SECOND.replace(b"Second", b"Third")).digest()
    put_in_force(floor.office, floor.sam, third, in_an_hour, max_)
    assert card_in_force(floor, in_an_hour + timedelta(days=9)) == "Third card"


@pytest.mark.rule("8.3")
def test_a_house_waits_half_an_hour_at_least_and_a_demonstration_minutes(floor: Floor) -> None:
    max_ = at(floor, MAX)
    for minutes in (29, 10_081):
        with refuses("setting.out_of_bounds"):
            change_setting(floor.office, floor.sam, max_, Setting.CARD_NOTICE_MINUTES, minutes)
    with floor.office.database.reading() as connection:
        unit = Unit(floor.office.database, connection)
        assert change_notice(floor.office, unit) == timedelta(days=1)
        demonstration = replace(floor.office.house, demonstration=True)
        show: Any = SimpleNamespace(house=demonstration)  # all that is asked of it
        assert change_notice(show, unit) == timedelta(minutes=2)


# ---- large changes -------------------------------------------------------------------------------

LOOSER = (
    SECOND.replace(b"1 = { 1 = 300 }", b"1 = { 1 = 330 }")
    .replace(b"2 = { 2 = 1_200 }", b"2 = { 2 = 1_180 }")
    .replace(b"[schedules.twobits", b"[schedules.halves")
)


@pytest.mark.rule("X-card-floor")
def test_a_change_of_more_than_five_points_is_named_and_typed_by_each_acceptor(
    floor: Floor,
) -> None:
    """Against the card in force: looser, tighter or new; what stays within five points is not."""
    digest, max_ = bring_card(floor.office, floor.sam, LOOSER), at(floor, MAX)
    named = [
        "regular 1 spot: 25.0% -> 17.5%",
        "halves 2 spots: new -> 27.8%",
        "halves 4 spots: new -> 22.0%",
        "halves 8 spots: new -> 29.0%",
    ]
    typed = "regular 1 17.5\nhalves 2 27.8%\n\n halves  4 22.0\nhalves 8 29.0%"
    for wrong in ("", typed.replace("17.5", "25.0"), typed + "\nregular 2 29.1%", typed[:20]):
        with refuses("card.changes_not_typed"):
            accept_card(floor.office, max_, digest, wrong)
    with pytest.raises(Refused, match="such as regular 1 17.5%: " + "; ".join(named)):
        accept_card(floor.office, max_, digest)
    accept_card(floor.office, floor.sam, digest, typed)
    with refuses("card.changes_not_typed"):
        accept_card(floor.office, max_, digest)
    accept_card(floor.office, max_, digest, typed)
    for body in bodies(floor, "CARD-ACCEPTED")[-2:]:
        assert (body["changes"], body["against"]) == (named, sha256(FILE).hexdigest())
    floor.check_books()


@pytest.mark.rule("X-card-floor")
def test_what_was_accepted_against_another_card_is_not_put_into_force(floor: Floor) -> None:
    """Else small steps, each accepted against the card before, would be published in any order."""
    digest = accepted(floor)
    floor.put_in_force(SECOND.replace(b"Second", b"Third"))
    with refuses("card.accepted_against_other"):
        put_in_force(floor.office, floor.sam, digest)


# ---- below the floor -----------------------------------------------------------------------------

LETTER = (
    b'approval = { reference = "DGE-2026-7", date = 2026-11-01, digest = "' + b"0a" * 32 + b'" }\n'
)
GIFT = SECOND.replace(b"1 = { 1 = 300 }", b"1 = { 1 = 450 }")


@pytest.mark.rule("X-card-floor")
def test_a_card_on_which_the_house_loses_is_refused(floor: Floor) -> None:
    """$300 for $1 on one spot at one in four: 80 tickets of a dollar won $6,000."""
    with refuses("card.advantage_too_low"):
        bring_card(floor.office, floor.sam, FILE.replace(b"1 = { 1 = 300 }", b"1 = { 1 = 30_000 }"))
    assert rows(floor, "SELECT count(*) FROM card") == [(1,)]


@pytest.mark.rule("X-card-floor", "X-access")
def test_a_promotion_below_the_floor_is_entered_by_two_with_the_letter(floor: Floor) -> None:
    with floor.office.unit() as unit:
        secret = floor.office.hasher.hash(secret_of("Mia"))
        add_staff(unit, "MIA", "Mia", Role.COMPLIANCE, secret)
        unit.commit()
    office, sam, max_ = floor.office, floor.sam, at(floor, MAX)
    mia = at_console(office, "Mia", secret_of("Mia"), Permission.CARD_PROMOTION_JOIN)
    with refuses("card.promotion"):
        bring_card(office, sam, LETTER + GIFT)
    for first, second in ((sam, mia), (max_, sam), (max_, max_), (mia, mia), (mia, max_)):
        with refuses("staff.not_permitted"):
            enter_promotion(office, first, second, LETTER + GIFT)
    with refuses("approval.same_person"):
        enter_promotion(office, max_, replace(mia, staff=max_.staff), LETTER + GIFT)
    with refuses("document.field_missing"):
        enter_promotion(office, max_, mia, SECOND)
    digest = enter_promotion(office, max_, mia, LETTER + GIFT)
    body = bodies(floor, "CARD")[-1]
    assert (body["by"]["staff"], body["second"]["staff"]) == ("MAX", "MIA")
    typed = "regular 1 -12.5%"
    accept_card(office, sam, digest, typed)
    accept_card(office, max_, digest, typed)
    put_in_force(office, sam, digest)
    faults = [fault.message for fault in floor.books_faults()]
    assert faults == ["MIA was never added"]  # by hands, for this test


@pytest.mark.rule("X-card-floor", "X-audit-books")
def test_the_books_find_a_card_in_force_below_the_floor(floor: Floor) -> None:
    """However it came there: here by hands that leave the check out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.flow.rate_cards.check_card", lambda _: ())
        floor.put_in_force(GIFT)
    with pytest.raises(AssertionError, match="keeps nothing of 1 spots on regular at 50 cents"):
        floor.check_books()


def test_of_two_cards_from_the_same_time_on_the_one_published_last_holds(floor: Floor) -> None:
    then = floor.moment[0] + timedelta(hours=1)
    floor.publish_cards_half_an_hour_ahead()
    for file in (SECOND, SECOND.replace(b"Second", b"Third")):
        put_in_force(floor.office, floor.sam, accepted(floor, file), then)
    assert card_in_force(floor, then) == "Third card"


# ---- never in the middle of a game ---------------------------------------------------------------


def price_on(floor: Floor, credentials: Credentials, rate: str) -> int:
    request = Request(groups=((1, 2, 3, 4),), conditioning=f"1/4 @ {rate}")
    price: int = floor.sell(credentials, Sale("M", request, CASH))["price_cents"]
    return price


@pytest.mark.rule("X-card-version", "8.3")
def test_a_card_never_holds_from_the_middle_of_a_game(floor: Floor) -> None:
    wanda = floor.writing()
    dearer = SECOND.replace(b"ticket_min_cents = 100", b"ticket_min_cents = 200")
    assert price_on(floor, wanda, "1.00") == 100
    floor.put_in_force(dearer, after=NOTICE)
    floor.pass_time(minutes=35)
    assert price_on(floor, wanda, "1.00") == 100  # the game is on the card that it opened on
    floor.lock()
    with refuses("ticket.price_too_low"):
        price_on(floor, wanda, "1.00")
    assert price_on(floor, wanda, "2.00") == 200
    floor.check_books()


@pytest.mark.rule("X-card-version", "8.3")
def test_each_series_takes_a_new_card_at_its_own_next_game(floor: Floor) -> None:
    wanda = floor.writing()
    floor.put_in_force(SECOND, after=NOTICE)
    floor.pass_time(minutes=35)
    floor.lock("F")
    second = sha256(SECOND).hexdigest()
    assert floor.sell(wanda, dollar("F"))["rate_card"] == second
    assert floor.sell(wanda)["rate_card"] != second


@pytest.mark.rule("X-card-version")
def test_a_ticket_stays_on_its_version_also_for_later_games_and_a_replay_does_not(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    first = floor.sell(wanda, dollar(games=4))["rate_card"]
    second = floor.put_in_force(SECOND, after=NOTICE).hex()
    floor.pass_time(minutes=35)
    floor.lock()
    floor.lock()
    found = "SELECT name FROM ticket JOIN card ON card.id = ticket.card WHERE number = 1"
    assert rows(floor, found) == [("Test card",)]
    again = floor.sell(wanda, Sale("M", Changes(), CASH, replay_of=1))
    assert (first == second, again["rate_card"]) == (False, second)
    floor.lock()
    assert bodies(floor, "LOCK")[-1]["cards"] == sorted([first, second])
    floor.check_books()
