"""What somebody should look at: exceptions, access, the draw's statistics, keys, certificates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.keno.numbering import printed_number
from app.reports.content import Column, Content, Kind, Line, Plot, Row, Section
from app.reports.figures.columns import (
    PLACE,
    REASON,
    SERIES,
    TIME,
    WHAT,
    WHO,
    whole,
)
from app.reports.told import Act, Told
from rng.lab.frequencies import Frequencies, frequencies_of
from rng.lab.statistics import Report, judge
from rng.lab.tally import Tally
from rng.lab.urn import KENO

_ABOUT = Column("about", "About")


# ---- exceptions ----------------------------------------------------------------------------------


def exceptions(told: Told) -> Content:
    """Copies, acts without the code, papers that may not have come out, refused scans and tries.

    And who looked up wins that were not paid, and which tickets were reported lost.
    """
    rows = [
        row
        for act in told.within("REPRINT", "RETRIED", "ON-PAPER", "VOID", "PAID", "REFUND", "CANCEL",
                               "REFUSED", "CLOCK", "PROCESS", "LOOK-UP", "LOST-TICKET")
        if (row := _exception(act)) is not None
    ]  # fmt: skip
    rows += [
        (close.at, "paper not answered for", _paper(each), each["station"], None, None,
         "at the close of the day nobody had said whether it printed")
        for close in told.closes()
        for each in close.body.get("unsure", [])
    ]  # fmt: skip
    # Nobody knows when these were: they are told for the stretch of the log that they are in.
    rows += [
        (None, "entry lost", f"place {each.position}", None, None, None, each.why)
        for each in told.lost
    ]
    counted = Counter(str(row[1]) for row in rows)
    return Content(
        (
            Section(
                "kinds",
                "By kind",
                (WHAT, whole("times", "Times")),
                [(what, counted[what]) for what in sorted(counted)],
            ),
            Section(
                "exceptions",
                "One by one",
                (TIME, WHAT, _ABOUT, PLACE, WHO, Column("approver", "Supervisor"), REASON),
                rows,
            ),
        )
    )


def _exception(act: Act) -> Row | None:
    body = act.body
    place, who = body.get("station"), body.get("writer")
    approver, reason = body.get("approver"), body.get("reason")
    if act.tag in _TELLING:
        return _TELLING[act.tag](act)
    if act.tag in ("VOID", "PAID", "REFUND", "CANCEL"):
        if body["with_code"]:
            return None
        what = {"VOID": "void", "PAID": "payment"}.get(act.tag, "refund")
        about = f"ticket {printed_number(body['ticket'])}"
        return act.at, f"{what} without the code", about, place, who, approver, reason
    if act.tag == "ON-PAPER":
        said = "it printed" if body["printed"] else "it did not print"
        return act.at, "printer not sure", _paper(body), place, who, None, said
    if act.tag in ("REPRINT", "RETRIED"):
        what = "copy" if act.tag == "REPRINT" else "paper tried again"
        return act.at, what, _paper(body), place, who, approver, reason
    what = {"CLOCK": "clock jumped", "PROCESS": "process"}[act.tag]
    said = body.get("what") or f"{body.get('milliseconds')} ms"
    return act.at, what, "", None, None, None, said


def _asked_about(act: Act) -> Row:
    """Return who looked wins up without a code, or for whom a ticket was reported lost."""
    body = act.body
    place, who = body["station"], body["staff"]
    if act.tag == "LOST-TICKET":
        about = f"ticket {printed_number(body['ticket'])}"
        return act.at, "ticket reported lost", about, place, who, None, body["surveillance"]
    about = f"ticket {printed_number(body['first'])}"
    if body["first"] != body["last"]:
        about = f"{body['wins']:,} wins up to ticket {printed_number(body['last'])}"
    return act.at, "unclaimed win looked up", about, place, who, None, None


def _paper(body: Mapping[str, Any]) -> str:
    """Return which paper it is: papers have numbers of their own, which no ticket has."""
    slip, ticket = body["slip"], body.get("about", {}).get("ticket")
    if ticket is None:
        which = f"{slip}, paper {body['paper']}"
    elif slip == "ticket":
        which = f"ticket {printed_number(ticket)}"
    else:
        which = f"{slip} of ticket {printed_number(ticket)}"
    return f"{which}, copy {body['copy']}"


def _refused(act: Act) -> Row:
    body, facts = act.body, act.body["facts"]
    what = {
        "ticket.wrong_code": "wrong code scanned",
        "staff.wrong_secret": "failed sign-in",
        "staff.locked": "sign-in while locked out",
        "staff.secret_given": "sign-in with a given secret",
    }.get(body["code"], f"refused: {body['code']}")
    ticket = facts.get("ticket")
    about = f"ticket {printed_number(ticket)}" if isinstance(ticket, int) else ""
    place = facts.get("station") or facts.get("where")
    return act.at, what, about, place, facts.get("staff") or facts.get("name"), None, None


_TELLING = {"REFUSED": _refused, "LOOK-UP": _asked_about, "LOST-TICKET": _asked_about}


# ---- access --------------------------------------------------------------------------------------


def access_log(told: Told) -> Content:
    """Who came and went, who was refused, and whose rights were changed (X-access)."""
    columns = (TIME, WHAT, WHO, PLACE, Column("words", "Words"))
    tags = (
        "SIGN-IN", "SIGN-OUT", "REFUSED", "ENROL", "STAFF", "STATION", "REPORT", "EXPORT", "BACKUP",
    )  # fmt: skip
    rows = [_access_row(act) for act in told.within(*tags)]
    return Content((Section("access", "Access", columns, rows),))


def _access_row(act: Act) -> Row:
    body = act.body
    by = body.get("by")
    who = _who(by) if isinstance(by, Mapping) else (by or "")
    if act.tag in ("SIGN-IN", "SIGN-OUT"):
        said = body.get("role", "").replace("-", " ")
        return act.at, act.tag.lower().replace("-", " "), body["staff"], body["at"], said
    if act.tag == "REFUSED":
        facts = body["facts"]
        name = facts.get("staff") or facts.get("name") or ""
        return act.at, "refused", name, facts.get("station") or facts.get("where"), body["code"]
    if act.tag == "ENROL":
        return act.at, "station enrolled", "", body["station"], ""
    if act.tag in ("STAFF", "STATION"):
        about = body["staff"] if act.tag == "STAFF" else body["station"]
        second = f", with {body['second']}" if "second" in body else ""
        said = f"{about} {body.get('change', '')}{second}".strip()
        return act.at, f"{act.tag.lower()} changed", who, "", said
    place = by.get("at", "") if isinstance(by, Mapping) else ""
    return act.at, act.tag.lower(), who, place, _pulled(body)


def _who(by: Mapping[str, Any]) -> str:
    """Return who it was; of somebody who only sat at the console, as whom the machine knew them."""
    return by.get("staff") or (f"user {by['user']}" if by.get("user") else "")


def _pulled(body: Mapping[str, Any]) -> str:
    words = [str(body[name]) for name in ("report", "from", "to", "format") if body.get(name)]
    return " ".join([*words, *(act for act in ("stopped", "fetched") if body.get(act))])


# ---- the draw ------------------------------------------------------------------------------------


def rng_statistics(told: Told) -> Content:
    """The tests of the draws of the period, and how often each number came (X-rng-tests)."""
    drawn: dict[str, list[Sequence[int]]] = {}
    for act in told.within("DRAW"):
        drawn.setdefault(act.body["series"], []).append(act.body["numbers"])
    tests: list[Row] = []
    numbers: list[Row] = []
    plots: list[Plot] = []
    for series in sorted(drawn):
        tally = Tally(KENO)
        tally.add(drawn[series])
        counted = frequencies_of(tally)
        tests += _test_rows(series, judge(tally))
        numbers += [
            (series, number, count, number not in counted.outside)
            for number, count in enumerate(counted.counts, 1)
        ]
        plots.append(_frequency_plot(series, counted))
    return Content(
        (
            Section(
                "tests",
                "Tests",
                (
                    SERIES,
                    Column("test", "Test"),
                    Column("draws", "Draws", Kind.WHOLE),
                    Column("statistic", "Statistic"),
                    Column("degrees", "Degrees", Kind.WHOLE),
                    Column("p_value", "p-value"),
                    Column("family_p_value", "In the family"),
                    Column("at_95", "At 95 %"),
                    Column("at_99", "At 99 %"),
                ),
                tests,
                remark="One test in twenty accuses a fair source at 95 %: what counts is the line "
                "of all together. A test that needs more draws is not made.",
            ),
            Section(
                "numbers",
                "How often each number came",
                (
                    SERIES,
                    Column("number", "Number", Kind.WHOLE),
                    Column("times", "Times", Kind.WHOLE),
                    Column("in_band", "In the band", Kind.YES_NO),
                ),
                numbers,
            ),
        ),
        plots=tuple(plots),
        signatures=("Reviewed by, date", "Keno supervisor", "Commission inspector"),
    )


def _test_rows(series: str, report: Report) -> list[Row]:
    made: list[Row] = [
        (
            series,
            result.name,
            report.draws,
            f"{result.statistic:.4f}",
            result.degrees,
            f"{result.p_value:.4f}",
            f"{result.family_p_value:.4f}",
            _verdict(result.accused_95),
            _verdict(result.accused_99),
        )
        for result in report.results
    ]
    if report.p_value is not None:
        verdicts = _verdict(report.accused_95), _verdict(report.accused_99)
        family = series, "all together", report.draws, None, None, None, f"{report.p_value:.4f}"
        made.append((*family, *verdicts))
    too_few: list[Row] = [
        (series, name, report.draws, f"needs {least} draws", None, None, None, None, None)
        for name, least in report.too_few
    ]
    return made + too_few


def _verdict(accused: bool) -> str:
    return "accused" if accused else "not accused"


def _frequency_plot(series: str, counted: Frequencies) -> Plot:
    return Plot(
        f"Series {series}: how often each number came, and the band of 95 %",
        tuple(str(number) for number in range(1, KENO.numbers + 1)),
        (Line("times", tuple(Fraction(count) for count in counted.counts)),),
        bars=True,
        band=(Fraction(counted.low), Fraction(counted.high)),
        marked=tuple(number - 1 for number in counted.outside),
    )


# ---- keys and software ---------------------------------------------------------------------------


def keys_and_software(told: Told) -> Content:
    """Which software ran, how both keyed processes stood, and when a draw had to wait."""
    rows: list[Row] = []
    software: dict[str, Any] = {}
    for act in told.within("SOFTWARE", "LOCK", "CALLER", "KEYS", "HELD", "PROCESS", "CLOCK"):
        body = act.body
        if act.tag == "KEYS":
            rows += [(act.at, *row) for row in _key_rows(body)]
        elif act.tag == "HELD":
            game = f"{body['series']}-{body['game']}"
            rows.append((act.at, "lockout" if body["why"] else "went on", game, body["why"] or ""))
        elif act.tag in ("PROCESS", "CLOCK"):
            said = body.get("what") or f"{body.get('milliseconds')} ms"
            rows.append((act.at, act.tag.lower(), "", said))
        if "software" in body:
            hashed = body.get("started_with", body["software"])
            if hashed != body["software"]:
                said = f"on the disk, not what runs: {body['software']}"
                rows.append((act.at, "software", "", said))
            first, last, times = software.get(hashed, (act.at, act.at, 0))
            software[hashed] = (first, max(last, act.at), times + 1)
    return Content(
        (
            Section(
                "software",
                "Software of the back office",
                (
                    Column("software", "Hash", Kind.HASH),
                    Column("first", "First seen", Kind.MOMENT),
                    Column("last", "Last seen", Kind.MOMENT),
                    whole("times", "Times"),
                ),
                [(hashed, *seen) for hashed, seen in software.items()],
                remark="Recorded at each lock, daily, and whenever a caller takes over.",
            ),
            Section(
                "events",
                "Keys, lockouts and clocks",
                (TIME, WHAT, _ABOUT, Column("words", "Words")),
                rows,
            ),
        )
    )


def _key_rows(body: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    rows = []
    for role, said in sorted(body["processes"].items()):
        holders = ", ".join(said["holders"])
        words = [said["condition"], *said["reasons"], f"holders {holders}" if holders else ""]
        words += [f"software {said['software'][:16]}" if said["software"] else ""]
        rows.append(("keyed process", role, "; ".join(filter(None, words))))
    return rows


# ---- certificates --------------------------------------------------------------------------------


def certificate(told: Told) -> Content:
    """The log at the end of the period, and what the nightly books have found (X-audit-books)."""
    stretch = told.stretch
    log: list[Row] = [
        ("origin", stretch.origin),
        ("entries of the period", f"{stretch.first} to {stretch.size - 1}"),
        ("size of the log", str(stretch.size)),
        ("root", stretch.root.hex()),
        ("all days closed", "yes" if stretch.is_whole else "no"),
    ]
    books: list[Row] = []
    checks: Counter[str] = Counter()
    for act in told.within("BOOKS"):
        body = act.body
        over = body["log"]
        books.append(
            (
                act.at,
                over["size"],
                over["root"],
                sum(body["looked_at"].values()),
                body["faults"],
                _checked(body),
                body["software"],
            )
        )
        checks.update(body["faults_of"])
    return Content(
        (
            Section("log", "The log", (WHAT, Column("value", "Value")), log),
            Section(
                "books",
                "Books",
                (
                    TIME,
                    Column("size", "Log size", Kind.WHOLE),
                    Column("root", "Root", Kind.HASH),
                    Column("looked_at", "Looked at", Kind.WHOLE),
                    whole("faults", "Faults"),
                    Column("checked", "Checked"),
                    Column("software", "Software", Kind.HASH),
                ),
                books,
                remark="The whole house worked out again from its facts, once a gaming day. Where "
                "archives were not at hand, or not as they were, only the log was checked: leaves, "
                "places, tiles and signed heads.",
            ),
            Section(
                "checks",
                "Checks of the books",
                (Column("check", "Check"), whole("faults", "Faults")),
                [(check, checks[check]) for check in sorted(checks)],
            ),
            Section(
                "tags",
                "Entries by kind",
                (Column("tag", "Kind"), whole("entries", "Entries")),
                [(tag, told.kinds[tag]) for tag in sorted(told.kinds)],
            ),
            Section(
                "lost",
                "Leaves of which nothing else is known",
                (
                    Column("place", "Place", Kind.WHOLE),
                    Column("leaf", "Leaf", Kind.HASH),
                    Column("why", "Why"),
                ),
                [(each.position, each.leaf.hex(), each.why) for each in told.lost],
            ),
        ),
        signatures=("Keno supervisor, date", "Commission inspector, date"),
    )


def _checked(body: Mapping[str, Any]) -> str:
    """Return how far the books went: without every archive they go no further than the log."""
    return "the log only" if body["faults_of"].get("archives") else "everything"
