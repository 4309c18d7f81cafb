"""Every table of the house."""

from app.store.tables.base import Table
from app.store.tables.cards import Card, CardAcceptance, CardTerm, Consent
from app.store.tables.games import Game, GameState
from app.store.tables.house import House, Location, LocationKind, LocationSeries, Series, Station
from app.store.tables.log import (
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogNode,
    LogPending,
    LogPosition,
)
from app.store.tables.money import Account, Drawer, DrawerCount, Posting
from app.store.tables.paper import PrintJob, Slip
from app.store.tables.staff import Role, SignIn, Staff
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
    "Account",
    "Asked",
    "Card",
    "CardAcceptance",
    "CardTerm",
    "Consent",
    "Counter",
    "Coupon",
    "Drawer",
    "DrawerCount",
    "Game",
    "GameState",
    "House",
    "Location",
    "LocationKind",
    "LocationSeries",
    "LogCheckpoint",
    "LogEntry",
    "LogHead",
    "LogNode",
    "LogPending",
    "LogPosition",
    "Posting",
    "PrintJob",
    "Role",
    "Series",
    "SignIn",
    "Slip",
    "Source",
    "Staff",
    "Station",
    "Table",
    "Tender",
    "Ticket",
    "Void",
]

# The tables that the database itself guards against change (triggers, on both engines).
APPEND_ONLY = sorted(
    mapper.class_.__tablename__ for mapper in Table.registry.mappers if mapper.class_.append_only
)
