"""The daily log of cash: what each patron brought and took, and who must be reported.

A patron is known by a player card, or else by the contact at its station: more than the house was
told it does not know (X-pay-cash-log).
"""

from datetime import date

from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.keno.amounts import Amount, amounts_on
from app.store.queries import contacts, payments
from app.store.unit import Unit


def cash_log(office: Office, credentials: Credentials, day: date) -> list[dict[str, object]]:
    """Return the cash of a gaming day by patron, the most first.

    Refuses: whoever may not see it.
    """
    with office.database.reading() as connection:
        at_work(credentials, Permission.CASH_LOG)(Unit(office.database, connection))
        due_cents = amounts_on(day, payments.house_amounts(connection))[Amount.CURRENCY_REPORT]
        found = contacts.cash_of_day(connection, day)
    most = {name: max(sums.cash_in_cents, sums.cash_out_cents) for name, sums in found}
    return [
        {
            "patron": name,
            "cash_in_cents": sums.cash_in_cents,
            "cash_out_cents": sums.cash_out_cents,
            "currency_report": most[name] >= due_cents,
        }
        for name, sums in sorted(found, key=lambda each: (-most[each[0]], each[0]))
    ]
