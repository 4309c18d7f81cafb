"""The page of the virtual printers: pictures, what they say, and faults on demand."""

import json
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PIL import Image

from printers.devices import Network
from printers.gallery import Gallery
from printers.paper import WIDE
from printers.sending import Ending, send_paper
from printers.virtual import VirtualPrinter
from tests.printers.golden import FOLDER, paper
from tests.printers.samples import CODE, NUMBER
from tests.printing import PRINTING


@pytest.fixture
def printer(tmp_path: Path) -> Iterator[VirtualPrinter]:
    made = VirtualPrinter("B1", WIDE, tmp_path / "B1")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def address(printer: VirtualPrinter) -> Iterator[str]:
    gallery = Gallery(0, [printer])
    serving = threading.Thread(target=gallery.serve_forever)
    serving.start()
    assert ending(printer, "ticket") is Ending.CONFIRMED
    yield f"http://127.0.0.1:{gallery.server_address[1]}"
    gallery.shutdown()
    gallery.server_close()
    serving.join()


def ending(printer: VirtualPrinter, name: str) -> Ending:
    outcome = send_paper(
        Network("127.0.0.1", printer.port, allowed=PRINTING), lambda: paper(name, "80mm")
    )
    assert outcome is not None
    return outcome.ending


def get(address: str) -> bytes:
    with urlopen(address) as answer:  # noqa: S310  loopback
        data: bytes = answer.read()
        return data


def test_a_printer_that_is_plugged_in_again_goes_on_behind_its_papers(
    printer: VirtualPrinter,
) -> None:
    for _ in range(2):
        assert ending(printer, "ticket") is Ending.CONFIRMED
    printer.stop()
    again = VirtualPrinter("B1", WIDE, printer.folder)
    again.start()
    assert ending(again, "ticket") is Ending.CONFIRMED
    again.stop()
    assert [path.stem for path in again.papers] == ["000001", "000002", "000003"]


def test_a_paper_is_shown_as_picture_bytes_and_words(address: str) -> None:
    assert b'<img src="/B1/1.png"' in get(f"{address}/")
    assert json.loads(get(f"{address}/papers.json")) == {"B1": 1}
    drawn = Image.open(BytesIO(get(f"{address}/B1/1.png"))).convert("L")
    golden = Image.open(FOLDER / "ticket-80mm.png").convert("L")
    assert drawn.tobytes() == golden.tobytes()
    assert get(f"{address}/B1/1.bin") == paper("ticket", "80mm")
    said = json.loads(get(f"{address}/B1/1.json"))
    assert said["scan"] == f"{NUMBER:011}{CODE}"
    assert "KENO TICKET" in said["lines"]


@pytest.mark.parametrize("path", ["/B1/2.png", "/B1/0.png", "/B9/1.png", "/nothing"])
def test_what_is_not_there_is_not_found(address: str, path: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        get(address + path)


def test_a_printer_is_told_to_misbehave(address: str, printer: VirtualPrinter) -> None:
    def told(body: bytes, path: str = "/B1/fault") -> int:
        try:
            with urlopen(Request(address + path, body)) as answer:  # noqa: S310  loopback
                status: int = answer.status
                return status
        except HTTPError as refused:
            return refused.code

    assert told(b'{"fault": "paper-out"}') == 200
    assert ending(printer, "void") is Ending.FAILED
    assert told(b'{"fault": "spoiled"}') == 200
    assert ending(printer, "ticket") is Ending.CONFIRMED
    assert "<h2>Printer B1: spoiled</h2>" in get(f"{address}/").decode()
    spoiled = json.loads(get(f"{address}/B1/2.json"))
    assert (spoiled["scan"], "KENO TICKET" in spoiled["lines"]) == (None, False)
    assert get(f"{address}/B1/2.png") != get(f"{address}/B1/1.png")
    assert [told(body) for body in (b"{}", b"[]", b"x", b'{"fault": "fire"}')] == [400] * 4
    assert told(b'{"fault": "none"}', "/B9/fault") == 404
