"""What an entry of the log can be about: one closed list."""

from enum import StrEnum


class Tag(StrEnum):
    """Every kind of entry; each is written in the transaction of the act that it tells of."""

    HOUSE = "HOUSE"
    STATION = "STATION"
    ENROL = "ENROL"
    STAFF = "STAFF"
    SIGN_IN = "SIGN-IN"
    SIGN_OUT = "SIGN-OUT"
    REFUSED = "REFUSED"
    CARD = "CARD"
    CARD_ACCEPTED = "CARD-ACCEPTED"
    CARD_IN_FORCE = "CARD-IN-FORCE"
    DRAWER_OPEN = "DRAWER-OPEN"
    DRAWER_CLOSE = "DRAWER-CLOSE"
    GAME = "GAME"
    LOCK = "LOCK"
    TICKET = "TICKET"
    VOID = "VOID"
