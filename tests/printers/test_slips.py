"""Slips on paper: golden bytes and pictures, and what no slip may ever do."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from escpos.printer import Dummy
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from printers.drawing import picture
from printers.escpos import CLEARED, FILLER, scan_of, to_bytes, with_code
from printers.layout import LAYOUTS, copy_band, laid_out
from printers.paper import NARROW, ROLLS, WIDE, Line, Roll, Unprintable, dollars
from printers.press import Press
from printers.reader import Garbage, Printed, Reader
from printers.slips import (
    AggregateSheet,
    CountSlip,
    Group,
    Part,
    PayoutSlip,
    RefundSlip,
    TicketSlip,
    Wager,
)
from tests.printers.golden import FOLDER, PAPERS, paper
from tests.printers.samples import CODE, NUMBER, SAMPLES, TICKET

LONGEST_LINES = 2_200  # of the largest ticket that can be written; some seven metres


def test_there_is_a_sample_of_every_slip() -> None:
    assert {type(slip) for slip in SAMPLES.values()} == set(LAYOUTS)


@pytest.mark.rule("15.4(c)", "15.5(a)-record", "X-void-slip", "X-aggregate-sheet")
@pytest.mark.parametrize("roll", ROLLS)
@pytest.mark.parametrize("name", PAPERS)
def test_a_slip_is_the_bytes_and_the_picture_that_were_looked_at(name: str, roll: str) -> None:
    data = paper(name, roll)
    assert data == (FOLDER / f"{name}-{roll}.bin").read_bytes()
    drawn = picture(Reader().read(data), ROLLS[roll])
    golden = Image.open(FOLDER / f"{name}-{roll}.png")
    assert drawn.size == golden.size
    assert ImageChops.difference(drawn.convert("L"), golden.convert("L")).getbbox() is None


@pytest.mark.rule("X-ticket-barcode")
@pytest.mark.parametrize("roll", ROLLS)
def test_codes_are_read_from_the_picture_by_a_scanner(roll: str) -> None:
    drawn = picture(Reader().read(paper("ticket", roll)), ROLLS[roll]).convert("L")
    found = {code.format.name: code.text for code in zxingcpp.read_barcodes(drawn)}
    expected = {"QRCode"} if roll == NARROW.name else {"QRCode", "Code128"}
    assert set(found) == expected
    assert set(found.values()) == {scan_of(NUMBER, CODE)}


@pytest.mark.rule("X-ticket-validation")
@given(st.integers(1, 10**11 - 1), st.text("0123456789", min_size=25, max_size=25))
def test_the_code_is_put_in_everywhere_and_nowhere_else(number: int, code: str) -> None:
    stored = Press().make(TICKET, WIDE.name)
    true = with_code(stored, number, code)
    assert FILLER not in true
    assert len(true) == len(stored)
    changed = [at for at in range(len(stored)) if stored[at] != true[at]]
    assert changed == [at for at in range(len(stored)) if stored[at : at + 1] == FILLER]


@pytest.mark.parametrize("code", ["", "1" * 24, "1" * 26, "x" * 25, "\u0661" * 25])
def test_what_is_no_code_is_put_on_no_paper(code: str) -> None:
    with pytest.raises(ValueError, match="25 digits"):
        scan_of(1, code)
    for number in (0, 10**11):
        with pytest.raises(ValueError, match="11 digits"):
            scan_of(number, CODE)


@pytest.mark.rule("15.4(c)")
@pytest.mark.parametrize("text", ["Caf\u00e9", "\u2019", "tab\t", "line\n", "\u00a0", "\x1b@"])
def test_text_that_cannot_be_encoded_is_refused_and_never_a_question_mark(text: str) -> None:
    for slip in (replace(TICKET, house=text), replace(TICKET, conditioning=text)):
        with pytest.raises(Unprintable):
            laid_out(slip, WIDE)


@st.composite
def tickets(draw: st.DrawFn) -> TicketSlip:
    """Any valid ticket: its numbers in any groups, any lines, however many."""
    numbers = draw(st.lists(st.integers(1, 80), min_size=1, max_size=80, unique=True))
    ends = sorted(draw(st.sets(st.integers(1, len(numbers)), max_size=len(numbers))) | {0})
    bounds = zip(ends, [*ends[1:], len(numbers)], strict=True)
    groups = [numbers[begin:end] for begin, end in bounds if begin < end]
    wager = st.builds(
        Wager,
        st.integers(1, 10**9),
        st.integers(1, 80),
        st.integers(1, 10**7),
        st.sampled_from(["regular", "special", "penny-a-way"]),
    )
    return replace(
        TICKET,
        groups=[Group(f"G{place}", group) for place, group in enumerate(groups)],
        games=draw(st.integers(1, 1_000)),
        wagers=draw(st.lists(wager, min_size=1, max_size=280)),
        conditioning=draw(st.text("0123456789/@ .+AB", min_size=1, max_size=4_000)),
        price_cents=draw(st.integers(1, 10**12)),
    )


@pytest.mark.rule("15.4(c)3", "15.4(c)")
@given(tickets(), st.sampled_from(sorted(ROLLS)))
def test_no_ticket_loses_a_number_or_runs_over_its_paper(ticket: TicketSlip, name: str) -> None:
    roll = ROLLS[name]
    elements = laid_out(ticket, roll)
    lines = [element for element in elements if isinstance(element, Line)]
    assert all(len(line.text) * line.size <= roll.columns for line in lines)
    assert len(lines) <= LONGEST_LINES
    data = with_code(to_bytes(elements, roll), NUMBER, CODE)
    printed = [event.text for event in Reader().read(data) if isinstance(event, Printed)]
    said = " ".join(printed)
    for group in ticket.groups:
        following = said[said.index(f"{group.letter}:") :].split()[1 : 1 + len(group.numbers)]
        assert following == [str(number) for number in sorted(group.numbers)]
    # No line of what is played is lost, wherever it is broken.
    solid = said.replace(" ", "")
    assert f"Conditioning {ticket.conditioning}".replace(" ", "") in solid
    for wager in ticket.wagers:
        played = (
            f"of{wager.spots}spot{'' if wager.spots == 1 else 's'}at{dollars(wager.rate_cents)}"
        )
        schedule = "" if wager.schedule == "regular" else wager.schedule
        assert f"{wager.ways:,}way" in solid
        assert f"{played}{schedule}{dollars(wager.price_cents)}" in solid


def test_the_largest_ticket_stays_within_its_bound() -> None:
    largest = replace(
        TICKET,
        groups=[Group(f"G{number}", [number], is_king=True) for number in range(1, 81)],
        wagers=[Wager(10**9, 80, 10**7, "s" * 40)] * 280,
        conditioning="1/80 " * 4_000,
    )
    counts = [sum(isinstance(e, Line) for e in laid_out(largest, roll)) for roll in (WIDE, NARROW)]
    assert LONGEST_LINES // 2 < min(counts) <= max(counts) <= LONGEST_LINES


@pytest.mark.parametrize("roll", [WIDE, NARROW])
def test_a_copy_says_so_before_anything_else(roll: Roll) -> None:
    data = to_bytes(copy_band(roll, 12), roll) + paper("ticket", roll.name)
    (first, *_) = [event for event in Reader().read(data) if isinstance(event, Printed)]
    assert "COPY 12" in first.text


@pytest.mark.rule("15.4(c)")
@pytest.mark.parametrize("roll", ROLLS)
def test_a_copy_says_so_also_where_a_line_broke_within_a_code(roll: str) -> None:
    """What a printer took for a code's data so far must not swallow the band."""
    ticket = paper("ticket", roll)
    copy = CLEARED + Press().band(1, roll) + ticket
    begins = [at for at in range(len(ticket)) if ticket[at : at + 2] in (b"\x1d(", b"\x1dk")]
    assert begins
    halves: set[int] = set()
    for begin in begins:
        for broken in range(begin + 1, min(begin + 50, len(ticket))):
            reader = Reader()
            for more in (ticket[:broken] + copy[: len(CLEARED)], b""):
                with suppress(Garbage):  # a code that is cut short is none; what follows is read
                    list(reader.read(more))
            if not reader.is_between_commands:
                halves.add(broken)
                continue  # our own reader gives up at half a name, as no printer does
            events = list(reader.read(copy[len(CLEARED) :]))
            assert any(isinstance(e, Printed) and "COPY 1" in e.text for e in events), broken
    assert len(halves) < 4 * len(begins)


