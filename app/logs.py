"""What the processes say on standard error: one JSON line an event, of one form for all of them.

An event has a name that never changes (`subject.verb`) and facts beside it. What an exception says
is left out, because it may quote whatever was typed: its kind and the places in the code are told.
Whoever calls gives facts that are no secrets; nothing here looks for them.

This is for operators and programs. What happened in the house stands in the log of the house, which
is another thing (X-audit-log).
"""

import json
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TextIO

from app.clock import time_text

JSON, WORDS = "json", "words"
FORMS = (JSON, WORDS)
LEVELS = ("debug", "info", "warning", "error", "critical")
FRAMES = 12  # the innermost ones, of which the last is where it happened
ROOT = Path(__file__).parent.parent
FACTS = "keno_facts"
WORKER_DIED = "Unexpected exit from worker-"  # as granian says it, at error
GRAVE = {"levelno": logging.CRITICAL, "levelname": "CRITICAL"}
GRAVE_TO_JOURNAL = "<2>"  # the same, as systemd's journal is told it

# What the request or the turn that is being worked at is about: its id, the station, the person.
_about: ContextVar[Mapping[str, str]] = ContextVar("keno_about", default=MappingProxyType({}))


def begin(**about: str) -> None:
    """Say what the lines of this thread are about from now on, and forget what they were before."""
    _about.set(about)


def known(**about: str) -> None:
    """Say what is known by now of what the lines of this thread are about."""
    _about.set({**_about.get(), **about})


def about() -> Mapping[str, str]:
    """Return what the lines of this thread are about."""
    return _about.get()


class Voice:
    """What one part of a process has to say."""

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(name)

    def info(self, event: str, **facts: object) -> None:
        """Say that something happened as it should."""
        self._say(logging.INFO, event, facts)

    def warning(self, event: str, **facts: object) -> None:
        """Say that something is amiss which may mend itself."""
        self._say(logging.WARNING, event, facts)

    def error(self, event: str, exc_info: BaseException | None = None, **facts: object) -> None:
        """Say that something went wrong, and by which exception."""
        self._say(logging.ERROR, event, facts, exc_info)

    def exception(self, event: str, **facts: object) -> None:
        """Say that something went wrong by the exception that is being handled."""
        self._say(logging.ERROR, event, facts, sys.exception())

    def _say(
        self,
        level: int,
        event: str,
        facts: Mapping[str, object],
        fault: BaseException | None = None,
    ) -> None:
        self._log.log(level, "%s", event, extra={FACTS: facts}, exc_info=fault)


class Lines(logging.Formatter):
    """Every record as one line, whoever made it."""

    def __init__(self, process: str = "web", form: str = JSON) -> None:
        super().__init__()
        self._process, self._form = process, form

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        line = line_of(record, self._process)
        if self._form == JSON:
            return json.dumps(line, default=str)
        return _in_words(line)


def line_of(record: logging.LogRecord, process: str) -> dict[str, object]:
    """Return a record as the object that stands on its line."""
    line: dict[str, object] = {
        "time": time_text(datetime.fromtimestamp(record.created, UTC)),
        "process": process,
        "pid": record.process,
        "level": record.levelname.lower(),
    }
    facts = getattr(record, FACTS, None)
    if facts is None:  # of a library: what it says is all that is known
        line |= {"event": "library.said", "library": record.name, "said": record.getMessage()}
    else:
        line |= {"event": record.getMessage(), **_about.get(), **facts}
    fault = record.exc_info[1] if record.exc_info else None
    return line if fault is None else line | fault_facts(fault)


def fault_facts(fault: BaseException) -> dict[str, object]:
    """Return of an exception what quotes nothing: its kind, its causes' kinds, and where it was."""
    kinds, each = [_kind(fault)], fault
    while (cause := each.__cause__ or each.__context__) is not None and len(kinds) < FRAMES:
        kinds.append(_kind(cause))
        each = cause
    frames = traceback.extract_tb(fault.__traceback__)[-FRAMES:]
    where = [f"{_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"fault": kinds, "where": where}


def _kind(fault: BaseException) -> str:
    name = type(fault).__name__
    if isinstance(fault, OSError) and fault.strerror:
        return f"{name}: {fault.strerror}"
    state = getattr(fault, "sqlstate", None)  # of PostgreSQL, which names no value
    return f"{name}: {state}" if state else name


def _place(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def _in_words(line: Mapping[str, object]) -> str:
    """Return a line for people: the time of day, who speaks, what happened, and its facts."""
    head = ("time", "process", "pid", "level", "event")
    facts = [f"{name}={_word(value)}" for name, value in line.items() if name not in head]
    moment = str(line["time"])[11:19]
    said = f"{moment} {line['process']:<9} {line['level']:<8} {line['event']}"
    return " ".join([said, *facts])


def _word(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if text and " " not in text and text.isprintable() else json.dumps(text)


# ---- setting up ----------------------------------------------------------------------------------


def speak_as(process: str, form: str, heard: Callable[[str], None] = lambda _level: None) -> None:
    """Have everything that this process says come out in one form, on standard error.

    Args:
        process: its name.
        form: `json`, or `words` for whoever looks on.
        heard: is told the level of every line.
    """
    handler = Heard(heard)
    handler.setFormatter(Lines(process, form))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("keno").setLevel(logging.INFO)
    for name in ("_granian", "granian.access"):  # which bring handlers of their own
        theirs = logging.getLogger(name)
        theirs.handlers, theirs.propagate = [], True
    voice = Voice("keno.process")

    def failed(_kind: object, fault: BaseException | None, _where: TracebackType | None) -> None:
        if fault is not None and not isinstance(fault, KeyboardInterrupt):
            voice.error("process.failed", exc_info=fault)

    sys.excepthook = failed
    threading.excepthook = lambda given: failed(None, given.exc_value, None)


def lines_of_web() -> Lines:
    """Return how granian's own lines are written: as ours are (`app/web/granian.json`)."""
    form = os.environ.get("KENO_LOG", JSON)
    return LinesOfWeb("web", form if form in FORMS else JSON)


class LinesOfWeb(Lines):
    """Granian's own lines. A worker that died is started again, so that systemd never hears of it.

    Whoever watches the machine watches for lines of priority critical: this is one (X-recovery).
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, which the journal takes for as bad as it is."""
        if not record.getMessage().startswith(WORKER_DIED):
            return super().format(record)
        grave = logging.makeLogRecord(record.__dict__ | GRAVE)
        line = super().format(grave)
        return f"{GRAVE_TO_JOURNAL}{line}" if os.environ.get("JOURNAL_STREAM") else line


class Heard(logging.StreamHandler[TextIO]):
    """Standard error, and somebody who counts what goes there."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        super().__init__()
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, and have it counted."""
        self._heard(record.levelname.lower())
        super().emit(record)
