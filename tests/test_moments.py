"""Times as people of the house write them."""

from datetime import UTC, datetime

import pytest

from app.moments import hour_words, moment_words

HERE = "America/New_York"


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (datetime(2026, 11, 16, 17, tzinfo=UTC), "Nov 16, 2026, 12:00:00 PM"),
        (datetime(2026, 11, 17, 4, 59, 59, tzinfo=UTC), "Nov 16, 2026, 11:59:59 PM"),
        (datetime(2026, 7, 4, 4, 0, 5, tzinfo=UTC), "Jul 4, 2026, 12:00:05 AM"),
    ],
)
def test_a_moment_is_written_by_the_clock_on_the_wall(at: datetime, words: str) -> None:
    assert moment_words(at, HERE) == words


@pytest.mark.parametrize(
    ("hour", "words"),
    [
        (4, "12:30:00 AM"),
        (5, "1:30:00 AM EDT"),
        (6, "1:30:00 AM EST"),
        (7, "2:30:00 AM"),
    ],
)
def test_an_hour_that_clocks_show_twice_says_which(hour: int, words: str) -> None:
    assert hour_words(datetime(2026, 11, 1, hour, 30, tzinfo=UTC), HERE) == words


def test_an_hour_that_clocks_leave_out_is_never_written() -> None:
    assert hour_words(datetime(2026, 3, 8, 6, 59, tzinfo=UTC), HERE) == "1:59:00 AM"
    assert hour_words(datetime(2026, 3, 8, 7, 0, tzinfo=UTC), HERE) == "3:00:00 AM"
