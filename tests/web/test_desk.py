"""What a writer's page asks for: a line as it is typed, the desk, the picture, practice."""

import re
from io import BytesIO
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image

from app.flow.desk import desk
from app.flow.override import override_close
from app.flow.practise import practise
from app.flow.see_floor import see_floor
from app.flow.see_paper import ticket_as_printed
from app.flow.speak import hear
from app.keno import numbering
from app.keno.request import Request
from app.keno.spoken import read_line
from app.keno.tender import Tender, TenderKind
from printers.drawing import picture
from printers.layout import laid_out
from printers.paper import WIDE, CodeBars, CodeDigits, CodeQr
from printers.press import Press
from printers.reader import Reader
from tests.floor import ADA, SAM, WANDA, Floor, dollar
from tests.looking import refuses, rows


@pytest.mark.rule("15.4(a)", "15.3(b)")
def test_a_line_is_heard_with_everything_that_is_right_and_wrong(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    heard = hear(floor.office, wanda, "4 8 15 16 / 23 42 7 9 2/4 1/8 @1 x5", "20 coin.50")
    assert heard["words"] == "two 4-spots and one 8-spot at $1.00, five games: $15.00"
    assert (heard["change_cents"], heard["faults"], heard["confirm"]) == (550, [], 0)
    assert heard["request"]["groups"] == [[4, 8, 15, 16], [23, 42, 7, 9]]
    exact = hear(floor.office, wanda, "4 8 15 16 @1", "")
    assert exact["tender"] == [{"kind": "currency", "cents": 100}]
    half = hear(floor.office, wanda, "4 8 15 16 /", "")
    assert half["groups"] == [[4, 8, 15, 16]]
    assert half["quote"] is None
    assert [fault["code"] for fault in half["faults"]] == ["conditioning.none"]
    short = hear(floor.office, wanda, "4 8 15 16 @5", "2 beads")
    assert [fault["code"] for fault in short["faults"]] == [
        "tender.unreadable",
        "tender.too_little",
    ]
    assert short["change_cents"] is None
    assert hear(floor.office, wanda, "  ", "")["faults"] == []
    with refuses("conditioning.too_long"):
        hear(floor.office, wanda, "1 " * 20_000, "")


@pytest.mark.rule("15.3(d)")
@pytest.mark.parametrize(("rate", "level"), [("1", 0), ("5", 1), ("20", 2)])
def test_a_large_price_is_to_be_confirmed(floor: Floor, rate: str, level: int) -> None:
    wanda = floor.signed_in(WANDA)
    line = " ".join(f"k{n}" for n in range(1, 81)) + f" 80/1 @{rate}"
    assert hear(floor.office, wanda, line, "")["confirm"] == level


@pytest.mark.rule("15.5(c)")
def test_the_desk_tells_the_seconds_that_are_left_by_the_clock_of_the_house(floor: Floor) -> None:
    wanda = floor.writing()
    floor.printer_at("B1")
    override_close(
        floor.office, floor.sam, "M", 1, floor.moment[0].replace(minute=30), "a late bus"
    )
    floor.sell(wanda, dollar())
    seen = desk(floor.office, wanda)
    main = next(game for game in seen["games"] if game["series"] == "M")
    assert 1_500 < main["seconds_left"] < 1_800
    assert main["held"] is False
    assert [sold["printed_number"] for sold in main["just_sold"]] == ["1-3"]
    assert (seen["drawer"], seen["suspended"]) == (1, [])
    assert seen["printer"]["code"] == "P-B1"
    with refuses("staff.not_permitted"):
        desk(floor.office, floor.signed_in(ADA, "B2"))


def test_the_page_has_the_same_check_digits() -> None:
    page = (Path(__file__).parents[2] / "app/web/static/js/writer/numbering.js").read_text("ascii")
    digits = [tuple(map(int, row)) for row in re.findall(r'"(\d{10})"', page)]
    assert digits == list(numbering._TABLE)  # noqa: SLF001  there are these two of them


@pytest.mark.rule("15.5(e)")
def test_the_desk_says_that_a_game_is_held_and_the_floor_says_why(floor: Floor) -> None:
    override_close(floor.office, floor.sam, "M", 1, None, "a late bus")
    override_close(floor.office, floor.sam, "M", 1, None, "a later bus")
    seen = desk(floor.office, floor.signed_in(WANDA))
    assert {game["series"]: game["held"] for game in seen["games"]} == {"F": False, "M": True}
    floor_seen = see_floor(floor.office, floor.signed_in(SAM, "B2"))
    assert [each.held_why for each in floor_seen.series] == [None, "a later bus"]


@pytest.mark.rule("X-ticket-validation", "15.4(c)")
def test_a_ticket_is_shown_at_once_and_its_code_is_not(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar())
    slip, roll = ticket_as_printed(floor.office, wanda, 1)
    assert (slip.number, roll) == ("1-3", "80mm")
    with refuses("ticket.unknown"):
        ticket_as_printed(floor.office, wanda, 2)


@pytest.mark.rule("X-practice")
def test_what_is_practised_can_never_be_a_ticket(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)  # without a drawer: nothing can move
    before = rows(floor, "SELECT count(*) FROM log_entry")
    for line in ("4 8 15 16 k33 1/4 1/5 @1 x5", "q8 @1"):
        bills = (Tender(TenderKind.CURRENCY, 2_000),)
        answer, slip = practise(floor.office, wanda, read_line(line), bills)
        assert answer["number"] is None
        elements = laid_out(slip, WIDE)
        assert not any(isinstance(each, CodeBars | CodeQr | CodeDigits) for each in elements)
        data = Press().make(slip, WIDE.name)
        assert b"NOT A TICKET" in data
        drawn = BytesIO()
        picture(Reader().read(data), WIDE).save(drawn, "PNG")
        assert zxingcpp.read_barcodes(Image.open(drawn).convert("L")) == []
    for table in ("ticket", "print_job", "posting"):
        assert rows(floor, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608  our own names
    assert rows(floor, "SELECT count(*) FROM log_entry") == before
    with refuses("tender.too_little"):
        practise(floor.office, wanda, Request(((1,),), "1/1 @ 5.00"), ())
