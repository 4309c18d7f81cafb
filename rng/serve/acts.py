"""Acts under both keys: reopening, new keys, new holders, a new series, a new name of the log.

One role proposes, a holder of the other approves. Both give their passphrase again, so that two
people are present and not only two unlocked processes (15.5(a)-dual-key). The write order, and what
a crash after each write leads to:

1. The proposal, with what it will change in the key file, goes to `pending.json`, durable.
   *Crash: it waits; the same command goes on with it.*
2. The approving role writes the act, with both signatures, into its journal.
   *Crash, or a lost answer: asked again, it returns the same act.*
3. The proposing role writes the act into its own journal. *Crash: at the next start it is found.*
4. The key file is replaced. *Crash before: the start finds the act in the journal and does it.*
5. `pending.json` is removed.

The generator carries the documents in both directions, because it is the one that calls.
"""

import json
from collections.abc import Mapping
from typing import TypedDict, TypeVar, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from rng.core.canonical import canonical
from rng.core.mark import (
    EXPONENT,
    MODULUS_BITS,
    MarkFailed,
    check_permutation,
    show_permutation,
)
from rng.core.records import (
    Cosigned,
    GameNumber,
    Handover,
    Hash,
    Holders,
    Kept,
    Key,
    MarkText,
    Name,
    NewOrigin,
    NewSeries,
    PublicKey,
    Reopen,
    Role,
    Sealed,
    Sentence,
    SeriesCode,
)
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    ed25519_key,
    key_id,
    public_text,
    rsa_key,
    seal,
    sign,
)
from rng.merkle import ProofFailed, check_consistency
from rng.note import Checkpoint, read_checkpoint, read_note
from rng.serve.journal import Damaged, Entry, replace_file, sync_folder
from rng.serve.keyed import NAMES, Fields, KeyedProcess, field
from rng.serve.keystore import OpenKeys, WeakPassphrase
from rng.serve.refusals import Code, Refused, refused
from rng.serve.slip import short_hash

PENDING = "pending.json"
T = TypeVar("T")

Act = Reopen | Key | Holders | NewSeries | NewOrigin
FORMS: dict[str, tuple[str, type]] = {
    "keno/reopen": ("REOPEN", Reopen),
    "keno/key": ("KEY", Key),
    "keno/holders": ("HOLDERS", Holders),
    "keno/series": ("SERIES", NewSeries),
    "keno/origin": ("ORIGIN", NewOrigin),
}


ACT_KINDS = frozenset(kind for kind, _ in FORMS.values())


class _Pending(TypedDict):
    """What waits for the other key: the act, and the key file as it will be."""

    act: dict[str, object]
    keystore: str | None


def read_act(document: object) -> Sealed[Act]:
    """Return an act of one of the known forms.

    Raises:
        Refused: it is none.
    """
    try:
        body = cast("dict[str, dict[str, str]]", document)["body"]
        _, form = FORMS[body["label"]]
        return cast("Sealed[Act]", shaped(Sealed[form], document))  # type: ignore[valid-type]
    except (KeyError, TypeError, WrongShape) as fault:
        raise refused(Code.MALFORMED, detail=f"an act: {fault}") from None


def proposer(body: Act) -> Role:
    """Return the role that proposes an act: the one it is about, else the generator."""
    if body["label"] == "keno/key":
        return "inspector" if body["role"] in ("inspector", "mark") else "rng"
    if body["label"] == "keno/series" or body["label"] == "keno/origin":
        return "rng"
    return body["role"]


def signers(body: Act, keys: Mapping[str, str]) -> list[str]:
    """Return the keys that sign an act: who proposes, the new key itself, who approves."""
    first = proposer(body)
    second = "inspector" if first == "rng" else "rng"
    proof = [body["new"]] if body["label"] == "keno/key" and body["role"] == first else []
    return [keys[first], *proof, keys[second]]


