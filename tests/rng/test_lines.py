"""What the keyed processes say to an operator: lines of one form, in which nothing is quoted."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from rng.serve.lines import Lines, say, speak_as


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What a process says; the loggers are as before afterwards."""
    before, heard = logging.root.handlers[:], io.StringIO()
    monkeypatch.setattr("sys.stderr", heard)
    monkeypatch.setattr(logging.root, "handlers", [])
    speak_as("inspector")
    yield heard
    logging.root.handlers = before


def test_an_event_is_one_line_with_its_facts(said: io.StringIO) -> None:
    say(logging.WARNING, "peer.dropped", why="not a\nrequest")
    (line,) = said.getvalue().splitlines()
    told = json.loads(line)
    assert {name: told[name] for name in ("process", "level", "event", "why")} == {
        "process": "inspector",
        "level": "warning",
        "event": "peer.dropped",
        "why": "not a\nrequest",
    }
    assert told["time"].endswith("Z")


def test_of_a_fault_its_kind_and_its_place_are_told_and_never_what_it_says(
    said: io.StringIO,
) -> None:
    try:
        int("a passphrase, of all things")
    except ValueError as fault:
        say(logging.ERROR, "request.failed", fault=fault)
    assert "passphrase" not in said.getvalue()
    told = json.loads(said.getvalue())
    assert told["fault"] == ["ValueError"]
    assert told["where"][0].startswith("tests/rng/test_lines.py:")


def test_what_a_library_says_is_a_line_as_well() -> None:
    record = logging.LogRecord("asyncio", logging.WARNING, "", 0, "%s is slow", ("a task",), None)
    told = json.loads(Lines("rng").format(record))
    assert (told["event"], told["library"], told["said"]) == (
        "library.said",
        "asyncio",
        "a task is slow",
    )
