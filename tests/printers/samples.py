"""One of each slip, as they come up in a shift, for the golden bytes and pictures."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from printers import slips
from printers.slips import Done, Group, Limit, Part, Seal, Shared, Wager

AT = datetime(2026, 11, 16, 18, 30, 5, tzinfo=ZoneInfo("America/New_York"))
HOUSE = "Boardwalk Hall Casino"
DONE = Done(HOUSE, AT, "B1", "WANDA", "SAM", "the patron changed his mind")
NUMBER, CODE = 1234, "0112345678901234567890123"

TICKET = slips.TicketSlip(
    house=HOUSE,
    number="1234-0",
    sold_at=AT,
    station="B1",
    groups=[Group("A", [4, 8, 15, 16]), Group("B", [7, 9, 23, 42]), Group("C", [80], is_king=True)],
    games=5,
    first_game="M-101",
    last_game="M-105",
    conditioning="2/4 2/5 1/8 1/9 @ 1.00",
    wagers=[Wager(2, 4, 100), Wager(2, 5, 100), Wager(1, 8, 100), Wager(1, 9, 100, "special")],
    price_cents=3_000,
    writer="WANDA",
    limit=Limit(10_000_000, 10_000),
    expires_at=AT.replace(year=2027),
    claim_minutes=525_600,
    quick_pick=True,
    rate_card="9b4eb066a7d2",
    previous_seal=Seal("M-100", "4f2a 91c0 77de 03b8"),
    replay_of="1200-4",
)

SAMPLES: dict[str, slips.Slip] = {
    "ticket": TICKET,
    "void": slips.VoidSlip(DONE, "1234-0", "B2", [Part("Currency", 2_900), Part("Coupon", 100)]),
    "refund": slips.RefundSlip(
        DONE, "1234-0", "from M-103 on", ["M-102"], [Part("Currency", 1_800)], 600
    ),
    "payout": slips.PayoutSlip(
        done=DONE,
        number="1234-0",
        wins=[Part("Game M-101", 150_000), Part("Game M-104", 900)],
        refund_cents=600,
        paid_by="casino check 1001",
        manager="MAX",
        with_code=False,
        signature=True,
        places="X" * 9 + "?" * 16,
    ),
    "aggregate": slips.AggregateSheet(
        HOUSE,
        "M-101",
        AT,
        Limit(10_000_000, 10_000),
        12_000_000,
        10_000_000,
        [Shared("1234-0", 8_000_000, 6_670_000), Shared("1300-9", 4_000_000, 3_330_000)],
    ),
    "movement": slips.MovementSlip(
        DONE, 7, is_fill=True, parts=[Part("Currency", 100_000), Part("Coin", 2_000)]
    ),
    "count": slips.CountSlip(
        DONE,
        7,
        "WANDA",
        "MAX",
        [Part("Coin 80 x $0.25", 2_000), Part("Currency 5 x $100.00", 50_000)],
        54_000,
        ["1234-0"],
    ),
    "shift": slips.ShiftReport(
        DONE, 7, AT, [Part("Sales", 500_000), Part("Paid", -420_000), Part("WIN", 80_000)], "4/25"
    ),
    "draw": slips.DrawRecord(
        HOUSE,
        "M-101",
        date(2026, 11, 16),
        AT,
        [77, 3, 12, 80, 41, 9, 66, 25, 50, 1, 38, 72, 19, 5, 61, 44, 30, 8, 57, 14],
        "5d41402abc4b2a76b9719d911017c592ae2b1d0b9c3c4e1a8b6f0c2d4e5f6071",
        "4f2a 91c0 77de 03b8",
    ),
    "test": slips.TestPage(HOUSE, "P-B1", AT),
    "printer": slips.PrinterChange(
        HOUSE, AT, "B1", "P-B1", "P-B2", "SAM", AT + timedelta(hours=12)
    ),
}
