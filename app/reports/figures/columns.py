"""Columns that stand in many reports, so that they are named and headed the same everywhere."""

from app.reports.content import Column, Kind

TIME = Column("time", "Time", Kind.MOMENT)
DAY = Column("day", "Day", Kind.DAY)
TICKET = Column("ticket", "Ticket")
STATION = Column("station", "Station")
WRITER = Column("writer", "Writer")
SERIES = Column("series", "Series")
GAME = Column("game", "Game")
REASON = Column("reason", "Reason")
APPROVER = Column("approver", "Supervisor")
MANAGER = Column("manager", "Manager")
WITH_CODE = Column("with_code", "With code", Kind.YES_NO)
WHAT = Column("what", "What")
WHO = Column("who", "Who")
PLACE = Column("at", "At")


def cents(name: str, title: str) -> Column:
    """Return a column of money that is added up."""
    return Column(name, title, Kind.CENTS, summed=True)


def whole(name: str, title: str) -> Column:
    """Return a column of numbers that are added up."""
    return Column(name, title, Kind.WHOLE, summed=True)
