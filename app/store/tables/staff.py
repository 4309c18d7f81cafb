"""Who works here: staff with their roles and secrets, and who is signed in where (X-access)."""

from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, false
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import (
    Code,
    Digest,
    Document,
    Id,
    Moment,
    Name,
    Ref,
    Table,
    Words,
    one_of,
)


class Role(StrEnum):
    """The roles of a keno department and of those who watch it."""

    WRITER = "writer"
    SUPERVISOR = "supervisor"
    KENO_MANAGER = "keno-manager"
    OUTSIDE_MANAGER = "outside-manager"
    INSPECTOR = "inspector"
    REGULATOR = "regulator"
    ADMINISTRATOR = "administrator"
    SURVEILLANCE = "surveillance"
    CAGE = "cage"
    COMPLIANCE = "compliance"


class Staff(Table):
    """A person with an id and a secret of their own."""

    __tablename__ = "staff"

    id: Mapped[Id]
    code: Mapped[Code] = mapped_column(unique=True)  # what is printed on tickets (15.4(c)10)
    name: Mapped[Name] = mapped_column(unique=True)
    role: Mapped[Code]
    secret: Mapped[Words]  # argon2id
    failed_tries: Mapped[int]
    locked_until: Mapped[Moment | None]
    disabled_at: Mapped[Moment | None]
    # The secret, by somebody else who knows it: it is good for choosing one of their own only.
    secret_given: Mapped[bool] = mapped_column(server_default=false())

    # The last few that were theirs before, so that none of them comes back.
    past_secrets: Mapped[Document | None]

    __table_args__ = (
        CheckConstraint(one_of("role", Role), "role"),
        CheckConstraint("failed_tries >= 0", "failed_tries"),
    )


class Change(StrEnum):
    """What two people did with a person, for whom it changes what they may approve."""

    ADDED = "added"
    RE_KEYED = "re-keyed"  # given a password by somebody else
    ENABLED = "enabled"
    RETURNED = "returned"  # enabled after so long that they count as new
    STANDBY = "standby"  # on the list of those who can be named emergency approver
    OFF_STANDBY = "off-standby"
    EMERGENCY = "emergency"  # named emergency approver


class StaffChange(Table):
    """Two people of two sides did something with a person that changes what they may approve."""

    __tablename__ = "staff_change"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    change: Mapped[Code]
    first: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    second: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    changed_at: Mapped[Moment]
    until: Mapped[Moment]  # they wait, are on the list, or approve in an emergency

    __table_args__ = (
        CheckConstraint(one_of("change", Change), "change"),
        CheckConstraint("first <> second", "two_people"),
        CheckConstraint("staff <> first AND staff <> second", "of_another"),
        Index("ix_staff_change_staff", "staff", "entry"),
        Index("ix_staff_change_until", "until"),
    )


class NameTries(Table):
    """Wrong secrets for a name at one station: whoever tries there locks it only there.

    By a digest of what was typed, so that names of nobody's are counted in the same way.
    """

    __tablename__ = "name_tries"

    name: Mapped[Digest] = mapped_column(primary_key=True)
    station: Mapped[Code] = mapped_column(ForeignKey("station.code"), primary_key=True)
    failed_tries: Mapped[int]
    locked_until: Mapped[Moment | None]
    tried_at: Mapped[Moment] = mapped_column(index=True)

    __table_args__ = (CheckConstraint("failed_tries >= 0", "failed_tries"),)


class TryBucket(Table):
    """Tries that come back with time: at a station, of whoever asks for approval, of a ticket."""

    __tablename__ = "try_bucket"

    bucket: Mapped[Digest] = mapped_column(primary_key=True)
    # When it will have all of its tries again, in milliseconds, which both engines can add to.
    full_at_ms: Mapped[int] = mapped_column(BigInteger, index=True)


class SignIn(Table):
    """A person at a station, from signing in to signing out."""

    __tablename__ = "sign_in"

    token: Mapped[Digest] = mapped_column(primary_key=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"), index=True)
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    since: Mapped[Moment]
    until: Mapped[Moment]
    ended_at: Mapped[Moment | None]
    # After so many minutes without anybody at the keys it ends; none: it is a program's own.
    idle_minutes: Mapped[int | None]
    seen_at: Mapped[Moment | None]
