"""Keyed processes that lie, or say what makes no sense: the game waits, and goes on afterwards."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from app.flow.draw import ask_to_void, end_game
from app.rng_client import KeyedProcesses, NotNow, Peer
from rng.serve.protocol import Refused
from tests.floor import Floor
from tests.flow.caller import begin, new_caller, open_game, turns
from tests.keyed import Lazy

Answer = dict[str, Any]
Lie = Callable[[Answer], object]


class Liar:
    """A connection whose answers to one act are not what the process said."""

    def __init__(self, peer: Peer, act: str, lie: Lie, times: int) -> None:
        self._peer, self._act, self._lie = peer, act, lie
        self.times = times

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401
        answer = self._peer.call(act, fields)
        if act != self._act or not self.times:
            return answer
        self.times -= 1
        return self._lie(answer)

    def close(self) -> None:
        self._peer.close()


def lying(floor: Floor, role: str, act: str, lie: Lie, times: int = 1) -> Liar:
    """Have the office reach one of the two through a liar."""
    peers: dict[str, Any] = {name: Lazy(floor.keyed, name) for name in ("rng", "inspector")}
    peers[role] = liar = Liar(peers[role], act, lie, times)
    floor.office.keyed = KeyedProcesses(peers["rng"], peers["inspector"], floor.keyed.public)
    return liar


def without_cosignature(answer: Answer) -> Answer:
    return {"note": "\n".join(answer["note"].split("\n")[:-2]) + "\n"}


def of_another_head(answer: Answer) -> Answer:
    lines = answer["note"].split("\n")
    lines[1] = str(int(lines[1]) + 1)
    return {"note": "\n".join(lines)}


def signed_by_another(answer: Answer) -> Answer:
    return {"note": answer["note"].replace("/inspector", "/impostor")}


@pytest.mark.rule("X-lock-seal", "X-recovery")
@pytest.mark.parametrize("lie", [without_cosignature, of_another_head, signed_by_another])
def test_a_cosignature_that_does_not_hold_is_not_kept(floor: Floor, lie: Lie) -> None:
    """It would stand in the game's lock statement for ever, and no generator would draw it."""
    floor.sell(floor.writing())
    floor.lock()
    lying(floor, "inspector", "cosign", lie)
    with pytest.raises(NotNow, match="cosignature is not believed"):
        end_game(floor.office, floor.two_keys, "M", 1)
    end_game(floor.office, floor.two_keys, "M", 1)
    assert floor.grade(1) == "certified"
    floor.check_books()


NONSENSE: list[tuple[str, str, Lie]] = [
    ("rng", "status", lambda said: {**said, "lockouts": None}),
    ("rng", "status", lambda said: {**said, "lockouts": [{}]}),
    ("rng", "status", lambda said: {**said, "series": None, "lockouts": []}),
    ("rng", "status", lambda said: {**said, "series": {"M": {}}}),
    ("inspector", "cosign", lambda _: {}),
    ("inspector", "cosign", lambda _: {"note": 5}),
    ("inspector", "cosign", lambda _: {"note": "x"}),
    ("rng", "draw", lambda _: {"drawn": None}),
    ("rng", "draw", lambda _: {"drawn": {"record": 5}}),
    ("rng", "draw", lambda said: {"drawn": {**said["drawn"], "intent": []}}),
    ("rng", "void", lambda _: {"void": None}),
    ("rng", "void", lambda _: {}),
]


@pytest.mark.rule("X-recovery", "X-draw-once")
@pytest.mark.parametrize("place", range(len(NONSENSE)))
def test_after_an_answer_that_makes_no_sense_the_game_goes_on(floor: Floor, place: int) -> None:
    role, act, lie = NONSENSE[place]
    floor.sell(floor.writing())
    floor.lock()
    if act == "void":
        ask_to_void(floor.office, floor.sam, "M", 1, "It cannot be drawn.")
    liar = lying(floor, role, act, lie, times=100)
    caller = new_caller(floor, "first")
    caller.turn()
    assert floor.state(1) == "locked"
    liar.times = 0
    caller.turn()
    caller.finish_grading()
    assert floor.state(1) == ("void" if act == "void" else "certified")


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_an_inspector_who_has_seen_more_of_the_log_than_there_is_holds_the_games(
    floor: Floor,
) -> None:
    """The database was restored from an old copy: everyone sees that entries are missing."""

    def ahead(_: Answer) -> object:
        raise Refused("checkpoint.stale", "Another size was cosigned.", {"size": 10_000})

    begin(floor)
    floor.lock()
    lying(floor, "inspector", "cosign", ahead, times=10_000)
    caller = new_caller(floor, "first")
    turns(floor, caller, 1)
    assert floor.state(1) == "locked"
    assert "The inspector has seen" in (open_game(floor).held_why or "")
