"""The conditioning made explicit: the written lines against the marked groups.

A line that says `n/k` plays *every* subset of the groups with k spots together, and n must be
their number; a line that lists sets plays just those. What is kept is that meaning, so that no
later reader has to guess. Sets at one rate are kept as one line for each number of spots, in the
order in which they first appear.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.keno.conditioning_text import TEXT_MAX, text_of
from app.keno.letters import letter, set_name
from app.keno.refusals import Code, Refusal, quoted, refusal
from app.keno.request import WrittenLine
from app.keno.spots import NUMBERS
from app.keno.ways import count_ways, count_ways_with

SETS_MAX = 200
LINES_MAX = NUMBERS + SETS_MAX  # every number of spots once, and every set by itself


@dataclass(frozen=True)
class Line:
    """Every way of `spots` spots, or the listed sets, at a rate for each way."""

    spots: int
    ways: int
    rate_cents: int
    schedule: str
    sets: tuple[tuple[int, ...], ...] = ()

    @property
    def price_cents(self) -> int:
        """The price of the line for one game."""
        return self.ways * self.rate_cents

    def joined(self, other: "Line") -> "Line":
        """Return one line with the sets of both."""
        return replace(self, ways=self.ways + other.ways, sets=self.sets + other.sets)

    def written(self) -> WrittenLine:
        """Return the line as it is written in full."""
        return WrittenLine(self.rate_cents, self.schedule, self.ways, self.spots, self.sets)


def conditioning_of(lines: Sequence[Line]) -> str:
    """Return the canonical conditioning, as it is printed on the ticket (15.4(c)6)."""
    return text_of(line.written() for line in lines)


def condition(
    sizes: Sequence[int], written: Sequence[WrittenLine]
) -> tuple[tuple[Line, ...], tuple[Refusal, ...]]:
    """Return the lines that the written ones mean on groups of these sizes, or every fault."""
    spots_max = max((line.spots or 0 for line in written), default=0)
    ways_of = count_ways(sizes, min(spots_max, NUMBERS))
    if sum(len(line.sets) for line in written) > SETS_MAX:
        return (), (refusal(Code.TOO_MANY_SETS, "conditioning", limit=SETS_MAX),)
    faults: list[Refusal] = []
    for number, line in enumerate(written, start=1):
        faults += _check_line(number, line, sizes, ways_of)
    if faults:
        return (), tuple(faults)
    parts = [part for line in written for part in _parts(line, sizes)]
    faults += [*_check_played_once(parts), *_check_all_played(sizes, parts)]
    lines = _gathered(parts)
    if len(conditioning_of(lines)) > TEXT_MAX:
        faults.append(refusal(Code.CONDITIONING_TOO_LONG, "conditioning", limit=TEXT_MAX))
    return lines, tuple(faults)


def _check_line(
    number: int, line: WrittenLine, sizes: Sequence[int], ways_of: Mapping[int, int]
) -> Iterator[Refusal]:
    place = f"conditioning[{number - 1}]"
    if line.sets:
        for groups in line.sets:
            yield from _check_set(place, groups, line.spots, sizes)
        if line.ways not in (None, len(line.sets)):
            yield refusal(Code.SETS_DIFFER, place, counted=len(line.sets), written=line.ways)
    elif line.ways is None or line.spots is None:
        yield refusal(Code.LINE_INCOMPLETE, place, line=number)
    elif line.spots not in ways_of:
        yield refusal(Code.NO_WAY, place, spots=line.spots)
    elif line.ways != ways_of[line.spots]:
        counted = ways_of[line.spots]
        yield refusal(Code.WAYS_DIFFER, place, counted=counted, spots=line.spots, written=line.ways)


def _check_set(
    place: str, groups: tuple[int, ...], spots: int | None, sizes: Sequence[int]
) -> Iterator[Refusal]:
    name = quoted(set_name(groups))
    unknown = [group for group in groups if group >= len(sizes)]
    twice = [group for group, times in Counter(groups).items() if times > 1]
    if unknown:
        yield refusal(Code.UNKNOWN_GROUP, place, set=name, group=letter(unknown[0]))
    elif twice:
        yield refusal(Code.GROUP_TWICE, place, set=name, group=letter(twice[0]))
    elif spots not in (None, counted := _spots_of(groups, sizes)):
        yield refusal(Code.SPOTS_DIFFER, place, set=name, counted=counted, written=spots)


def _parts(line: WrittenLine, sizes: Sequence[int]) -> Iterator[Line]:
    """Take a line that has no fault apart: each listed set, or all the ways together."""
    for groups in line.sets:
        yield Line(_spots_of(groups, sizes), 1, line.rate_cents, line.schedule, (groups,))
    if not line.sets and line.spots and line.ways:  # which both are there, or it had a fault
        yield Line(line.spots, line.ways, line.rate_cents, line.schedule)


def _check_played_once(parts: Sequence[Line]) -> Iterator[Refusal]:
    """A way is played once: neither at two rates nor both by its spots and by its letters."""
    spots_taken = Counter(part.spots for part in parts if not part.sets)
    spots_listed = Counter(part.spots for part in parts if part.sets)
    for spots, times in spots_taken.items():
        if times > 1 or spots in spots_listed:
            yield refusal(Code.SPOTS_TWICE, "conditioning", spots=spots)
    for sets, times in Counter(part.sets for part in parts if part.sets).items():
        if times > 1:
            yield refusal(Code.SET_TWICE, "conditioning", set=quoted(set_name(sets[0])))


def _check_all_played(sizes: Sequence[int], parts: Sequence[Line]) -> Iterator[Refusal]:
    """Every group the patron marked is part of some way (each is paid for, or not marked)."""
    listed = {group for part in parts for groups in part.sets for group in groups}
    spots_taken = {part.spots for part in parts if not part.sets}
    spots_max = max(spots_taken, default=0)
    sizes_taken = {
        size for size in set(sizes) if spots_taken & count_ways_with(size, sizes, spots_max).keys()
    }
    for group, size in enumerate(sizes):
        if group not in listed and size not in sizes_taken:
            yield refusal(Code.NOT_PLAYED, f"group {letter(group)}", group=letter(group))


def _gathered(parts: Sequence[Line]) -> tuple[Line, ...]:
    """Put the listed sets of one rate and one number of spots together, in order."""
    gathered: dict[tuple[int, int, str], Line] = {}
    for part in parts:
        key = (part.spots, part.rate_cents, part.schedule)
        line = gathered.get(key)
        gathered[key] = part if line is None else line.joined(part)
    return tuple(gathered.values())


def _spots_of(groups: Sequence[int], sizes: Sequence[int]) -> int:
    return sum(sizes[group] for group in groups)