@pytest.mark.rule("X-aggregate-sheet", "15.6(a)")
def test_sheets_and_slips_of_many_winners_and_games_are_bounded() -> None:
    payout, sheet = SAMPLES["payout"], SAMPLES["aggregate"]
    assert isinstance(payout, PayoutSlip)
    assert isinstance(sheet, AggregateSheet)
    wins = [Part(f"Game M-{n}", 100 + n) for n in range(1_000)]
    payout = replace(payout, wins=wins, places=None)
    lines = [each.text for each in laid_out(payout, NARROW) if isinstance(each, Line)]
    assert len(lines) < 150
    assert any("900 more games" in text for text in lines)
    assert any(dollars(sum(100 + n for n in range(1_000)) + 600) in text for text in lines)
    refund, count = SAMPLES["refund"], SAMPLES["count"]
    assert isinstance(refund, RefundSlip)
    assert isinstance(count, CountSlip)
    names = [f"{number}-{number % 10}" for number in range(1_000_000, 1_001_000)]
    for slip in (replace(refund, void_games=names), replace(count, tickets_missing=names)):
        for roll in (WIDE, NARROW):
            said = [each.text for each in laid_out(slip, roll) if isinstance(each, Line)]
            assert len(said) < 150
            words = " ".join(said).split()
            assert " ".join(words).count("and 900 more") == 1
            assert {name.rstrip(",") for name in words} >= set(names[:100])  # none is broken
    sheet = replace(sheet, part=2, parts=7)
    said = [each.text for each in laid_out(sheet, NARROW) if isinstance(each, Line)]
    assert "Sheet 2 of 7" in said


