"""The commands of the key holders: ceremony, serving, unlocking, and acts under both keys."""

import argparse
import getpass
import json
import platform
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from rng.core.canonical import canonical
from rng.core.entropy import operating_system
from rng.core.selftest import SelfTestFailed, self_test
from rng.core.signing import document_hash
from rng.serve.afterwards import Devices
from rng.serve.ceremony import (
    ROOTS,
    CeremonyFailed,
    Part,
    make_journal,
    make_keys,
    missing_keys,
    public_pem,
    read_public,
)
from rng.serve.clock import system_clock
from rng.serve.generator import GeneratorProcess
from rng.serve.inspector import InspectorProcess
from rng.serve.journal import InUse, write_new
from rng.serve.keyed import Surroundings
from rng.serve.keystore import WeakPassphrase, WrongPassphrase
from rng.serve.lines import speak_as
from rng.serve.places import Asked, BadPlaces, credentials, read_places
from rng.serve.printer import Printer
from rng.serve.protocol import Address, Client, Unreachable
from rng.serve.server import Listener, Server
from rng.serve.slip import short_hash
from rng.serve.software import manifest
from rng.serve.tables import control, generator_service, inspector_service
from rng.serve.tls import (
    CERTIFICATE,
    PEERS,
    SIDES,
    NotChanged,
    Peers,
    accept,
    change,
    ending_soon,
    fingerprint,
    forget,
    renew,
    shown,
)

CONTROL_SOCKET = "control.sock"
APPROVAL_SECONDS = 600


class BadUsage(Exception):  # noqa: N818  the caller's mistake, not an error of ours
    """The command was called in a way that cannot be carried out."""


# ---- the ceremony --------------------------------------------------------------------------------


def keygen(options: argparse.Namespace) -> None:
    """Make the keys; and, once the public folder has every key of the house, the journal."""
    part = Part(options.role, options.dir, options.public)
    try:
        passphrases = {} if part.has_keys else _make_keys(part, options)
        if options.keys_only:
            print("keys only: the journal waits for a handover")
        else:
            _make_journal(part, options, passphrases)
    except (CeremonyFailed, WeakPassphrase) as fault:
        raise BadUsage(str(fault)) from None
    except FileExistsError as fault:
        raise BadUsage(f"{fault.filename} is there already; nothing is overwritten") from None


def _make_keys(part: Part, options: argparse.Namespace) -> dict[str, str]:
    holders: list[str] = options.holder or []
    if len(set(holders)) < 2:
        raise BadUsage("name at least two holders: --holder NAME --holder NAME")
    passphrases = {name: new_passphrase(name) for name in holders}
    make_keys(part, passphrases)
    print(f"keys made for {' and '.join(holders)}; public keys are in {part.public}")
    return passphrases


def _make_journal(part: Part, options: argparse.Namespace, passphrases: dict[str, str]) -> None:
    if missing := missing_keys(part.public):
        print(f"the public folder still lacks {', '.join(missing)};")
        print("when they are there, run keygen again to create the journal")
        return
    handover = json.loads(options.handover.read_bytes()) if options.handover else None
    holder = (options.holder or part.keystore.holders)[0]
    passphrase = passphrases.get(holder) or read_passphrase(f"Passphrase of {holder}: ")
    try:
        house = make_journal(part, holder, passphrase, handover)
    except WrongPassphrase:
        raise BadUsage(f"that is not the passphrase of {holder}") from None
    print(f"journal created; both roles must see the same house: {short_hash(house)}")


# ---- serving -------------------------------------------------------------------------------------


def serve(options: argparse.Namespace) -> None:
    """Run the process until it is told to end."""
    speak_as(options.role)
    folder: Path = options.dir
    addresses = (options.listen, getattr(options, "inspector", ""), getattr(options, "printer", ""))
    process: GeneratorProcess | InspectorProcess
    try:
        places = read_places(Asked(options.role, folder, options.socket, *addresses))
        if places.inspector is not None and places.printer is not None:
            process = _generator(folder, places.inspector, places.printer)
        else:
            process = InspectorProcess(folder, Surroundings())
    except (BadPlaces, InUse) as fault:
        raise BadUsage(str(fault)) from None
    service = (
        generator_service(process)
        if isinstance(process, GeneratorProcess)
        else inspector_service(process)
    )
    listeners = [
        Listener(Address(path=str(folder / CONTROL_SOCKET)), control(process)),
        Listener(Address(path=str(places.socket)), service, 0o660),
    ]
    if places.listen is not None:
        tls = credentials(folder, tuple(name for name in SIDES if name != options.role))
        listeners.append(Listener(places.listen, service, credentials=tls))

    def ready() -> None:
        print(f"{options.role} listens at unix:{places.socket}; it is sealed until it is unlocked")
        sys.stdout.flush()

    Server(listeners, process.after, process.idle).run(ready)


