"""Every reason for which the house says no to an act: a closed list beside that of the rules.

An act reports the first reason only. Codes never change their meaning; sentences may be bettered.
"""

from app.keno.refusals import Coded, Refused, refusal


class No(Coded):
    """Every reason, in order of precedence."""

    # Who asks, and from where.
    NOT_ENROLLED = "station.not_enrolled", "This work station is not enrolled."
    NO_SUCH_STATION = "station.unknown", "There is no work station {station}."
    STATION_DISABLED = "station.disabled", "Work station {station} is disabled."
    WRONG_ENROLMENT = (
        "station.wrong_enrolment",
        "The enrolment code does not fit this station, or it was used already.",
    )
    NOT_SIGNED_IN = "staff.not_signed_in", "Sign in first."
    STAFF_DISABLED = "staff.disabled", "{name} is disabled."
    STAFF_LOCKED = (
        "staff.locked",
        "There were too many wrong tries; {name} can sign in again after {until}.",
    )
    WRONG_SECRET = "staff.wrong_secret", "The name or the secret is wrong."
    NO_SUCH_STAFF = "staff.unknown", "There is nobody named {name} among the staff."
    NOT_PERMITTED = "staff.not_permitted", "This is not for a {role} to do."
    CLOCK_BACK = (
        "clock.set_back",
        "The clock of the house was set back into a day that is closed; have it set right.",
    )

    # Under which request id.
    NO_REQUEST_ID = "request_id.missing", "The station must give this act a request id."
    BAD_REQUEST_ID = (
        "request_id.malformed",
        "A request id has 8 to 40 letters, digits, dots, dashes and underscores.",
    )
    OTHER_CONTENT = (
        "request_id.other_content",
        "This request id was used for something else; nothing was done now.",
    )

    # With which drawer.
    NO_DRAWER = "drawer.not_open", "Open a drawer at this station first."
    DRAWER_OPEN = "drawer.already_open", "There is an open drawer at this station, or of yours."
    NO_SUCH_DRAWER = "drawer.unknown", "This is not your open drawer."

    # For which game.
    NO_SUCH_SERIES = "series.unknown", "There is no series {series}."
    NOT_SOLD_HERE = "series.not_sold_here", "Series {series} is not sold at this location."
    NO_OPEN_GAME = "game.none_open", "No game of series {series} is open."
    GAME_OPEN = "game.already_open", "Game {game} is open already."
    GAME_LOCKED = "game.locked", "Game {game} is locked; the next one is {next}."
    GAME_TO_COME = "game.not_open_yet", "Game {game} is not open yet; the open one is {open}."
    GAME_CLOSED = "game.closed", "Game {game} is closed and about to be locked."
    NO_SUCH_GAME = "game.unknown", "There is no game {game}."
    GAME_BEFORE_UNDRAWN = "game.previous_undrawn", "Game {game} is not drawn yet."
    TIME_PASSED = "game.time_passed", "{time} has passed already."
    TIME_FAR = "game.time_far", "A game closes within a week."
    BAD_SCHEDULE = (
        "series.bad_schedule",
        "An interval has 10 seconds to a day, and hours begin before they end, within a day.",
    )
    NOT_READY = "draw.not_ready", "Games cannot be drawn now: {why}"
    NOT_FROZEN = "game.not_frozen", "Game {game} is not frozen."
    NOT_TO_VOID = "game.not_to_void", "Game {game} is not a locked game that waits for its draw."
    NO_CARD = "card.none_in_force", "No rate card is in force."

    # Rate cards.
    CARD_UNKNOWN = "card.unknown", "There is no such version of the rate card."
    CARD_NAME = "card.name", "The name of a card has 1 to {limit} characters."
    CARD_KNOWN = "card.known", "This version of the rate card was brought before."
    CARD_NOT_ACCEPTED = (
        "card.not_accepted",
        "The card needs the acceptance of a supervisor and of a manager outside keno.",
    )
    CARD_ACCEPTED = "card.already_accepted", "The card was accepted as {consent} before."
    CARD_TOO_EARLY = (
        "card.too_early",
        "A card is published before it takes effect: at {earliest} at the earliest.",
    )

    # Which ticket, on which authority.
    UNKNOWN_TICKET = "ticket.unknown", "There is no ticket {number}."
    WRONG_CODE = "ticket.wrong_code", "The validation code does not belong to ticket {number}."
    ALREADY_VOID = "ticket.already_void", "Ticket {number} was voided at {at}."
    TOO_LATE = "ticket.game_locked", "Game {game} is locked; ticket {number} stands as printed."
    VOID_INSTEAD = (
        "ticket.void_instead",
        "Nothing of ticket {number} is played yet; void it instead.",
    )
    NOTHING_TO_REFUND = "ticket.nothing_to_refund", "Nothing of ticket {number} goes back."
    TICKET_UNDECIDED = "ticket.not_decided", "Ticket {number} is not yet decided."
    STILL_PLAYING = (
        "ticket.still_playing",
        "Ticket {number} plays until game {game}; its rest can be cancelled, and then it is paid.",
    )
    TICKET_FROZEN = (
        "ticket.frozen",
        "Game {game} of ticket {number} is being looked into; it is paid afterwards.",
    )
    TICKET_EXPIRED = "ticket.expired", "Ticket {number} expired at {at}."
    TICKET_REFUNDED = (
        "ticket.refunded",
        "No game of ticket {number} was played; its price went back.",
    )
    REFUND_INSTEAD = (
        "ticket.refund_instead",
        "A game of ticket {number} was void, and it won nothing else; refund it instead.",
    )
    NO_WIN = "ticket.no_win", "Ticket {number} won nothing."
    ALREADY_PAID = (
        "ticket.already_paid",
        "Ticket {number} was paid at {at}, at {station}, by {writer}.",
    )
    GRADINGS_DIFFER = (
        "payment.gradings_differ",
        "The two gradings of ticket {number} differ; it is not paid before that is looked into.",
    )
    MANAGER_NEEDED = (
        "approval.manager_needed",
        "A manager outside keno must approve as well: {why}.",
    )
    NOTHING_TO_APPROVE = (
        "approval.not_needed",
        "The payment of ticket {number} needs no approval of yours.",
    )
    TAX_PAPER_NEEDED = "payment.tax_paper_needed", "The tax paper comes first, for {games}."
    TAX_PAPER_INCOMPLETE = (
        "payment.tax_paper_incomplete",
        "A tax paper has the patron's name and number.",
    )
    NO_TAX_PAPER = "payment.no_tax_paper", "No tax paper is due for game {game} of ticket {number}."
    NOT_ENOUGH_CASH = (
        "drawer.not_enough_cash",
        "There is not enough cash in the drawer; fill it, or pay by check.",
    )
    CHECK_INCOMPLETE = (
        "payment.check_incomplete",
        "A check has a number of up to 40 capital letters, digits or dashes, and a payee.",
    )
    CHECK_USED = "payment.check_used", "Check {check} was used before."
    BAD_CONTACT = (
        "contact.bad_name",
        "A contact has 1 to 40 letters, digits, dots or dashes; a card no small letters or dots.",
    )
    OTHER_CARD = (
        "contact.other_card",
        "This contact was begun with another player card; begin a new one.",
    )
    NOTHING_TO_SAY = "paper.not_asked", "Nobody asks whether this paper came out."
    NO_SUCH_PAPER = "paper.unknown", "There is no such paper, or it was never printed."
    NO_PRINTER = "paper.no_printer", "Station {station} has no printer."
    OTHER_WIDTH = (
        "paper.other_width",
        "It was printed on {width} paper; print it again at a station with such paper.",
    )
    NOT_TO_PRINT = "paper.nothing_to_print", "There is nothing to print: {why}"
    BAD_PRINTER = (
        "printer.bad_address",
        "A printer is at tcp:HOST:PORT, usb:PATH, serial:PATH:BAUD, file:PATH or cups:QUEUE.",
    )
    BAD_ROLL = "printer.bad_roll", "Paper is 80mm or 58mm wide."
    DAY_NOT_OVER = "day.not_over", "The gaming day {day} is not over."
    DAY_CLOSED = "day.closed", "The gaming day {day} was closed before."
    DAY_NOT_CLOSED = "day.not_closed", "The gaming day {day} is not closed yet."
    DAY_NOT_NEXT = "day.not_next", "The gaming day to be closed next is {day}."
    DAY_GAMES = "day.games_undecided", "These games of the day are not decided yet: {games}."
    DAY_DRAWERS = "day.drawers_open", "These drawers of the day are open: {drawers}."
    TWO_SIDES = (
        "amount.two_sides",
        "A supervisor of keno and a manager outside of it set an amount together.",
    )
    AMOUNT_LOOSE = "amount.loose", "{cents} is looser than the rule allows."
    AMOUNT_PAST = "amount.past", "An amount is set before its day begins, not from {day} on."
    VERIFIER_NEEDED = "drawer.verifier_needed", "A drawer is counted by two people."
    SUPERVISOR_NEEDED = "approval.supervisor_needed", "A supervisor must be with it."
    NOT_IN_DRAWER = "drawer.not_in_it", "So much is not in the drawer."
    DRAWER_STATE = "drawer.wrong_state", "That cannot be done with a drawer that is {state}."
    COUPON_SPENT = "coupon.spent", "Coupon {serial} was spent before."
    APPROVAL_NEEDED = "approval.needed", "A supervisor must approve: {why}."
    APPROVER_SAME = "approval.same_person", "Nobody approves their own act."
    NO_REASON = "reason.missing", "Say why, in a few words."


REASON_MAX = 200


def check_reason(reason: str) -> None:
    """Refuse an act for which a reason must be given, and is not, in a few words on one line.

    It goes on paper, and a printer can be trusted with plain letters only.
    """
    plain = reason.isprintable() and reason.isascii()
    if not reason.strip() or len(reason) > REASON_MAX or not plain:
        raise say_no(No.NO_REASON, "reason")


def say_no(reason: No, place: str = "", **facts: object) -> Refused:
    """Return the refusal of an act, to be raised."""
    return Refused([refusal(reason, place, **facts)])
