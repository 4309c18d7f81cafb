"""Something that is done over and over on many connections, from processes of their own."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median
from typing import Any

# Rounds are short and in turns: what disturbs the machine strikes all loads, and decides nothing.
SECONDS, LEAD = (2, 0.5) if os.environ.get("SCALE") == "year" else (0.5, 0.25)
ROUNDS = 3
CONNECT_SECONDS = 60
# The processes that send, of stations as of raw statements; and those of the web server.
SENDERS = {"sqlite": 1, "postgresql": 4, "standby": 4}
WORKERS = {"sqlite": 1, "postgresql": 2, "standby": 2}
THREADS = 16  # of each of them: most wait in line

Act = Callable[[], None]


@dataclass(frozen=True)
class Load:
    """Something that is done over and over on so many connections, from so many processes."""

    connect: Callable[[Any], Act]
    connections: Sequence[Any]
    processes: int


def in_turns(*loads: "Load") -> list[list[list[float]]]:
    """Run loads in turns; return the waits of each round of each."""
    rounds = [[sent(load) for load in loads] for _ in range(ROUNDS)]
    return [[each[place] for each in rounds] for place in range(len(loads))]


def rate_of(rounds: list[list[float]]) -> float:
    """Return how many acts there were in a second."""
    return median(len(waits) / SECONDS for waits in rounds)


def sent(load: Load) -> list[float]:
    """Send a load for a while; return how long each act took."""
    return received(begun(load))


def begun(load: Load) -> list[Any]:
    """Begin to send a load, from all connections at once; return the pipes of its processes."""
    context = get_context("fork")
    shares = [load.connections[place :: load.processes] for place in range(load.processes)]
    at_once = context.Barrier(sum(bool(share) for share in shares) + 1)
    pipes = []
    for share in filter(None, shares):
        ours, theirs = context.Pipe()
        pipes.append(ours)
        context.Process(target=_send, args=(load, share, at_once, theirs)).start()
    at_once.wait(CONNECT_SECONDS)
    return pipes


def received(pipes: list[Any]) -> list[float]:
    """Wait for a load that was begun; return how long each act took."""
    return [wait for pipe in pipes for wait in pipe.recv()]


def _send(load: Load, share: Sequence[Any], at_once: Any, answer: Any) -> None:  # noqa: ANN401
    """Be one process of a load, each of its connections in a thread."""
    acts = [load.connect(each) for each in share]
    waits: list[list[float]] = [[] for _ in acts]
    at_once.wait()
    # All begin in the same moment, and none can end in the first: that is not how they go on.
    begin = time.perf_counter() + LEAD
    end = begin + SECONDS

    def repeat(place: int) -> None:
        while (start := time.perf_counter()) < end:
            acts[place]()
            done = time.perf_counter()
            if begin <= done <= end:  # else it belongs to no second that is counted
                waits[place].append(done - start)

    with ThreadPoolExecutor(len(acts)) as threads:
        list(threads.map(repeat, range(len(acts))))  # a fault in one ends the run
    answer.send([wait for each in waits for wait in each])
