"""Who may do what: a closed list of acts, and the roles that each is for (X-access).

Duties are kept apart by it: an administrator can neither sell nor pay nor draw, an inspector and a
regulator see everything and change nothing. Surveillance, cage and compliance change nothing
either, and each sees what its work needs; which reports they may have: `app.flow.report_jobs`.
"""

from enum import StrEnum

from app.store.tables import Role


class Permission(StrEnum):
    """Every act that someone who is signed in can ask for, as subject:act."""

    TICKET_QUOTE = "ticket:quote"
    TICKET_PRACTISE = "ticket:practise"
    TICKET_SELL = "ticket:sell"
    TICKET_VOID = "ticket:void"
    TICKET_REFUND = "ticket:refund"
    TICKET_PAY = "ticket:pay"
    TICKET_LOOK_UP = "ticket:look-up"
    WIN_SEE = "win:see"
    UNCLAIMED_SEE = "unclaimed:see"
    LOST_TICKET_NOTE = "lost-ticket:note"
    LOST_TICKET_PAY = "lost-ticket:pay"
    LOST_TICKET_ACCOUNT = "lost-ticket:account"
    DRAWER_KEEP = "drawer:keep"
    GAME_LOCK = "game:lock"
    GAME_RUN = "game:run"
    GAME_RELEASE = "game:release"
    APPROVE = "approval:give"
    APPROVE_LARGE = "approval:give-large"
    APPROVE_PAYMENT = "approval:give-from-page"
    COUNT_VERIFY = "count:verify"
    DRAWER_MIND = "drawer:mind"
    DRAWER_SEE = "drawer:see"
    DAY_CLOSE = "day:close"
    CASH_LOG = "day:cash-log"
    AMOUNT_SET = "amount:set"
    HOUSE_KEEP = "house:keep"
    PAPER_PRINT = "paper:print"
    PAPER_SEE = "paper:see"
    PRINTER_MANAGE = "printer:manage"
    PRINTER_MIND = "printer:mind"
    CARD_BRING = "card:bring"
    CARD_ACCEPT = "card:accept"
    CARD_PROMOTION_ENTER = "card:enter-promotion"
    CARD_PROMOTION_JOIN = "card:join-promotion"
    SALE_STOP = "sale:stop"
    STAFF_MANAGE = "staff:manage"
    STAFF_CONFIRM = "staff:confirm"
    EMERGENCY_NAME = "emergency:name"
    EMERGENCY_CONFIRM = "emergency:confirm"
    STATION_MANAGE = "station:manage"
    DAY_REVIEW = "day:review"
    FLOOR_SEE = "floor:see"
    KEYS_SEE = "keys:see"
    RECORDS_SEE = "records:see"
    REPORTS_SEE = "reports:see"
    RECORDS_EXPORT = "records:export"


_WRITERS = frozenset({Role.WRITER, Role.SUPERVISOR, Role.KENO_MANAGER})
_SUPERVISORS = frozenset({Role.SUPERVISOR, Role.KENO_MANAGER})
_EVERYONE = frozenset(Role)
_CASHIERS_WATCHED = frozenset({Role.SURVEILLANCE, Role.CAGE})
_RECORDS = _EVERYONE - {Role.WRITER, Role.ADMINISTRATOR, Role.CAGE}
# Those who read everything, keyed processes and what can be taken out of the house included.
_READERS = _RECORDS - {Role.SURVEILLANCE, Role.COMPLIANCE}

# What leaves no act behind that belongs to a day, and what keeps somebody out.
WHATEVER_THE_CLOCK_SAYS = frozenset(
    {
        Permission.TICKET_QUOTE,
        Permission.TICKET_PRACTISE,
        Permission.FLOOR_SEE,
        Permission.KEYS_SEE,
        Permission.DRAWER_SEE,
        Permission.RECORDS_SEE,
        Permission.REPORTS_SEE,
        Permission.RECORDS_EXPORT,
        Permission.TICKET_LOOK_UP,
        Permission.UNCLAIMED_SEE,
        Permission.CASH_LOG,
        Permission.STAFF_MANAGE,
        Permission.STAFF_CONFIRM,
        Permission.EMERGENCY_NAME,
        Permission.EMERGENCY_CONFIRM,
        Permission.STATION_MANAGE,
    }
)

