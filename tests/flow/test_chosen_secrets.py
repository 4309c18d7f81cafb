"""Names and secrets that are refused, whoever would have them (X-access)."""

import pytest

from app.flow.access import choose_secret
from app.flow.own_secret import SECRET_MOST, common_secrets, secret_faults
from app.flow.staffing import add_person, as_seen, give_secret, is_name
from app.keno.refusals import Refused
from tests.floor import FIRST_STATION, SAM, WANDA, Floor, secret_of
from tests.flow.access import CountingHasher, admin
from tests.looking import refuses

SHORT = "staff.secret_short"
LONG = "staff.secret_long"
COMMON = "staff.secret_common"
PLAIN = "staff.secret_plain"
OF_HOUSE = "staff.secret_of_house"
SAME = "staff.secret_same"
KNOWN = ("Wanda Writer", "WANDA", "B1", "Test House")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("secret", "codes"),
    [
        ("correct horse battery", []),
        ("839201746529", []),
        ("ein Fisch im Schrank", []),
        ("ünïcødé is fine too", []),
        ("x" * 11, [SHORT]),
        (" " * 12, [PLAIN]),
        ("a" * 90_000, [LONG]),
        ("p" * (SECRET_MOST + 1), [LONG]),
        ("password1234", [COMMON]),
        ("P4ssw0rd!2026", [COMMON]),
        ("Password" * 2, [COMMON]),
        ("dragon dragon dragon", [COMMON]),
        ("\uff50assword1234", [COMMON]),
        ("qwertyuiop99", [COMMON]),
        ("abababababab", [PLAIN]),
        ("123456789012", [PLAIN]),
        ("lkjihgfedcba", [PLAIN]),
        ("wanda-writer-26", [OF_HOUSE]),
        ("Keno Test House", [OF_HOUSE]),
        ("keno", [SHORT]),
        ("dragon", [SHORT, COMMON]),
    ],
)
def test_a_secret_that_others_would_try_is_refused_with_all_that_is_wrong(
    secret: str, codes: list[str]
) -> None:
    assert [fault.code for fault in secret_faults(secret, KNOWN)] == codes


@pytest.mark.rule("X-access")
def test_none_of_the_commonest_secrets_is_taken_with_a_year_behind_it() -> None:
    """Nor as it is: that is too short, or is one of the list."""
    known = common_secrets()
    assert len(known) == 10_000
    for secret in known:
        padded = secret + "-2026" * 3 if secret.isalpha() else secret
        assert any(fault.code in {SHORT, COMMON} for fault in secret_faults(padded)), secret


@pytest.mark.rule("X-access")
def test_a_choice_is_told_everything_and_the_last_secrets_do_not_come_back(floor: Floor) -> None:
    station, office = floor.station(FIRST_STATION), floor.office

    def choose(old: str, new: str) -> list[str]:
        try:
            choose_secret(office, station, WANDA, old, new)
        except Refused as no:
            return [each.code for each in no.refusals]
        return []

    first = secret_of(WANDA)
    assert choose(first, "keno" * 3) == [PLAIN, OF_HOUSE]
    assert choose(first, first) == [SAME]
    chosen = [f"a fish in the drawer {place}" for place in range(4)]
    before = first
    for new in chosen[:3]:
        assert choose(before, new) == []
        before = new
        assert choose(before, first) == [SAME]
    assert choose(before, chosen[0]) == [SAME]
    assert choose(before, chosen[3]) == []
    assert choose(chosen[3], first) == []
    floor.check_books()


@pytest.mark.rule("X-access")
def test_what_is_too_long_is_not_hashed(floor: Floor) -> None:
    station, office = floor.station(FIRST_STATION), floor.office
    hasher = office.hasher = CountingHasher()
    with refuses(LONG):
        choose_secret(office, station, WANDA, secret_of(WANDA), "a" * 90_000)
    assert len(hasher.compared) == 1
    with refuses("staff.wrong_secret"):
        choose_secret(office, station, WANDA, "a" * 90_000, "a fish in the drawer")
    for secret, code in (("a" * 90_000, LONG), (" " * 12, PLAIN), ("password1234", COMMON)):
        with refuses(code):
            give_secret(office, admin(floor), floor.sue, SAM, secret)
        with refuses(code):
            add_person(office, admin(floor), floor.sue, "NEW", "New One", "writer", secret)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    "name",
    ["s\u0251m", "S\u0430m", "Sam\u200b", "\uff33\uff41\uff4d", "S\u0131m", "Sam\u00a0S", "", "12"],
)
def test_a_name_that_could_be_taken_for_another_is_none(floor: Floor, name: str) -> None:
    assert not is_name(name)
    with refuses("staff.malformed"):
        add_person(
            floor.office, admin(floor), floor.sue, "NEW", name, "writer", "a fish in the drawer"
        )


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", ["SAM SUPER", "Sam  Super", "S\u00e0m Super", "5am Super"])
def test_a_name_that_looks_like_one_that_is_there_is_known(floor: Floor, name: str) -> None:
    is_known = bool(as_seen(name) & as_seen(SAM))
    assert is_known is not name.startswith("5")
    if is_known:
        with refuses("staff.known"):
            add_person(
                floor.office, admin(floor), floor.sue, "NEW", name, "writer", "a fish in the drawer"
            )


@pytest.mark.parametrize("name", ["Ren\u00e9 M\u00fcller", "Pat O'Neil-\u0160imek"])
def test_a_persons_own_name_is_one(name: str) -> None:
    assert is_name(name)
