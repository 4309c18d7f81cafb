"""A ticket as writers speak it, on one line.

    4 8 15 16 / 23 42 7 9  2/4 1/8 @1 x5

Numbers are a group, a slash begins the next one; `k33` is a king, `q8` a quick-pick of
eight; from the first `2/4`, set or `@` on it is the conditioning; `x5` is five games, `$15` the
price that the patron wrote. One group with nothing but a rate is played straight: `4 8 15 16 @1`.

What is paid is spoken too: `20`, `chips5`, `coin2.50`, `tokens3`, `coupon:C17=5`.
"""

import re
from itertools import pairwise

from app.keno.conditioning_text import TEXT_MAX, text_of
from app.keno.refusals import Code, Refusal, Refused, quoted, refusal
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind

_NUMBER = re.compile(r"[0-9]{1,4}")
_GROUPS = re.compile(r"[0-9]{1,4}(/[0-9]{1,4}){2,}|[0-9]{1,4}/|/[0-9]{1,4}")
_WAYS = re.compile(r"[0-9]{1,4}/[0-9]{1,4}")
_KING = re.compile(r"[kK]([0-9]{1,4})")
_QUICK = re.compile(r"[qQ][pP]?([0-9]{1,2})")
_GAMES = re.compile(r"[xX]([0-9]{1,7})")
_PRICE = re.compile(r"\$([0-9]{1,12})(?:\.([0-9]{2}))?")
_MONEY = re.compile(r"(coin|chips|tokens)?\$?([0-9]{1,9})?(?:\.([0-9]{1,2}))?")
_COUPON = re.compile(r"coupon:([A-Za-z0-9-]{1,40})=\$?([0-9]{1,9})?(?:\.([0-9]{1,2}))?")


def read_line(text: str) -> Request:
    """Return what a line says so far; what is wrong with it, its pricing tells.

    Refuses: what is longer than anyone speaks.
    """
    if len(text) > TEXT_MAX:
        raise Refused([refusal(Code.CONDITIONING_TOO_LONG, "line", limit=TEXT_MAX)])
    reading = _Reading()
    words = text.replace(",", " ").split()
    for word, after in pairwise([*words, ""]):
        reading.take(word, after)
    return reading.request()


class _Reading:
    """A line that is being read, word by word."""

    def __init__(self) -> None:
        self._groups: list[list[int]] = [[]]
        self._kings: list[int] = []
        self._written: list[str] = []  # the conditioning
        self._games = 1
        self._price_cents: int | None = None
        self._quick_pick: int | None = None

    def take(self, word: str, after: str) -> None:
        """Take the next word, knowing what comes after it."""
        if found := _GAMES.fullmatch(word):
            self._games = int(found[1])
        elif (found := _PRICE.fullmatch(word)) and self._written[-1:] != ["@"]:
            self._price_cents = _cents(found[1], found[2])
        elif self._written:
            self._written.append(word)
        elif _NUMBER.fullmatch(word):
            self._groups[-1].append(int(word))
        elif word == "/":
            self._groups.append([])
        elif _GROUPS.fullmatch(word) or (_WAYS.fullmatch(word) and _NUMBER.fullmatch(after)):
            self._take_apart(word)  # behind ways of spots no number stands: it is two groups
        elif found := _KING.fullmatch(word):
            self._kings.append(int(found[1]))
        elif found := _QUICK.fullmatch(word):
            self._quick_pick = int(found[1])
        else:
            self._written.append(word)

    def _take_apart(self, word: str) -> None:
        """Take numbers and slashes that were typed without a space between them."""
        for place, number in enumerate(word.split("/")):
            if place:
                self._groups.append([])
            if number:
                self._groups[-1].append(int(number))

    def request(self) -> Request:
        """Return what was read."""
        groups = [tuple(group) for group in self._groups if group]
        groups += [(king,) for king in self._kings]
        written = " ".join(self._written)
        spots = self._quick_pick or (len(groups[0]) if len(groups) == 1 else 0)
        if written.startswith("@") and spots:
            written = f"1/{spots} {written}"
        return Request(tuple(groups), written, self._games, self._price_cents, self._quick_pick)


def line_of(request: Request) -> str:
    """Return a request as it is spoken; read again it is the same request.

    The numbers that stand by themselves at the end are spoken as kings.
    """
    groups = [list(group) for group in request.groups]
    kings: list[int] = []
    while groups and len(groups[-1]) == 1 and request.quick_pick is None:
        kings.insert(0, groups.pop()[0])
    words = [f"q{request.quick_pick}"] if request.quick_pick and not request.groups else []
    if groups:
        words.append(" / ".join(" ".join(map(str, group)) for group in groups))
    words += [f"k{king}" for king in kings]
    conditioning = request.conditioning
    words.append(conditioning if isinstance(conditioning, str) else text_of(conditioning))
    if request.games != 1:
        words.append(f"x{request.games}")
    return " ".join(words)


def read_tender(text: str) -> tuple[tuple[Tender, ...], tuple[Refusal, ...]]:
    """Return what is put on the counter, and what was not understood of it."""
    tender: list[Tender] = []
    faults: list[Refusal] = []
    for word in text.replace(",", " ").split():
        found = _COUPON.fullmatch(word)
        if found and (found[2] or found[3]):
            tender.append(Tender(TenderKind.COUPON, _cents(found[2], found[3]), found[1]))
            continue
        found = _MONEY.fullmatch(word)
        if found and (found[2] or found[3]):
            kind = TenderKind(found[1]) if found[1] else TenderKind.CURRENCY
            tender.append(Tender(kind, _cents(found[2], found[3])))
        else:
            faults.append(refusal(Code.TENDER_UNREADABLE, "tender", text=quoted(word)))
    return tuple(part for part in tender if part.cents), tuple(faults)


def _cents(whole: str | None, part: str | None) -> int:
    return int(whole or 0) * 100 + int((part or "").ljust(2, "0") or 0)