class ActingProcess(KeyedProcess):
    """A keyed process that can propose acts and approve those of the other role."""

    _pending: _Pending | None = None

    def _read_journal(self) -> None:
        super()._read_journal()
        path = self.folder / PENDING
        if path.exists():
            try:
                self._pending = shaped(_Pending, json.loads(path.read_bytes()))
                read_act(self._pending["act"])
            except (ValueError, WrongShape, Refused) as fault:
                raise Damaged(f"{PENDING} is damaged: {fault}") from None

    def _begin(self) -> None:
        super()._begin()
        if self._pending is not None and self._pending_hash() in self.state.acts:
            self._finish()

    def check_line(self, entry: Entry) -> None:
        """Check that an act in the journal is signed by both keys: whoever can write can add."""
        kind, document = entry.line["kind"], entry.line["document"]
        try:
            if kind in ACT_KINDS:
                act = read_act(document)
                check_signatures(act, signers(act["body"], self.state.keys))
            elif kind == "HANDOVER":
                handover = shaped(Sealed[Handover], document)
                check_signatures(handover, [self.state.keys[self.role]])
        except (BadSignature, WrongShape, Refused) as fault:
            raise Damaged(
                f"line {entry.line['index'] + 1} is no act of both keys: {fault}"
            ) from None

    # ---- what can be proposed --------------------------------------------------------------------

    def reopen(self, fields: Fields) -> Mapping[str, object]:
        """Propose to end a lockout, accepting the software as it is now."""
        keys = self.open_keys(fields)
        digest = field(fields, "lockout", Hash)
        lockout = self.state.lockouts.get(digest)
        if lockout is None:
            raise refused(Code.ACT_REFUSED, detail="there is no such lockout")
        body = shaped(
            Reopen,
            {
                **self.head("keno/reopen"),
                "role": self.role,
                "lockout": lockout,
                "software": self.current_software(),
                "standing": self.state.standing(),
                "reason": field(fields, "reason", Sentence),
                "at": self.now(),
            },
        )
        return self._propose(keys, body, None)

    def rotate(self, fields: Fields) -> Mapping[str, object]:
        """Propose a new key: one of this role's own, or one that the back office made."""
        keys = self.open_keys(fields)
        role = field(fields, "key", str)
        own = {house_role: name for name, house_role in self.key_roles().items()}
        roots, file, proof = None, None, []
        if role in own:
            fresh = _fresh_key(role)
            if not isinstance(fresh, Ed25519PrivateKey):
                roots = show_permutation(fresh)
            elif role == self.role:
                proof = [fresh]
            new = public_text(fresh.public_key())
            file = self.keystore.with_keys(OpenKeys({**keys.keys, own[role]: fresh}))
        elif self.role == "rng" and role in ("office", "log"):
            new = field(fields, "public", PublicKey)
        else:
            raise refused(Code.ACT_REFUSED, detail=f"the {role} key is not rotated here")
        body = shaped(
            Key,
            {
                **self.head("keno/key"),
                "role": role,
                "old": self.state.key_id(role),
                "new": new,
                "mark_key_roots": roots,
                "at": self.now(),
            },
        )
        return self._propose(keys, body, file, *proof)

    def holders(self, fields: Fields) -> Mapping[str, object]:
        """Propose to add or to remove a holder of this role's keys."""
        keys = self.open_keys(fields)
        who = field(fields, "who", Name)
        change = field(fields, "change", str)
        names = list(self.state.holders)
        if change == "add":
            if who in names:
                raise refused(Code.ACT_REFUSED, detail=f"{who} is a holder already")
            try:
                file = self.keystore.with_holder(keys, who, field(fields, "new_passphrase", str))
            except WeakPassphrase as fault:
                raise refused(Code.ACT_REFUSED, detail=fault) from None
            names.append(who)
        elif change == "remove":
            if who not in names or len(names) <= 2:
                raise refused(Code.ACT_REFUSED, detail="two holders must remain")
            file = self.keystore.without_holder(keys, who)
            names.remove(who)
        else:
            raise refused(Code.MALFORMED, detail="change: add or remove")
        body = shaped(
            Holders,
            {
                **self.head("keno/holders"),
                "role": self.role,
                "change": f"{change} {who}",
                "holders": names,
                "at": self.now(),
            },
        )
        return self._propose(keys, body, file)

    def add_series(self, fields: Fields) -> Mapping[str, object]:
        """Propose a further series of games; the generator's holder does."""
        keys = self.open_keys(fields)
        body = shaped(
            NewSeries,
            {
                **self.head("keno/series"),
                "series": field(fields, "series", SeriesCode),
                "first_game": field(fields, "first_game", GameNumber),
                "at": self.now(),
            },
        )
        return self._propose(keys, body, None)

    def new_origin(self, fields: Fields) -> Mapping[str, object]:
        """Propose that the log goes on under another name; the generator's holder does.

        For entries that were cosigned and are lost for good: nobody can show that a log of the old
        name only grew. The act names the last head that was cosigned under it, the head of what is
        left, and why; and says so if what is left is not shown to be a beginning of what is lost.
        """
        keys = self.open_keys(fields)
        head = self.last_cosigned()
        if head is None:
            raise refused(Code.ACT_REFUSED, detail="no head of the log was cosigned yet")
        body = shaped(
            NewOrigin,
            {
                **self.head("keno/origin"),
                "old_origin": self.state.house["log_origin"],
                "new_origin": field(fields, "origin", Name),
                "size": head.size,
                "root": head.root.hex(),
                "kept": field(fields, "kept", Kept),
                "fork": field(fields, "fork", bool),
                "reason": field(fields, "reason", Sentence),
                "at": self.now(),
            },
        )
        return self._propose(keys, body, None)

    def last_cosigned(self) -> Checkpoint | None:
        """Return the last head of the log that the inspector has cosigned, as far as is known."""
        if self.state.checkpoint is None:
            return None
        return read_checkpoint(read_note(self.state.checkpoint).text)

    def withdraw(self, fields: Fields) -> Mapping[str, object]:
        """Take back a proposal that the other key did not approve."""
        self.open_keys(fields)
        if self._pending is None:
            raise refused(Code.NOTHING_PENDING)
        self.check_not_approved(self._pending["act"])
        self._forget_pending()
        return {}

    def check_not_approved(self, act: Mapping[str, object]) -> None:
        """Check that a proposal can still be taken back: the other role has not written it down.

        Raises:
            Refused: it may have.
        """
        raise NotImplementedError

    # ---- proposing and approving -----------------------------------------------------------------

    def proposals(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Return what waits for the other key's approval here."""
        return {"act": self._pending and self._pending["act"]}

    def check_act(self, body: Act) -> None:
        """Check that an act may be approved, by what this journal knows.

        Raises:
            Refused: it may not.
        """
        self.check_house(cast("Mapping[str, object]", body))
        fault = None
        if body["label"] == "keno/reopen":
            if body["standing"]["series"] != self.state.standing()["series"]:
                raise refused(Code.STANDING)
            if body["lockout"]["role"] not in (body["role"], "both"):
                fault = "the lockout is of the other role"
        elif body["label"] == "keno/key":
            fault = self._key_fault(body)
        elif body["label"] == "keno/series" and body["series"] in self.state.series:
            fault = "there is such a series already"
        elif body["label"] == "keno/origin":
            fault = self._origin_fault(body)
        if fault:
            raise refused(Code.ACT_REFUSED, detail=fault)

    def _check_taken(self, body: Act) -> None:
        """Check that an approved act still fits: it may have waited in an old copy of the folder.

        Raises:
            Refused: it does not; it can only be withdrawn.
        """
        stale = (
            (body["label"] == "keno/series" and body["series"] in self.state.series)
            or (body["label"] == "keno/key" and body["old"] != self.state.key_id(body["role"]))
            or (body["label"] == "keno/origin" and self._origin_fault(body) is not None)
        )
        if stale:
            raise refused(Code.ACT_REFUSED, detail="it was proposed at another time")

    def has_pending_key(self) -> bool:
        """Whether a new key was proposed here: no game is begun until it is in force, or not."""
        return self._pending is not None and read_act(self._pending["act"])["body"]["label"] == (
            "keno/key"
        )

    def check_shown(self, fields: Fields, act: Sealed[Act]) -> None:
        """Check that what is to be approved is what the holder was shown.

        Raises:
            Refused: it is something else.
        """
        if field(fields, "shown", Hash) != document_hash(act["body"]):
            raise refused(Code.OTHER_ACT)

    def sign_act(self, act: Sealed[Act], keys: OpenKeys) -> Sealed[Act]:
        """Approve the other role's act: check it, sign it, and write it down.

        Raises:
            Refused: it may not be approved.
        """
        body = act["body"]
        if proposer(body) == self.role:
            raise refused(Code.ACT_REFUSED, detail="it has to be approved by the other key")
        digest = document_hash(body)
        if digest in self.state.acts:
            return read_act(self.journal.document_at(self.state.acts[digest]))
        self._check_signatures(act, signers(body, self.state.keys)[:-1])
        self.check_act(body)
        approved: Sealed[Act] = {
            "body": body,
            "signatures": [*act["signatures"], sign(body, keys.signing)],
        }
        self.write(FORMS[body["label"]][0], approved)
        return approved

    def take_act(self, document: object) -> None:
        """Carry out an act of this role that the other has approved.

        It was checked when it was proposed and when it was approved, and the other role has it in
        its journal: so there is nothing left to decide here.

        Raises:
            Refused: it is not the one that is pending, or not signed by both.
        """
        act = read_act(document)
        body = act["body"]
        is_pending = self._pending is not None and self._pending_hash() == document_hash(body)
        if document_hash(body) not in self.state.acts:
            if not is_pending:
                raise refused(Code.ACT_REFUSED, detail="it was not proposed here")
            self._check_signatures(act, signers(body, self.state.keys))
            self._check_taken(body)
            self.write(FORMS[body["label"]][0], act)
        if is_pending:
            self._finish()

    # ---- handing over ----------------------------------------------------------------------------

    def handover(self, fields: Fields) -> Mapping[str, object]:
        """Vouch for where the other role stands, so that it can start a new journal.

        Its journal or its key is lost. From here on only the new journal, and the key named here,
        count; the old ones are superseded, should they turn up again.
        """
        self.need_sound()
        keys = self.open_keys(fields)
        other: Role = "inspector" if self.role == "rng" else "rng"
        body = shaped(
            Handover,
            {
                "label": "keno/handover",
                "version": 1,
                "house": self._house_after(fields, other),
                "role": other,
                "epoch": self.state.peer_epoch + 1,
                "giver_epoch": self.state.epoch,
                "standing": self.state.standing(),
                "open_games": [
                    {**series.intent, "mark": series.mark}
                    for series in self.state.series.values()
                    if series.intent is not None and series.mark is not None
                ],
                "buried_games": [
                    series.tombstone
                    for series in self.state.series.values()
                    if series.tombstone is not None
                ],
                "checkpoint": self.latest_checkpoint(),
                "reason": field(fields, "reason", Sentence),
                "at": self.now(),
            },
        )
        sealed = seal(body, keys.signing)
        self.write("HANDOVER", sealed)
        return {"handover": sealed}

    def latest_checkpoint(self) -> str | None:
        """Return the latest cosigned checkpoint that is known here."""
        return self.state.checkpoint

    # ---- helpers ---------------------------------------------------------------------------------

    def _propose(
        self, keys: OpenKeys, body: Act, keystore: bytes | None, *proof: Ed25519PrivateKey
    ) -> Mapping[str, object]:
        """Keep an act until the other key approves it; one at a time."""
        if self._pending is not None:
            raise refused(Code.OTHER_PENDING, act=act_text(read_act(self._pending["act"])["body"]))
        self.check_act(body)
        act = seal(body, keys.signing, *proof)
        pending: _Pending = {
            "act": cast("dict[str, object]", act),
            "keystore": keystore.decode() if keystore else None,
        }
        replace_file(self.folder / PENDING, canonical(pending))
        self._pending = pending
        return {"act": act, "text": act_text(body)}

    def _finish(self) -> None:
        """Change the key file as the act says, and forget that it was pending.

        The keys in memory are then the old ones, so the process seals itself: who unlocks it again
        shows that the new file opens.
        """
        pending = cast("_Pending", self._pending)
        try:
            if pending["keystore"] is not None:
                self.keystore.replace(pending["keystore"].encode())
                self.put_away("its key file was changed")
            self._forget_pending()
        except OSError as trouble:
            self.failure = f"the key file could not be replaced: {trouble}"
            raise self.failed() from None

    def _forget_pending(self) -> None:
        (self.folder / PENDING).unlink(missing_ok=True)
        sync_folder(self.folder)
        self._pending = None

    def _pending_hash(self) -> str:
        return document_hash(cast("_Pending", self._pending)["act"]["body"])

    def _key_fault(self, body: Key) -> str | None:
        """Return why a key may not take another's place now, if so."""
        if body["old"] != self.state.key_id(body["role"]):
            return "the old key is not the one in force"
        if any(series.intent or series.tombstone for series in self.state.series.values()):
            return "a game is being drawn or voided; its keys stay until it is over"
        if body["new"] in self.state.keys.values():
            return "the new key is in use already"
        if body["role"] != "mark" and body["mark_key_roots"]:
            return "only a mark key has roots"
        try:
            if body["role"] == "mark":
                check_permutation(rsa_key(body["new"]), body["mark_key_roots"] or [])
            else:
                ed25519_key(body["new"])
        except (BadSignature, MarkFailed) as fault:
            return str(fault)
        return None

    def _origin_fault(self, body: NewOrigin) -> str | None:
        """Return why the log may not go on under another name now, if so."""
        if body["old_origin"] != self.state.house["log_origin"]:
            return "the log has another name"
        if body["new_origin"] in self.state.origins:
            return "the log had this name before"
        if any(series.intent or series.tombstone for series in self.state.series.values()):
            return "a game is being drawn or voided; it is finished first"
        # The generator knows what its draws were sealed with; the inspector what it cosigned.
        known = ActingProcess.last_cosigned(self)
        newer = known is not None and known.size > body["size"]
        named = known is not None and (known.size, known.root.hex()) == (body["size"], body["root"])
        if newer or (self.role == "inspector" and not named):
            return "it names another head than the last that was cosigned"
        return kept_fault(body) or self._shown_fault(body)

    def _shown_fault(self, body: NewOrigin) -> str | None:
        """Return why the head that is shown is not the one that it must be, if so.

        It is the last one that I cosigned of what is left. The generator does not know them all.
        """
        shown, offset = body["kept"]["shown"], self.state.cosigned_up_to(body["kept"]["size"])
        if shown is None or offset is None:
            return None
        line = cast("Cosigned", self.journal.document_at(offset))
        last = read_checkpoint(read_note(line["note"]).text)
        if (last.size, last.root.hex()) != (shown["size"], shown["root"]):
            return f"what is left must be shown to continue the head of {last.size} entries"
        return None

    def _check_signatures(self, act: Sealed[Act], publics: list[str]) -> None:
        try:
            check_signatures(act, publics)
        except BadSignature as fault:
            raise refused(Code.ACT_REFUSED, detail=fault) from None

    def _house_after(self, fields: Fields, other: Role) -> dict[str, object]:
        """Return the house with the keys of the other role as they will be."""
        lost = ("rng",) if other == "rng" else ("inspector", "mark")
        given: dict[str, str] = field(fields, "keys", dict[str, PublicKey])
        if not given.keys() <= set(lost):
            raise refused(Code.ACT_REFUSED, detail="a handover changes keys of the other role only")
        held = any(series.mark or series.tombstone for series in self.state.series.values())
        if given and self.role == "rng" and held:
            raise refused(
                Code.ACT_REFUSED, detail="unlock first: a game was handed over unfinished"
            )
        roots = fields.get("mark_key_roots") or self.state.mark_key_roots
        keys = {**self.state.keys, **given}
        try:
            check_permutation(rsa_key(keys["mark"]), shaped(list[MarkText], roots))
        except (BadSignature, MarkFailed, WrongShape) as fault:
            raise refused(Code.ACT_REFUSED, detail=fault) from None
        return {**self.state.house, "keys": keys, "mark_key_roots": roots}


def kept_fault(body: NewOrigin) -> str | None:
    """Return why what is left of a log is not shown to be a beginning of what is given up, if so.

    What is left continues a head that I cosigned, and what is given up does so too; or the log
    without entries, if I cosigned nothing of what is left. A log of which nobody can show that is a
    fork, and the act says so.
    """
    kept, shown = body["kept"], body["kept"]["shown"]
    if body["fork"] != (shown is None):
        return "what is left is either shown to be a beginning, or said to be a fork"
    if shown is None:
        return None
    if kept["size"] > body["size"]:
        return "more is left than is given up: it is a fork, and must be said to be one"
    heads = (shown["size"], bytes.fromhex(shown["root"]), kept["size"], bytes.fromhex(kept["root"]))
    try:
        check_consistency(*heads, [bytes.fromhex(step) for step in shown["proof"]])
    except ProofFailed as fault:
        return f"what is left does not continue the head that is shown: {fault}"
    return None


def act_text(body: Act) -> str:
    """Return an act in a sentence, for the person who is asked to approve it."""
    match body["label"]:
        case "keno/reopen":
            lockout = body["lockout"]
            also = f", accepting software {short_hash(body['software'])}"
            also = also if lockout["reason"] == "software" else ""
            return f"reopen the {NAMES[body['role']]} after: {lockout['detail']}{also}"
        case "keno/key":
            return f"put {short_hash(key_id(body['new']))} in the place of the {body['role']} key"
        case "keno/holders":
            all_of_them = ", ".join(body["holders"])
            return f"{body['change']}; the {NAMES[body['role']]}'s holders are then {all_of_them}"
        case "keno/series":
            return f"begin the series {body['series']} with game {body['first_game']}"
        case "keno/origin":
            lost = f"giving up {body['old_origin']} at {body['size']} entries"
            lost += f" and keeping {body['kept']['size']}"
            lost += ", A FORK that is no beginning of them" if body["fork"] else ""
            return f"go on with the log as {body['new_origin']}, {lost}: {body['reason']}"


def _fresh_key(role: str) -> Ed25519PrivateKey | RSAPrivateKey:
    if role == "mark":
        return generate_private_key(EXPONENT, MODULUS_BITS)
    return Ed25519PrivateKey.generate()
