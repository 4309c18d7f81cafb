"""A report as PDF: pages that stand each for themselves, the same bytes every time.

On each page: the house, the report, the period, the stretch of the log with its root, the hash of
the content, and page x of y. Whoever holds one page can tell what it belongs to.

First everything is cut into strips of known height and these are dealt onto pages; then the pages
are drawn, because a page must know how many there are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import islice

from reportlab.lib.colors import Color, black
from reportlab.lib.pagesizes import landscape, letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from app.reports.content import Column, Row, Section
from app.reports.document import Document
from app.reports.lines import lines_of, widths_for
from app.reports.plots import HEIGHT as PLOT_HEIGHT
from app.reports.plots import draw_plot
from app.reports.written import for_people, is_to_the_right

WIDE, HIGH = landscape(letter)
MARGIN, HEAD, FOOT = 36, 62, 30
BODY = HIGH - 2 * MARGIN - HEAD - FOOT
WIDTH = WIDE - 2 * MARGIN
FONT, BOLD = "Helvetica", "Helvetica-Bold"
MONO, MONO_BOLD, MONO_SIZE, MONO_LINE = "Courier", "Courier-Bold", 6.5, 8.5
LONG = 2_000  # rows from which a table is set in letters of one width
LETTERS = int(WIDTH / (0.6 * MONO_SIZE))  # of a line; each is six tenths of its size wide
SIZE, LINE, GAP = 7.5, 10, 6
LOOKED_AT = 500  # rows that decide how wide columns are
NARROW = 30.0  # no column that wraps becomes narrower
SHADE, RULE = Color(0.94, 0.95, 0.97), Color(0.55, 0.55, 0.6)

Draw = Callable[[Canvas, float], None]


@dataclass(frozen=True)
class Strip:
    """Something of a height, drawn from its upper edge down."""

    height: float
    draw: Draw
    heads: "tuple[Strip, ...]" = ()  # repeated above it when it begins a page
    stays: float = 0  # with so much of what follows on the same page
    is_gap: bool = False  # it begins no page: there would be nothing on it


def pdf_of(document: Document) -> bytes:
    """Return a report as PDF."""
    pages = list(_pages(_strips(document)))
    out = BytesIO()
    canvas = Canvas(out, pagesize=(WIDE, HIGH), invariant=True, pageCompression=1)
    canvas.setTitle(f"{document.house}: {document.report.title}")
    canvas.setSubject(f"{document.period.first} to {document.period.last}")
    for number, page in enumerate(pages, 1):
        _frame(canvas, document, number, len(pages))
        top = HIGH - MARGIN - HEAD
        for strip in page:
            strip.draw(canvas, top)
            top -= strip.height
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _pages(strips: Iterator[Strip]) -> Iterator[list[Strip]]:
    """Deal strips onto pages; there is always one."""
    page: list[Strip] = []
    left = BODY
    for strip in strips:
        if strip.height + strip.stays > left and page:
            if strip.is_gap:
                continue
            yield page
            page = list(strip.heads)
            left = BODY - sum(each.height for each in page)
        page.append(strip)
        left -= strip.height
    yield page


# ---- the frame of a page -------------------------------------------------------------------------


def _frame(canvas: Canvas, document: Document, number: int, count: int) -> None:
    period, stretch = document.period, document.stretch
    top = HIGH - MARGIN
    canvas.setFillColor(black)
    canvas.setFont(BOLD, 15)
    canvas.drawString(MARGIN, top - 12, plain(document.report.title))
    canvas.setFont(FONT, 9)
    canvas.drawRightString(WIDE - MARGIN, top - 10, f"Page {number} of {count}")
    house = plain(f"{document.house}, {document.jurisdiction}")
    days = period.first.isoformat()
    if period.last != period.first:
        days = f"{days} to {period.last.isoformat()}"
    word = "Gaming day" if period.last == period.first else "Gaming days"
    so_far = "" if stretch.is_whole else "   SO FAR: not every day of it is closed"
    canvas.drawString(MARGIN, top - 26, f"{house}      {word} {days}{so_far}")
    canvas.setFont(MONO, 6.5)
    last = f"{stretch.first:,} to {stretch.size - 1:,}"
    canvas.drawString(MARGIN, top - 38, plain(f"log {stretch.origin}, entries {last}"))
    canvas.drawString(MARGIN, top - 46, f"root {stretch.root.hex()}   content {document.hash}")
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.8)
    canvas.line(MARGIN, top - 52, WIDE - MARGIN, top - 52)
    canvas.setFont(FONT, 6.5)
    duties = ", ".join(document.report.duties)
    canvas.drawString(MARGIN, MARGIN, plain(f"{document.report.id}   answers {duties}"))


# ---- strips --------------------------------------------------------------------------------------


def _strips(document: Document) -> Iterator[Strip]:
    content, zone = document.content, document.period.zone
    for remark in content.remarks:
        yield from _words(remark)
    for plot in content.plots:

        def drawn(canvas: Canvas, top: float, plot: object = plot) -> None:
            draw_plot(canvas, plot, MARGIN, top - PLOT_HEIGHT, WIDTH)  # type: ignore[arg-type]

        yield Strip(PLOT_HEIGHT + GAP, drawn)
    for section in content.sections:
        table = _long_table if len(section.rows) > LONG else _table
        yield from table(section, zone)
    for who in content.signatures:
        yield _signature(who)


def _words(text: str) -> Iterator[Strip]:
    for line in wrapped(plain(text), FONT, SIZE, WIDTH):

        def drawn(canvas: Canvas, top: float, line: str = line) -> None:
            canvas.setFillColor(black)
            canvas.setFont(FONT, SIZE)
            canvas.drawString(MARGIN, top - LINE + 2, line)

        yield Strip(LINE, drawn)


def _signature(who: str) -> Strip:
    def drawn(canvas: Canvas, top: float) -> None:
        canvas.setStrokeColor(black)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, top - 34, MARGIN + 260, top - 34)
        canvas.setFillColor(black)
        canvas.setFont(FONT, SIZE)
        canvas.drawString(MARGIN, top - 44, plain(who))

    return Strip(50, drawn)


# ---- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """How a table is set: its columns, how wide each is, and the size of its letters."""

    columns: tuple[Column, ...]
    widths: list[float]
    size: float


def _table(section: Section, zone: str) -> Iterator[Strip]:
    """Yield a section: its title, its columns, its rows, and what they come to."""
    titles = [column.title for column in section.columns]
    rows = [*islice(section.rows, LOOKED_AT), *_extremes(section)]
    looked_at = [_texts(row, section.columns, zone) for row in rows]
    sums = section.sums
    if sums is not None:
        looked_at.append(_texts(sums, section.columns, zone))
    setting = _set(section.columns, titles, looked_at)
    head = _row_strip(setting, titles, BOLD, shaded=True)
    title = _title_strip(section.title)
    yield Strip(title.height, title.draw, stays=head.height + 2 * LINE)
    yield head
    heads = (head,)
    for row in section.rows:
        strip = _row_strip(setting, _texts(row, section.columns, zone), FONT)
        yield Strip(strip.height, strip.draw, heads)
    if not section.rows:
        yield from _words("Nothing.")
    elif sums is not None:
        texts = _texts(sums, section.columns, zone)
        if not section.columns[0].summed:
            texts[0] = "In all"
        strip = _row_strip(setting, texts, BOLD)
        yield Strip(strip.height, strip.draw, heads)
    if section.remark:
        yield from _words(section.remark)
    yield Strip(GAP, lambda _canvas, _top: None, is_gap=True)


def _long_table(section: Section, zone: str) -> Iterator[Strip]:
    """Yield a section with very many rows: each row is a line of letters of one width.

    Set cell by cell, a day of 27,000 tickets takes five times as long.
    """
    columns = section.columns
    right = [is_to_the_right(column.kind) for column in columns]
    heads = [column.title for column in columns]
    sums = section.sums
    last = [] if sums is None else _texts(sums, columns, zone)
    if last and not columns[0].summed:
        last[0] = "In all"
    rows = [_texts(row, columns, zone) for row in section.rows]
    fitted = [heads, *rows, *([last] if last else [])]
    widths = widths_for(fitted, [not each for each in right], LETTERS)
    head = _lines_strip(lines_of(heads, widths, right), MONO_BOLD)
    title = _title_strip(section.title)
    yield Strip(title.height, title.draw, stays=head.height + 2 * LINE)
    yield head
    for row in rows:
        strip = _lines_strip(lines_of(row, widths, right), MONO)
        yield Strip(strip.height, strip.draw, (head,))
    if last:
        strip = _lines_strip(lines_of(last, widths, right), MONO_BOLD)
        yield Strip(strip.height, strip.draw, (head,))
    if section.remark:
        yield from _words(section.remark)
    yield Strip(GAP, lambda _canvas, _top: None, is_gap=True)


def _lines_strip(lines: list[str], font: str) -> Strip:
    def drawn(canvas: Canvas, top: float) -> None:
        canvas.setFillColor(black)
        text = canvas.beginText(MARGIN, top - MONO_LINE + 2)
        text.setFont(font, MONO_SIZE, MONO_LINE)
        for line in lines:
            text.textLine(line)
        canvas.drawText(text)

    return Strip(MONO_LINE * len(lines), drawn)


def _title_strip(title: str) -> Strip:
    def drawn(canvas: Canvas, top: float) -> None:
        canvas.setFillColor(black)
        canvas.setFont(BOLD, 10)
        canvas.drawString(MARGIN, top - 14, plain(title))

    return Strip(20, drawn)


def _texts(row: Row, columns: tuple[Column, ...], zone: str) -> list[str]:
    return [
        plain(for_people(cell, column.kind, zone))
        for cell, column in zip(row, columns, strict=True)
    ]


def _extremes(section: Section) -> Iterator[Row]:
    """Yield the largest and the smallest of each column of numbers: no row has a longer one."""
    for most in (max, min):
        yield tuple(
            most((cell for row in section.rows if type(cell := row[place]) is int), default=None)
            for place, _ in enumerate(section.columns)
        )


def _set(columns: tuple[Column, ...], titles: list[str], rows: list[list[str]]) -> Setting:
    """Return how a table is set: as wide as its texts need, or with narrower ones that wrap.

    Numbers never break: a part of one reads as another. Where there is no room for them, the whole
    table is set in smaller letters.
    """
    wanted = []
    for place, title in enumerate(titles):
        texts = [stringWidth(row[place], BOLD, SIZE) for row in rows]
        longest_word = max((stringWidth(word, BOLD, SIZE) for word in title.split()), default=0)
        wanted.append(max([*texts, longest_word]))
    room = WIDTH - GAP * len(columns)
    over = sum(wanted) - room
    if over <= 0:
        spare = GAP + min(-over / len(wanted), 24)
        return Setting(columns, [width + spare for width in wanted], SIZE)
    # Texts give way, the widest first; numbers never do.
    texts_at = [place for place, column in enumerate(columns) if not is_to_the_right(column.kind)]
    while over > 0 and texts_at:
        widest = max(texts_at, key=lambda place: wanted[place])
        if wanted[widest] <= NARROW:
            break
        cut = min(max(wanted[widest] * 0.1, 1.0), over)
        wanted[widest] -= cut
        over -= cut
    scale = min(1.0, room / sum(wanted))
    return Setting(columns, [width * scale + GAP for width in wanted], SIZE * scale)


def _row_strip(setting: Setting, texts: list[str], font: str, *, shaded: bool = False) -> Strip:
    size, widths = setting.size, setting.widths
    cells = [
        [text] if len(text) * size * 0.4 < width and _fits(text, font, size, width)
        else wrapped(text, font, size, width - GAP)
        for text, width in zip(texts, widths, strict=True)
    ]  # fmt: skip
    height = LINE * max(map(len, cells))

    def drawn(canvas: Canvas, top: float) -> None:
        if shaded:
            canvas.setFillColor(SHADE)
            canvas.rect(MARGIN, top - height, sum(widths), height, stroke=0, fill=1)
        canvas.setFillColor(black)
        text = canvas.beginText()  # one for the row: most of the time went into beginning them
        text.setFont(font, size)
        left: float = MARGIN
        for column, lines, width in zip(setting.columns, cells, widths, strict=True):
            for place, line in enumerate(lines):
                if line:
                    spare = width - GAP - _width(line, font, size)
                    x = left + GAP / 2 + (spare if is_to_the_right(column.kind) else 0)
                    text.setTextOrigin(round(x, 2), round(top - LINE * (place + 1) + 2.5, 2))
                    text.textOut(line)
            left += width
        canvas.drawText(text)

    return Strip(height, drawn)


def _fits(text: str, font: str, size: float, width: float) -> bool:
    return _width(text, font, size) <= width - GAP + 0.01


@lru_cache(maxsize=50_000)  # most of what stands in a long table stands there often
def _width(text: str, font: str, size: float) -> float:
    return float(stringWidth(text, font, size))


# ---- text ----------------------------------------------------------------------------------------


@lru_cache(maxsize=50_000)
def plain(text: str) -> str:
    """Return a text in letters that the page has; any other is written as its number."""
    shown = text.encode("latin-1", "backslashreplace").decode("latin-1")
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in shown)


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """Return a text in lines that fit; a word that does not fit is broken, none is left out."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        rest = word
        tried = f"{line} {rest}" if line else rest
        if stringWidth(tried, font, size) <= width:
            line = tried
            continue
        if line:
            lines.append(line)
        while stringWidth(rest, font, size) > width and len(rest) > 1:
            most = _most_letters(rest, font, size, width)
            lines.append(rest[:most])
            rest = rest[most:]
        line = rest
    return [*lines, line]


def _most_letters(word: str, font: str, size: float, width: float) -> int:
    """Return how many letters of a word fit, one at least."""
    most = 1
    while most < len(word) and stringWidth(word[: most + 1], font, size) <= width:
        most += 1
    return most
