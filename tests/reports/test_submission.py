"""The Rules of the Games Submission: every figure of the rules in force, and no other."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.cli import main
from app.flow.access import at_console
from app.flow.house_amounts import set_amount
from app.flow.permissions import Permission
from app.flow.retention import set_retention
from app.flow.schedule import change_schedule
from app.flow.see_submission import see_submission
from app.keno.amounts import Amount, Dated
from app.keno.card_checks import all_figures
from app.keno.game import GameAct, GameState, next_state
from app.keno.house_settings import Setting
from app.keno.money import Rounding, decimal, dollars, percent
from app.keno.odds import catch_odds
from app.keno.refusals import Refused
from app.keno.retention import PERIODS, RecordKind
from app.keno.submission import Submission, examples, shared
from app.reports.submission import submission_pdf
from app.reports.submission.money import RECORDS
from app.reports.submission.words import clock, counted, lasting, listed
from app.software import software_hash
from tests.floor import MAX, Floor, secret_of

RULES = ("15.3(d)", "15.3(e)", "15.6(c)")


def text_of(document: bytes) -> str:
    pages = PdfReader(BytesIO(document)).pages
    return " ".join(" ".join(page.extract_text().split()) for page in pages)


@pytest.fixture
def submitted(floor: Floor) -> Submission:
    return see_submission(floor.office)


@pytest.fixture
def told(submitted: Submission) -> str:
    return text_of(submission_pdf(submitted, software_hash()))


@pytest.mark.rule(*RULES)
def test_the_card_is_told_with_every_pay_its_exact_odds_and_advantage(
    submitted: Submission, told: str
) -> None:
    card = submitted.card
    assert card.name in told
    assert submitted.card_hash in told
    for name, by_spots in all_figures(card).items():
        for spots, figures in by_spots.items():
            advantage = figures.house_advantage
            row = f"{spots} {percent(advantage, Rounding.UP)} {advantage} 1 in "
            assert row + f"{decimal(1 / figures.hit)} {figures.hit}" in told, name
            odds = catch_odds(spots)
            for caught, cents in card.schedules[name].pays_cents[spots].items():
                row = (
                    f"{spots} {caught} {dollars(cents)} {decimal(1 / odds[caught])} {odds[caught]}"
                )
                assert row in told, name
    limits = card.limits
    assert limits.aggregate_cents is not None
    for cents in (limits.ticket_min_cents, limits.ticket_max_cents, limits.aggregate_cents):
        assert dollars(cents) in told


@pytest.mark.rule(*RULES)
def test_examples_shares_and_claims_are_those_that_the_rules_work_out(
    submitted: Submission, told: str
) -> None:
    for example in examples(submitted.card):
        assert example.ticket
        assert (
            f"{example.ticket.ways:,} {example.ticket.games:,} "
            + dollars(example.ticket.price_cents)
            in told
        )
    for place, share in enumerate(shared(submitted.card.limits), start=1):
        cents = (share.won_cents, share.cut_cents, share.paid_cents)
        assert f"{place} {' '.join(dollars(each) for each in cents)}" in told
    assert f"Together $225,100.00 $175,100.00 {dollars(10_000_000)}" in told
    assert "2026-11-16 12:00 never 2027-11-16 12:00" in told
    assert "2026-11-16 12:00 2 hours 2027-11-16 14:00" in told


def test_the_house_its_series_and_locations_are_told(
    floor: Floor, submitted: Submission, told: str
) -> None:
    assert floor.office.house.jurisdiction in told
    for series in submitted.series:
        assert f"{series.code} {series.name} by hand day and night {series.code}-" in told
    for location in submitted.locations:
        assert f"{location.name} {location.kind} {listed(location.series)} " in told
        assert all(station in told for station in location.stations)
    change_schedule(floor.office, floor.sam, "M", 240, 600, 1_560)
    again = text_of(submission_pdf(see_submission(floor.office), software_hash()))
    assert "every 4 minutes 10:00 to 2:00 on the next day M-1" in again


@pytest.mark.rule("15.6(b)", "X-pay-tax", "X-pay-cash-log", "X-pay-second-tier")
def test_amounts_are_those_in_force(floor: Floor, told: str) -> None:
    assert "authorizes the payout $1,500.00 $1,500.00" in told
    assert "a tax paper is filled in $2,000.00 $2,000.00" in told
    stricter = Dated(Amount.APPROVAL, date(2026, 11, 18), 100_000)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    set_amount(floor.office, floor.sam, manager, stricter)
    today = text_of(submission_pdf(see_submission(floor.office), software_hash()))
    assert "authorizes the payout $1,500.00 $1,500.00" in today
    assert "authorizes the payout 2026-11-18 $1,000.00 house" in today
    floor.pass_time(days=3)
    later = text_of(submission_pdf(see_submission(floor.office), software_hash()))
    assert "authorizes the payout $1,500.00 $1,000.00" in later


def test_every_act_on_a_game_and_every_record_is_told(submitted: Submission, told: str) -> None:
    for state in GameState:
        for act in GameAct:
            to = next_state(state, act)
            if to is not None:
                assert f"{state.value} {act.value} {to.value}" in told
    for kind, days in submitted.retention.items():
        assert f"{RECORDS[kind]} {days:,} days {PERIODS[kind].least:,} days" in told
    assert "sold for 10 minutes" in told
    assert "A page signs out whoever presses no key for 30 minutes" in told
    assert set(submitted.keys) == {"inspector", "log", "mark", "office", "rng"}
    assert "The key ceremony has not been held yet" not in told
    assert [digest for digest in submitted.keys.values() if digest not in told] == []


@pytest.mark.rule("X-retention")
def test_how_long_records_are_kept_is_what_was_settled(floor: Floor) -> None:
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    set_retention(floor.office, floor.sam, manager, RecordKind.ACCESS, 400)
    told = text_of(submission_pdf(see_submission(floor.office), software_hash()))
    assert f"{RECORDS[RecordKind.ACCESS]} 400 days 366 days" in told
    assert set(RECORDS) == set(RecordKind)


def test_the_same_rules_are_the_same_bytes(submitted: Submission) -> None:
    made = submission_pdf(submitted, software_hash())
    assert made == submission_pdf(submitted, software_hash())
    assert made != submission_pdf(submitted, "0" * 64)
    other = replace(submitted, settings={**submitted.settings, Setting.COPIES_ALONE: 4})
    assert made != submission_pdf(other, software_hash())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda limits: replace(limits, aggregate_cents=None), "There is no limit on what one"),
        (
            lambda limits: replace(limits, in_full_below_cents=10_000),
            "Each winner first gets $100.00 of the win in full",
        ),
        (lambda limits: replace(limits, games_max=1), "No plain example can be sold on this card."),
        (lambda limits: replace(limits, claim_minutes=90), "within 90 minutes after the start"),
    ],
)
def test_other_limits_are_told_otherwise(
    submitted: Submission, change: Callable[[object], object], says: str
) -> None:
    card = replace(submitted.card, limits=change(submitted.card.limits))  # type: ignore[arg-type]
    assert says in text_of(submission_pdf(replace(submitted, card=card), "0" * 64))


def test_odd_names_and_keys_are_told_as_they_are(submitted: Submission) -> None:
    keys = {"rng": "12" * 32, "inspector": "34" * 32}
    odd = replace(submitted, house="Sam & Söhne <House>", keys=keys, is_demonstration=True)
    told = text_of(submission_pdf(odd, "0" * 64))
    assert "Sam & Söhne <House>" in told
    assert "12" * 32 in told
    assert "A demonstration house." in told
    without = text_of(submission_pdf(replace(submitted, keys={}), "0" * 64))
    assert "The key ceremony has not been held yet" in without


def test_without_a_card_nothing_is_submitted(floor: Floor) -> None:
    floor.pass_time(days=-3_000)
    with pytest.raises(Refused, match="No rate card"):
        see_submission(floor.office)


def test_the_command_writes_it(
    floor: Floor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "rules.pdf"
    monkeypatch.setattr(
        import_module("app.cli.console"), "open_office", lambda _, **__: floor.office
    )
    monkeypatch.setattr(floor.office, "close", lambda: None)
    assert main(["submission", "--out", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    submitted = see_submission(floor.office)
    assert (said["day"], said["card"]) == (submitted.day.isoformat(), submitted.card_hash)
    assert file.read_bytes() == submission_pdf(submitted, software_hash())


def test_times_and_lists_in_words() -> None:
    assert [lasting(timedelta(seconds=each)) for each in (1, 90, 60, 7_200, 86_400 * 7)] == [
        "1 second", "90 seconds", "1 minute", "2 hours", "7 days"
    ]  # fmt: skip
    assert [clock(each) for each in (0, 365, 1_440, 1_560)] == [
        "0:00", "6:05", "midnight", "2:00 on the next day"
    ]  # fmt: skip
    assert [listed(each) for each in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a", "a and b", "a, b and c"
    ]  # fmt: skip
    assert counted(1, "way") == "1 way"
