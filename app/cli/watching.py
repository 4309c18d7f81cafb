"""The `keno` command for whoever watches the house."""

import argparse

from app.cli.answers import DONE, FAULT, Answer
from app.cli.console import founded_office, typed_settings
from app.clock import time_text
from app.flow.alarms import Alarm
from app.flow.process_end import record_process_end
from app.flow.see_alarms import see_alarms
from app.house import WATCHER


def show_alarms(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno alarms`: what is amiss, since when, and the next step; ends with 1 if anything is."""
    with founded_office() as office:
        alarms = see_alarms(office, [typed_settings().reports])
        lines = [_line(each, office.moment(each.since) if each.since else "") for each in alarms]
    document = {
        "alarms": [
            {
                "id": each.id.value,
                "what": each.what,
                "since": each.since and time_text(each.since),
                "next_step": each.next_step,
                "runbook": f"docs/runbooks.md#{each.id.value}",
            }
            for each in alarms
        ]
    }
    text = "\n".join(lines) if lines else "All is well."
    return Answer(document, lambda: text, FAULT if alarms else DONE)


def record_end(options: argparse.Namespace) -> Answer:
    """`keno process-ended PROCESS RESULT`: record it; `deploy/tell-failure` calls it."""
    with founded_office(WATCHER) as office:
        record_process_end(office, options.process, options.result)
    recorded = {"process": options.process, "result": options.result}
    return Answer(recorded, lambda: f"Recorded: {options.process} ended.")


def _line(alarm: Alarm, since: str) -> str:
    return f"{alarm.id.value:<18} {alarm.what} Since {since}.\n{'':<18} {alarm.next_step}"