@pytest.mark.rule("15.6(c)")
@pytest.mark.parametrize(
    ("minutes", "words"),
    [(525_600, "365 days"), (1_440, "1 day"), (60, "60 minutes"), (2_000, "2,000 minutes")],
)
def test_the_time_to_claim_is_said_in_words_that_are_so(minutes: int, words: str) -> None:
    elements = laid_out(replace(TICKET, claim_minutes=minutes), WIDE)
    said = " ".join(each.text for each in elements if isinstance(each, Line))
    assert f"claimed within {words} after" in said


def test_making_paper_leaves_the_screen_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made in a thread for each printer: none may take the screen from the others."""
    seen = []
    write_bars = Dummy._hw_barcode  # noqa: SLF001  where the library is at work

    def watched(*given: Any, **more: Any) -> None:  # noqa: ANN401  whatever it is called with
        seen.append(sys.stdout)
        write_bars(*given, **more)

    monkeypatch.setattr(Dummy, "_hw_barcode", watched)
    Press().make(TICKET, WIDE.name)
    assert seen == [sys.stdout]
    assert capsys.readouterr().out == ""


# ---- the reader ----------------------------------------------------------------------------------


@given(st.binary(min_size=1, max_size=40))
def test_the_reader_takes_our_commands_and_nothing_else(data: bytes) -> None:
    reader = Reader()
    try:
        list(reader.read(data))
    except Garbage:
        return
    # Whatever it took can be told apart from what it waits for.
    assert isinstance(reader.is_between_commands, bool)


@pytest.mark.parametrize(
    "command",
    [
        b"\x1d(k\x04\x001P0\x80",  # what is no letter
        b"\x1d(k\x04\x001P0\x00",
        b"\x1d(k\x02\x001C",  # no size at all
        b"\x1d(k\x04\x001C\x06\x06",
    ],
)
def test_a_qr_code_that_no_paper_of_ours_has_is_garbage(command: bytes) -> None:
    for masked in (False, True):
        with pytest.raises(Garbage):
            list(Reader(masked=masked).read(command))


@given(st.data())
def test_it_reads_the_same_however_the_bytes_arrive(data: st.DataObject) -> None:
    whole = paper("ticket", WIDE.name)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1), max_size=30)))
    reader, pieces = Reader(), []
    for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        pieces += list(reader.read(whole[begin:end]))
    at_once = list(Reader().read(whole))
    assert joined(pieces) == joined(at_once)


def joined(events: Sequence[object]) -> list[object]:
    """Lines by their text: how it came in pieces does not matter."""
    return [event.text if isinstance(event, Printed) else event for event in events]


@pytest.mark.parametrize(
    "bad",
    [b"\x1bZ\x00", b"\x1d!\x77", b"\x1bt\x05", b"\xf1", b"\x1bE\x02", b"\x07"],
)
def test_a_byte_that_is_not_ours_is_garbage(bad: bytes) -> None:
    with pytest.raises(Garbage):
        list(Reader().read(b"\x1b@" + bad + b"\x00\x00\x00\x00"))


def test_the_picture_in_the_documents_is_made_from_real_bytes() -> None:
    shown = Path(__file__).parents[2] / "docs" / "pictures" / "ticket-80mm.png"
    drawn = picture(Reader().read(paper("ticket", WIDE.name)), WIDE)
    assert Image.open(shown).convert("L").tobytes() == drawn.convert("L").tobytes()


STARTS = """
import sys
import printers.press
assert "escpos" not in sys.modules
from printers.escpos import to_bytes
from printers.paper import WIDE
assert to_bytes([], WIDE)
assert "escpos" in sys.modules
"""


def test_the_library_is_loaded_with_the_first_paper_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run(  # noqa: S603  ourselves
        [sys.executable, "-c", STARTS], cwd=FOLDER.parents[2], env=environment, check=True
    )
    assert list(tmp_path.iterdir()) == []
