"""The conditioning as people write it, and its canonical form (15.1-conditioning).

    text  = run { run }                            commas between the parts mean nothing
    run   = line { line } "@" rate [ schedule ]    one rate covers the whole run
    line  = ways "/" spots { set } | set { set }   also "10-way-8", "6 way 5"
    set   = letter { "+" letter }                  upper case: A+B
    rate  = [ "$" ] dollars [ "." cents ]          also ".50"; "1.00R" is the regular rate

A schedule is a word in lower case and stands only after a rate, so no letter can be taken for
one. Canonical: `3/4 3/8 @ 0.50, 1/12 @ 1.00` and `2/8 A+B A+C @ 1.00 twobits`. For lines that
have their counts, parsing the printed text gives the same lines again.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from app.keno.letters import group_named, set_name
from app.keno.money import rate_text
from app.keno.refusals import Code, Refusal, quoted, refusal
from app.keno.request import REGULAR, WrittenLine

# Far more than anyone writes; an entry of the log has room for the ticket with its conditioning.
TEXT_MAX = 20_000
SCHEDULE_NAME = re.compile(r"[a-z][a-z0-9-]{2,}+")
SET_NAME = re.compile(r"[A-Z]{1,2}( ?\+ ?[A-Z]{1,2})*")

# Spaces are made single before anything is matched, so no pattern can wander over many of them.
_SPACES = re.compile(r"[ \t\r\n]+")
_BETWEEN = re.compile(r"[ ,]*")
_WAYS_OF_SPOTS = re.compile(
    r"(?P<ways>[0-9]{1,16}) ?(/|-? ?[Ww][Aa][Yy][Ss]? ?-?) ?(?P<spots>[0-9]{1,16})(?![0-9.])"
)
_SET = re.compile(SET_NAME.pattern + r"(?![A-Za-z0-9+])")
_RATE = re.compile(
    r"@ ?\$? ?(?P<amount>[0-9]{1,14}(\.[0-9]{1,2})?|\.[0-9]{1,2})(?![0-9.])"
    rf"(R(?![A-Za-z0-9+])| ?(?P<schedule>{SCHEDULE_NAME.pattern}))?(?![A-Za-z])"
)
_ANYTHING = re.compile(r"@ ?[^@, ]*|[^@, ]+")


def parse(text: str) -> tuple[tuple[WrittenLine, ...], tuple[Refusal, ...]]:
    """Return the written lines, and a refusal for each stretch that is not understood."""
    if len(text) > TEXT_MAX:
        return (), (refusal(Code.CONDITIONING_TOO_LONG, "conditioning", limit=TEXT_MAX),)
    lines: list[WrittenLine] = []
    faults: list[Refusal] = []
    waiting: list[WrittenLine] = []  # the run so far: lines whose rate is still to come
    garbled = False  # something in the run was not understood, so its rate may stand alone
    scan = _Scanner(_SPACES.sub(" ", text))
    while scan.more():
        if found := scan.take(_WAYS_OF_SPOTS):
            waiting.append(WrittenLine(0, ways=int(found["ways"]), spots=int(found["spots"])))
        elif found := scan.take(_SET):
            line = waiting.pop() if waiting else WrittenLine(0)
            waiting.append(replace(line, sets=(*line.sets, read_set(found[0]))))
        elif found := scan.take(_RATE):
            if not waiting and not garbled:
                faults.append(_fault(Code.RATE_WITHOUT_LINE, found[0]))
            rate_cents = _read_cents(found["amount"])
            schedule = found["schedule"] or REGULAR
            lines += [replace(line, rate_cents=rate_cents, schedule=schedule) for line in waiting]
            waiting, garbled = [], False
        else:
            stretch = scan.take_unreadable()
            is_rate = stretch.startswith("@")
            faults.append(_fault(Code.BAD_RATE if is_rate else Code.UNREADABLE, stretch))
            waiting = [] if is_rate else waiting
            garbled = True
    if waiting:
        faults.append(_fault(Code.LINE_WITHOUT_RATE, _line_text(waiting[0])))
    return tuple(lines), tuple(faults)


def text_of(lines: Iterable[WrittenLine]) -> str:
    """Return the canonical text of lines with their counts; lines in a row at one rate share it."""
    runs = []
    for (rate_cents, schedule), run in groupby(
        lines, lambda line: (line.rate_cents, line.schedule)
    ):
        rate = f"@ {rate_text(rate_cents)}" + ("" if schedule == REGULAR else f" {schedule}")
        runs.append(" ".join(_line_text(line) for line in run) + " " + rate)
    return ", ".join(runs)


def read_set(name: str) -> tuple[int, ...]:
    """Return the places of the groups that a set names, rising."""
    return tuple(sorted(group_named(letters.strip()) for letters in name.split("+")))


class _Scanner:
    """A place in the text that moves on with what is taken."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def more(self) -> bool:
        """Move past spaces and commas, and say whether anything is left."""
        self.take(_BETWEEN)
        return self._at < len(self._text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what fits the pattern here, if anything does."""
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def take_unreadable(self) -> str:
        """Take a bad rate, or all the words in a row that are nothing."""
        start = self._at
        self.take(_ANYTHING)
        end = self._at
        while self._text[start] != "@" and self.more() and not self._readable():
            self.take(_ANYTHING)
            end = self._at
        return self._text[start:end]

    def _readable(self) -> bool:
        starts = self._text[self._at] == "@"
        return starts or any(p.match(self._text, self._at) for p in (_WAYS_OF_SPOTS, _SET))


def _line_text(line: WrittenLine) -> str:
    counts = [] if line.spots is None else [f"{line.ways}/{line.spots}"]
    return " ".join(counts + [set_name(groups) for groups in line.sets])


def _read_cents(amount: str) -> int:
    whole, _, part = amount.partition(".")
    return int(whole or 0) * 100 + int(part.ljust(2, "0"))


def _fault(code: Code, text: str) -> Refusal:
    return refusal(code, "conditioning", text=quoted(text))
