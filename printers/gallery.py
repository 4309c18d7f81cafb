"""The paper of virtual printers as a page of pictures, and what they are told to do wrong.

`python -m printers.gallery --folder DIR --pictures PORT P1=9101 P2=9102:58mm ...` runs printers and
page as one process, on this machine only: validation codes can be read from the pictures.
"""

import argparse
import json
import re
import signal
import threading
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

from printers.paper import ROLLS, WIDE
from printers.reader import Printed, Qr, Reader
from printers.virtual import Fault, VirtualPrinter

SHOWN = 12  # papers of each printer on the page
_PAPER = re.compile(r"/([A-Za-z0-9-]+)/([0-9]+)\.(png|bin|json)")
_FAULT = re.compile(r"/([A-Za-z0-9-]+)/fault")

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Paper</title>
<meta http-equiv="refresh" content="3">
<style>body{{font:16px sans-serif;background:#777;color:#fff;margin:1rem}}
section{{display:flex;gap:1rem;overflow-x:auto;align-items:flex-start;margin-bottom:2rem}}
img{{box-shadow:0 2px 8px #000;width:280px}}</style>{printers}</html>"""


class Gallery(ThreadingHTTPServer):
    """The page of some printers."""

    def __init__(self, port: int, printers: list[VirtualPrinter]) -> None:
        self.printers = {printer.name: printer for printer in printers}
        super().__init__(("127.0.0.1", port), partial(_Handler, self.printers))


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, printers: dict[str, VirtualPrinter], *given: Any) -> None:  # noqa: ANN401
        self._printers = printers
        super().__init__(*given)

    def do_GET(self) -> None:
        if self.path == "/":
            shown = "".join(_shown(printer) for printer in self._printers.values())
            self._answer("text/html; charset=utf-8", PAGE.format(printers=shown).encode())
        elif self.path == "/papers.json":
            told = {name: len(printer.papers) for name, printer in self._printers.items()}
            self._answer("application/json", json.dumps(told).encode())
        elif (found := _PAPER.fullmatch(self.path)) is not None:
            self._paper(found[1], int(found[2]), found[3])
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Tell a printer to misbehave: {"fault": "paper-out", "after": 100}."""
        found = _FAULT.fullmatch(self.path)
        printer = self._printers.get(found[1]) if found else None
        if printer is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            told = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            printer.misbehave(Fault(told["fault"]), int(told.get("after", 0)))
        except (ValueError, KeyError, TypeError, AttributeError):
            self.send_error(HTTPStatus.BAD_REQUEST, "that is no fault")
            return
        self._answer("application/json", b"{}")

    def _paper(self, name: str, number: int, kind: str) -> None:
        printer = self._printers.get(name)
        papers = [] if printer is None else printer.papers
        if printer is None or not 0 < number <= len(papers):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        paper = papers[number - 1]
        if kind == "bin":
            self._answer("application/octet-stream", paper.read_bytes())
        elif kind == "json":
            self._answer("application/json", json.dumps(read_back(paper.read_bytes())).encode())
        else:
            drawn = BytesIO()
            printer.look_at(paper).save(drawn, "PNG")
            self._answer("image/png", drawn.getvalue())

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_given: object) -> None:
        """Say nothing: the page asks every few seconds."""


def read_back(paper: bytes) -> dict[str, object]:
    """Return what a paper says, for a script: its lines, and what a scanner reads from it."""
    events = list(Reader().read(paper))
    return {
        "lines": [event.text for event in events if isinstance(event, Printed)],
        "scan": next((event.text for event in events if isinstance(event, Qr)), None),
    }


def _shown(printer: VirtualPrinter) -> str:
    newest = list(enumerate(printer.papers, start=1))[-SHOWN:]
    pictures = "".join(
        f'<img src="/{printer.name}/{number}.png" alt="paper {number} of {printer.name}">'
        for number, _ in reversed(newest)
    )
    fault = "" if printer.fault is Fault.NONE else f": {printer.fault.value}"
    return f"<h2>Printer {printer.name}{fault}</h2><section>{pictures}</section>"


def main() -> None:
    """Run printers and their page until told to stop."""
    parser = argparse.ArgumentParser(prog="printers.gallery", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--pictures", type=int, required=True, metavar="PORT")
    parser.add_argument("printer", nargs="+", metavar="NAME=PORT[:ROLL]")
    options = parser.parse_args()
    printers = []
    for each in options.printer:
        name, _, place = each.partition("=")
        port, _, roll = place.partition(":")
        paper = ROLLS.get(roll, WIDE)
        printers.append(VirtualPrinter(name, paper, options.folder / name, int(port)))
    for printer in printers:
        printer.start()
    gallery = Gallery(options.pictures, printers)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=gallery.serve_forever, daemon=True).start()
    stop.wait()
    for printer in printers:
        printer.stop()
    gallery.shutdown()


if __name__ == "__main__":
    main()
