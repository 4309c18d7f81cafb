"""What a printer was told, as a picture: the paper, dot for dot, in black and white.

The letters are those of a font that lies beside, so that a picture is the same on every machine.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import qrcode
from barcode.codex import Code128
from PIL import Image, ImageDraw, ImageFont

from printers.paper import Roll
from printers.reader import STAR, Bars, Event, Printed, Qr

WHITE, BLACK = 1, 0
CELL = (12, 24)  # dots of a character
MARGIN = 24  # of paper beside what is printed
QUIET = 4  # modules of white around a QR code
_POINTS = 20  # at which its letters are as wide as a character
_FONTS = {
    bold: ImageFont.truetype(Path(__file__).parent / "fonts" / name, _POINTS)
    for bold, name in ((False, "DejaVuSansMono.ttf"), (True, "DejaVuSansMono-Bold.ttf"))
}


def picture(events: Iterable[Event], roll: Roll) -> Image.Image:
    """Return a strip of paper as a picture."""
    strips = [strip for event in events if (strip := _strip(event, roll)) is not None]
    height = sum(strip.height for strip in strips) + 2 * MARGIN
    paper = Image.new("1", (roll.dots + 2 * MARGIN, height), WHITE)
    top = MARGIN
    for strip in strips:
        paper.paste(strip, (MARGIN, top))
        top += strip.height
    return paper


def _strip(event: Event, roll: Roll) -> Image.Image | None:
    match event:
        case Printed():
            return _line(event, roll)
        case Bars():
            return _placed(_bars(event), event.align, roll)
        case Qr():
            return _placed(_qr(event), event.align, roll)
    return None


def _line(line: Printed, roll: Roll) -> Image.Image:
    size = max((run.style.size for run in line.runs), default=1)
    if "\n" in line.text or not line.text:
        feeds = line.text.count("\n") + 1
        return Image.new("1", (roll.dots, CELL[1] * feeds), WHITE)
    width = sum(CELL[0] * run.style.size * len(run.text) for run in line.runs)
    inked = Image.new("1", (width, CELL[1] * size), WHITE)
    left = 0
    for run in line.runs:
        for character in run.text:
            cell = _character(character, bold=run.style.bold, inverse=run.style.inverse)
            if run.style.size > 1:
                cell = cell.resize(
                    (cell.width * size, cell.height * size), Image.Resampling.NEAREST
                )
            inked.paste(cell, (left, 0))
            left += cell.width
    return _placed(inked, line.align, roll)


@cache
def _character(character: str, *, bold: bool, inverse: bool) -> Image.Image:
    cell = Image.new("1", CELL, BLACK if inverse else WHITE)
    ink = WHITE if inverse else BLACK
    ImageDraw.Draw(cell).text((0, 0), character, font=_FONTS[bold], fill=ink)
    return cell


def _bars(event: Bars) -> Image.Image:
    # A code that is masked is drawn as a box: nothing can be read from it.
    modules = "1" * 100 if STAR in event.digits else Code128(event.digits).build()[0]
    drawn = Image.new("1", (len(modules) * event.dots, event.height), WHITE)
    pen = ImageDraw.Draw(drawn)
    for place, module in enumerate(modules):
        if module == "1":
            left = place * event.dots
            pen.rectangle((left, 0, left + event.dots - 1, event.height - 1), fill=BLACK)
    return drawn


def _qr(event: Qr) -> Image.Image:
    if STAR in event.text:
        return Image.new("1", (25 * event.dots, 25 * event.dots), BLACK)
    code = qrcode.QRCode(
        error_correction=qrcode.constants.ERROR_CORRECT_M, box_size=event.dots, border=QUIET
    )
    code.add_data(event.text)
    code.make(fit=True)
    drawn: Image.Image = code.make_image().get_image().convert("1")
    return drawn


def _placed(strip: Image.Image, align: int, roll: Roll) -> Image.Image:
    paper = Image.new("1", (roll.dots, strip.height), WHITE)
    free = roll.dots - strip.width
    paper.paste(strip, (free * align // 2, 0))
    return paper
