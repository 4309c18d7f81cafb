"""Alarms: what is amiss in the house, since when, and the next step. Decided from facts alone.

One function for each alarm; every one of them has a runbook (`docs/runbooks.md`). The order is that
in which they are shown: first what stops the house.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from app.flow.facts import RESTART_TOLD, Facts
from app.flow.lease import LEASED, printer_lease
from app.flow.permissions import APPROVING, FOR
from app.flow.placements import Strayed
from app.flow.print_status import slips_unprinted, slips_wait
from app.flow.see_keys import Condition, Process
from app.keno.game import GameState
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.store.queries.watching import PrinterWatched
from app.store.tables import Change

SEAL_LATE = timedelta(minutes=15)
UNSEALED_MANY = 100_000
CLOSE_LATE = timedelta(minutes=1)
DRAW_LATE = timedelta(minutes=5)
GRADING_LATE = timedelta(minutes=10)  # of the largest game
REPORTS_LATE = timedelta(hours=1)
DRAWER_GRACE = timedelta(hours=2)  # a shift may run on over the turn of the day
BOOKS_GRACE = timedelta(hours=3)
BACKUP_OLD = timedelta(hours=26)  # one a day, and it may take its time
JUMP_TOLD = timedelta(days=1)
LEASE_GRACE = timedelta(seconds=60)
MOVE_TOLD = timedelta(hours=1)
DISK_FREE = 20 << 30  # or a tenth, on a disk that is smaller than ten times this
LAG_BYTES = 64 << 20  # four segments of PostgreSQL
NOTHING = "Nothing is sold, locked or paid."


class AlarmId(StrEnum):
    """Every alarm there is."""

    LOG_MISSING = "log-missing"
    CALLER_GONE = "caller-gone"
    GENERATOR_AWAY = "generator-away"
    INSPECTOR_AWAY = "inspector-away"
    PROCESS_RESTARTING = "process-restarting"
    CLOSE_LATE = "close-late"
    DRAW_WAITS = "draw-waits"
    GRADING_WAITS = "grading-waits"
    GAMES_FROZEN = "games-frozen"
    PAID_WITHOUT_CODE = "paid-without-code"
    BOOKS_FAILED = "books-failed"
    CARD_COMING = "card-coming"
    STANDBY_GONE = "standby-gone"
    REPLICATION_LAG = "replication-lag"
    DISK_FULL = "disk-full"
    SEAL_LAG = "seal-lag"
    CLOCK_JUMP = "clock-jump"
    BACKUP_OLD = "backup-old"
    BOOKS_LATE = "books-late"
    PRINTER_MOVED = "printer-moved"
    PRINTER_TROUBLE = "printer-trouble"
    SPOOLER_GONE = "spooler-gone"
    PAPER_WAITS = "paper-waits"
    PAPER_UNKNOWN = "paper-unknown"
    APPROVER_NEW = "approver-new"
    EMERGENCY_APPROVER = "emergency-approver"
    ROLL_NEAR_END = "roll-near-end"
    DRAWER_LEFT_OPEN = "drawer-left-open"
    REPORTS_WAIT = "reports-wait"


@dataclass(frozen=True)
class Alarm:
    """Something that is amiss, since when if that is known, and what to do next."""

    id: AlarmId
    what: str
    next_step: str
    since: datetime | None = None
    of: str = ""  # which of several things it is about, if there can be more than one


def decide(facts: Facts) -> list[Alarm]:
    """Return every alarm that there is by these facts."""
    return [alarm for check in CHECKS for alarm in check(facts)]


def with_beginnings(
    alarms: list[Alarm], noticed: dict[tuple[str, str], datetime], now: datetime
) -> list[Alarm]:
    """Return alarms of which each has a beginning: where nobody recorded it, it is when we noticed.

    Args:
        alarms: as they were decided.
        noticed: since when this process knows of those that have none; brought up to date.
        now: the time.
    """
    unknown: set[tuple[str, str]] = {(each.id, each.of) for each in alarms if each.since is None}
    for gone in noticed.keys() - unknown:
        noticed.pop(gone, None)
    return [
        each
        if each.since is not None
        else replace(each, since=noticed.setdefault((each.id, each.of), now))
        for each in alarms
    ]


# ---- one function for each -----------------------------------------------------------------------


def _log_missing(facts: Facts) -> Iterator[Alarm]:
    missing = facts.missing
    if missing is None:
        return
    what = "This is a restored house, and nobody has looked yet whether entries are missing."
    next_step = "An operator runs `keno log missing`."
    if not missing.is_complete:
        what, next_step = missing.words(), "An operator puts them back with `keno log refill`."
    yield Alarm(AlarmId.LOG_MISSING, f"{what} {NOTHING}", next_step, facts.missing_since)


def _caller_gone(facts: Facts) -> Iterator[Alarm]:
    if not facts.is_called:
        return
    lease = facts.caller
    if lease is None:
        what = "No caller has ever run: no game closes by itself."
        since = facts.founded_at
    elif facts.now - lease.until > LEASE_GRACE:
        what = f"The caller {lease.holder} has gone: no game closes."
        since = lease.until
    else:
        return
    yield Alarm(AlarmId.CALLER_GONE, what, "An operator starts `keno caller`.", since)


NEXT = {
    Condition.AWAY: "An operator starts its process again; then a holder of its key unlocks it.",
    Condition.LOCKED: "A holder of its key unlocks it.",
    Condition.LOCKOUT: "Both keys look into why, and reopen it.",
    Condition.STOPPED: "An operator reads why on the inspector's page and starts it again.",
}
SAID = {
    Condition.LOCKED: "is locked",
    Condition.LOCKOUT: "is locked out",
    Condition.STOPPED: "has stopped",
}


def _keyed(role: str, id_: AlarmId) -> Callable[[Facts], Iterator[Alarm]]:
    def check(facts: Facts) -> Iterator[Alarm]:
        for each in facts.keyed:
            if each.role == role and each.condition is not Condition.READY:
                since = facts.keyed_since.get(role)
                yield Alarm(id_, _keyed_words(each), NEXT[each.condition], since)

    return check


def _keyed_words(process: Process) -> str:
    why = " ".join(process.reasons)
    if process.condition is Condition.AWAY:  # it says so already
        return f"Games cannot be drawn. {why}"
    said = f"The {process.name.lower()} {SAID[process.condition]}"
    return f"Games cannot be drawn. {said}: {why}" if why else f"Games cannot be drawn. {said}."


def _process_restarting(facts: Facts) -> Iterator[Alarm]:
    ended: dict[str, list[datetime]] = {}
    for each in facts.endings:
        if facts.now - each.at < RESTART_TOLD:
            ended.setdefault(each.process, []).append(each.at)
    for process, times in sorted(ended.items()):
        many = "once" if len(times) == 1 else f"{len(times):,} times"
        yield Alarm(
            AlarmId.PROCESS_RESTARTING,
            f"The process {process} ended unexpectedly, {many} in five minutes.",
            f"An operator checks the journal of {process} for the reason.",
            min(times),
            process,
        )


def _close_late(facts: Facts) -> Iterator[Alarm]:
    for game in facts.not_closed:
        if facts.now - game.since > CLOSE_LATE:
            yield Alarm(
                AlarmId.CLOSE_LATE,
                f"Game {game.series}-{game.number} should have closed, and nobody has closed it.",
                "An operator looks why the caller does not; a supervisor locks it by hand.",
                game.since,
                f"{game.series}-{game.number}",
            )


def _draw_waits(facts: Facts) -> Iterator[Alarm]:
    for game in facts.games:
        if game.state is GameState.LOCKED and facts.now - game.since > DRAW_LATE:
            yield Alarm(
                AlarmId.DRAW_WAITS,
                f"Game {game.series}-{game.number} is locked and not drawn.",
                "Mend what the caller waits for; or ask for the game to be voided.",
                game.since,
            )


def _grading_waits(facts: Facts) -> Iterator[Alarm]:
    for game in facts.games:
        is_graded = game.state in {GameState.DRAWN, GameState.SETTLED}
        if is_graded and facts.now - game.since > GRADING_LATE:
            yield Alarm(
                AlarmId.GRADING_WAITS,
                f"Game {game.series}-{game.number} is drawn, and nobody can be paid for it yet.",
                "An operator looks why the caller cannot grade it.",
                game.since,
                f"{game.series}-{game.number}",
            )


def _games_frozen(facts: Facts) -> Iterator[Alarm]:
    for game in facts.games:
        if game.state is GameState.FROZEN:
            yield Alarm(
                AlarmId.GAMES_FROZEN,
                f"Game {game.series}-{game.number} is frozen: its two gradings differ.",
                "Find out why with whoever audits you; then release it with a manager.",
                game.since,
            )


SHOWN = {
    Shown.DIGITS: "with only a part of its code",
    Shown.IDENTITY: "without its code",
    Shown.CLAIM: "as a lost ticket",
}


def _paid_without_code(facts: Facts) -> Iterator[Alarm]:
    for each in facts.paid_in_part:
        number, how = printed_number(each.ticket), SHOWN[Shown(each.how)]
        next_step = "Open its envelope and compare it with the slip and with the recording."
        if each.how == Shown.CLAIM.value:
            next_step = "Compare its claim with the recording."
        yield Alarm(
            AlarmId.PAID_WITHOUT_CODE,
            f"Ticket {number} was paid {dollars(each.cents)} {how}, at {each.station_code} by "
            f"{each.writer_code}, approved by {each.approver_code}.",
            next_step,
            each.paid_at,
            number,
        )


def _books_failed(facts: Facts) -> Iterator[Alarm]:
    books = facts.books
    if books is None or not books.faults:
        return
    many = "a fault" if books.faults == 1 else f"{books.faults:,} faults"
    yield Alarm(
        AlarmId.BOOKS_FAILED,
        f"The books of {books.gaming_day} have {many}.",
        "Run `keno books`, and have it looked into before anything is changed.",
        books.began_at,
    )


def _card_coming(facts: Facts) -> Iterator[Alarm]:
    """Somebody put a card into force that does not hold yet: time to look at it (8.3)."""
    for term in facts.cards_to_come:
        at = term.effective_at.astimezone(ZoneInfo(facts.time_zone))
        yield Alarm(
            AlarmId.CARD_COMING,
            f"Rate card {term.name!r} takes effect at {at:%Y-%m-%d %H:%M}.",
            "A supervisor checks it under *Rate cards*; if it is wrong, stop what it sells, or go "
            "back to the card in force with a manager outside keno.",
            term.published_at,
            f"{term.hash.hex()[:12]} {at:%Y-%m-%d %H:%M}",
        )


def _standby_gone(facts: Facts) -> Iterator[Alarm]:
    if facts.replication is None:
        return
    # Whatever the server says of copies that it expects: whoever looks after it (Patroni) stops
    # expecting one that is dead, and has it sell alone.
    if facts.has_several_servers and facts.replication.is_alone:
        yield Alarm(
            AlarmId.STANDBY_GONE,
            "No copy of the database has what is committed: it is on one disk alone.",
            "An operator starts the other database server again, and waits until it follows.",
        )
    for name in facts.replication.absent:
        yield Alarm(
            AlarmId.STANDBY_GONE,
            f"The copy {name} of the database does not follow it.",
            "An operator starts that database server again, or gives its slot up.",
            of=name,
        )


def _replication_lag(facts: Facts) -> Iterator[Alarm]:
    if facts.replication is not None:
        for each in facts.replication.standbys:
            if each.lag_bytes is not None and each.lag_bytes > LAG_BYTES:
                yield Alarm(
                    AlarmId.REPLICATION_LAG,
                    f"The copy {each.name} of the database is far behind it.",
                    "An operator looks at that server: its disk, its load and its network.",
                    of=each.name,
                )


def _disk_full(facts: Facts) -> Iterator[Alarm]:
    for disk in facts.disks:
        if disk.free_bytes < min(DISK_FREE, disk.total_bytes // 10):
            megabytes = disk.free_bytes >> 20
            yield Alarm(
                AlarmId.DISK_FULL,
                f"The disk of {disk.folder} has {megabytes:,} MB left.",
                "An operator makes room, before it is full and nothing can be sold.",
                of=disk.folder,
            )


def _seal_lag(facts: Facts) -> Iterator[Alarm]:
    seal, since = facts.sealing, facts.uncosigned_since
    is_late = since is not None and facts.now - since > SEAL_LATE
    if seal.unsealed > UNSEALED_MANY or (seal.uncosigned and is_late):
        yield Alarm(
            AlarmId.SEAL_LAG,
            f"{seal.uncosigned:,} entries of the log are not witnessed, {seal.unsealed:,} of them "
            "not even sealed.",
            "Look at caller and inspector; then an operator runs `keno log cosign`.",
            since,
        )


def _clock_jump(facts: Facts) -> Iterator[Alarm]:
    jump = facts.jump
    if jump is not None and facts.now - jump.at < JUMP_TOLD:
        way = "on" if jump.milliseconds > 0 else "back"
        yield Alarm(
            AlarmId.CLOCK_JUMP,
            f"The clock of the house jumped {way} by {abs(jump.milliseconds) // 1000:,} seconds.",
            "An operator sees to it that the database's machine gets its time from the network.",
            jump.at,
        )


def _backup_old(facts: Facts) -> Iterator[Alarm]:
    since = facts.backup_at or facts.founded_at
    if facts.now - since > BACKUP_OLD:
        none = "There is no backup that was restored on trial."
        old = "The last backup that was restored on trial is old."
        yield Alarm(
            AlarmId.BACKUP_OLD,
            none if facts.backup_at is None else old,
            "An operator starts `keno-backup` on the machine that makes them; where it is not "
            "installed they run `keno backup`, then `keno backup check --record`.",
            since,
        )


def _books_late(facts: Facts) -> Iterator[Alarm]:
    is_done = facts.books is not None and facts.books.gaming_day >= facts.today.isoformat()
    due = facts.day_began + BOOKS_GRACE
    if is_done or facts.now < due or facts.founded_at >= facts.day_began:
        return
    yield Alarm(
        AlarmId.BOOKS_LATE,
        "The books were not worked out last night.",
        "An operator looks whether the caller runs, then runs `keno books --record`.",
        facts.day_began,
    )


def _printer_moved(facts: Facts) -> Iterator[Alarm]:
    """Yield what rings at once: whoever redirects a printer reads the codes of the tickets."""
    lately = [each for each in facts.strayed_before if facts.now - each.at < MOVE_TOLD]
    for each in facts.strayed:
        of = each.printer if each.station is None else f"{each.printer} {each.station}"
        noted = [seen.at for seen in lately if seen.printer == each.printer]
        yield Alarm(
            AlarmId.PRINTER_MOVED,
            _strayed_words(each),
            "Keep the database as it is, and find out who changed it.",
            max(noted, default=None),
            of,
        )
    here = {each.printer for each in facts.strayed}
    for code in sorted({each.printer for each in lately} - here):
        newest = next(each for each in lately if each.printer == code)
        yield Alarm(
            AlarmId.PRINTER_MOVED,
            f"Printer {code} was not where the log says: it was found at {newest.found}.",
            "Find out who changed the database, and who put it back.",
            newest.at,
            code,
        )
    for code, move in sorted(facts.moves.items()):
        if facts.now - move.at < MOVE_TOLD and code not in here:
            yield Alarm(
                AlarmId.PRINTER_MOVED,
                f"{move.by} moved printer {code} from {move.address_before}.",
                "If you do not know why, ask both, and look at the new address.",
                move.at,
                f"{code} by {move.by}",
            )


def _strayed_words(each: Strayed) -> str:
    logged = each.logged or "nowhere"
    if each.station is not None:
        found = each.found or "nothing"
        what = f"Station {each.station} prints on {found}, and the log says on {logged}."
    else:
        found = each.found or "nowhere"
        what = f"Printer {each.printer} is at {found}, and the log says at {logged}."
    return f"{what} Nothing is sent to it."


def _printer_trouble(facts: Facts) -> Iterator[Alarm]:
    for each in _printers_needed(facts):
        if each.why:
            yield Alarm(
                AlarmId.PRINTER_TROUBLE,
                f"Printer {each.code}: {each.why} {_slips_of(facts, each.code)}",
                "Fix it, or have its stations print elsewhere; what waits prints automatically.",
                each.since,
                each.code,
            )


def _spooler_gone(facts: Facts) -> Iterator[Alarm]:
    until = {each.name: each.until for each in facts.leases}
    for each in _printers_needed(facts):
        if each.code not in facts.printers_served:
            lapses = until.get(printer_lease(each.code))
            yield Alarm(
                AlarmId.SPOOLER_GONE,
                f"No spooler is running for printer {each.code}. {_slips_of(facts, each.code)}",
                "An operator starts the spooler: `systemctl restart keno-spooler`.",
                None if lapses is None else lapses - LEASED,
                each.code,
            )


def _printers_needed(facts: Facts) -> list[PrinterWatched]:
    """Return the printers that must print now.

    One that is switched off for the night, with nothing to print, is no alarm.
    """
    waited_for = {each.printer for each in facts.unprinted} | facts.printers_in_use
    return [each for each in facts.printers if each.code in waited_for]


def _slips_of(facts: Facts, printer: str) -> str:
    """Return how many slips wait for a printer, or were being printed, in words."""
    found = [each for each in facts.unprinted if each.printer == printer]
    return slips_unprinted(sum(each.slips for each in found), sum(each.sending for each in found))


def _paper_waits(facts: Facts) -> Iterator[Alarm]:
    in_trouble = {each.code for each in facts.printers if each.why}
    for each in facts.unprinted:
        if each.printer is None:
            why = f"at station {each.station}, which has no printer."
            next_step = "An administrator assigns a printer to the station."
        elif each.printer in in_trouble or each.printer not in facts.printers_served:
            continue  # that is an alarm of its own
        elif each.is_behind(facts.now):
            why = f"for printer {each.printer}, and nothing comes out."
            next_step = "An operator checks the spooler's journal; a supervisor checks the printer."
        else:
            continue
        yield Alarm(
            AlarmId.PAPER_WAITS,
            f"{slips_wait(each.slips)} {why}",
            next_step,
            each.since,
            each.printer or each.station or "",
        )


def _paper_unknown(facts: Facts) -> Iterator[Alarm]:
    if facts.papers:
        what = "A paper" if facts.papers == 1 else f"{facts.papers:,} papers"
        yield Alarm(
            AlarmId.PAPER_UNKNOWN,
            f"{what} may not have come out.",
            "Look at the printer's tray and answer under *Did it print?*.",
            facts.papers_since,
        )


_DONE_WITH = {
    Change.ADDED: "is new",
    Change.RE_KEYED: "was given a new password",
    Change.ENABLED: "was enabled again",
    Change.RETURNED: "is back after more than 90 days",
}


def _approver_new(facts: Facts) -> Iterator[Alarm]:
    for each in facts.changes:
        if each.change in _DONE_WITH and any(each.role in FOR[act] for act in APPROVING):
            yield Alarm(
                AlarmId.APPROVER_NEW,
                f"{each.name}, {each.role.value.replace('-', ' ')}, {_DONE_WITH[each.change]}: "
                f"{each.first_code} and {each.second_code} did it.",
                "Ask both. If one of them knows nothing of it, have the person disabled at once.",
                each.changed_at,
                each.code,
            )


def _emergency_approver(facts: Facts) -> Iterator[Alarm]:
    for each in facts.changes:
        if each.change is Change.EMERGENCY:
            yield Alarm(
                AlarmId.EMERGENCY_APPROVER,
                f"{each.name} approves in an emergency: {each.first_code} and {each.second_code} "
                "named them.",
                "Come to the floor, or have another supervisor come; look at every act so marked.",
                each.changed_at,
                each.code,
            )


def _roll_near_end(facts: Facts) -> Iterator[Alarm]:
    for each in facts.printers:
        if each.near_end and not each.why:
            yield Alarm(
                AlarmId.ROLL_NEAR_END,
                f"Printer {each.code}: the roll is nearly at its end.",
                "Have a new roll at hand.",
                each.since,
            )


def _drawer_left_open(facts: Facts) -> Iterator[Alarm]:
    if facts.now - facts.day_began < DRAWER_GRACE:
        return
    for each in facts.drawers:
        if each.opened_at < facts.day_began:
            yield Alarm(
                AlarmId.DRAWER_LEFT_OPEN,
                f"Drawer {each.id} of {each.writer_code} at {each.station_code} was left open.",
                "Count it with a second person and close it under *Drawers in use*.",
                each.opened_at,
            )


def _reports_wait(facts: Facts) -> Iterator[Alarm]:
    since = facts.reports_since
    if since is not None and facts.now - since > REPORTS_LATE:
        many = "A report was" if facts.reports == 1 else f"{facts.reports:,} reports were"
        yield Alarm(
            AlarmId.REPORTS_WAIT,
            f"{many} asked for, and not made yet.",
            "An operator starts `keno reporter`.",
            since,
        )


CHECKS: tuple[Callable[[Facts], Iterator[Alarm]], ...] = (
    _log_missing,
    _caller_gone,
    _keyed("rng", AlarmId.GENERATOR_AWAY),
    _keyed("inspector", AlarmId.INSPECTOR_AWAY),
    _process_restarting,
    _close_late,
    _draw_waits,
    _grading_waits,
    _games_frozen,
    _paid_without_code,
    _books_failed,
    _card_coming,
    _standby_gone,
    _replication_lag,
    _disk_full,
    _seal_lag,
    _clock_jump,
    _backup_old,
    _books_late,
    _printer_moved,
    _printer_trouble,
    _spooler_gone,
    _paper_waits,
    _paper_unknown,
    _approver_new,
    _emergency_approver,
    _roll_near_end,
    _drawer_left_open,
    _reports_wait,
)
