"""Helpers of `test_new_origin` that other tests use too."""

from pathlib import Path

from app.flow.backup import back_up
from app.flow.kept_log import kept_log
from tests.floor import Floor
from tests.keeping.evening import RICH, every
from tests.rng import house as cast_of_the_draw
from tests.rng.acts import under_both_keys

SECOND = "keno.example/second"


def agree(floor: Floor, name: str = SECOND, *, fork: bool = False) -> None:
    """Both keys give the log another name; if it went another way, they say so."""
    why: dict[str, object] = {
        "origin": name,
        "reason": "the disk and the regulator's copy burned",
        "fork": fork,
    }
    why["kept"] = kept_log(floor.office) | ({"shown": None} if fork else {})
    under_both_keys(floor.keyed.started, cast_of_the_draw.SAM, "origin", **why)


def lost_evening(floor: Floor, file: Path) -> int:
    """A ticket before the backup, a game and tickets after it; return the ticket's number."""
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    number: int = floor.sell(wanda, every())["number"]
    back_up(floor.office, file)
    floor.sell(wanda)
    floor.play()
    floor.sell(wanda)
    floor.play()
    return number
