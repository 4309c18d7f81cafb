"""The blank keno request (15.4(b)): the numbers, games, wagers, conditioning and price.

Marks in the corners, two black squares and two white ones, tell a scanner which way up it lies and
where every box is.
"""

from io import BytesIO

from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

from printers.forms.fitting import fitting

NUMBERS, IN_A_ROW = 80, 10
LEFT, TOP = 54, 700
BOX_WIDTH, BOX_HEIGHT = 50, 34
CORNER = 14
GROUP_LINES = 6
BOLD = "Helvetica-Bold"


def request_form(house: str) -> bytes:
    """Return the form of a house; the same bytes every time."""
    page = BytesIO()
    canvas = Canvas(page, pagesize=letter, invariant=True)
    canvas.setTitle(f"{house}: keno request")
    _corners(canvas)
    title = f"{house}   KENO REQUEST"
    canvas.setFont(BOLD, fitting([title], BOLD, 20, letter[0] - 2 * LEFT))
    canvas.drawCentredString(letter[0] / 2, TOP + 28, title)
    _numbers(canvas)
    _wagers(canvas)
    canvas.showPage()
    canvas.save()
    return page.getvalue()


def _corners(canvas: Canvas) -> None:
    wide, high = letter
    for place, (x, y) in enumerate(
        ((24, 24), (wide - 24 - CORNER, 24), (24, high - 24 - CORNER), (wide - 38, high - 38))
    ):
        canvas.rect(x, y, CORNER, CORNER, stroke=1, fill=int(place > 1))


def _numbers(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 14)
    for number in range(1, NUMBERS + 1):
        row, column = divmod(number - 1, IN_A_ROW)
        gap = 10 if row >= NUMBERS // IN_A_ROW // 2 else 0  # the upper and the lower field
        x, y = LEFT + column * BOX_WIDTH, TOP - (row + 1) * BOX_HEIGHT - gap
        canvas.rect(x, y, BOX_WIDTH, BOX_HEIGHT)
        canvas.drawCentredString(x + BOX_WIDTH / 2, y + 11, str(number))


def _wagers(canvas: Canvas) -> None:
    y = TOP - NUMBERS // IN_A_ROW * BOX_HEIGHT - 44
    canvas.setFont(BOLD, 11)
    for x, title in (
        (LEFT, "NUMBER OF GAMES"),
        (LEFT + 170, "TOTAL PRICE  $"),
        (LEFT + 340, "DATE"),
    ):
        canvas.drawString(x, y, title)
        canvas.line(x, y - 24, x + 150, y - 24)
    y -= 50
    canvas.drawString(
        LEFT, y, "CONDITIONING: how many ways of how many spots, and the value of each wager"
    )
    canvas.setFont("Helvetica", 11)
    for line in range(GROUP_LINES):
        top = y - 28 - line * 27
        canvas.line(LEFT, top, LEFT + 90, top)
        canvas.drawString(LEFT + 94, top, "ways of")
        canvas.line(LEFT + 138, top, LEFT + 228, top)
        canvas.drawString(LEFT + 232, top, "spots at  $")
        canvas.line(LEFT + 288, top, LEFT + 378, top)
        canvas.drawString(LEFT + 382, top, "each  =  $")
        canvas.line(LEFT + 436, top, LEFT + 500, top)
    canvas.setFont("Helvetica-Oblique", 9)
    foot = "Mark numbers with an X. Circle those played together; a circle around one is a king."
    canvas.drawString(LEFT, y - 28 - GROUP_LINES * 27, foot)
