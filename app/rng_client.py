"""The back office's side of the two keyed processes: what it asks them, and what it believes.

It believes nothing: a draw or a void that comes back is checked from public keys alone, as anybody
could, against the very statement that it was asked with (X-draw-public). No act is done twice
because it is asked for twice, so whatever was not answered is asked again.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Protocol, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from rng.core.records import LockStatement, NewOrigin, Sealed, VoidStatement
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    key_id,
    public_text,
    seal,
)
from rng.lab.verify import Wrong, of_role, read_keys, verify_against_statement, verify_void
from rng.note import NoteFailed, read_checkpoint, read_note
from rng.sealed_log import NotCosigned, cosigned_checkpoint
from rng.serve.protocol import Address, Client, Refused, Unreachable
from rng.serve.tls import (
    CERTIFICATE,
    KEY,
    NotChanged,
    change,
    credentials_of_office,
    fingerprint,
    make_tls,
    publish,
    renew,
)

TERMS = "terms.json"
OFFICE = "office"
OLD_CHECKPOINT, UNKNOWN_GAME = "checkpoint.stale", "game.unknown"
HAS_OUTCOME = ("game.marked", "game.drawn")
NEEDED_KEYS = {"office", "log", "rng", "mark", "inspector"}

Document = dict[str, Any]


class NotNow(Exception):  # noqa: N818  the game waits; the text is for whoever watches it
    """A keyed process does not do what it is asked, or lies; it is asked again."""


class NotBelieved(NotNow):
    """What came from a keyed process does not follow from its signatures."""


class NotExchanged(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """The office's certificate could not be exchanged."""


class Elsewhere(NotNow):
    """The inspector has cosigned another size than we know of: an answer was lost, or entries."""

    def __init__(self, size: int) -> None:
        super().__init__(f"The inspector has seen {size} entries of the log.")
        self.size = size


class Marked(Exception):  # noqa: N818  a void that cannot be: the game has an outcome
    """The game has a mark, and must be completed."""


@dataclass(frozen=True)
class Standing:
    """Where a series stands in the generator's journal: its next game, and what that builds on."""

    next_game: int
    previous: str


@dataclass(frozen=True)
class Ended:
    """What became of a game: the whole document, the hash of its record, and its numbers."""

    document: Document
    record: bytes
    numbers: list[int] | None


@dataclass(frozen=True)
class Locked:
    """What a lock statement is made of."""

    jurisdiction: str
    house: str
    log_origin: str
    series: str
    game: int
    note: str  # the cosigned head that covers the LOCK entry
    lock_index: int
    lock_leaf: bytes
    proof: list[bytes]
    previous: str
    closes_at: str
    locked_at: str


class Peer(Protocol):
    """A connection to one of the two processes."""

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        """Ask for an act and return its answer."""

    def close(self) -> None:
        """Close the connection."""


