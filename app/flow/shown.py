"""What was shown for a payment, as it is kept and logged: never a digit of a code, never a name.

The whole code; enough digits of a mutilated one, on paper that goes into an envelope; where fewer
can be read, who the patron is; or a claim of a lost ticket, of which there is no paper
(X-pay-without-code).
"""

from dataclasses import dataclass

from app.clock import time_text
from app.flow.codes import DIGITS, UNREAD, part_of_code, places_of
from app.flow.office import Office
from app.flow.patron import Patron, Sealed, check_patron, seal_identity
from app.flow.refusals import No, say_no
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.store.queries import payments
from app.store.queries.payments import LostRow
from app.store.queries.people import Worker
from app.store.records.together import Row
from app.store.tables import ShownInPart
from app.store.unit import Unit


@dataclass(frozen=True)
class Evidence:
    """What was shown, and what is kept of it."""

    how: Shown = Shown.CODE
    places: str | None = None  # where digits could be read
    patron: Sealed | None = None
    claim: LostRow | None = None
    procedure: str | None = None  # of the house, by which a claim is paid before its time

    def document(self) -> dict[str, object]:
        """Return what the log has of it."""
        said: dict[str, object] = {"how": self.how.value}
        if self.places is not None:
            said |= {"digits": DIGITS - self.places.count(UNREAD), "places": self.places}
        if self.patron is not None:
            said["identity"] = self.patron.digest.hex()
        if self.claim is not None:
            said |= {"claim": time_text(self.claim.claimed_at), "procedure": self.procedure}
        return said

    def rows(self, ticket: int) -> list[Row]:
        """Return the row that keeps it; none if all of the code was shown."""
        if self.how is Shown.CODE:
            return []
        values = {
            "ticket": ticket,
            "how": self.how.value,
            "places": self.places,
            "sealed": self.patron and self.patron.data,
            "salted": self.patron and self.patron.digest,
            "claim": self.claim and self.claim.entry,
            "procedure": self.procedure,
        }
        return [(ShownInPart, values)]


def evidence_of(  # noqa: PLR0913, PLR0917  who shows what of which ticket
    office: Office, unit: Unit, who: Worker, number: int, code: str | None, patron: Patron | None
) -> Evidence:
    """Return what is shown for a payment at a window; the code is checked elsewhere.

    Refuses: no code and nobody's identity; without a code, whoever looked the win up.
    """
    part = part_of_code(code)
    if part is not None:
        return Evidence(Shown.DIGITS, places_of(part))
    if code is not None:
        return Evidence()
    known = check_patron(patron, No.IDENTITY_NEEDED, number)
    if payments.was_looked_up_by(unit.connection, number, who.staff):
        raise say_no(No.LOOKED_UP, number=printed_number(number))
    return Evidence(Shown.IDENTITY, patron=seal_identity(office, known))
