"""A shift: writers with drawers of their own, which are counted at both ends."""

from dataclasses import dataclass

from app.flow.access import Credentials, sign_out
from app.flow.drawer import Closing, Minding, close_drawer, mind_drawer, open_drawer
from app.flow.seal import seal_log
from app.keno.drawer import Count, DrawerAct
from app.keno.tender import TenderKind
from app.store.queries import drawers
from bench.year.house import YearHouse
from bench.year.plan import MAX, WRITERS

BANK = Count({TenderKind.CURRENCY: 500_000, TenderKind.COIN: 5_000})
OVER_CENTS = (0, 0, 0, 0, 0, -500, 0, 200)  # one drawer after the other


@dataclass
class Shift:
    """The writers of a shift, at work."""

    house: YearHouse
    writers: dict[str, Credentials]  # by station

    @classmethod
    def begun(cls, house: YearHouse, number: int) -> "Shift":
        """Sign the writers in, and open their drawers."""
        writers = {
            station: house.signed_in(names[number], station) for station, names in WRITERS.items()
        }
        for credentials in writers.values():
            approval = house.approval(MAX)
            open_drawer(house.office, credentials, BANK, house.request_id(), approval)
        seal_log(house.office)
        return cls(house, writers)

    def end(self) -> None:
        """Count the drawers, explain what is over or short, and sign out."""
        house = self.house
        for credentials in self.writers.values():
            self._close_drawer(credentials, house.worker(credentials).drawer or 0)
            sign_out(house.office, credentials)
        house.print_papers()
        seal_log(house.office)

    def _close_drawer(self, credentials: Credentials, drawer: int) -> None:
        house, approval = self.house, self.house.approval(MAX)
        with house.office.database.reading() as connection:
            inside = drawers.contents(connection, drawer)
        over_cents = OVER_CENTS[drawer % len(OVER_CENTS)]
        cash = {TenderKind.CURRENCY: inside.get(TenderKind.CURRENCY, 0) + over_cents}
        closing = Closing(drawer, Count({**inside, **cash}))
        close_drawer(house.office, credentials, closing, house.request_id(), approval)
        if over_cents:
            why = Minding(drawer, DrawerAct.EXPLAIN, words="miscounted, it was busy")
            mind_drawer(house.office, credentials, why, house.request_id())
