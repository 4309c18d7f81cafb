"""Every document of the draw, field by field. The format page beside the package explains them.

A *body* has a label and a version and is what gets hashed and signed, in its canonical form; the
hash of a document is the SHA-256 of its body. A *sealed* body stands beside its signatures. Hashes,
keys and signatures are lower-case hexadecimal; times are UTC with milliseconds.

No field holds a wager, a price or a number that a patron marked (X-draw-independent): the sold file
comes in as the hash of its LOCK entry and the root of the log, and as nothing else.
"""

from typing import Annotated, Generic, Literal, TypedDict, TypeVar

from rng.core.shapes import Length, Text, Whole

Hash = Annotated[str, Text("[0-9a-f]{64}")]
KeyId = Hash  # SHA-256 of the public key in DER (SubjectPublicKeyInfo)
PublicKey = Annotated[str, Text("(?:[0-9a-f]{2}){44,600}")]
Ed25519Signature = Annotated[str, Text("[0-9a-f]{128}")]
MarkText = Annotated[str, Text("[0-9a-f]{768}")]
Name = Annotated[str, Text(r"[^\x00-\x1f\x7f]{1,100}")]
Sentence = Annotated[str, Text(r"[^\x00-\x1f\x7f]{1,500}")]
SeriesCode = Annotated[str, Text("[A-Z][A-Z0-9]{0,7}")]
Count = Annotated[int, Whole(0, 2**53 - 1)]
GameNumber = Annotated[int, Whole(1, 2**53 - 1)]
Ball = Annotated[int, Whole(1, 80)]
Time = Annotated[str, Text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")]
NoteText = Annotated[str, Text(r"[^\x00-\x09\x0b-\x1f\x7f]{1,20000}")]
Role = Literal["rng", "inspector"]
KeyRole = Literal["office", "log", "rng", "inspector", "mark"]


class Signature(TypedDict):
    """An Ed25519 signature over a canonical body, and whose it is."""

    key: KeyId
    signature: Ed25519Signature


B = TypeVar("B")


class Sealed(TypedDict, Generic[B]):
    """A body with its signatures."""

    body: B
    signatures: Annotated[list[Signature], Length(1, 3)]


# ---- who draws, and where ----------------------------------------------------------------------


class Keys(TypedDict):
    """The public keys of a house, in DER."""

    office: PublicKey
    log: PublicKey
    rng: PublicKey
    inspector: PublicKey
    mark: PublicKey


class House(TypedDict):
    """What both ceremonies agree on; its hash stands before the first game of each series."""

    label: Literal["keno/house"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    log_origin: Name
    series: dict[SeriesCode, GameNumber]
    keys: Keys
    mark_key_roots: Annotated[list[MarkText], Length(16, 16)]


class Position(TypedDict):
    """A place in the signer's journal: which journal, which line, and the line before it."""

    epoch: Count
    index: Count
    previous: Hash


# ---- drawing -----------------------------------------------------------------------------------


class LockStatement(TypedDict):
    """The back office: this game is locked, and this is the sold file (X-lock-seal)."""

    label: Literal["keno/lock-statement"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    derivation: Literal[1]
    log_origin: Name
    checkpoint: NoteText
    lock_index: Count
    lock_leaf: Hash
    previous: Hash
    office_key: KeyId
    rng_key: KeyId
    mark_key: KeyId
    closes_at: Time
    locked_at: Time


class Seal(TypedDict):
    """The cosigned checkpoint of a statement, and the path of its LOCK entry in it."""

    note: NoteText
    proof: Annotated[list[Hash], Length(0, 64)]


class Intent(TypedDict):
    """R: for this statement I use this secret, and no other, ever."""

    label: Literal["keno/intent"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    statement: Hash
    r: Hash
    instance: Annotated[str, Text("[0-9a-f]{32}")]
    requests: Count
    reseeds: Count
    journal: Position
    software: Hash
    last_mark: Hash


class MarkReceipt(TypedDict):
    """I: I gave this mark at this place of my journal, and will give no other for this game."""

    label: Literal["keno/mark-receipt"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    intent: Hash
    mark: Hash
    journal: Position
    marked_at: Time


class DrawRecord(TypedDict):
    """R: the game is drawn, and these are its numbers, in the order drawn.

    It holds nothing but what follows from statement, intent and mark, no time and no place: so
    whoever completes the game, from whichever journal, makes the same record, with the same hash.
    """

    label: Literal["keno/draw-record"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    previous: Hash
    statement: Hash
    intent: Hash
    mark: MarkText
    numbers: Annotated[list[Ball], Length(20, 20)]


class Draw(TypedDict):
    """What is published of a drawn game: all that a check of it needs beside public keys."""

    statement: Sealed[LockStatement]
    seal: Seal
    intent: Sealed[Intent]
    record: Sealed[DrawRecord]


# ---- voiding -----------------------------------------------------------------------------------


class VoidStatement(TypedDict):
    """The back office: this game cannot be drawn; its wagers go back."""

    label: Literal["keno/void-statement"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    previous: Hash
    reason: Sentence
    office_key: KeyId
    voided_at: Time


class Tombstone(TypedDict):
    """I: I have not marked this game, and never will."""

    label: Literal["keno/tombstone"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    statement: Hash
    journal: Position
    buried_at: Time


class VoidRecord(TypedDict):
    """R: the game is void. Like a draw record, it follows from what it names."""

    label: Literal["keno/void-record"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    game: GameNumber
    previous: Hash
    statement: Hash
    tombstone: Hash


class Void(TypedDict):
    """What is published of a void game."""

    statement: Sealed[VoidStatement]
    tombstone: Sealed[Tombstone]
    record: Sealed[VoidRecord]


# ---- under both keys ---------------------------------------------------------------------------


class SeriesStanding(TypedDict):
    """Where a series stands: its next game, and the hash of the record before it."""

    next: GameNumber
    previous: Hash


class Standing(TypedDict):
    """What a role knows; the other compares it with its own."""

    series: dict[SeriesCode, SeriesStanding]
    last_mark: Hash


class Lockout(TypedDict):
    """A process stops drawing; unsigned, because it may happen before any key is there."""

    label: Literal["keno/lockout"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    role: Literal["rng", "inspector", "both"]
    reason: Literal["selftest", "health", "journal", "software", "restored", "superseded", "repeat"]
    detail: Sentence
    record: Hash | None


class Reopen(TypedDict):
    """Both keys: the lockout is understood, this software is accepted, draws go on."""

    label: Literal["keno/reopen"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    role: Role
    lockout: Lockout
    software: Hash
    standing: Standing
    reason: Sentence
    at: Time


class Key(TypedDict):
    """Both keys, and the new one: from here on this key takes the place of that one."""

    label: Literal["keno/key"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    role: KeyRole
    old: KeyId
    new: PublicKey
    mark_key_roots: Annotated[list[MarkText], Length(16, 16)] | None
    at: Time


class Holders(TypedDict):
    """Both keys: these people now hold a passphrase of this role's keys."""

    label: Literal["keno/holders"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    role: Role
    change: Sentence
    holders: Annotated[list[Name], Length(2, 20)]
    at: Time


class NewSeries(TypedDict):
    """Both keys: a further series of games begins."""

    label: Literal["keno/series"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    series: SeriesCode
    first_game: GameNumber
    at: Time


class Shown(TypedDict):
    """A head that I cosigned, and the proof that what is left of the log continues it."""

    size: Count
    root: Hash
    proof: list[Hash]


class Kept(TypedDict):
    """What is left of a log: its head, and what shows that it is a beginning of what was lost."""

    size: Count
    root: Hash
    shown: Shown | None


class NewOrigin(TypedDict):
    """Both keys: entries of the log are lost for good; it goes on under another name."""

    label: Literal["keno/origin"]
    version: Literal[1]
    jurisdiction: Name
    house: Name
    old_origin: Name
    new_origin: Name
    size: Count
    root: Hash
    kept: Kept
    fork: bool
    reason: Sentence
    at: Time


class TombstoneLine(TypedDict):
    """I's write when it gives up a game."""

    statement: Sealed[VoidStatement]
    tombstone: Sealed[Tombstone]


class OpenGame(TypedDict):
    """A game that has a mark but, as far as the inspector knows, no record yet."""

    statement: Sealed[LockStatement]
    seal: Seal
    intent: Sealed[Intent]
    mark: MarkText


class Handover(TypedDict):
    """The other role: the journal or key of this role is lost; a new journal starts from here."""

    label: Literal["keno/handover"]
    version: Literal[1]
    house: House
    role: Role
    epoch: Count
    giver_epoch: Count
    standing: Standing
    open_games: list[OpenGame]
    buried_games: list[TombstoneLine]
    checkpoint: NoteText | None
    reason: Sentence
    at: Time


class Genesis(TypedDict):
    """The first line of a journal; only the ceremony writes one."""

    label: Literal["keno/genesis"]
    version: Literal[1]
    house: House
    role: Role
    epoch: Count
    holders: Annotated[list[Name], Length(2, 20)]
    software: Hash
    handover: Sealed[Handover] | None
    created_at: Time


# ---- lines of a journal that carry no signature of their own -------------------------------------


class Start(TypedDict):
    """A process started: with this software, on this Python, as this generator instance."""

    software: Hash
    python: Name
    cryptography: Name
    instance: Annotated[str, Text("[0-9a-f]{32}")] | None


class Unlocked(TypedDict):
    """A holder's passphrase opened the keys."""

    holder: Name


class Relocked(TypedDict):
    """The keys were put away."""

    reason: Sentence


class IntentLine(TypedDict):
    """R's first write of a draw: durable before the intent leaves the process."""

    statement: Sealed[LockStatement]
    seal: Seal
    intent: Sealed[Intent]


class MarkLine(TypedDict):
    """I's write of a draw: enough, with public keys, to finish the game without R."""

    statement: Sealed[LockStatement]
    seal: Seal
    intent: Sealed[Intent]
    mark: MarkText
    receipt: Sealed[MarkReceipt]


class Printed(TypedDict):
    """R's own paper has the record (15.5(a)-record)."""

    record: Hash
    paper: Hash
    reprint: bool


class Cosigned(TypedDict):
    """I's cosignature of a checkpoint of the log (X-audit-log)."""

    note: NoteText


class Alarm(TypedDict):
    """Something that must not happen was asked for, and refused."""

    code: Name
    detail: Sentence
    document: Hash


class Repaired(TypedDict):
    """A torn last line, which had never left the process, was cut off."""

    bytes: Count
    sha256: Hash


class Line(TypedDict):
    """One line of a journal."""

    label: Literal["keno/journal-line"]
    version: Literal[1]
    index: Count
    previous: Hash
    at: Time
    kind: Name
    document: dict[str, object]
