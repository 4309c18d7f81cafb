"""Every reason for which the house says no to an act: a closed list beside that of the rules.

An act reports the first reason only. Codes never change their meaning; sentences may be bettered.
"""

import re

from app.keno.refusals import Coded, Refused, refusal


class No(Coded):
    """Every reason, in order of precedence."""

    # Who asks, and from where.
    OTHER_HOST = "host.unknown", "This house is not known under the name that was asked for."
    NOT_ENROLLED = "station.not_enrolled", "This work station is not enrolled."
    NO_SUCH_STATION = "station.unknown", "There is no work station {station}."
    STATION_DISABLED = "station.disabled", "Work station {station} is disabled."
    STATION_ENABLED = "station.enabled", "Work station {station} is not disabled."
    WRONG_ENROLMENT = (
        "station.wrong_enrolment",
        "The enrolment code does not fit this station, or it was used already.",
    )
    TOO_MANY_TRIES = (
        "station.too_many_tries",
        "There were too many wrong tries from here. Wait a minute, then try again.",
    )
    NOT_SIGNED_IN = "staff.not_signed_in", "Sign in first."
    STAFF_DISABLED = "staff.disabled", "{name} is disabled."
    STAFF_LOCKED = (
        "staff.locked",
        "There were too many wrong tries; {name} can sign in again after {until}.",
    )
    WRONG_SECRET = "staff.wrong_secret", "The name or the secret is wrong."
    SECRET_GIVEN = (
        "staff.secret_given",
        (
            "Somebody else gave {name} this secret. Choose one of your own first, on the page for "
            "signing in or with keno house secret."
        ),
    )
    NO_SUCH_STAFF = "staff.unknown", "There is nobody named {name} among the staff."
    BAD_PERSON = "staff.malformed", "A person has a name in Latin letters, and one of the roles."
    KNOWN_ALREADY = "staff.known", "{name} or the code {known} is known already."
    ONESELF = (
        "staff.oneself",
        "Nobody disables, enables or re-keys themselves; another administrator does it.",
    )
    SECOND_NEEDED = (
        "staff.second_needed",
        "Two people of two sides do this: an administrator, and a supervisor or a manager.",
    )
    SECRET_EXPIRED = (
        "staff.secret_expired",
        "The first secret of {name} has expired. An administrator and a supervisor give another.",
    )
    NOT_OUTSIDE = (
        "emergency.not_outside",
        "On the standby list are people outside keno: managers, surveillance, cage, compliance.",
    )
    NOT_ON_STANDBY = "emergency.not_on_standby", "{name} is not on the standby list."
    EMERGENCY_TWO = (
        "emergency.second_needed",
        "A manager outside keno names them together with surveillance, cage or compliance.",
    )
    EMERGENCY_LARGE = (
        "emergency.too_large",
        "{name} approves in an emergency, and nothing so large.",
    )
    APPROVER_NEW = "approval.new_person", "{name} is new and approves nothing before {until}."
    APPROVER_RE_KEYED = (
        "approval.new_secret",
        ("{name} was given a new secret or enabled again, and approves no {what} before {until}."),
    )
    SECRET_SHORT = "staff.secret_short", "A secret has {least} characters or more."
    SECRET_LONG = "staff.secret_long", "A secret has {most} characters at most."
    SECRET_COMMON = "staff.secret_common", "This secret is one that others try first."
    SECRET_PLAIN = (
        "staff.secret_plain",
        "A secret has at least {least} different characters, and not just one after the other.",
    )
    SECRET_OF_HOUSE = (
        "staff.secret_of_house",
        "Without names and words of this house too little of this secret is left.",
    )
    SECRET_SAME = (
        "staff.secret_same",
        "This is a secret that you have or had; choose another one.",
    )
    SECRETS_DIFFER = (
        "staff.secrets_differ",
        "The new secret was not typed the same way twice; type both again.",
    )
    NO_SUCH_LOCATION = "location.unknown", "There is no location {location}."
    NOT_PERMITTED = "staff.not_permitted", "This is not for the role {role} to do."
    NOT_OF_OURS = "page.foreign", "This did not come from a page of this house."
    CLOCK_BACK = (
        "clock.set_back",
        "The clock of the house was set back into a day that is closed; have it set right.",
    )

    NO_SUCH_SIGN_IN = "staff.no_such_sign_in", "You have no such sign-in, or it has ended."
    DRAWER_ELSEWHERE = (
        "drawer.elsewhere",
        (
            "{name} has an open drawer at station {station}. Suspend or close it there first, or "
            "have a supervisor move it."
        ),
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
    OTHER_PERSON = (
        "request_id.other_person",
        "Another person at this station used this request id; nothing was done now.",
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
    SERIES_STOPPED = "series.stopped", "Series {series} is not sold now: {why}."
    SCHEDULE_STOPPED = "schedule.stopped", "{schedule} is not sold now: {why}."
    SPOTS_STOPPED = "spots.stopped", "{spots}-spot ways on {schedule} are not sold now: {why}."
    STOPPED_ALREADY = "stop.already_stopped", "The sale of {what} is stopped already."
    NOT_STOPPED = "stop.not_stopped", "The sale of {what} is not stopped."
    NOTHING_TO_STOP = (
        "stop.unknown",
        "Name a series, a schedule of the card in force, or a schedule with its number of spots.",
    )

    # Rate cards.
    CARD_UNKNOWN = "card.unknown", "There is no such version of the rate card."
    CARD_NAME = "card.name", "The name of a card has 1 to {limit} characters."
    CARD_KNOWN = "card.known", "This version of the rate card was brought before."
    CARD_NOT_ACCEPTED = (
        "card.not_accepted",
        "The card needs the acceptance of a supervisor and of a manager outside keno.",
    )
    CARD_ACCEPTED = "card.already_accepted", "The card was accepted as {consent} before."
    CARD_PROMOTION = (
        "card.promotion",
        "This card names a letter of the regulator; an outside manager and compliance enter it.",
    )
    CARD_CHANGES = (
        "card.changes_not_typed",
        "Type each change of more than five points again, such as {example}: {changes}.",
    )
    CARD_OTHER_BEFORE = (
        "card.accepted_against_other",
        "Another card came into force since this one was accepted; submit it again.",
    )
    CARD_TOO_EARLY = (
        "card.too_early",
        "A card is published before it takes effect: at {earliest} at the earliest.",
    )

    # Which ticket, on which authority.
    UNKNOWN_TICKET = "ticket.unknown", "There is no ticket {number}."
    WRONG_CODE = "ticket.wrong_code", "The validation code does not belong to ticket {number}."
    CODE_PLACES = (
        "ticket.code_places",
        "Type all 25 places of the code: a digit, or ? where it cannot be read.",
    )
    CODE_UNREADABLE = (
        "ticket.code_unreadable",
        "Fewer than eight digits can be read. Leave the code out, and give the patron's identity.",
    )
    CODE_TRIES = (
        "ticket.code_tries",
        "There were too many wrong tries for ticket {number}. Try again after {until}.",
    )
    CODE_NEEDED = (
        "ticket.code_needed",
        "Scan ticket {number}, or type its code with ? for each digit that cannot be read.",
    )
    KEY_NOT_HERE = (
        "ticket.key_not_here",
        "The key of this ticket's code, number {key}, is not on this machine; tell the operator.",
    )
    NO_SUCH_TICKET = "ticket.none_such", "There is no ticket with this number and this code."
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
    OTHER_COPIES = (
        "approval.other_copies",
        "Ticket {number} was printed again, copies by now: {copies}. Look at its payment again.",
    )
    IDENTITY_NEEDED = (
        "payment.identity_needed",
        "Without its code ticket {number} is paid only with the patron's name and document.",
    )
    LOOKED_UP = (
        "payment.looked_up",
        "You looked ticket {number} up. Another writer must pay it.",
    )
    UNREAD_TOO_EARLY = (
        "payment.too_early",
        "Without its code ticket {number} is paid after {at}.",
    )
    LOST_CLAIMED = (
        "payment.lost_claimed",
        "Ticket {number} was reported lost at {at}. A supervisor must approve its payment.",
    )
    NO_CLAIM = "claim.unknown", "Ticket {number} was not reported lost."
    CLAIM_INCOMPLETE = (
        "claim.incomplete",
        "Enter the patron's name and document, where and when it was bought, and the recording.",
    )
    ACCOUNTING_NEEDED = "claim.accounting_needed", "Accounting must approve as well."
    REFUND_FIRST = "claim.refund_first", "Refund the void games of ticket {number} first."
    CLAIM_TOO_EARLY = "claim.too_early", "The lost ticket {number} is paid after {at}."
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
    STILL_WAITS = "paper.still_waits", "It has not come out yet; it is tried again by itself."
    NOT_TO_PRINT = "paper.nothing_to_print", "There is nothing to print: {why}"
    NOT_PLAIN = "paper.not_plain", "{text} goes on paper: it has plain letters only."
    BAD_PRINTER = (
        "printer.bad_address",
        "A printer is at tcp:HOST:PORT, usb:PATH, serial:PATH:BAUD, file:PATH or cups:QUEUE.",
    )
    ADDRESS_TAKEN = (
        "printer.address_taken",
        "Printer {printer} is there already; have the stations print on that one.",
    )
    BAD_ROLL = "printer.bad_roll", "Paper is 80mm or 58mm wide."
    NOT_LISTED = (
        "printer.not_listed",
        "This machine may not print to {address}; root lists networks and devices of printers.",
    )
    UNKNOWN_HOST = "printer.unknown_host", "This machine does not know the name in {address}."
    NO_SUCH_PRINTER = "printer.unknown", "There is no printer {printer}."
    PRINTER_ELSEWHERE = (
        "printer.other_location",
        "Printer {printer} belongs to no station at the location of station {station}.",
    )
    DAY_NOT_OVER = "day.not_over", "The gaming day {day} is not over."
    DAY_CLOSED = "day.closed", "The gaming day {day} was closed before."
    DAY_NOT_CLOSED = "day.not_closed", "The gaming day {day} is not closed yet."
    DAY_NOT_REVIEWED = (
        "day.not_reviewed",
        "A manager must sign the list of the gaming day {day} first; it has {many} lines.",
    )
    REVIEW_OF_OWN = "day.review_own", "The list names you; another manager must sign it."
    DAY_NOT_NEXT = "day.not_next", "The gaming day to be closed next is {day}."
    DAY_GAMES = "day.games_undecided", "These games of the day are not decided yet: {games}."
    DAY_DRAWERS = "day.drawers_open", "These drawers of the day are open: {drawers}."
    EXPORT_ORDER = (
        "export.wrong_order",
        "A bundle is of days in their order, not {first} to {last}.",
    )
    EXPORT_NOT_CLOSED = (
        "export.day_not_closed",
        "The gaming day {day} is not closed; close it first (keno day close {day}).",
    )
    EXPORT_NOT_COSIGNED = (
        "export.not_cosigned",
        "The inspector has not cosigned the log since {day} was closed; use keno log cosign.",
    )
    EXPORT_KEYS = "export.keys_missing", "The public keys of {keys} are not here."
    EXPORT_ARCHIVED = "export.archived", "Entries of these days are archived: {why}."
    TWO_SIDES = (
        "amount.two_sides",
        "A supervisor of keno and a manager outside of it settle this together.",
    )
    AMOUNT_LOOSE = "amount.loose", "{cents} is looser than the rule allows."
    AMOUNT_PAST = "amount.past", "An amount is set before its day begins, not from {day} on."
    AMOUNT_SOON = (
        "amount.too_soon",
        "A looser amount is published before its day begins: {earliest} at the earliest.",
    )
    SETTING_BOUNDS = "setting.out_of_bounds", "{name} is from {least} to {most}."
    VERIFIER_NEEDED = "drawer.verifier_needed", "A drawer is counted by two people."
    SUPERVISOR_NEEDED = "approval.supervisor_needed", "A supervisor must be with it."
    NOT_IN_DRAWER = "drawer.not_in_it", "So much is not in the drawer."
    DRAWER_STATE = "drawer.wrong_state", "That cannot be done with a drawer that is {state}."
    COUPON_SPENT = "coupon.spent", "Coupon {serial} was spent before."
    APPROVAL_NEEDED = "approval.needed", "A supervisor must approve: {why}."
    APPROVER_SAME = "approval.same_person", "Nobody approves their own act."
    NO_REASON = (
        "reason.missing",
        "Say why, in a few words and plain letters: a to z, digits, signs.",
    )
    CODE_HERE = (
        "text.ticket_code",
        "This is the code of a ticket, which stands on its paper and nowhere else; write words.",
    )
    ENTRIES_MISSING = (
        "log.entries_missing",
        "This is a restored house, and its log is not complete: nothing is sold, locked or paid.",
    )
    NOT_A_HEAD = "log.not_a_head", "This is no cosigned head of the log: {why}."
    WRONG_COPY = "log.wrong_copy", "The log cannot be refilled from this: {why}."
    RETENTION_SHORT = "retention.too_short", "{kind} are kept for {least} to {most} days."
    NOT_SETTLED = "archive.not_settled", "These tickets are not settled yet: {tickets}."
    DAYS_ARCHIVED = (
        "report.archived",
        "Entries of these days are in an archive; what was reported of them was kept.",
    )
    NOTHING_OLD = "archive.nothing_old", "Nothing before {day} is old enough to be archived."
    NO_WAY = "archive.no_way", "Nothing can be removed from this database: {why}."
    NO_NEW_ORIGIN = (
        "log.no_new_origin",
        "Both keys have not agreed to a new name of the log that gives up this very head.",
    )
    ORIGIN_AGREED = (
        "log.origin_agreed",
        "Both keys have named the log {origin}: take that over first (keno log new-origin).",
    )
    NOTHING_MISSING = "log.nothing_missing", "Nothing is missing here."
    NOTHING_HELD = "ticket.none_held", "No ticket is held."
    FILE_THERE = "backup.file_there", "{file} is there already, and is never written over."
    NOT_COPIED = "backup.not_copied", "The database could not be copied: {why}."
    NOT_A_BACKUP = "backup.unreadable", "This is no backup that can be used: {why}."
    OTHER_ENGINE = "backup.other_engine", "The backup is one of {engine}."
    NEWER_BACKUP = (
        "backup.newer",
        "The backup is of a newer software than this, at revision {revision}.",
    )
    NOT_EMPTY = (
        "backup.not_empty",
        "A backup is restored into an empty database only.",
    )
    OLD_FILES = (
        "backup.old_files",
        "Files of an earlier database are still there; move them away: {files}.",
    )

    # Of which days, in which report.
    NO_SUCH_REPORT = "report.unknown", "There is no report {report}; see keno report list."
    DAYS_BACKWARDS = (
        "report.days_backwards",
        "The days end on {last}, before they begin on {first}.",
    )
    DAYS_MANY = "report.days_many", "A report is of {most} days at most."
    DAYS_OUTSIDE = "report.days_outside", "There are days from {first} to {last} only."
    NO_SUCH_SIZE = "report.no_such_size", "The log was never of size {size}; it is {most} now."
    REPORT_LONG = (
        "report.too_long",
        "The report has {rows} rows and {most} can be made at once; ask for fewer days.",
    )
    LOG_CHANGED = (
        "report.log_changed",
        "The log is not as it was sealed, at entry {entry}: have the books looked at.",
    )
    NOT_YOURS = (
        "report.not_yours",
        "Only whoever asked for a report stops it; one of a close of day, a supervisor.",
    )
    NO_SUCH_JOB = "report.no_such_job", "No such report was asked for, or it is not ready."


REASON_MAX = 200
CODE_DIGITS = 25  # of a validation code
_CODE = re.compile(rf"\d{{{CODE_DIGITS}}}")
_BETWEEN = re.compile(r"[\s-]")


def check_reason(reason: str) -> None:
    """Refuse an act for which a reason must be given, and is not, in a few words on one line.

    It goes on paper, and a printer can be trusted with plain letters only.
    """
    check_no_code(reason, "reason")
    plain = reason.isprintable() and reason.isascii()
    if not reason.strip() or len(reason) > REASON_MAX or not plain:
        raise say_no(No.NO_REASON, "reason")


def has_code(text: str) -> bool:
    """Whether a text has as many digits in a row as a ticket's code, in groups or at once."""
    return _CODE.search(_BETWEEN.sub("", text)) is not None


def check_no_code(text: str | None, place: str) -> None:
    """Refuse a text that is kept for ever if a ticket was scanned into it (X-ticket-validation)."""
    if text is not None and has_code(text):
        raise say_no(No.CODE_HERE, place)


def say_no(reason: No, place: str = "", **facts: object) -> Refused:
    """Return the refusal of an act, to be raised."""
    return Refused([refusal(reason, place, **facts)])