class Line:
    """A connection to a process, made when it is first needed, that threads use in turn."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._in_turn = threading.Lock()

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        """Ask for an act and return its answer."""
        with self._in_turn:
            return self._client.call(act, fields)

    def close(self) -> None:
        """Close the connection."""
        with self._in_turn:
            self._client.close()


def line_to(address: str, keys: Path, public: Path, name: str) -> Line:
    """Return a line to one of the two processes.

    Args:
        address: `unix:PATH`, or `tls:HOST:PORT`.
        keys: the folder of the office's keys, with the certificate that it shows.
        public: the folder of public keys, with the certificates of the other side.
        name: which of the two must be there.

    Raises:
        ValueError: the address is none, or others may read the certificate's key.
        OSError: the certificate or its key is not there, or a file cannot be read.
    """
    place = Address.read(address)
    if place.path is not None:
        return Line(Client(place))
    tls = credentials_of_office(keys, public, name)
    for path in (tls.certificate, *tls.peers.files()):
        path.open("rb").close()  # OpenSSL does not name a file that others keep from us
    tls.context(server=False)  # what is missing is told now, and not at the first game
    return Line(Client(place, tls))


def public_keys_in(folder: Path) -> dict[str, str]:
    """Return the public keys in a folder, in DER; none before the ceremony."""
    try:
        return read_keys(folder)
    except Wrong:
        return {}


class KeyedProcesses:
    """The generator and the inspector, as the back office reaches them."""

    def __init__(self, rng: Peer, inspector: Peer, public: Path) -> None:
        """Prepare to ask them.

        Args:
            rng: the generator.
            inspector: the inspector.
            public: the folder of public keys, as both ceremonies left it.
        """
        self._rng, self._inspector = rng, inspector
        self._public = public
        self._asking = threading.Lock()
        self._said: dict[str, Document | NotNow] = {
            "rng": NotNow("The generator was not asked yet."),
            "inspector": NotNow("The inspector was not asked yet."),
        }

    def close(self) -> None:
        """Close both connections."""
        self._rng.close()
        self._inspector.close()

    def public_keys(self) -> dict[str, str]:
        """Return the public keys of the house, in DER; none before the ceremony."""
        return public_keys_in(self._public)

    def _needed_keys(self) -> dict[str, str]:
        """Return the public keys; without all of them nothing can be asked, or judged.

        Raises:
            NotNow: some cannot be read.
        """
        try:
            keys = read_keys(self._public)
        except (Wrong, OSError) as trouble:
            raise NotNow(f"The public keys cannot be read: {trouble}.") from None
        missing = sorted(NEEDED_KEYS - keys.keys())
        if missing:
            raise NotNow(f"The public keys of {', '.join(missing)} are missing.")
        return keys

    # ---- how they stand --------------------------------------------------------------------------

    def check_ready(self) -> None:
        """Check that both are unlocked and not locked out.

        Raises:
            NotNow: one of them is not, or does not answer.
        """
        for name, client in (("generator", self._rng), ("inspector", self._inspector)):
            status = _asked(client, name, "status", {})
            with _taken_at_its_word(name):
                if status.get("failed"):
                    raise NotNow(f"The {name} has stopped: {status['failed']}.")
                if not status.get("unlocked"):
                    raise NotNow(f"The {name} is locked; a holder of its key must unlock it.")
                for lockout in status.get("lockouts", []):
                    raise NotNow(f"The {name} is locked out: {lockout['detail']}.")

    def statuses(self) -> dict[str, Document | NotNow]:
        """Return what each of the two says of itself; or why nothing comes back.

        One asks at a time, and whoever comes meanwhile is told what was said last: pages that look
        at a process which hangs must not take every thread from those who sell.
        """
        if self._asking.acquire(blocking=False):
            try:
                self._said = {
                    "rng": _status(self._rng, "generator"),
                    "inspector": _status(self._inspector, "inspector"),
                }
            finally:
                self._asking.release()
        return self._said

    def standing(self, series: str) -> Standing:
        """Return where a series stands in the generator's journal.

        Raises:
            NotNow: it does not answer, or does not know the series.
        """
        known = _asked(self._rng, "generator", "status", {}).get("series", {})
        with _taken_at_its_word("generator"):
            if series not in known:
                raise NotNow(f"The generator does not know series {series}.")
            return Standing(int(known[series]["next"]), str(known[series]["previous"]))

    # ---- sealing ---------------------------------------------------------------------------------

    def cosign(self, note: str, old_size: int, proof: list[bytes], cosigned: str | None) -> str:
        """Have the inspector cosign a head of the log, and return the note with its signature.

        What comes back is checked before anyone keeps it: a seal that does not hold would stand in
        the lock statement of a game for ever, and the game could not be drawn.

        Raises:
            NotNow: it does not.
            NotBelieved: what came back is not that head, signed by the log and cosigned.
            Elsewhere: it has seen another size than the proof begins at.
        """
        steps = [step.hex() for step in proof]
        fields = {"note": note, "old_size": old_size, "proof": steps, "cosigned": cosigned}
        try:
            answer = self._inspector.call("cosign", fields)
        except Refused as no:
            if no.code == OLD_CHECKPOINT:
                with _taken_at_its_word("inspector"):
                    raise Elsewhere(int(cast("int", no.evidence["size"]))) from None
            raise NotNow(no.message) from None
        except Unreachable as trouble:
            raise _away("inspector", trouble) from None
        with _taken_at_its_word("inspector"):
            return self._checked_cosignature(str(answer["note"]), read_note(note).text)

    def newest_cosigned(self, origin: str) -> str | None:
        """Return the newest head that the inspector says it has cosigned, checked; none if none.

        Args:
            origin: the name of our log.

        Raises:
            NotNow: it does not answer, or witnesses a log of another name.
            NotBelieved: what came back is not such a head.
        """
        said = _asked(self._inspector, "inspector", "status", {})
        with _taken_at_its_word("inspector"):
            if "checkpoint" not in said:
                raise NotNow(f"The inspector has stopped: {said.get('failed')}.")
            if said["log_origin"] != origin:
                raise NotNow(f"The inspector's log is {said['log_origin']}, and ours is {origin}.")
            note = said["checkpoint"]
            return note and self._checked_cosignature(str(note), read_note(str(note)).text)

    def new_origin(self) -> Document | None:
        """Return the act by which both keys gave the log its name; none if it has its first.

        Raises:
            NotNow: the inspector does not answer.
            NotBelieved: what came back is not signed by both keys.
        """
        said = _asked(self._inspector, "inspector", "status", {})
        with _taken_at_its_word("inspector"):
            act = said.get("origin")
            if act is None:
                return None
            try:
                sealed = shaped(Sealed[NewOrigin], act)
            except WrongShape as odd:
                raise NotBelieved(f"The new name of the log makes no sense: {odd}.") from None
            keys = self._needed_keys()
            for rng, inspector in product(of_role(keys, "rng"), of_role(keys, "inspector")):
                with suppress(BadSignature):
                    check_signatures(sealed, [rng, inspector])
                    return dict(act)
        raise NotBelieved("The new name of the log is not signed by both keys.")

    def check_cosigned(self, note: str) -> None:
        """Check a kept head again: signed by the log, and cosigned by the inspector.

        Raises:
            NotNow: the public keys cannot be read.
            NotBelieved: it is not.
        """
        with _taken_at_its_word("inspector"):
            self._checked_cosignature(note, read_note(note).text)

    def _checked_cosignature(self, note: str, text: str) -> str:
        origin, keys = read_checkpoint(text).origin, self._needed_keys()
        why = "it is of another head"
        for log, inspector in product(of_role(keys, "log"), of_role(keys, "inspector")):
            try:
                cosigned_checkpoint(note, origin, log, inspector)
            except NotCosigned as fault:
                why = str(fault)
            else:
                if read_note(note).text == text:
                    return note
        raise NotBelieved(f"The cosignature is not believed: {why}.")

    def lock_request(self, locked: Locked, office: Ed25519PrivateKey) -> Document:
        """Return what the generator is asked to draw a game with: statement, signed, and seal."""
        keys = self._needed_keys()
        statement = shaped(
            LockStatement,
            {
                **_head("keno/lock-statement", locked),
                "derivation": 1,
                "log_origin": locked.log_origin,
                "checkpoint": read_note(locked.note).text,
                "lock_index": locked.lock_index,
                "lock_leaf": locked.lock_leaf.hex(),
                "office_key": key_id(public_text(office.public_key())),
                "rng_key": key_id(keys["rng"]),
                "mark_key": key_id(keys["mark"]),
                "closes_at": locked.closes_at,
                "locked_at": locked.locked_at,
            },
        )
        its_seal = {"note": locked.note, "proof": [step.hex() for step in locked.proof]}
        return {"statement": seal(statement, office), "seal": its_seal}

    # ---- drawing and voiding ---------------------------------------------------------------------

    def draw(self, request: Mapping[str, Any]) -> Ended:
        """Have a locked game drawn, or return what was drawn; checked.

        Raises:
            NotNow: it is not drawn now, or what came back is not its draw.
        """
        try:
            answer = self._rng.call("draw", request)
        except Refused as no:
            if no.code != UNKNOWN_GAME:
                raise NotNow(no.message) from None
            # A new generator, whose handover came after this game: the inspector has it.
            said = request["statement"]["body"]
            which = {"series": said["series"], "game": said["game"]}
            answer = _asked(self._inspector, "inspector", "record", which)
        except Unreachable as trouble:
            raise _away("generator", trouble) from None
        return self.checked_draw(cast("Document", answer.get("drawn")), request["statement"])

    def checked_draw(self, document: Document, statement: Document) -> Ended:
        """Return a draw that was checked from public keys against its statement.

        Raises:
            NotBelieved: something in it does not follow.
            NotNow: the public keys cannot be read.
        """
        keys = self._needed_keys()
        try:
            verify_against_statement(document, statement, keys)
        except Wrong as found:
            raise NotBelieved(f"The draw is not believed: {found}.") from None
        record = document["record"]["body"]
        return Ended(document, bytes.fromhex(document_hash(record)), record["numbers"])

    def ended_game(self, series: str, game: int) -> tuple[Ended, Document | None]:
        """Return what became of a game, checked, and what its draw was asked with; for a restore.

        Raises:
            NotNow: neither process has it, or one does not answer, or it is not believed.
        """
        answer = self._record(series, game)
        with _taken_at_its_word("inspector"):
            if "void" in answer:
                return self._checked_void(answer["void"]), None
            if "drawn" not in answer:
                raise NotNow(f"Game {series}-{game} is not over in either journal.")
            document = answer["drawn"]
            return self.checked_draw(document, document["statement"]), _request(document)

    def begun_game(self, series: str, game: int) -> Document | None:
        """Return what the draw of a game was asked with, if it was; none if it never was.

        Raises:
            NotNow: a process does not answer, or what it says is not believed.
        """
        if self.standing(series).next_game > game:
            return self.ended_game(series, game)[1]
        try:
            answer = self._record(series, game)
        except NotNow:
            return None  # neither journal has it: it was never asked for
        with _taken_at_its_word("inspector"):
            request = _request(answer["begun"])
            note = str(request["seal"]["note"])
            self._checked_cosignature(note, read_note(note).text)
            return request

    def _record(self, series: str, game: int) -> Document:
        """Return what the inspector's journal has of a game; the newest may not have reached it."""
        which = {"series": series, "game": game}
        try:
            return _asked(self._inspector, "inspector", "record", which)
        except NotNow:
            return _asked(self._rng, "generator", "record", which)

    def void_statement(
        self, locked: Mapping[str, Any], reason: str, at: str, office: Ed25519PrivateKey
    ) -> Document:
        """Return the signed statement that a game cannot be drawn.

        Args:
            locked: the body that names the game: jurisdiction, house, series, game, previous.
            reason: why it cannot.
            at: when that was said.
            office: the key that signs it.
        """
        names = ("jurisdiction", "house", "series", "game", "previous")
        body = {
            "label": "keno/void-statement",
            "version": 1,
            **{name: locked[name] for name in names},
            "reason": reason,
            "office_key": key_id(public_text(office.public_key())),
            "voided_at": at,
        }
        return cast("Document", seal(shaped(VoidStatement, body), office))

    def void(self, statement: Document) -> Ended:
        """Have a game voided, or return its void; checked.

        Raises:
            Marked: the game has a mark, and cannot be voided.
            NotNow: it is not voided now, or what came back is not its void.
        """
        try:
            answer = self._rng.call("void", {"statement": statement})
        except Refused as no:
            if no.code in HAS_OUTCOME:
                raise Marked(no.message) from None
            raise NotNow(no.message) from None
        except Unreachable as trouble:
            raise _away("generator", trouble) from None
        ended = self._checked_void(cast("Document", answer.get("void")))
        if ended.document["statement"]["body"] != statement["body"]:
            raise NotBelieved("The void is not believed: it is that of another statement.")
        return ended

    def _checked_void(self, document: Document) -> Ended:
        keys = self._needed_keys()
        try:
            verify_void(document, keys)
        except Wrong as found:
            raise NotBelieved(f"The void is not believed: {found}.") from None
        record = document_hash(document["record"]["body"])
        return Ended(document, bytes.fromhex(record), None)


