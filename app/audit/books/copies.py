"""Paper: every act that must leave one has it, and nothing is on paper twice without a mark."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.stretch import Paper, Stretch
from app.audit.faults import Fault
from app.store.queries.books.rows import StoredCopy, StoredEntry

# Which slip each kind of entry has printed.
SLIPS = {
    "TICKET": "ticket",
    "VOID": "void",
    "CANCEL": "refund",
    "REFUND": "refund",
    "PAID": "payout",
    "DRAWER-OPEN": "count",
    "DRAWER-CLOSE": "count",
}
# What can become of a paper, from each step to the next. What may be on paper is never sent again;
# and of what waits in a restored house nobody knows whether it is (X-recovery). What waits is not
# printed any more when its ticket is void.
WAITING = {"sending", "failed", "aside", "unknown", "not-printed"}
STEPS = {
    None: WAITING,
    "sending": {"confirmed", "sent", "unknown", "failed"},
    "failed": WAITING,
    "unknown": {"confirmed", "not-printed"},
    "aside": {"queued"},
    "queued": WAITING,
}
ALONE_AT_FIRST = 1  # copies that a writer prints without a supervisor, until the house settles it


def copies() -> list[Look]:
    """Papers are there, sent once, copied in turn, by whoever may; a copied ticket is approved."""
    return [
        Look(Thing.ENTRY, check_job),
        Look(Thing.PAPER, check_steps),
        Look(Thing.PAPER, check_turns),
        Look(Thing.COPY, check_alone),
        Look(Thing.ENTRY, check_approved),
    ]


def check_job(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """An act that must leave a paper has it."""
    slip = SLIPS.get(entry.tag)
    made, about = stretch.print_jobs.get(entry.id, (None, {}))
    if slip is not None and made != slip:
        yield Fault("copies", f"entry {entry.id} has no {slip} slip")
    elif made is not None and not _is_about(about, entry.body):
        yield Fault("copies", f"the paper of entry {entry.id} is about something else")


def _is_about(about: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether what a paper is made from names the ticket, drawer or game of its entry."""
    told = {"ticket": body.get("number"), **body}
    return all(
        about[name] == told[name]
        for name in ("ticket", "drawer", "series", "game")
        if name in about and told.get(name) is not None
    )


def check_steps(paper: Paper, _: Stretch) -> Iterator[Fault]:
    """Nothing becomes of a paper that cannot; copies are asked for, and open no drawer."""
    last: dict[int, str] = {}
    copied = {each.copy for each in paper.copies}
    for step in paper.steps:
        copy, which = step.copy, f"copy {step.copy} of paper {paper.entry}"
        if step.state not in STEPS.get(last.get(copy), set()):
            yield Fault("copies", f"paper {paper.entry} was {step.state} after it was done with")
        if copy and copy not in copied:
            yield Fault("copies", f"{which} was never asked for")
        if copy and step.kicked:
            yield Fault("copies", f"{which} opened a drawer")
        last[copy] = step.state


def check_turns(paper: Paper, _: Stretch) -> Iterator[Fault]:
    """The copies of a paper are numbered in turn."""
    if [each.copy for each in paper.copies] != list(range(1, len(paper.copies) + 1)):
        yield Fault("copies", f"the copies of paper {paper.entry} are not numbered in turn")


def check_alone(copy: StoredCopy, stretch: Stretch) -> Iterator[Fault]:
    """Beyond a number of copies of a paper a supervisor was with it."""
    by = stretch.body(copy.entry).get("approver")
    if copy.copy > _alone(stretch.house, copy.entry) and by is None:
        what = f"copy {copy.copy} of paper {copy.paper}"
        yield Fault("copies", f"{what} was printed without a supervisor")


def _alone(house: House, entry: int) -> int:
    """Return how many copies a writer could print alone, when an entry was written."""
    settled = [ALONE_AT_FIRST]
    settled += [
        told["after"]
        for set_at, told in house.settings
        if told["name"] == "copies-alone" and set_at < entry
    ]
    return settled[-1]


def check_approved(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """Over a ticket of which there was a copy money went out only with a supervisor."""
    if entry.tag not in ("PAID", "VOID", "CANCEL", "REFUND"):
        return
    first_copy = stretch.first_copies.get(entry.body["ticket"])
    if first_copy is not None and first_copy < entry.id and entry.body.get("approver") is None:
        what = f"ticket {entry.body['ticket']} has a copy, and entry {entry.id}"
        yield Fault("copies", f"{what} gave money for it without asking")
