"""The reporter: it makes reports and bundles that were asked for, one at a time, into a folder.

A process of its own, so that neither a game nor a page ever waits for a long report. Run twice it
does no harm: a job is taken by one transaction only, a report made twice is the same bytes, and who
writes the index holds a lock on the folder, which ends with the process.

The archive is a folder with a folder for each day or stretch of days; `index.json` lists what is in
it, for programs, and `index.html` for people. Files are written under another name first: what has
its name is whole.
"""

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from html import escape
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app.flow.bundle_jobs import BUNDLE, TITLE, make_bundle
from app.flow.office import Office
from app.flow.report import Asked, Progress, make_report, rendered
from app.flow.report_jobs import (
    end_job,
    file_name,
    next_job,
    note_progress,
    put_back,
    queue_for_closed_days,
)
from app.keno.refusals import Refused
from app.logs import Voice
from app.reports.catalogue import CATALOGUE, Format
from app.store.queries.reports import JobRow
from app.store.unit import CommitUnknown

LOOK_SECONDS = 0.5
DAYS_SECONDS = 10.0  # between looks for days that were closed
TELL_SECONDS = 0.5  # between two words about how far a report is
WHY_MOST = 100
INDEX, PAGE, LOCK = "index.json", "index.html", ".index.lock"

log = Voice("keno.reporter")


class Stopped(Exception):  # noqa: N818  as it was told
    """Nobody wants this report any more, or the reporter is to end."""


@dataclass
class Reporter:
    """Whoever makes the reports of a house."""

    office: Office
    folder: Path
    public: Path | None = None  # the folder of public keys, which go along with bundles
    archives: Path | None = None  # where archives are at hand, for bundles of long ago
    counted: Callable[[], float] = time.monotonic
    look_seconds: float = LOOK_SECONDS
    _days_looked: float = float("-inf")
    _is_interrupted: bool = False  # something may still be noted as being made

    def run(self, stop: threading.Event) -> None:
        """Make reports until told to stop."""
        put_back(self.office)
        while not stop.is_set():
            try:
                busy = self.look(stop)
            except (SQLAlchemyError, CommitUnknown):
                log.exception("database.away")
                busy, self._is_interrupted = False, True
            if not busy:
                stop.wait(self.look_seconds)

    def look(self, stop: threading.Event) -> bool:
        """Make the next report, if one waits; say whether one did."""
        if self._is_interrupted:
            put_back(self.office)
            self._is_interrupted = False
        if self.counted() - self._days_looked > DAYS_SECONDS:
            self._days_looked = self.counted()
            queue_for_closed_days(self.office)
        job = next_job(self.office)
        if job is not None:
            self._make(job, stop)
        return job is not None

    def _make(self, job: JobRow, stop: threading.Event) -> None:
        make = self._bundle if job.report == BUNDLE else self._report
        try:
            digest = make(job, self._progress(job, stop))
        except Stopped:
            if stop.is_set():
                put_back(self.office)
        except Refused as no:
            end_job(self.office, job.id, None, no.refusals[0].message[:WHY_MOST])
        except (SQLAlchemyError, CommitUnknown):
            raise
        except OSError as fault:
            log.exception("report.not_written", report=job.report)
            end_job(self.office, job.id, None, f"It could not be written: {fault.strerror}.")
        except Exception as fault:
            # Whatever it was: the other reports go on, and whoever asked is told.
            log.exception("report.not_made", report=job.report)
            end_job(self.office, job.id, None, f"A fault of the system: {type(fault).__name__}.")
        else:
            end_job(self.office, job.id, digest)

    def _report(self, job: JobRow, progress: Progress) -> str:
        """Make a report, and return the hash of its content."""
        asked = Asked(job.report, job.first, job.last, Format(job.format))
        document = make_report(self.office, asked, progress=progress)
        data, name, stretch = rendered(document, asked.format), file_name(job), document.stretch
        write_whole(self.folder / name, data)
        about = {
            "content": document.hash,
            "size": stretch.size,
            "root": stretch.root.hex(),
            "whole": stretch.is_whole,
        }
        self._list(job, CATALOGUE[job.report].title, sha256(data).hexdigest(), about)
        return document.hash

    def _bundle(self, job: JobRow, progress: Progress) -> str:
        """Make a bundle, and return the hash of its manifest."""
        out = self.folder / file_name(job)
        out.parent.mkdir(parents=True, exist_ok=True)
        given = make_bundle(self.office, job, out, self.public, self.archives, progress)
        about = {"content": given.manifest, "size": given.size, "whole": True}
        with out.open("rb") as file:
            self._list(job, TITLE, file_digest(file, "sha256").hexdigest(), about)
        return given.manifest

    def _progress(self, job: JobRow, stop: threading.Event) -> Progress:
        """Return what notes how far a report is, and ends it when nobody wants it any more."""
        told_at = float("-inf")

        def progress(done: int, total: int) -> None:
            nonlocal told_at
            if self.counted() - told_at > TELL_SECONDS:
                told_at = self.counted()
                if not note_progress(self.office, job.id, done, total):
                    raise Stopped
            if stop.is_set():
                raise Stopped

        return progress

    def _list(self, job: JobRow, title: str, digest: str, about: dict[str, object]) -> None:
        """Have a file in the index."""
        with _index_held(self.folder):
            listed = read_index(self.folder)
            listed[file_name(job)] = {
                "report": job.report,
                "title": title,
                "from": job.first.isoformat(),
                "to": job.last.isoformat(),
                "format": job.format,
                "sha256": digest,
                **about,
            }
            text = json.dumps(dict(sorted(listed.items())), indent=1)
            write_whole(self.folder / INDEX, text.encode())
            write_whole(self.folder / PAGE, _page(self.office.house.name, listed).encode())


@contextmanager
def _index_held(folder: Path) -> Iterator[None]:
    """Be the only one who writes the index of an archive; others wait."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def read_index(folder: Path) -> dict[str, dict[str, object]]:
    """Return what is in an archive, by the name of the file."""
    try:
        listed: dict[str, dict[str, object]] = json.loads((folder / INDEX).read_text())
    except FileNotFoundError:
        return {}
    return listed


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that under its name there is all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Reporters on two machines may share the folder, and have the same process id.
    whose = f"{socket.gethostname()}.{os.getpid()}.{threading.get_ident()}"
    partial = path.with_name(f".{path.name}.{whose}")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _page(house: str, listed: dict[str, dict[str, object]]) -> str:
    rows = [
        f"<tr><td>{escape(str(about['from']))} to {escape(str(about['to']))}</td>"
        f'<td><a href="{escape(name)}">{escape(str(about["title"]))}</a></td>'
        f"<td>{escape(str(about['format']))}</td>"
        f"<td>{'' if about['whole'] else 'so far'}</td>"
        f"<td><code>{escape(str(about['sha256']))}</code></td></tr>"
        for name, about in sorted(listed.items(), reverse=True)
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Reports - {escape(house)}</title></head>\n<body><h1>{escape(house)}: reports</h1>"
        "\n<table><thead><tr><th>Days</th><th>Report</th><th>Form</th><th></th><th>SHA-256</th>"
        "</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody></table></body></html>\n"
    )
