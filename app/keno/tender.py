"""What a ticket is paid with, by kind, and the change (15.3(b), 15.4(c)).

Change is cash, and never given on a coupon: so coupons may not come to more than the price, and
whatever is tendered beyond it is change from currency, coin, chips or tokens.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.keno.money import dollars
from app.keno.refusals import Code, Refusal, quoted, refusal

# In one way only, or a coupon that is spent could be typed once more in another.
_SERIAL = re.compile(r"[A-Z0-9]{1,40}")
_BETWEEN = ("Zs", "Pd", "Cf")  # spaces, dashes, and what is not seen
_LOOK_ALIKE = str.maketrans("OIL", "011")


class TenderKind(StrEnum):
    """What patrons may pay with (15.3(b))."""

    CURRENCY = "currency"
    COIN = "coin"
    CHIPS = "chips"
    COUPON = "coupon"
    TOKENS = "tokens"


def coupon_serial(typed: str) -> str:
    """Return the serial of a coupon in the one way in which it is written here (15.3(b)).

    Large letters and digits only, whatever their width, without what stands between them; letters
    that look like a digit are that digit. What is still no serial then is refused.
    """
    plain = unicodedata.normalize("NFKC", typed).upper()
    kept = (sign for sign in plain if unicodedata.category(sign) not in _BETWEEN)
    return "".join(kept).translate(_LOOK_ALIKE)


@dataclass(frozen=True)
class Tender:
    """One part of what the patron puts on the counter; a coupon has a serial number."""

    kind: TenderKind
    cents: int
    serial: str | None = None

    def __post_init__(self) -> None:
        """Write the serial in one way, wherever it was typed, scanned or read."""
        if self.serial is not None:
            object.__setattr__(self, "serial", coupon_serial(self.serial))


def tendered_cents(tender: Sequence[Tender]) -> int:
    """Return what was tendered in all."""
    return sum(part.cents for part in tender)


def check_tender(tender: Sequence[Tender], price_cents: int) -> Iterator[Refusal]:
    """Check that the tender covers the price, and that its coupons do not pass it."""
    serials: set[str] = set()
    for place, part in enumerate(tender):
        where = f"tender[{place}]"
        if part.kind is not TenderKind.COUPON:
            if part.serial is not None:
                yield refusal(Code.SERIAL_UNKNOWN_KIND, where)
        elif part.serial is None or not _SERIAL.fullmatch(part.serial):
            yield refusal(Code.SERIAL_MISSING, where)
        elif part.serial in serials:
            yield refusal(Code.COUPON_TWICE, where, serial=quoted(part.serial))
        else:
            serials.add(part.serial)
    coupons_cents = tendered_cents([part for part in tender if part.kind is TenderKind.COUPON])
    price, all_cents = dollars(price_cents), tendered_cents(tender)
    if coupons_cents > price_cents:
        yield refusal(Code.COUPON_TOO_LARGE, "tender", coupons=dollars(coupons_cents), price=price)
    if all_cents < price_cents:
        yield refusal(
            Code.TENDER_TOO_LITTLE,
            "tender",
            price=price,
            tendered=dollars(all_cents),
            missing=dollars(price_cents - all_cents),
        )


def paid_in_kind(tender: Sequence[Tender], price_cents: int) -> tuple[Tender, ...]:
    """Return what the price was paid with, which is what a void gives back.

    Coupons come first, because there is no change on them; what was tendered beyond the price was
    given back as change, from what was tendered last.
    """
    coupons_first = sorted(tender, key=lambda part: part.kind is not TenderKind.COUPON)
    paid, left_cents = [], price_cents
    for part in coupons_first:
        cents = min(part.cents, left_cents)
        left_cents -= cents
        if cents:
            paid.append(Tender(part.kind, cents, part.serial))
    return tuple(paid)
