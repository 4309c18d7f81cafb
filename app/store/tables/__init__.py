"""Every table of the house."""

from app.keno.game import GameState
from app.store.tables.base import Table
from app.store.tables.books import BooksRun
from app.store.tables.cards import Card, CardAcceptance, CardTerm, Consent
from app.store.tables.days import DayClose, Expiry
from app.store.tables.games import Game, LockStatement, Outcome, Override, VoidStatement
from app.store.tables.house import (
    House,
    HouseSetting,
    Location,
    LocationKind,
    LocationSeries,
    Series,
    Station,
)
from app.store.tables.keeping import (
    Archive,
    HoldEnd,
    HowEnded,
    LogOrigin,
    LostAct,
    Restoration,
    RestorationEnd,
    Resumption,
    Retention,
)
from app.store.tables.log import (
    Act,
    Cosigned,
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogNode,
    LogPending,
    LogPosition,
)
from app.store.tables.money import Account, Drawer, DrawerCount, DrawerMove, Posting
from app.store.tables.paper import (
    PaperEvent,
    PaperState,
    PrintedPaper,
    Printer,
    PrinterCondition,
    PrintJob,
    QueuedPaper,
    Reprint,
    RollName,
    Slip,
    StationPrinter,
)
from app.store.tables.payments import (
    Approval,
    ContactAct,
    HouseAmount,
    PaidBy,
    Payout,
    Presentation,
    ReportedWin,
    TaxPaper,
    Tier,
)
from app.store.tables.refunds import Cancellation, Refund
from app.store.tables.reports import JobState, ReportChoice, ReportJob
from app.store.tables.running import FeedEvent, Lease
from app.store.tables.settling import (
    Attempt,
    BookHead,
    Certification,
    LiveTicket,
    Release,
    Settlement,
    Share,
    Verdict,
    Win,
)
from app.store.tables.staff import NameTries, Role, SignIn, Staff, TryBucket
from app.store.tables.tickets import (
    Asked,
    Counter,
    Coupon,
    Source,
    Tender,
    Ticket,
    Void,
)

__all__ = [
    "APPEND_ONLY",
    "SAID_ELSEWHERE",
    "Account",
    "Act",
    "Approval",
    "Archive",
    "Asked",
    "Attempt",
    "BookHead",
    "BooksRun",
    "Cancellation",
    "Card",
    "CardAcceptance",
    "CardTerm",
    "Certification",
    "Consent",
    "ContactAct",
    "Cosigned",
    "Counter",
    "Coupon",
    "DayClose",
    "Drawer",
    "DrawerCount",
    "DrawerMove",
    "Expiry",
    "FeedEvent",
    "Game",
    "GameState",
    "HoldEnd",
    "House",
    "HouseAmount",
    "HouseSetting",
    "HowEnded",
    "JobState",
    "Lease",
    "LiveTicket",
    "Location",
    "LocationKind",
    "LocationSeries",
    "LockStatement",
    "LogCheckpoint",
    "LogEntry",
    "LogHead",
    "LogNode",
    "LogOrigin",
    "LogPending",
    "LogPosition",
    "LostAct",
    "NameTries",
    "Outcome",
    "Override",
    "PaidBy",
    "PaperEvent",
    "PaperState",
    "Payout",
    "Posting",
    "Presentation",
    "PrintJob",
    "PrintedPaper",
    "Printer",
    "PrinterCondition",
    "QueuedPaper",
    "Refund",
    "Release",
    "ReportChoice",
    "ReportJob",
    "ReportedWin",
    "Reprint",
    "Restoration",
    "RestorationEnd",
    "Resumption",
    "Retention",
    "Role",
    "RollName",
    "Series",
    "Settlement",
    "Share",
    "SignIn",
    "Slip",
    "Source",
    "Staff",
    "Station",
    "StationPrinter",
    "Table",
    "TaxPaper",
    "Tender",
    "Ticket",
    "Tier",
    "TryBucket",
    "Verdict",
    "Void",
    "VoidStatement",
    "Win",
]

# The tables that the database itself guards against change (triggers, on both engines).
APPEND_ONLY = sorted(
    mapper.class_.__tablename__ for mapper in Table.registry.mappers if mapper.class_.append_only
)
# The tables whose rows could be made again from others.
SAID_ELSEWHERE = sorted(
    mapper.class_.__tablename__ for mapper in Table.registry.mappers if mapper.class_.said_elsewhere
)
