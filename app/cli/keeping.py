"""The `keno` commands that keep a house safe: backups, restored houses, retention, archives."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from app.audit.archives import Shelf
from app.audit.books import check_books
from app.audit.entry_copies import EntryCopy, entries_in, leaves_in, tiles_at
from app.audit.faults import Fault
from app.cli.answers import DONE, FAULT, Answer, BadUsage, NotTried
from app.cli.console import (
    a_day,
    actor,
    archives_at_hand,
    faults_document,
    founded_office,
    let_in,
    owned_database,
    some_office,
    told_faults,
    typed_settings,
)
from app.clock import system_clock
from app.flow.archive import archive_before
from app.flow.backup import Manifest, back_up, note_checked, read_manifest, restore
from app.flow.give_back import finish_archive
from app.flow.going_on import end_hold
from app.flow.kept_log import kept_log
from app.flow.look_for import Looked, look_for_missing
from app.flow.missing import what_is_missing
from app.flow.new_origin import start_new_origin
from app.flow.permissions import Permission
from app.flow.refill import Refilled, refill_log
from app.flow.refusals import No, say_no
from app.flow.retention import set_retention
from app.keno.refusals import Refused
from app.keno.retention import PERIODS, RecordKind
from app.store.away import is_away, is_not_allowed, lacks_room
from app.store.copies import CannotCopy, Disturbed, scratch_database, serving_since
from app.store.database import Database
from app.store.queries.keeping import lost_acts, retention

MEGABYTE = 1_000_000


def make_backup(options: argparse.Namespace) -> Answer:
    """`keno backup --out FILE`: write a backup while the house sells."""
    if options.out is None:
        raise BadUsage("a backup is written with --out FILE")
    file = Path(options.out)
    with founded_office() as office:
        manifest = back_up(office, file, _shown)
    document = {"file": str(file), **manifest.document()}
    return Answer(document, lambda: _backup_text(f"{file} is a backup of", manifest))


def check_backup(options: argparse.Namespace) -> Answer:
    """`keno backup check FILE`: restore a backup on trial, and work everything in it out again.

    With `--record`, the log of the house then tells that it can be restored.
    """
    file = Path(options.file)
    manifest = read_manifest(file)
    archives = archives_at_hand(options.archive)
    try:
        faults = _tried(file, manifest, archives)
        if options.record and not faults:
            with founded_office() as office:
                note_checked(office, file, manifest)
    except CannotCopy as why:  # of the copy itself `restore` says that it cannot be used
        raise NotTried(str(why)) from None
    except Exception as fault:  # only `is_away` knows all that a lost database can raise
        if lacks_room(fault):
            raise NotTried("there was no room to try it in") from fault
        if not is_away(fault):
            raise
        raise NotTried("the database went away meanwhile, or had no room") from fault
    document = {**manifest.document(), "faults": faults_document(faults)}
    text = _backup_text("It can be restored, and is", manifest)
    return Answer(document, lambda: told_faults(text, faults), FAULT if faults else DONE)


def _tried(file: Path, manifest: Manifest, archives: Shelf) -> list[Fault]:
    """Restore a backup on trial; return what is wrong in it.

    Raises:
        CannotCopy: there was no database to try it in.
        NotTried: the server had no room, was another one in the end, or was started again.
    """
    with (
        some_office() as office,
        TemporaryDirectory(prefix="keno-check-") as folder,
        closing(owned_database()) as like,
    ):
        key = office.keys.log.public_key()
        draw_keys = office.keyed.public_keys() if office.keyed else {}
        since = serving_since(like)
        try:
            with scratch_database(like, Path(folder)) as url, closing(Database(url)) as scratch:
                restore(scratch, file, system_clock())
                with scratch.reading(at_length=True) as connection:
                    found = check_books(connection, manifest.log_origin, key, draw_keys, archives)
        except Refused as no:
            if isinstance(no.__cause__, Disturbed):
                raise NotTried(str(no.__cause__)) from no
            if serving_since(like) == since:
                raise
            raise NotTried("the server was started again meanwhile") from no
    return [fault for each in found.values() for fault in each]


def restore_backup(options: argparse.Namespace) -> Answer:
    """`keno restore FILE`: fill an empty database, and say what the house then lacks."""
    head = _read_head(options.head)
    settings = typed_settings()
    if settings.archive_database and _place(settings.archive_database) != _place(settings.database):
        raise BadUsage("KENO_DATABASE and KENO_ARCHIVE_DATABASE are not the same database")
    with closing(owned_database()) as database:
        manifest = restore(database, Path(options.file), system_clock())
    document: dict[str, object] = {**manifest.document(), "missing": None}
    lines, code = [_backup_text("Restored:", manifest)], DONE
    try:
        with founded_office() as office:
            looked = look_for_missing(office, head)
        document["missing"] = _looked_document(looked)
        lines.append(looked.words())
    except (Refused, BadUsage) as why:
        # It is restored all the same, and nothing happens in it before somebody has looked.
        told = why.refusals[0].message if isinstance(why, Refused) else str(why)
        lines.append(f"What is missing is not known yet: {told} Then `keno log missing`.")
    except DBAPIError as fault:
        if not is_not_allowed(fault):
            raise
        lines.append(_rights_text(make_url(settings.database).username))
        code = FAULT
    return Answer(document, lambda: "\n".join(lines), code)


def _rights_text(role: str | None) -> str:
    """Say what the house lacks in a database that was made without the rights of its role."""
    return (
        f"What is missing is not known yet: {role} has no rights in this database, which a backup "
        f"does not bring along. As its owner: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES "
        f"IN SCHEMA public TO {role}; GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO "
        f"{role}; and the others of docs/keeping.md. Then `keno log missing`."
    )


def _place(address: str) -> tuple[object, ...]:
    """Return which database an address leads to, whoever goes there."""
    url = make_url(address)
    return url.host, url.port, url.query.get("host"), url.query.get("port"), url.database


def look_for(options: argparse.Namespace) -> Answer:
    """`keno log missing`: what a restored house lacks; if nothing, it goes on."""
    head = _read_head(options.head)
    if (options.name is None) != (options.manager is None):
        raise BadUsage("two say so together: --as NAME --with NAME")
    with founded_office() as office:
        said_by = None
        if options.name is not None:
            supervisor = actor(office, options, Permission.HOUSE_KEEP)
            said_by = supervisor, let_in(office, options.manager, Permission.HOUSE_KEEP)
        looked = look_for_missing(office, head, said_by)
    code = DONE if looked.goes_on else FAULT
    return Answer(_looked_document(looked), looked.words, code)


def end_the_hold(options: argparse.Namespace) -> Answer:
    """`keno log end-hold`: tickets from before a restore are paid as any other again."""
    with founded_office() as office:
        supervisor = actor(office, options, Permission.HOUSE_KEEP)
        manager = let_in(office, options.manager, Permission.HOUSE_KEEP)
        last = end_hold(office, supervisor, manager, options.reason)
    return Answer({"last_number": last}, lambda: f"Tickets up to {last} are not held any more.")


def show_kept(options: argparse.Namespace) -> Answer:
    """`keno log kept --out FILE`: the head of what is left of the log, for `keno-rng origin`."""
    with founded_office() as office:
        kept = kept_log(office)
    Path(options.out).write_text(json.dumps(kept, indent=2) + "\n")
    told = f"{kept['size']} entries of the log are left; {options.out} is for keno-rng origin."
    if kept["shown"] is None:
        told += " It is not shown that they are a beginning of what is lost: it is a fork."
    return Answer(kept, lambda: told)


def refill(options: argparse.Namespace) -> Answer:
    """`keno log refill FROM...`: put back what a restored house lacks, up to the cosigned head."""
    with founded_office() as office:
        supervisor = actor(office, options, Permission.HOUSE_KEEP)
        manager = let_in(office, options.manager, Permission.HOUSE_KEEP)
        with office.database.reading() as connection:
            missing = what_is_missing(connection)
        if missing is None:
            raise say_no(No.NOTHING_MISSING)
        places = (missing.size, missing.known_size)
        copy = chain.from_iterable(_copy_at(source, *places) for source in options.sources)
        done = refill_log(office, supervisor, manager, copy, ", ".join(options.sources))
    lost = [{"position": place, "tag": tag, "why": why} for place, tag, why in done.lost]
    document = {
        "size": done.size,
        "root": done.root.hex(),
        "entries": done.entries,
        "without_body": done.without_body,
        "lost": lost,
    }
    return Answer(document, lambda: _refilled_text(done))


def _copy_at(source: str, start: int, end: int) -> Iterator[EntryCopy]:
    """Return entries that are kept somewhere: in a file, or as tiles."""
    if source.startswith(("http://", "https://")) or Path(source).is_dir():
        return leaves_in(tiles_at(source), start, end)
    if not Path(source).is_file():
        raise BadUsage(f"there is no {source}")
    return entries_in(Path(source))


def rename_log(options: argparse.Namespace) -> Answer:
    """`keno log new-origin`: take over the name that both keys gave the log; the rest is lost."""
    with founded_office() as office:
        supervisor = actor(office, options, Permission.HOUSE_KEEP)
        manager = let_in(office, options.manager, Permission.HOUSE_KEEP)
        done = start_new_origin(office, supervisor, manager)
    text = f"The log goes on as {done.origin}; {done.lost} entries are lost for good."
    frozen = f"Drawn in the lost stretch, and to be looked into: {', '.join(done.games) or 'none'}."
    return Answer(vars(done), lambda: f"{text}\n{frozen}")


def list_lost(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log lost`: acts that were put back, and of which something is lost."""
    with founded_office() as office, office.database.reading() as connection:
        rows = lost_acts(connection)
    document = {"lost": [vars(row) for row in rows]}
    lines = [_lost_line(row.position, row.tag, row.why) for row in rows]
    return Answer(document, lambda: "\n".join(lines or ["Nothing is lost."]))


