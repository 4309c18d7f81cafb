"""Rate cards: read whole, checked against the law, every fault at once."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.card_checks import all_figures, check_card, figures, least_advantage
from app.keno.card_file import FILE_MAX, read_card, read_card_and_faults
from app.keno.money import Rounding, decimal, percent, rounded_cents
from app.keno.odds import catch_odds, possible_catches
from app.keno.rate_card import Approval, RateCard
from app.keno.refusals import Code, Refused
from tests.keno import brute_force
from tests.keno.cards import CARD, FILE, with_limits, with_schedule
from tests.keno.rate_card import HOUSE_CARD
from tests.keno.strategies import cards
from tests.keno.toml_text import changed_card
from tests.tables import read_table

FAULTS = read_table(Path(__file__).parent / "tables" / "card_faults.md")


def with_duty(row: dict[str, str]) -> object:
    marks = [pytest.mark.rule(row["duty"])] if "duty" in row else []
    return pytest.param(row, marks=marks, id=row["change"])


@pytest.mark.parametrize("row", [with_duty(row) for row in FAULTS])
def test_a_card_has_the_faults_that_the_table_says(row: dict[str, str]) -> None:
    card, faults = read_card_and_faults(changed_card(row["change"]))
    found = [*faults, *check_card(card)]
    assert ", ".join(fault.code for fault in found) == row["faults"]
    if found:
        assert found[0].message == row["sentence of the first"]


def test_a_fault_names_its_place() -> None:
    _, faults = read_card_and_faults(changed_card("schedules.regular.pays.8.8 = -1"))
    assert faults[0].place == "schedules.regular.pays.8.8"
    _, faults = read_card_and_faults(changed_card("limits.colour = 1"))
    assert faults[0].place == "limits.colour"


def test_faults_of_the_file_and_of_the_law_are_reported_together() -> None:
    file = changed_card("limits.claim_minutes = 4").replace(b'"up"', b'"sideways"')
    file = file.replace(b'"1" = {"1" = 300}', b'"1" = {"1" = 100}').replace(b"Test", b"\\u263A")
    card, faults = read_card_and_faults(file)
    assert [fault.code for fault in (*faults, *check_card(card))] == [
        "document.not_a_choice",
        "card.advantage_too_high",
        "card.claim_too_short",
    ]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (b"name = ", "document.not_toml"),
        (b"name = 1\nname = 2", "document.not_toml"),
        (b"x = " + b"[" * 100_000, "document.not_toml"),
        (b"x = " + b"9" * 5000, "document.not_toml"),
        (b"a." * 40_000 + b"a = 1", "document.not_toml"),
        (b"[" + b"a." * 60_000 + b"a]", "document.not_toml"),
        (b"'#'." + b"a." * 60_000 + b"a=1", "document.not_toml"),
        (b"name = '\xff'", "document.not_utf8"),
        (b"#" * (FILE_MAX + 1), "document.too_long"),
    ],
)
def test_what_is_not_a_toml_file_is_refused(file: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_card(file)
    assert [refusal.code for refusal in refused.value.refusals] == [code]


def test_a_card_of_nothing_but_faults_is_not_read_to_its_end() -> None:
    junk = b"".join(b"junk%d = 1\n" % place for place in range(1000))
    with pytest.raises(Refused) as refused:
        read_card_and_faults(junk + FILE.read_bytes())
    assert len(refused.value.refusals) == 100


@pytest.mark.parametrize(
    ("field", "least"),
    [
        ("limits.spots_max", 1),
        ("limits.games_max", 1),
        ("limits.ticket_min_cents", 1),
        ("limits.aggregate_cents", 1),
        ("limits.in_full_below_cents", 0),
        ("limits.claim_minutes", 1),
        ("schedules.regular.base_cents", 1),
        ("schedules.regular.rate_min_cents", 1),
        ("schedules.regular.rate_step_cents", 1),
        ("schedules.twobits.ways_min", 1),
        ("schedules.twobits.ticket_min_cents", 0),
        ("schedules.regular.pays.8.8", 0),
    ],
)
def test_each_field_has_its_least_value(field: str, least: int) -> None:
    read_card(changed_card(f"{field} = {least}"))
    _, faults = read_card_and_faults(changed_card(f"{field} = {least - 1}"))
    assert [fault.code for fault in faults] == ["document.out_of_range"]


def test_a_card_has_so_many_schedules_and_no_more() -> None:
    def with_specials(many: int) -> bytes:
        fields = "base_cents=1\nrate_min_cents=1\nrate_max_cents=1\nrate_step_cents=1\n"
        special = "[schedules.special%d]\n" + fields + "pays={1={1=3}}"
        return FILE.read_bytes() + "\n".join(special % place for place in range(many)).encode()

    assert len(read_card(with_specials(48)).schedules) == 50
    _, faults = read_card_and_faults(with_specials(49))
    assert [fault.code for fault in faults] == ["card.too_many_schedules"]


def test_a_card_of_the_largest_length_is_read() -> None:
    assert read_card(FILE.read_bytes().ljust(FILE_MAX, b"#")) == CARD


def test_dots_in_a_comment_are_no_fault() -> None:
    assert read_card(b"  # " + b"." * 500 + b"\n" + FILE.read_bytes()) == CARD


@pytest.mark.parametrize(("length", "faults"), [(40, 0), (41, 1)])
def test_the_name_of_a_schedule_is_not_too_long(length: int, faults: int) -> None:
    file = FILE.read_bytes().replace(b"twobits", b"t" * length)
    assert len(read_card_and_faults(file)[1]) == faults


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_card(b"\xef\xbb\xbf" + FILE.read_bytes()) == CARD


def test_an_unknown_field_does_not_hide_what_the_law_says() -> None:
    file = changed_card("schedules.regular.colour = 1").replace(b'{"1" = 300}', b'{"1" = 100}')
    card, faults = read_card_and_faults(file)
    assert [fault.code for fault in (*faults, *check_card(card))] == [
        "document.field_unknown",
        "card.advantage_too_high",
    ]


def test_a_card_with_faults_cannot_be_read_for_pricing() -> None:
    with pytest.raises(Refused, match="The field games_max is missing"):
        read_card(changed_card("limits.games_max = (gone)"))


def test_a_card_is_read_as_it_stands() -> None:
    assert CARD.name == "Test card"
    assert CARD.limits.rounding is Rounding.UP
    assert CARD.schedules["twobits"].ways_min == 2
    assert CARD.schedules["regular"].ways_min == 1
    assert CARD.schedules["regular"].pays_cents[8] == {5: 900, 6: 9000, 7: 150_000, 8: 2_500_000}


@pytest.mark.rule("X-card-odds", "15.1-advantage")
@pytest.mark.parametrize("spots", range(1, 81))
def test_the_odds_over_all_catches_sum_to_exactly_one(spots: int) -> None:
    assert sum(catch_odds(spots).values()) == 1
    assert list(catch_odds(spots)) == list(possible_catches(spots))


@pytest.mark.rule("X-card-odds")
@pytest.mark.parametrize(
    ("spots", "caught", "odds"),
    [
        (1, 1, "1/4"),
        (2, 2, "19/316"),
        (3, 3, "57/4108"),
        (20, 20, f"1/{comb(80, 20)}"),
        (80, 20, "1/1"),
        (61, 1, f"{61}/{comb(80, 20)}"),
    ],
)
def test_odds_that_can_be_worked_out_by_hand(spots: int, caught: int, odds: str) -> None:
    assert catch_odds(spots)[caught] == Fraction(odds)


@pytest.mark.rule("X-card-odds")
@pytest.mark.parametrize("spots", range(1, 81))
def test_odds_agree_with_asking_the_spots_one_after_the_other(spots: int) -> None:
    """A second derivation: each spot in turn is among the drawn numbers that are left, or not."""
    chance = {0: Fraction(1)}
    for asked in range(spots):
        after: dict[int, Fraction] = {}
        for catches, before in chance.items():
            hit = Fraction(20 - catches, 80 - asked)
            after[catches + 1] = after.get(catches + 1, Fraction(0)) + before * hit
            after[catches] = after.get(catches, Fraction(0)) + before * (1 - hit)
        chance = {catches: odds for catches, odds in after.items() if odds}
    assert chance == catch_odds(spots)


@pytest.mark.rule("15.1-advantage", "X-card-odds")
def test_the_figures_of_a_one_spot_can_be_worked_out_by_hand() -> None:
    figure = figures(CARD.schedules["regular"], 1, CARD.limits)
    assert (figure.pays_back, figure.hit) == (Fraction(3, 4), Fraction(1, 4))
    assert figure.house_advantage == Fraction(1, 4)


@pytest.mark.rule("15.3(e)")
def test_the_figures_are_for_the_minimum_rate_with_pays_cut_to_the_limit() -> None:
    # At $0.50 an 8-spot pays $12,500 for eight; a limit of $1,000 cuts that, and nothing else.
    uncut = figures(CARD.schedules["regular"], 8, CARD.limits)
    cut = figures(CARD.schedules["regular"], 8, with_limits(aggregate_cents=100_000).limits)
    assert uncut.pays_back - cut.pays_back == catch_odds(8)[8] * Fraction(1_250_000 - 100_000, 50)
    assert uncut.hit == cut.hit
    assert figures(CARD.schedules["regular"], 8, with_limits(aggregate_cents=None).limits) == uncut


@pytest.mark.rule("15.3(e)")
def test_pays_are_cut_whatever_the_base_is() -> None:
    # At $0.25 on twobits an 8-spot pays $6,000 for eight (its base is $0.75).
    schedule = CARD.schedules["twobits"]
    uncut = figures(schedule, 8, CARD.limits)
    cut = figures(schedule, 8, with_limits(aggregate_cents=100_000).limits)
    assert uncut.pays_back - cut.pays_back == catch_odds(8)[8] * Fraction(600_000 - 100_000, 25)


@pytest.mark.rule("X-card-odds")
def test_a_catch_that_is_listed_and_pays_nothing_is_no_hit() -> None:
    card = with_schedule("regular", pays_cents={1: {0: 0, 1: 300}})
    assert figures(card.schedules["regular"], 1, card.limits).hit == Fraction(1, 4)


@pytest.mark.rule("X-card-winnable")
@pytest.mark.parametrize(("rounding", "wins"), [("up", True), ("half-up", True), ("down", False)])
def test_a_pay_that_rounding_takes_away_is_no_win(rounding: str, wins: bool) -> None:
    card = with_schedule("regular", rate_min_cents=1, pays_cents={1: {0: 94}})
    faults = check_card(with_limits(card, rounding=Rounding(rounding)))
    assert [fault.code for fault in faults] == ([] if wins else ["card.no_winning_catch"])


@pytest.mark.rule("15.3(e)")
@given(st.integers(2, 12), st.integers(1, 10**6))
def test_the_law_is_applied_exactly_at_thirty_percent(spots: int, many: int) -> None:
    odds = catch_odds(spots)[spots]
    just = (Fraction(70, 100) / odds).numerator, (Fraction(70, 100) / odds).denominator
    fair = with_schedule("regular", base_cents=just[1], pays_cents={spots: {spots: just[0]}})
    fair = with_limits(fair, aggregate_cents=None)
    assert all_figures(fair)["regular"][spots].house_advantage == Fraction(30, 100)
    assert check_card(fair) == ()
    short = with_schedule(
        "regular",
        fair,
        base_cents=just[1] * many,
        pays_cents={spots: {spots: just[0] * many - 1}},
    )
    assert [fault.code for fault in check_card(short)] == ["card.advantage_too_high"]


@st.composite
def small_cards(draw: st.DrawFn) -> RateCard:
    """A card with one wager that is nearly worth its price, at rates of a few cents."""
    base = draw(st.integers(1, 40))
    spots = draw(st.integers(1, 4))
    caught = draw(st.lists(st.sampled_from(possible_catches(spots)), unique=True, min_size=1))
    odds = catch_odds(spots)
    # Each catch returns about its share of a price; a few cents of each pay decide.
    pays = {
        each: max(
            1, int(base * Fraction(draw(st.integers(85, 102)), 100 * len(caught)) / odds[each])
        )
        for each in caught
    }
    least = draw(st.integers(1, 30))
    schedule = replace(
        CARD.schedules["regular"],
        base_cents=base,
        rate_min_cents=least,
        rate_max_cents=least + draw(st.integers(0, 250)),
        rate_step_cents=draw(st.integers(1, 12)),
        pays_cents={spots: pays},
    )
    limits = replace(
        CARD.limits,
        rounding=draw(st.sampled_from(Rounding)),
        aggregate_cents=draw(st.none() | st.integers(1, 400)),
    )
    return RateCard("Small", limits, {"regular": schedule})


@pytest.mark.rule("X-card-floor")
@given(small_cards())
def test_the_floor_is_that_of_every_rate_as_it_is_paid(card: RateCard) -> None:
    """Brute force: what is left at every rate on offer, rounded for one way and for many."""
    schedule, ((spots, _),) = (
        card.schedules["regular"],
        card.schedules["regular"].pays_cents.items(),
    )
    left = [
        advantage
        for rate in range(
            schedule.rate_min_cents, schedule.rate_max_cents + 1, schedule.rate_step_cents
        )
        for advantage in brute_force.advantages(card, spots, rate)
    ]
    least = least_advantage(schedule, spots, card.limits)
    assert (least.advantage > 0) == (min(left) > 0)
    assert (Code.ADVANTAGE_TOO_LOW.code in codes_of(card)) == (min(left) <= 0)


@pytest.mark.rule("X-card-floor")
@given(
    st.lists(st.tuples(st.fractions(0, 9), st.integers(1, 3)), min_size=1, max_size=5),
    st.sampled_from([Rounding.UP, Rounding.DOWN]),
)
def test_no_ticket_of_many_ways_is_paid_more_than_is_judged(
    wins: list[tuple[Fraction, int]], rounding: Rounding
) -> None:
    """Rounded up, ways alone come to more than together; rounded down, to no more than exactly."""
    together = rounded_cents(sum((win * ways for win, ways in wins), Fraction(0)), rounding)
    alone = sum(max(Fraction(rounded_cents(win, rounding)), win) * ways for win, ways in wins)
    assert together <= alone


@pytest.mark.rule("X-card-floor")
def test_a_rate_between_others_is_judged_with_its_rounding() -> None:
    """Three cents win 299 * 3 / 75 = 11.96 at one in four; paid 12, nothing is left of them."""
    card = with_limits(
        with_schedule(
            "regular", base_cents=75, rate_min_cents=3, rate_step_cents=1, pays_cents={1: {1: 299}}
        )
    )
    (fault,) = [each for each in check_card(card) if each.code == "card.advantage_too_low"]
    assert fault.message.startswith("regular: 1-spot ways at $0.03 leave the house 0.00%")
    assert fault.place == "schedules.regular.pays.1"
    dearer = with_schedule("regular", card, rate_min_cents=75, rate_step_cents=75)
    assert "card.advantage_too_low" not in codes_of(dearer)


@pytest.mark.rule("X-card-floor")
def test_a_card_that_needs_a_million_rates_is_judged_in_a_moment() -> None:
    """So little is left that only rates beyond all that are judged could decide: it is refused."""
    huge = with_schedule(
        "regular",
        with_limits(aggregate_cents=None),
        base_cents=10**12,
        rate_min_cents=1,
        rate_step_cents=1,
        rate_max_cents=10**12,
        pays_cents={1: {1: 4 * 10**12 - 1}},
    )
    assert "card.advantage_too_low" in codes_of(huge)
    down = with_limits(huge, rounding=Rounding.DOWN)
    assert "card.advantage_too_low" not in codes_of(down)


@pytest.mark.rule("X-card-floor")
def test_a_promotion_below_the_floor_names_the_letter_that_allows_it() -> None:
    loose = "schedules.regular.pays.1.1 = 450"
    letter = f'approval = {{ reference = "DGE-7", date = 2026-01-31, digest = "{"0a" * 32}" }}\n'
    card, faults = read_card_and_faults(letter.encode() + changed_card(loose))
    assert (faults, check_card(card)) == ((), ())
    assert card.approval == Approval("DGE-7", date(2026, 1, 31), "0a" * 32)
    assert codes_of(read_card(changed_card(loose))) == ["card.advantage_too_low"]


@pytest.mark.rule("15.3(e)")
def test_a_special_rate_pays_in_proportion_or_names_its_approval() -> None:
    regular = CARD.schedules["regular"]
    departed = CARD.schedules["twobits"].departs_from_proportion
    for base, pays, proportional in (
        (100, {8: regular.pays_cents[8]}, True),
        (25, {8: {c: pay // 4 for c, pay in regular.pays_cents[8].items()}}, True),
        (25, {8: {c: pay // 4 for c, pay in regular.pays_cents[8].items() if c > 5}}, False),
        (25, {8: {c: pay // 4 + (c == 8) for c, pay in regular.pays_cents[8].items()}}, False),
        (100, {8: {0: 1, **regular.pays_cents[8]}}, False),
        (100, {13: {8: 4_000}}, False),  # the regular rate does not offer it
    ):
        special = {"base_cents": base, "pays_cents": pays, "departs_from_proportion": None}
        card = with_schedule("twobits", with_limits(spots_max=13), **special)
        assert ("card.not_proportional" in codes_of(card)) != proportional
        approved = with_schedule("twobits", card, departs_from_proportion=departed)
        assert "card.not_proportional" not in codes_of(approved)


def codes_of(card: RateCard) -> list[str]:
    return [fault.code for fault in check_card(card)]


@pytest.mark.rule("15.1-advantage")
@given(cards())
def test_what_can_be_hit_is_what_pays_back(card: RateCard) -> None:
    figures = [figure for spots in all_figures(card).values() for figure in spots.values()]
    assert len(figures) == sum(len(each.pays_cents) for each in card.schedules.values())
    for figure in figures:
        assert 0 <= figure.hit <= 1
        assert (figure.hit == 0) == (figure.pays_back == 0)


class TestHouseCard:
    """The card that is shipped with the product."""

    CARD = read_card(HOUSE_CARD.read_bytes())

    @pytest.mark.rule("15.2(b)", "15.3(d)", "15.3(e)", "15.6(c)", "X-card-winnable")
    def test_it_passes_its_own_checks(self) -> None:
        assert check_card(self.CARD) == ()

    def test_it_offers_one_to_fifteen_spots_and_special_rates_for_many_ways(self) -> None:
        assert list(self.CARD.schedules["regular"].pays_cents) == list(range(1, 16))
        assert self.CARD.limits.aggregate_cents == 100_000_00
        special = [schedule for schedule in self.CARD.schedules.values() if schedule.ways_min > 1]
        assert special
        assert all(schedule.rate_min_cents < 100 for schedule in special)

    def test_every_rate_pays_whole_cents(self) -> None:
        wins = [
            schedule.win(spots, {caught: 1}, rate)
            for schedule in self.CARD.schedules.values()
            for spots, pays in schedule.pays_cents.items()
            for caught in pays
            for rate in (schedule.rate_min_cents, schedule.rate_step_cents)
        ]
        assert {win.denominator for win in wins} == {1}

    def test_catching_more_never_pays_less(self) -> None:
        rising = [
            [pay for caught, pay in sorted(pays.items()) if caught]
            for schedule in self.CARD.schedules.values()
            for pays in schedule.pays_cents.values()
        ]
        assert len(rising) > len(self.CARD.schedules["regular"].pays_cents)
        assert rising == [sorted(pays) for pays in rising]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        ("1/4", "25.00%"),
        ("1/3", "33.33%"),
        ("2/3", "66.67%"),
        ("-1/8", "-12.50%"),
        ("12", "1,200.00%"),
    ],
)
def test_percentages_for_people(ratio: str, text: str) -> None:
    assert percent(Fraction(ratio)) == text


def test_decimals_for_people() -> None:
    assert decimal(Fraction(2_000_001, 2), places=3) == "1,000,000.500"
    assert decimal(Fraction(1, 200)) == "0.01"
    assert decimal(Fraction(1, 300), Rounding.UP) == "0.01"
    assert decimal(Fraction(0)) == "0.00"
    assert decimal(Fraction(-1, 1000)) == "0.00"
