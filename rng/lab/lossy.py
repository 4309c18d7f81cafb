"""A line to the inspector that loses answers, for rehearsing what is hard to bring about.

It passes every request on and every answer back, but for the acts that it is told to lose: these
are done, and nobody hears of it.
"""

from collections.abc import Mapping
from pathlib import Path

from rng.serve.protocol import Address, Client, Unreachable
from rng.serve.refusals import Code, refused
from rng.serve.server import Listener, Server


def lose_answers(socket: Path, inspector: Client, acts: frozenset[str]) -> Server:
    """Return a server that stands between the generator and the inspector."""

    def dispatch(peer: str, request: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG001  one form for all
        act = str(request.get("act"))
        fields = {name: value for name, value in request.items() if name != "act"}
        try:
            answer = inspector.call(act, fields)
        except Unreachable as trouble:
            raise refused(Code.NO_INSPECTOR, detail=trouble) from None
        if act in acts:
            raise refused(Code.NO_INSPECTOR, detail="the answer was lost on the way")
        return answer

    listener = Listener(Address(path=str(socket)), dispatch)
    return Server([listener], after=lambda: None, idle=lambda: None)