def _generator(folder: Path, inspector: Address, printer: Printer) -> GeneratorProcess:
    tls = credentials(folder, ("inspector",)) if inspector.path is None else None
    devices = Devices(operating_system, Client(inspector, tls), printer, platform.node())
    return GeneratorProcess(folder, Surroundings(), devices)


# ---- certificates of the line --------------------------------------------------------------------


def renew_certificate(options: argparse.Namespace) -> None:
    """Make the next certificate; the others accept it before it is shown."""
    try:
        place = renew(options.dir, options.role, options.public)
    except NotChanged as fault:
        raise BadUsage(str(fault)) from None
    print(f"{place} is for the others to accept: {fingerprint(place.read_bytes())}")


def change_certificate(options: argparse.Namespace) -> None:
    """Show the next certificate from now on; a running process does so by itself."""
    try:
        change(options.dir)
    except NotChanged as fault:
        raise BadUsage(str(fault)) from None
    print(f"shown from now on: {fingerprint((options.dir / CERTIFICATE).read_bytes())}")


def accept_certificates(options: argparse.Namespace) -> None:
    """Accept the certificates that others have put into the public folder."""
    taken = accept(Peers(options.dir / PEERS), options.public, options.role)
    for path in taken:
        print(f"accepted as {path.name}: {fingerprint(path.read_bytes())}")
    print("Compare each with what its owner has read out." if taken else "There is no new one.")


def forget_certificates(options: argparse.Namespace) -> None:
    """Accept only the newest certificate of one of the others from now on."""
    try:
        gone = forget(Peers(options.dir / PEERS), options.name)
    except NotChanged as fault:
        raise BadUsage(str(fault)) from None
    print(f"forgotten: {', '.join(path.name for path in gone)}")


def show_certificates(options: argparse.Namespace) -> int:
    """Show the certificates of this process; ends with 1 if one ends soon."""
    own = {options.dir / CERTIFICATE: options.role}
    certificates, now = shown(own | Peers(options.dir / PEERS).files()), system_clock()
    for each in certificates:
        left = each.days_left(now)
        print(f"{each.file.name:<16} {each.name:<10} {left:>5} days  {each.fingerprint}")
    ending = ending_soon(certificates, now)
    for each in ending:
        print(f"{each.file} ends in {each.days_left(now)} days; exchange it", file=sys.stderr)
    return 1 if ending else 0


# ---- holders -------------------------------------------------------------------------------------


def unlock(options: argparse.Namespace) -> None:
    """Unlock with a holder's passphrase, and show what to compare with the paper."""
    _print_status(_ask(options, "unlock", _holder(options)))
    print("Compare the last records with the paper before the first draw.")


def lock(options: argparse.Namespace) -> None:
    """Put the keys away."""
    _ask(options, "lock", {})
    print("locked")


def status(options: argparse.Namespace) -> None:
    """Show how the process stands."""
    answer = _ask(options, "status", {})
    if options.json:
        print(json.dumps(answer))
    else:
        _print_status(answer)


def selftest(options: argparse.Namespace) -> int:
    """Try the known answers: in the running process if one is named, else here."""
    try:
        running = options.dir is not None
        passed = _ask(options, "selftest", {})["passed"] if running else self_test()
    except SelfTestFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    for name in cast("list[str]", passed):
        print(f"passed: {name}")
    return 0 if passed else 1


def reopen(options: argparse.Namespace) -> None:
    """Ask for the end of a lockout."""
    lockouts = cast("list[dict[str, str]]", _ask(options, "status", {})["lockouts"])
    if not lockouts:
        raise BadUsage("it is not locked out")
    holder = _holder(options)
    for lockout in lockouts:
        print(f"lockout: {lockout['detail']}")
        fields = {**holder, "lockout": lockout["hash"], "reason": options.reason}
        _propose(options, "reopen", fields)


def rotate(options: argparse.Namespace) -> None:
    """Ask for a new key in the place of an old one."""
    key = options.key or options.role
    public = read_public(options.public) if options.public else None
    _propose(options, "rotate", {**_holder(options), "key": key, "public": public})


def holders(options: argparse.Namespace) -> None:
    """Ask for one holder more or less."""
    fields = {**_holder(options), "change": options.change, "who": options.who}
    if options.change == "add":
        fields["new_passphrase"] = new_passphrase(options.who)
    _propose(options, "holders", fields)


def series(options: argparse.Namespace) -> None:
    """Ask for a further series of games."""
    fields = {**_holder(options), "series": options.series, "first_game": options.first}
    _propose(options, "series", fields)


def origin(options: argparse.Namespace) -> None:
    """Ask that the log goes on under another name, because entries of it are lost for good."""
    try:
        kept = json.loads(options.kept.read_text())
        kept = {**kept, "shown": None} if options.fork else kept
    except (OSError, TypeError, ValueError) as trouble:
        raise BadUsage(f"{options.kept} does not say what is left of the log: {trouble}") from None
    what = {"kept": kept, "fork": options.fork}
    fields = {**_holder(options), "origin": options.origin, "reason": options.reason, **what}
    _propose(options, "origin", fields)