def publish_terms(  # noqa: PLR0913, PLR0917  what a house brings to the ceremony
    folder: Path,
    house: str,
    jurisdiction: str,
    log_origin: str,
    series: Mapping[str, int],
    keys: Mapping[str, Ed25519PrivateKey],
) -> None:
    """Bring house, series and the public halves of the office's keys to the key ceremony."""
    folder.mkdir(parents=True, exist_ok=True)
    terms = {
        "label": "keno/terms",
        "version": 1,
        "jurisdiction": jurisdiction,
        "house": house,
        "log_origin": log_origin,
        "series": dict(series),
    }
    (folder / TERMS).write_text(json.dumps(terms, indent=2, sort_keys=True) + "\n")
    for role, key in keys.items():
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (folder / f"{role}.pem").write_bytes(public)


def make_certificate(keys: Path) -> None:
    """Make the certificate that the office shows to the keyed processes, if there is none."""
    if not (keys / CERTIFICATE).exists() and not (keys / KEY).exists():
        make_tls(keys, OFFICE)


def renew_certificate(keys: Path, public: Path) -> tuple[Path, str]:
    """Make the office's next certificate, or its first; return where others find it, and its print.

    Raises:
        NotExchanged: one was made already, and waits to be shown.
    """
    if not (keys / CERTIFICATE).exists():
        make_certificate(keys)
        place = publish(public, OFFICE, (keys / CERTIFICATE).read_bytes())
    else:
        try:
            place = renew(keys, OFFICE, public)
        except NotChanged as fault:
            raise NotExchanged(str(fault)) from None
    return place, fingerprint(place.read_bytes())


