"""Ticket numbers as they are printed: a wrong digit and a swap are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.numbering import check_digit, printed_number, read_number

NUMBERS = st.integers(1, 10**15 - 1)


@pytest.mark.rule("X-ticket-names")
def test_the_published_example_has_its_check_digit() -> None:
    # Damm's own example: the check digit of 572 is 4.
    assert check_digit(572) == 4
    assert printed_number(572) == "572-4"


@given(NUMBERS)
def test_a_number_is_read_as_it_was_printed_and_without_its_check_digit(number: int) -> None:
    assert read_number(printed_number(number)) == number
    assert read_number(str(number)) == number


@given(NUMBERS, st.data())
def test_a_wrong_digit_is_found(number: int, data: st.DataObject) -> None:
    printed = printed_number(number)
    places = [place for place, sign in enumerate(printed) if sign != "-"]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != printed[place]]))
    assert read_number(printed[:place] + digit + printed[place + 1 :]) is None


@given(NUMBERS, st.data())
def test_two_neighbours_swapped_are_found(number: int, data: st.DataObject) -> None:
    digits = str(number)
    if len(digits) < 2:
        return
    place = data.draw(st.integers(0, len(digits) - 2))
    if digits[place] == digits[place + 1]:
        return
    swapped = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
    assert read_number(f"{swapped}-{check_digit(number)}") is None


@pytest.mark.parametrize(
    "text", ["", "0", "01", "-1", "1-", "1-33", "1 - 3", "x", "1" * 16, "\u0661"]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None
