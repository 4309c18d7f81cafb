"""The figures that programs are told which watch the house, by name.

What the database knows is worked out by whichever process is asked; what a process counts for
itself comes from all processes of this machine.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from app.counts import LINES, LISTENERS, Counted
from app.flow.alarms import AlarmId
from app.flow.facts import Facts
from app.flow.see_figures import Figures
from app.flow.see_keys import Condition
from app.keno.game import GameState
from app.logs import LEVELS
from app.metrics import INFINITY, Figure, Kind, Sample, counter, gauge, one, seconds
from app.web.noting import ABOVE, ACTS, ANSWERED, BOUNDS, CODES, REFUSED, SUM, WITHIN


def all_figures(seen: Figures, counted: Sequence[Counted]) -> Iterator[Figure]:
    """Yield every figure."""
    yield from _sales(seen)
    yield from _alarms(seen)
    yield from _queues(seen.facts)
    yield from _draw(seen.facts)
    yield from _log(seen.facts)
    yield from _database(seen.facts)
    yield from _processes(counted)


def _sales(seen: Figures) -> Iterator[Figure]:
    sold = seen.sold
    yield counter("keno_tickets_total", "Tickets that the house has sold.", one(seen.tickets))
    yield gauge("keno_day_tickets", "Tickets sold in this gaming day.", one(sold.tickets))
    yield gauge("keno_day_sales_cents", "What they cost, in cents.", one(sold.cents))
    yield gauge("keno_day_voids", "Tickets voided in this gaming day.", one(sold.voids))
    yield gauge("keno_day_payouts", "Tickets paid in this gaming day.", one(sold.payouts))
    yield gauge("keno_day_payouts_cents", "What they were paid, in cents.", one(sold.paid_cents))


def _alarms(seen: Figures) -> Iterator[Figure]:
    many = Counter(alarm.id for alarm in seen.alarms)
    samples = [one(many[each], alarm=each.value) for each in AlarmId]
    yield gauge("keno_alarms", "How often each alarm stands on the supervisor's page.", *samples)


def _queues(facts: Facts) -> Iterator[Figure]:
    printers = facts.printers
    yield gauge(
        "keno_papers_waiting",
        "Papers that wait for a printer.",
        *(one(each.waiting, printer=each.code) for each in printers),
    )
    yield gauge(
        "keno_printer_ready",
        "Whether a printer printed when it was last used.",
        *(one(int(each.why is None), printer=each.code) for each in printers),
    )
    yield gauge(
        "keno_printer_roll_near_end",
        "Whether its roll is nearly at its end.",
        *(one(int(each.near_end), printer=each.code) for each in printers),
    )
    yield gauge("keno_papers_unknown", "Papers that a person must look at.", one(facts.papers))
    yield gauge("keno_reports_waiting", "Reports that wait or are being made.", one(facts.reports))
    yield gauge(
        "keno_games_waiting",
        "Games that wait for their draw, or are frozen.",
        *(
            one(sum(game.state is state for game in facts.games), state=state.value)
            for state in (GameState.LOCKED, GameState.FROZEN)
        ),
    )
    yield gauge("keno_drawers_open", "Drawers in use.", one(len(facts.drawers)))


def _draw(facts: Facts) -> Iterator[Figure]:
    yield gauge(
        "keno_lease_left_seconds",
        "Until when a lease holds that is not renewed; below zero: its holder has gone.",
        *(
            one(_whole(each.until - facts.now), lease=each.name, holder=each.holder)
            for each in facts.leases
        ),
    )
    yield counter(
        "keno_lease_changes_total",
        "How often a lease has changed hands.",
        *(one(each.fence, lease=each.name) for each in facts.leases),
    )
    yield gauge(
        "keno_keyed_state",
        "How the generator and the inspector stand: the one state that is 1.",
        *(
            one(int(each.condition is state), process=each.role, state=state.value)
            for each in facts.keyed
            for state in Condition
        ),
    )


def _log(facts: Facts) -> Iterator[Figure]:
    seal = facts.sealing
    yield gauge("keno_log_size", "Entries of the log that are sealed.", one(seal.size))
    yield gauge("keno_log_unsealed", "Entries that are not sealed.", one(seal.unsealed))
    yield gauge("keno_log_uncosigned", "Entries that are not cosigned.", one(seal.uncosigned))
    yield gauge(
        "keno_log_unsealed_age_seconds",
        "Age of the oldest entry that is not sealed.",
        one(_age(facts, facts.unsealed_since) if seal.unsealed else 0),
    )
    yield gauge(
        "keno_log_uncosigned_age_seconds",
        "Age of the oldest entry that is not cosigned.",
        one(_age(facts, facts.uncosigned_since) if seal.uncosigned else 0),
    )
    missing = 0 if facts.missing is None else facts.missing.entries
    yield gauge("keno_log_missing", "Entries that a restored house lacks.", one(missing))
    books = facts.books
    if books is not None:
        yield gauge("keno_books_faults", "Faults when the books were last done.", one(books.faults))
        yield gauge(
            "keno_books_age_seconds",
            "Since the books were last worked out.",
            one(_age(facts, books.began_at)),
        )
    if facts.backup_at is not None:
        age = one(_age(facts, facts.backup_at))
        yield gauge("keno_backup_age_seconds", "Age of the newest backup restored on trial.", age)


def _database(facts: Facts) -> Iterator[Figure]:
    yield gauge("keno_database_bytes", "Size of the database.", one(facts.database_bytes))
    for name, says, values in (
        ("keno_disk_free_bytes", "Room on a disk.", [each.free_bytes for each in facts.disks]),
        ("keno_disk_bytes", "Size of a disk.", [each.total_bytes for each in facts.disks]),
    ):
        folders = [each.folder for each in facts.disks]
        samples = [one(value, folder=of) for of, value in zip(folders, values, strict=True)]
        yield gauge(name, says, *samples)
    if facts.replication is not None:
        yield gauge(
            "keno_replication_lag_bytes",
            "How far a copy of the database is behind.",
            *(
                one(each.lag_bytes, standby=each.name)
                for each in facts.replication.standbys
                if each.lag_bytes is not None
            ),
        )
        absent = len(facts.replication.absent)
        yield gauge("keno_replication_absent", "Copies that do not follow.", one(absent))


def _processes(counted: Sequence[Counted]) -> Iterator[Figure]:
    runs = Counter(each.process for each in counted if each.runs)
    total: Counter[tuple[str, str]] = Counter()
    for each in counted:
        total.update({(each.process, name): number for name, number in each.counts.items()})
    kinds = sorted({each.process for each in counted})
    yield gauge(
        "keno_processes",
        "Processes that run on this machine.",
        *(one(runs[kind], process=kind) for kind in kinds),
    )
    yield counter(
        "keno_log_lines_total",
        "What processes have said, by level.",
        *(
            one(total[kind, f"{LINES}/{level}"], process=kind, level=level)
            for kind in kinds
            for level in LEVELS
            if (kind, f"{LINES}/{level}") in total
        ),
    )
    web = Counter({name: number for (kind, name), number in total.items() if kind == "web"})
    yield _durations(web)
    yield counter(
        "keno_refusals_total",
        "Requests that were refused, by code.",
        *(one(web[f"{REFUSED}/{code}"], code=code) for code in CODES if web[f"{REFUSED}/{code}"]),
    )
    yield counter(
        "keno_answers_total",
        "Requests that were answered, by class.",
        *(one(web[f"{ANSWERED}/{n}xx"], status=f"{n}xx") for n in range(2, 6)),
    )
    if ("feed", LISTENERS) in total:
        heard = total["feed", LISTENERS] if runs["feed"] else 0
        yield gauge("keno_feed_listeners", "Who listens to the live feed.", one(heard))


def _durations(web: "Counter[str]") -> Figure:
    samples: list[Sample] = []
    for act in ACTS.values():
        so_far = 0
        for bound in BOUNDS:
            so_far += web[f"{WITHIN}/{act}/{bound}"]
            le = seconds(bound * 1_000).rstrip("0").rstrip(".")
            samples.append(Sample(so_far, {"act": act, "le": le}, "_bucket"))
        so_far += web[f"{ABOVE}/{act}"]
        samples.append(Sample(so_far, {"act": act, "le": INFINITY}, "_bucket"))
        samples.append(Sample(seconds(web[f"{SUM}/{act}"]), {"act": act}, "_sum"))
        samples.append(Sample(so_far, {"act": act}, "_count"))
    says = "How long acts took that were done."
    return Figure("keno_act_seconds", Kind.HISTOGRAM, says, samples)


def _age(facts: Facts, since: datetime | None) -> int:
    return 0 if since is None else max(0, _whole(facts.now - since))


def _whole(time: timedelta) -> int:
    return time // timedelta(seconds=1)