def show_next_certificate(keys: Path) -> str:
    """Show the office's next certificate from now on, and return its print.

    Raises:
        NotExchanged: there is no next one.
    """
    try:
        change(keys)
    except NotChanged as fault:
        raise NotExchanged(str(fault)) from None
    return fingerprint((keys / CERTIFICATE).read_bytes())


def publish_certificate(keys: Path, public: Path) -> None:
    """Bring the office's certificate to the key ceremony, or to those who are to accept it."""
    if (keys / CERTIFICATE).exists():
        publish(public, OFFICE, (keys / CERTIFICATE).read_bytes())


def _request(document: Mapping[str, Any]) -> Document:
    """Return what a draw was asked with: its statement, and the seal of its game."""
    return {"statement": document["statement"], "seal": document["seal"]}


def _head(label: str, locked: Locked) -> Document:
    return {
        "label": label,
        "version": 1,
        "jurisdiction": locked.jurisdiction,
        "house": locked.house,
        "series": locked.series,
        "game": locked.game,
        "previous": locked.previous,
    }


@contextmanager
def _taken_at_its_word(name: str) -> Iterator[None]:
    """Read what a process said; what makes no sense is not believed, and the game waits."""
    try:
        yield
    except (AttributeError, LookupError, NoteFailed, TypeError, ValueError) as odd:
        raise NotBelieved(f"The {name} says what makes no sense: {odd!r}.") from None


def _asked(client: Peer, name: str, act: str, fields: Mapping[str, object]) -> Document:
    try:
        return cast("Document", client.call(act, fields))
    except Refused as no:
        raise NotNow(no.message) from None
    except Unreachable as trouble:
        raise _away(name, trouble) from None


def _status(client: Peer, name: str) -> Document | NotNow:
    try:
        return _asked(client, name, "status", {})
    except NotNow as trouble:
        return trouble


def _away(name: str, trouble: Exception) -> NotNow:
    return NotNow(f"The {name} does not answer: {trouble}.")