def retain(options: argparse.Namespace) -> Answer:
    """`keno house retention KIND DAYS --with NAME`: settle how long records are kept at hand."""
    kind = RecordKind(options.kind)
    with founded_office() as office:
        supervisor = actor(office, options, Permission.HOUSE_KEEP)
        manager = let_in(office, options.manager, Permission.HOUSE_KEEP)
        set_retention(office, supervisor, manager, kind, options.days)
    document = {"kind": kind.value, "days": options.days}
    return Answer(document, lambda: f"{kind.value} are kept at hand for {options.days} days.")


def list_retention(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno house records`: how long each kind of record is kept at hand, and at the least."""
    with founded_office() as office, office.database.reading() as connection:
        days = {kind.value: retention(connection, kind) for kind in RecordKind}
    document = {
        "kinds": [
            {"kind": kind, "days": kept, "least": PERIODS[RecordKind(kind)].least}
            for kind, kept in days.items()
        ]
    }
    lines = [f"{kind:<12} {kept:>6,} days" for kind, kept in days.items()]
    lines.append("leaves, winning numbers, draw records, cards and day closes: for ever")
    return Answer(document, lambda: "\n".join(lines))


def archive(options: argparse.Namespace) -> Answer:
    """`keno archive --before DAY --out FILE --with NAME`: move old detail into a file."""
    wanted = (options.before, options.out, options.name, options.manager)
    if options.finish:
        return _finish()
    if None in wanted:
        raise BadUsage("an archive is made with --before DAY --out FILE --as NAME --with NAME")
    before = a_day(options.before)
    with founded_office() as office, _way() as way:
        supervisor = actor(office, options, Permission.HOUSE_KEEP)
        manager = let_in(office, options.manager, Permission.HOUSE_KEEP)
        done = archive_before(office, way, supervisor, manager, before, Path(options.out))
    document = {**vars(done), "file": str(done.file)}
    text = f"{done.entries:,} entries are in {done.file}, whose hash is {done.sha256}."
    return Answer(document, lambda: f"{text}\n{_room_text(done.room_kept)}")


def _finish() -> Answer:
    """`keno archive --finish`: give back the room of what was archived before."""
    with founded_office() as office, _way() as way:
        why = finish_archive(office, way)
    return Answer({"room_kept": why}, lambda: _room_text(why), DONE if why is None else FAULT)


@contextmanager
def _way() -> Iterator[Database | None]:
    """Give out the database by the way that the running house does not have, if there is one."""
    by = typed_settings().archive_database
    if by is None:
        yield None
        return
    with closing(Database(by)) as database:
        yield database


# ---- words ---------------------------------------------------------------------------------------


def _shown(done: int) -> None:
    """Show how far a copy is, to somebody who looks on."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r{done // MEGABYTE:,} MB", end="", file=sys.stderr, flush=True)


def _backup_text(begins: str, manifest: Manifest) -> str:
    witnessed = "cosigned" if manifest.cosigned else "not cosigned yet"
    return (
        f"{begins} {manifest.house} as of {manifest.made_at}: {manifest.bytes:,} bytes, "
        f"{manifest.log_size:,} entries of the log, {witnessed}, revision {manifest.revision}."
    )


def _room_text(why: str | None) -> str:
    if why is None:
        return "Its room is given back."
    return f"Its room is not given back yet: {why}. Then `keno archive --finish`."


def _looked_document(looked: Looked) -> dict[str, object]:
    missing = looked.missing
    return {
        "size": missing.size,
        "cosigned_size": missing.known_size,
        "missing": missing.entries,
        "complete": missing.is_complete,
        "other": missing.other,
        "goes_on": looked.goes_on,
    }


def _refilled_text(done: Refilled) -> str:
    told = f"{done.entries} entries are back; the log has {done.size}, as they were cosigned."
    lines = [_lost_line(*each) for each in done.lost] or ["No act is lost."]
    return "\n".join([told, *lines])


def _lost_line(place: int | None, tag: str, why: str) -> str:
    return f"{'' if place is None else place:>8}  {tag:<14} {why}"


def _read_head(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as trouble:
        raise BadUsage(f"{path} cannot be read: {trouble}") from None
