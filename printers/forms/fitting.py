"""Text that fits: however long a name or an amount is, it stays in its place on the page."""

from collections.abc import Iterable

from reportlab.pdfbase.pdfmetrics import stringWidth


def fitting(texts: Iterable[str], font: str, size: float, width: float) -> float:
    """Return the size of letters at which the widest of some texts fits; none is made larger."""
    widest = max(stringWidth(text, font, size) for text in texts)
    return size * min(1.0, width / widest) if widest else size
