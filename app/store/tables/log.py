"""The log: entries as they happened, their places in the tree, and the heads that were signed."""

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Digest, Id, Moment, Number, Ref, Table, Words

# What stays true until it is said otherwise: few of the entries, and found without the others.
STANDING = (
    "HOUSE", "STATION", "STAFF", "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "SERIES", "AMOUNT",
    "SETTING", "PRINTER", "DAY-CLOSE",
)  # fmt: skip
IS_STANDING = text("tag IN (" + ", ".join(f"'{tag}'" for tag in STANDING) + ")")
# What whoever watches the house asks for the newest of, and is rare.
IS_WATCHED = text("tag IN ('BACKUP', 'CLOCK', 'DAY-REVIEW', 'KEYS', 'PROCESS')")


class Act(Table):
    """Something that was done: its entry in the log and its facts have this number.

    An entry may go into an archive one day. The act stays, and with it what its facts refer to.
    """

    __tablename__ = "act"
    append_only = True
    said_elsewhere = True

    id: Mapped[Id]
    tag: Mapped[Code]


class LogEntry(Table):
    """One entry, written in the transaction of the act that it tells of."""

    __tablename__ = "log_entry"
    append_only = True

    id: Mapped[Number] = mapped_column(ForeignKey("act.id"), primary_key=True, autoincrement=False)
    tag: Mapped[Code]
    salt: Mapped[Digest]
    body: Mapped[Words]
    leaf: Mapped[Digest]
    archived: Mapped[Ref | None]  # the entry of the archive that has its salt and body now

    __table_args__ = (
        Index(
            "ix_log_entry_standing",
            "tag",
            "id",
            sqlite_where=IS_STANDING,
            postgresql_where=IS_STANDING,
        ),
        Index(
            "ix_log_entry_watched",
            "tag",
            "id",
            sqlite_where=IS_WATCHED,
            postgresql_where=IS_WATCHED,
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class LogPending(Table):
    """An entry that has no place in the tree yet; sealing gives it one."""

    __tablename__ = "log_pending"

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True, autoincrement=False)


class LogPosition(Table):
    """The place of an entry in the tree, for ever."""

    __tablename__ = "log_position"
    append_only = True

    position: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    leaf: Mapped[Digest]

    __table_args__ = (CheckConstraint("position >= 0", "position"),)


class LogNode(Table):
    """The root of a full tile: 256 leaves, or 256 such roots, and so on upwards."""

    __tablename__ = "log_node"
    append_only = True

    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    place: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    hash: Mapped[Digest]

    __table_args__ = (CheckConstraint("level >= 1", "level"),)


class LogHead(Table):
    """The one head of the tree, moved on by whoever seals (compare and swap)."""

    __tablename__ = "log_head"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    size: Mapped[Number]
    root: Mapped[Digest]

    __table_args__ = (CheckConstraint("id = 1", "one"), CheckConstraint("size >= 0", "size"))


class Cosigned(Table):
    """A head that the inspector's process has cosigned as well."""

    __tablename__ = "cosigned"
    append_only = True

    size: Mapped[Number] = mapped_column(
        ForeignKey("log_checkpoint.size"), primary_key=True, autoincrement=False
    )
    note: Mapped[Words]


class LogCheckpoint(Table):
    """A head that was signed: of each size there is one."""

    __tablename__ = "log_checkpoint"
    append_only = True

    size: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    note: Mapped[Words]
    signed_at: Mapped[Moment] = mapped_column(index=True)