def withdraw(options: argparse.Namespace) -> None:
    """Take back what was asked for and not yet approved."""
    _ask(options, "withdraw", _holder(options))
    print("withdrawn")


def approve(options: argparse.Namespace) -> None:
    """Approve what the other role's holder asks for."""
    proposed = _ask(options, "proposed", {})
    act = cast("dict[str, object]", proposed["act"])
    print(f"asked for: {proposed['text']}")
    _ask(options, "approve", {**_holder(options), "shown": document_hash(act["body"])})
    print("approved")


def decline(options: argparse.Namespace) -> None:
    """Decline what the inspector's holder asks for."""
    print(f"asked for: {_ask(options, 'proposed', {})['text']}")
    _ask(options, "decline", _holder(options))
    print("declined")


def export_keys(options: argparse.Namespace) -> None:
    """Write the public keys that are in force now; those they replace get a number."""
    keys = cast("dict[str, str]", _ask(options, "status", {})["keys"])
    roots = cast("list[str]", _ask(options, "status", {})["mark_key_roots"])
    for role, public in keys.items():
        path = options.public / f"{role}.pem"
        if path.exists() and read_public(path) != public:
            number = 1
            while (old := options.public / f"{role}-{number}.pem").exists():
                number += 1
            path.rename(old)
        if not path.exists():
            write_new(path, public_pem(public))
            path.chmod(0o644)
            print(f"{path} is new")
    (options.public / ROOTS).write_bytes(canonical(roots))


def handover(options: argparse.Namespace) -> None:
    """Vouch for the other role, whose journal or key is lost."""
    fields: dict[str, object] = {**_holder(options), "reason": options.reason, "keys": {}}
    if options.public:
        lost = ("inspector", "mark") if options.role == "rng" else ("rng",)
        fields["keys"] = {role: read_public(options.public / f"{role}.pem") for role in lost}
        if options.role == "rng":
            roots = (options.public / ROOTS).read_bytes()
            fields["mark_key_roots"] = json.loads(roots)
    answer = _ask(options, "handover", fields)
    write_new(options.out, canonical(answer["handover"]) + b"\n")
    print(f"handover written to {options.out}; the old journal is superseded")


def show_manifest(options: argparse.Namespace) -> None:
    """Print the manifest, as sha256sum checks it."""
    print(manifest(part="core" if options.core else "."), end="")


# ---- helpers -------------------------------------------------------------------------------------


def read_passphrase(prompt: str) -> str:
    """Ask for a passphrase at the terminal, or read it from a script, one a line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    try:
        return getpass.getpass(prompt)
    except EOFError:
        raise BadUsage("no passphrase was given") from None


def new_passphrase(name: str) -> str:
    """Ask for a passphrase that a holder has made up: at the terminal twice, until both agree.

    Nobody sees what is typed, and a key under a slip of the finger would be lost at once.
    """
    while True:
        made_up = read_passphrase(f"New passphrase of {name}: ")
        if not sys.stdin.isatty() or read_passphrase("Once more: ") == made_up:
            return made_up
        print("these were not the same")


def _holder(options: argparse.Namespace) -> dict[str, object]:
    return {
        "holder": options.holder,
        "passphrase": read_passphrase(f"Passphrase of {options.holder}: "),
    }


def _ask(options: argparse.Namespace, act: str, fields: Mapping[str, object]) -> dict[str, object]:
    client = Client(Address(path=str(options.dir / CONTROL_SOCKET)), seconds=60)
    try:
        return client.call(act, fields)
    except Unreachable as trouble:
        raise BadUsage(f"the process in {options.dir} does not answer: {trouble}") from None
    finally:
        client.close()


def _propose(options: argparse.Namespace, act: str, fields: Mapping[str, object]) -> None:
    """Propose an act and wait until the other key has approved it."""
    other = "keno-inspector" if options.role == "rng" else "keno-rng"
    print(f"asked for: {_ask(options, act, fields)['text']}")
    print(f"waiting for the other key: {other} approve --holder NAME")
    sys.stdout.flush()
    end = time.monotonic() + APPROVAL_SECONDS
    while _ask(options, "pending", {})["act"] is not None:
        if time.monotonic() > end:
            raise BadUsage("nobody approved it yet; it waits, and can be withdrawn")
        time.sleep(1)
    print("done under both keys; if it is sealed now, unlock it again")


def _print_status(status: Mapping[str, object]) -> None:
    role = status["role"]
    if status["failed"] is not None:
        print(f"{role}: STOPPED: {status['failed']}")
    if "series" not in status:
        return
    print(f"{role} of {status['house']}: {'unlocked' if status['unlocked'] else 'sealed'}")
    for lockout in cast("list[dict[str, str]]", status["lockouts"]):
        print(f"  LOCKED OUT: {lockout['detail']}")
    for code, place in cast("dict[str, dict[str, object]]", status["series"]).items():
        state = " (being drawn)" if place["open"] else " (void)" if place["void"] else ""
        print(f"  next {code}-{place['next']}{state}, last record {place['compare']}")