# What a new person does not do for a day, nor in part a person with a password from another: to
# approve, and to decide with another (`app.flow.approvers`). People are disabled with STAFF_MANAGE
# at once by every administrator, so `app.flow.staffing` asks for the wait itself.
APPROVING = frozenset(
    {
        Permission.APPROVE,
        Permission.APPROVE_LARGE,
        Permission.APPROVE_PAYMENT,
        Permission.GAME_RELEASE,
        Permission.AMOUNT_SET,
        Permission.HOUSE_KEEP,
        Permission.CARD_BRING,
        Permission.CARD_ACCEPT,
        Permission.CARD_PROMOTION_ENTER,
        Permission.CARD_PROMOTION_JOIN,
        Permission.LOST_TICKET_PAY,
        Permission.LOST_TICKET_ACCOUNT,
        Permission.PRINTER_MANAGE,
        Permission.PRINTER_MIND,
        Permission.DAY_REVIEW,
        Permission.STAFF_CONFIRM,
        Permission.EMERGENCY_NAME,
        Permission.EMERGENCY_CONFIRM,
    }
)

FOR: dict[Permission, frozenset[Role]] = {
    Permission.TICKET_QUOTE: _EVERYONE,
    Permission.TICKET_PRACTISE: _WRITERS,
    Permission.TICKET_SELL: _WRITERS,
    Permission.TICKET_VOID: _WRITERS,
    Permission.TICKET_REFUND: _WRITERS,
    Permission.TICKET_PAY: _WRITERS,
    Permission.TICKET_LOOK_UP: _EVERYONE - {Role.ADMINISTRATOR, Role.CAGE},
    # How much a ticket won that is not paid yet, of which they have not the code.
    Permission.WIN_SEE: _RECORDS,
    Permission.UNCLAIMED_SEE: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.LOST_TICKET_NOTE: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.LOST_TICKET_PAY: frozenset({Role.OUTSIDE_MANAGER}),
    # Compliance stands in for accounting, until there is that role.
    Permission.LOST_TICKET_ACCOUNT: frozenset({Role.COMPLIANCE}),
    Permission.DRAWER_KEEP: _WRITERS,
    Permission.GAME_LOCK: _WRITERS,
    Permission.GAME_RUN: _SUPERVISORS,
    Permission.GAME_RELEASE: frozenset({Role.KENO_MANAGER, Role.OUTSIDE_MANAGER}),
    Permission.APPROVE: _SUPERVISORS,
    Permission.APPROVE_LARGE: frozenset({Role.OUTSIDE_MANAGER}),
    Permission.APPROVE_PAYMENT: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.COUNT_VERIFY: _WRITERS | {Role.OUTSIDE_MANAGER},
    Permission.DRAWER_MIND: _SUPERVISORS,
    Permission.DRAWER_SEE: _SUPERVISORS | _CASHIERS_WATCHED,
    Permission.DAY_CLOSE: _SUPERVISORS,
    Permission.CASH_LOG: _RECORDS - {Role.SURVEILLANCE},
    Permission.AMOUNT_SET: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.HOUSE_KEEP: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.PAPER_PRINT: _WRITERS,
    Permission.PAPER_SEE: _RECORDS - {Role.COMPLIANCE},
    Permission.PRINTER_MANAGE: frozenset({Role.ADMINISTRATOR}),
    Permission.PRINTER_MIND: _SUPERVISORS,
    Permission.CARD_BRING: _SUPERVISORS,
    Permission.CARD_ACCEPT: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.CARD_PROMOTION_ENTER: frozenset({Role.OUTSIDE_MANAGER}),
    Permission.CARD_PROMOTION_JOIN: frozenset({Role.COMPLIANCE}),
    Permission.SALE_STOP: _SUPERVISORS,
    Permission.STAFF_MANAGE: frozenset({Role.ADMINISTRATOR}),
    Permission.STAFF_CONFIRM: _SUPERVISORS | {Role.OUTSIDE_MANAGER},
    Permission.EMERGENCY_NAME: frozenset({Role.OUTSIDE_MANAGER}),
    Permission.EMERGENCY_CONFIRM: _CASHIERS_WATCHED | {Role.COMPLIANCE},
    Permission.STATION_MANAGE: frozenset({Role.ADMINISTRATOR}),
    Permission.DAY_REVIEW: frozenset({Role.KENO_MANAGER, Role.OUTSIDE_MANAGER}),
    Permission.FLOOR_SEE: _EVERYONE - {Role.WRITER, Role.CAGE},
    Permission.KEYS_SEE: _READERS,
    Permission.RECORDS_SEE: _RECORDS,
    Permission.REPORTS_SEE: _RECORDS | {Role.CAGE},
    Permission.RECORDS_EXPORT: _READERS,
}
