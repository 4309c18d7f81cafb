"""Notes, checkpoints and cosignatures: the published ones, and everything that is not quite one."""

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from rng.note import (
    NOTE_BYTES_MAX,
    SIZE_MAX,
    TIMESTAMP_MAX,
    Algorithm,
    Checkpoint,
    Note,
    NoteFailed,
    NoteSignature,
    check_cosignature,
    check_signature,
    cosign,
    key_hash,
    read_checkpoint,
    read_note,
    read_verifier_key,
    sign_note,
    verifier_key,
    write_checkpoint,
    write_note,
)

VECTORS = json.loads((Path(__file__).parent / "vectors" / "notes.json").read_text())
PUBLISHED = {name: row for name, row in VECTORS.items() if name != "about"}
PETER = PUBLISHED["peter_neumann"]

LOG, INSPECTOR = "keno.example/audit", "keno.example/inspector"
LOG_KEY, INSPECTOR_KEY = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
ROOT = bytes(range(32))
CHECKPOINT = Checkpoint(LOG, 1234, ROOT)
TEXT = write_checkpoint(CHECKPOINT)
NOON = 1_800_000_000
SIGNATURE = sign_note(TEXT, LOG, LOG_KEY)
COSIGNATURE = cosign(TEXT, INSPECTOR, INSPECTOR_KEY, NOON)
NOTE = Note(TEXT, (SIGNATURE, COSIGNATURE))
UNKNOWN = NoteSignature("elsewhere.example/log", b"\1\2\3\4", b"a signature of some other type")

pytestmark = [pytest.mark.rule("X-audit-log"), pytest.mark.rule("X-draw-public")]


def lines(row: dict[str, list[str]]) -> str:
    return "".join(f"{line}\n" for line in row["lines"])


def changed(value: bytes, place: int) -> bytes:
    return bytes(byte ^ (at == place % len(value)) for at, byte in enumerate(value))


# ---- published notes -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_note_is_read_and_written_as_it_is(name: str) -> None:
    text = lines(PUBLISHED[name])
    assert write_note(read_note(text)) == text


@pytest.mark.parametrize("name", ["peter_neumann", "go_checksum_database", "witnessed_log"])
def test_a_published_signature_is_good_and_only_under_its_text(name: str) -> None:
    note = read_note(lines(PUBLISHED[name]))
    signer, algorithm, public = read_verifier_key(PUBLISHED[name]["key"])
    assert algorithm is Algorithm.ED25519
    check_signature(note, signer, public)
    with pytest.raises(NoteFailed, match=f"a signature by {signer} is wrong"):
        check_signature(replace(note, text=f"{note.text}More.\n"), signer, public)


def test_the_published_private_key_makes_the_published_note() -> None:
    seed = b64decode(PETER["private_key"].split("+", 4)[4])[1:]
    private = Ed25519PrivateKey.from_private_bytes(seed)
    text = "".join(f"{line}\n" for line in PETER["lines"][:2])
    note = Note(text, (sign_note(text, "PeterNeumann", private),))
    assert write_note(note) == lines(PETER)
    assert verifier_key("PeterNeumann", Algorithm.ED25519, private.public_key()) == PETER["key"]


@pytest.mark.parametrize("key", PUBLISHED["witnessed_log"]["witnesses"])
def test_a_published_cosignature_is_good_and_states_its_time(key: str) -> None:
    row = PUBLISHED["witnessed_log"]
    note = read_note(lines(row))
    witness, algorithm, public = read_verifier_key(key)
    assert algorithm is Algorithm.COSIGNATURE_V1
    assert verifier_key(witness, algorithm, public) == key
    assert check_cosignature(note, witness, public) == row["timestamp"]
    larger = note.text.replace("\n1432088532\n", "\n1432088533\n")
    with pytest.raises(NoteFailed, match=f"a signature by {witness} is wrong"):
        check_cosignature(replace(note, text=larger), witness, public)


@pytest.mark.parametrize("name", ["go_checksum_database", "sofa"])
def test_a_published_checkpoint_is_read_and_written_as_it_is(name: str) -> None:
    row = PUBLISHED[name]
    text = read_note(lines(row)).text
    checkpoint = Checkpoint(row["origin"], row["size"], bytes.fromhex(row["root"]))
    assert read_checkpoint(text) == checkpoint
    assert write_checkpoint(checkpoint) == text


def test_the_examples_of_the_specifications_are_taken_apart_as_they_say() -> None:
    poem = PUBLISHED["poem"]
    note = read_note(lines(poem))
    assert note.text.count("\n") == poem["text_lines"]
    (signature,) = note.signatures
    assert (signature.name, signature.key_hash.hex()) == (poem["name"], poem["key_hash"])
    assert len(signature.value) == 64

    sofa = PUBLISHED["sofa"]
    _, cosignature = read_note(lines(sofa)).signatures
    assert cosignature.name == sofa["witness"]
    assert int.from_bytes(cosignature.value[:8]) == sofa["timestamp"]
    assert len(cosignature.value) == 8 + 64


@pytest.mark.parametrize("key", PETER["bad_keys"].values(), ids=PETER["bad_keys"])
def test_a_published_bad_key_is_refused(key: str) -> None:
    with pytest.raises(NoteFailed):
        read_verifier_key(key)


# ---- our own -------------------------------------------------------------------------------------


def test_a_witnessed_checkpoint_is_signed_cosigned_written_and_checked() -> None:
    note = read_note(write_note(NOTE))
    check_signature(note, LOG, LOG_KEY.public_key())
    assert check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key()) == NOON
    assert read_checkpoint(note.text) == CHECKPOINT


def test_a_cosignature_signs_the_time_and_the_whole_text() -> None:
    extended = write_checkpoint(replace(CHECKPOINT, extensions=("a line", "and another")))
    cosignature = cosign(extended, INSPECTOR, INSPECTOR_KEY, NOON)
    message = f"cosignature/v1\ntime {NOON}\n{extended}".encode()
    assert cosignature.value == NOON.to_bytes(8, "big") + INSPECTOR_KEY.sign(message)
    assert cosignature.key_hash == key_hash(
        INSPECTOR, 0x04, INSPECTOR_KEY.public_key().public_bytes_raw()
    )


def test_one_key_has_another_hash_for_each_name_and_type() -> None:
    public = LOG_KEY.public_key().public_bytes_raw()
    assert len({key_hash(name, byte, public) for name in (LOG, INSPECTOR) for byte in (1, 4)}) == 4


def test_a_signature_is_no_cosignature_and_a_cosignature_no_signature() -> None:
    with pytest.raises(NoteFailed, match=f"the note is not signed by {INSPECTOR}"):
        check_signature(NOTE, INSPECTOR, INSPECTOR_KEY.public_key())
    with pytest.raises(NoteFailed, match=f"the note is not signed by {LOG}"):
        check_cosignature(NOTE, LOG, LOG_KEY.public_key())


@pytest.mark.parametrize(
    ("name", "key"), [(LOG, INSPECTOR_KEY), (INSPECTOR, LOG_KEY), ("keno.example", LOG_KEY)]
)
def test_a_note_is_not_signed_by_another_name_or_key(name: str, key: Ed25519PrivateKey) -> None:
    for check in (check_signature, check_cosignature):
        with pytest.raises(NoteFailed, match=f"the note is not signed by {name}"):
            check(NOTE, name, key.public_key())


@pytest.mark.parametrize(
    "stranger",
    [
        UNKNOWN,
        replace(UNKNOWN, name=LOG),
        replace(UNKNOWN, key_hash=SIGNATURE.key_hash),
        replace(UNKNOWN, name=INSPECTOR),
        replace(UNKNOWN, key_hash=COSIGNATURE.key_hash),
    ],
)
def test_a_signature_of_an_unknown_key_is_ignored(stranger: NoteSignature) -> None:
    note = Note(TEXT, (stranger, SIGNATURE, stranger, COSIGNATURE, stranger))
    assert read_note(write_note(note)) == note
    check_signature(note, LOG, LOG_KEY.public_key())
    assert check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key()) == NOON


@pytest.mark.parametrize(
    "value", [b"?", SIGNATURE.value[:-1], SIGNATURE.value + b"\0", changed(SIGNATURE.value, 5)]
)
def test_a_wrong_signature_of_a_known_key_spoils_the_note(value: bytes) -> None:
    wrong = replace(SIGNATURE, value=value)
    for signatures in [(wrong,), (SIGNATURE, wrong), (wrong, SIGNATURE)]:
        with pytest.raises(NoteFailed, match=f"a signature by {LOG} is wrong"):
            check_signature(Note(TEXT, signatures), LOG, LOG_KEY.public_key())


@pytest.mark.parametrize(
    "value",
    [
        b"?",
        COSIGNATURE.value[:8],
        COSIGNATURE.value[:-1],
        COSIGNATURE.value + b"\0",
        changed(COSIGNATURE.value, 7),
        changed(COSIGNATURE.value, 8),
    ],
)
def test_a_wrong_cosignature_of_a_known_key_spoils_the_note(value: bytes) -> None:
    wrong = replace(COSIGNATURE, value=value)
    for signatures in [(wrong,), (COSIGNATURE, wrong), (wrong, COSIGNATURE)]:
        with pytest.raises(NoteFailed, match=f"a signature by {INSPECTOR} is wrong"):
            check_cosignature(Note(TEXT, signatures), INSPECTOR, INSPECTOR_KEY.public_key())


def test_of_several_good_cosignatures_the_latest_time_counts() -> None:
    again = [cosign(TEXT, INSPECTOR, INSPECTOR_KEY, time) for time in (NOON, NOON + 60, NOON - 60)]
    note = Note(TEXT, tuple(again))
    assert check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key()) == NOON + 60


@pytest.mark.parametrize("time", [0, TIMESTAMP_MAX])
def test_the_first_and_the_last_second_can_be_cosigned(time: int) -> None:
    note = Note(TEXT, (cosign(TEXT, INSPECTOR, INSPECTOR_KEY, time),))
    assert check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key()) == time


@pytest.mark.parametrize("time", [-1, TIMESTAMP_MAX + 1])
def test_no_other_second_can_be_cosigned(time: int) -> None:
    with pytest.raises(NoteFailed, match="a time is a number of seconds up to"):
        cosign(TEXT, INSPECTOR, INSPECTOR_KEY, time)


def test_a_cosignature_of_a_time_that_cannot_be_is_refused_however_well_signed() -> None:
    time = TIMESTAMP_MAX + 1
    signed = INSPECTOR_KEY.sign(f"cosignature/v1\ntime {time}\n{TEXT}".encode())
    note = Note(TEXT, (replace(COSIGNATURE, value=time.to_bytes(8, "big") + signed),))
    with pytest.raises(NoteFailed, match="a time is a number of seconds up to"):
        check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key())


def test_nothing_but_a_checkpoint_is_cosigned() -> None:
    with pytest.raises(NoteFailed, match="a checkpoint has three lines or more"):
        cosign("I owe you.\n", INSPECTOR, INSPECTOR_KEY, NOON)
    signed = INSPECTOR_KEY.sign(f"cosignature/v1\ntime {NOON}\nI owe you.\n".encode())
    note = Note("I owe you.\n", (replace(COSIGNATURE, value=NOON.to_bytes(8, "big") + signed),))
    with pytest.raises(NoteFailed, match="a checkpoint has three lines or more"):
        check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key())


# ---- refusals ------------------------------------------------------------------------------------

LINE = "\u2014 log.example AQIDBAU=\n"  # the key hash 1 2 3 4, and a signature of one byte
LONGEST = "x" * (NOTE_BYTES_MAX - 2 - len(LINE.encode())) + "\n\n" + LINE


@pytest.mark.parametrize(
    ("text", "of_text", "signatures"),
    [
        (f"Text.\n\n{LINE}", "Text.\n", 1),
        (f"\n\n{LINE}", "\n", 1),
        (f"Text.\n\n\n{LINE}", "Text.\n\n", 1),
        (f"Text.\n\n{LINE}\n{LINE}", f"Text.\n\n{LINE}", 1),
        (f"Text.\n\n{LINE * 16}", "Text.\n", 16),
        (LONGEST, LONGEST.split("\n")[0] + "\n", 1),
        (f"\u00e9 \u2014 \U0001f3b1\n\n{LINE}", "\u00e9 \u2014 \U0001f3b1\n", 1),
    ],
    ids=["plain", "of nothing", "empty line", "note in a note", "sixteen", "longest", "letters"],
)
def test_a_well_formed_note_is_read(text: str, of_text: str, signatures: int) -> None:
    note = read_note(text)
    assert (note.text, len(note.signatures)) == (of_text, signatures)
    assert note.signatures[0] == NoteSignature("log.example", b"\1\2\3\4", b"\5")
    assert write_note(note) == text


NOT_A_LINE = "a signature line is a dash, a name and a signature"
NOT_A_NAME = "a name has at least one character, and no space and no plus"
NOT_BASE64 = "what should be base64 is not"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the text does not end with a newline"),
        (f"Text.\n\n{LINE[:-1]}", "the text does not end with a newline"),
        ("Text.\n", "no empty line stands before the signatures"),
        (f"Text.\n{LINE}", "no empty line stands before the signatures"),
        (f"\n{LINE}", "no empty line stands before the signatures"),
        ("Text.\n\n", "a note has 1 to 16 signatures, not 0"),
        (f"Text.\n\n{LINE}\n", "a note has 1 to 16 signatures, not 0"),
        (f"Text.\n\n{LINE * 17}", "a note has 1 to 16 signatures, not 17"),
        (f"x{LONGEST}", "the text has more than 65536 bytes"),
        (f"\u00e9{LONGEST[1:]}", "the text has more than 65536 bytes"),
        (f"Te\ud800xt.\n\n{LINE}", "the text cannot be written in UTF-8"),
        (f"Te\0xt.\n\n{LINE}", "the text has a control character"),
        (f"Te\txt.\n\n{LINE}", "the text has a control character"),
        (f"Te\x1fxt.\n\n{LINE}", "the text has a control character"),
        (f"Te\x7fxt.\n\n{LINE}", "the text has a control character"),
        (f"Te\x85xt.\n\n{LINE}", "the text has a control character"),
        (f"Text.\r\n\r\n{LINE}", "the text has a control character"),
        (f"Text.\n\n{LINE[:-1]}\r\n", "the text has a control character"),
        (f"Text.\n\n{LINE}Text.\n", NOT_A_LINE),
        (f"Text.\n\n-{LINE[1:]}", NOT_A_LINE),
        (f"Text.\n\n\u2013{LINE[1:]}", NOT_A_LINE),
        (f"Text.\n\n {LINE}", NOT_A_LINE),
        ("Text.\n\n\u2014\n", NOT_A_LINE),
        ("Text.\n\n\u2014 log.example\n", NOT_A_LINE),
        ("Text.\n\n\u2014log.example AQIDBAU=\n", NOT_A_LINE),
        ("Text.\n\n\u2014 log.example  AQIDBAU=\n", NOT_A_LINE),
        ("Text.\n\n\u2014 log.example AQIDBAU= \n", NOT_A_LINE),
        ("Text.\n\n\u2014 log example AQIDBAU=\n", NOT_A_LINE),
        ("Text.\n\n\u2014  AQIDBAU=\n", NOT_A_NAME),
        ("Text.\n\n\u2014 log+example AQIDBAU=\n", NOT_A_NAME),
        ("Text.\n\n\u2014 log\u00a0example AQIDBAU=\n", NOT_A_NAME),
        ("Text.\n\n\u2014 log\u2003example AQIDBAU=\n", NOT_A_NAME),
        ("Text.\n\n\u2014 log.example \n", "a signature has a key hash and a value"),
        ("Text.\n\n\u2014 log.example AQIDBA==\n", "a signature has a key hash and a value"),
        ("Text.\n\n\u2014 log.example AQIDBAU\n", NOT_BASE64),
        ("Text.\n\n\u2014 log.example AQIDBAU==\n", NOT_BASE64),
        ("Text.\n\n\u2014 log.example AQID=BAU=\n", NOT_BASE64),
        ("Text.\n\n\u2014 log.example AQID_AU=\n", NOT_BASE64),
        ("Text.\n\n\u2014 log.example AQID\u00c4AU=\n", NOT_BASE64),
        ("Text.\n\n\u2014 log.example AQIDBAV=\n", "what should be base64 has spare bits"),
    ],
)
def test_a_malformed_note_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(NoteFailed) as failed:
        read_note(text)
    assert str(failed.value) == reason


ONE = NoteSignature("log.example", b"\1\2\3\4", b"\5")
ANOTHER = "the note would be read as another one"


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (Note("Text.\n", ()), "a note has 1 to 16 signatures, not 0"),
        (Note("Text.\n", (ONE,) * 17), "a note has 1 to 16 signatures, not 17"),
        (Note("Text.", (ONE,)), "no empty line stands before the signatures"),
        (Note("Two.\n\nLines.", (ONE,)), NOT_A_LINE),
        (Note(f"Text.\n\n{LINE[:-1]}", (ONE,)), ANOTHER),
        (Note("Text.\n", (replace(ONE, key_hash=b"\1\2\3"),)), "a signature has a key hash"),
        (Note("Text.\n", (replace(ONE, key_hash=b"\1\2\3\4\5"),)), ANOTHER),
        (Note("Text.\n", (replace(ONE, value=b""),)), "a signature has a key hash and a value"),
        (Note("Text.\n", (replace(ONE, name="log example"),)), NOT_A_LINE),
        (Note("Text.\n", (replace(ONE, name="log+example"),)), NOT_A_NAME),
    ],
)
def test_a_note_that_could_not_be_read_is_not_written(note: Note, reason: str) -> None:
    with pytest.raises(NoteFailed, match=reason):
        write_note(note)


def checkpoint_text(origin: str = LOG, size: str = "1", root: bytes = ROOT, more: str = "") -> str:
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n{more}"


@pytest.mark.parametrize(
    "checkpoint",
    [
        Checkpoint("a log with spaces + a plus", 0, ROOT),
        Checkpoint(LOG, SIZE_MAX, ROOT),
        Checkpoint(LOG, 10, ROOT, ("one", "two ")),
    ],
)
def test_a_well_formed_checkpoint_is_written_and_read(checkpoint: Checkpoint) -> None:
    assert read_checkpoint(write_checkpoint(checkpoint)) == checkpoint


THREE_LINES = "a checkpoint has three lines or more, and none is empty"
NOT_A_SIZE = f"a tree size is a whole number up to {SIZE_MAX}, without leading zeros"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the text does not end with a newline"),
        (checkpoint_text()[:-1], "the text does not end with a newline"),
        (checkpoint_text(more="extension"), "the text does not end with a newline"),
        (checkpoint_text(origin="a\tlog"), "the text has a control character"),
        (f"{LOG}\n1\n", THREE_LINES),
        (checkpoint_text(origin=""), THREE_LINES),
        (checkpoint_text(size=""), THREE_LINES),
        (checkpoint_text(root=b""), THREE_LINES),
        (checkpoint_text(more="\n"), THREE_LINES),
        (checkpoint_text(more="one\n\ntwo\n"), THREE_LINES),
        (checkpoint_text(size="00"), NOT_A_SIZE),
        (checkpoint_text(size="01"), NOT_A_SIZE),
        (checkpoint_text(size="+1"), NOT_A_SIZE),
        (checkpoint_text(size="-1"), NOT_A_SIZE),
        (checkpoint_text(size=" 1"), NOT_A_SIZE),
        (checkpoint_text(size="1_0"), NOT_A_SIZE),
        (checkpoint_text(size="1.0"), NOT_A_SIZE),
        (checkpoint_text(size="\u0661"), NOT_A_SIZE),
        (checkpoint_text(size=str(SIZE_MAX + 1)), NOT_A_SIZE),
        (checkpoint_text(size="9" * 5000), NOT_A_SIZE),
        (checkpoint_text(root=ROOT[1:]), "a root has 32 bytes, not 31"),
        (checkpoint_text(root=ROOT + b"\0"), "a root has 32 bytes, not 33"),
        (checkpoint_text().replace("=", ""), NOT_BASE64),
        (checkpoint_text().replace("8=", "9="), "what should be base64 has spare bits"),
    ],
)
def test_a_malformed_checkpoint_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(NoteFailed) as failed:
        read_checkpoint(text)
    assert str(failed.value) == reason


@pytest.mark.parametrize(
    ("checkpoint", "reason"),
    [
        (replace(CHECKPOINT, origin=""), THREE_LINES),
        (replace(CHECKPOINT, origin="two\nlines"), NOT_A_SIZE),
        (replace(CHECKPOINT, size=-1), NOT_A_SIZE),
        (replace(CHECKPOINT, root=ROOT[1:]), "a root has 32 bytes, not 31"),
        (replace(CHECKPOINT, extensions=("",)), THREE_LINES),
        (
            replace(CHECKPOINT, extensions=("two\nlines",)),
            "the checkpoint would be read as another one",
        ),
    ],
)
def test_a_checkpoint_that_could_not_be_read_is_not_written(
    checkpoint: Checkpoint, reason: str
) -> None:
    with pytest.raises(NoteFailed, match=reason):
        write_checkpoint(checkpoint)


@pytest.mark.parametrize("algorithm", Algorithm)
def test_a_verifier_key_is_read_as_it_was_written(algorithm: Algorithm) -> None:
    text = verifier_key(INSPECTOR, algorithm, INSPECTOR_KEY.public_key())
    assert read_verifier_key(text) == (INSPECTOR, algorithm, INSPECTOR_KEY.public_key())


PUBLIC = LOG_KEY.public_key().public_bytes_raw()


@pytest.mark.parametrize(
    ("algorithm", "public", "reason"),
    [
        (b"", b"", "a verifier key is of no known type"),
        (b"\x01", b"", "a verifier key is of no known type"),
        (b"\x01", PUBLIC[1:], "a verifier key is of no known type"),
        (b"\x01", PUBLIC + b"\0", "a verifier key is of no known type"),
        (b"\x02", PUBLIC, "a verifier key is of no known type"),
        (b"\x01", changed(PUBLIC, 0), "a verifier key does not have the hash it states"),
        (b"\x04", PUBLIC, "a verifier key does not have the hash it states"),
    ],
)
def test_a_verifier_key_of_another_type_length_or_hash_is_refused(
    algorithm: bytes, public: bytes, reason: str
) -> None:
    of_the_good_key = key_hash(LOG, 0x01, PUBLIC).hex()
    with pytest.raises(NoteFailed) as failed:
        read_verifier_key(f"{LOG}+{of_the_good_key}+{b64encode(algorithm + public).decode()}")
    assert str(failed.value) == reason


def test_a_verifier_key_that_is_cut_or_changed_anywhere_is_refused() -> None:
    key = PETER["key"]
    parts = {key[start:end] for end in range(len(key) + 1) for start in range(end + 1)} - {key}
    changes = [f"{key[:at]}{chr(ord(key[at]) + 1)}{key[at + 1 :]}" for at in range(len(key))]
    for wrong in (*parts, *changes, key.replace("c74f20a3", "C74F20A3"), f"{key}\n", f" {key}"):
        with pytest.raises(NoteFailed):
            read_verifier_key(wrong)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u2003b", "a\1b", "a\ud800b"])
def test_nothing_is_signed_in_a_name_that_no_key_may_have(name: str) -> None:
    with pytest.raises(NoteFailed):
        sign_note(TEXT, name, LOG_KEY)
    with pytest.raises(NoteFailed):
        cosign(TEXT, name, LOG_KEY, NOON)
    with pytest.raises(NoteFailed):
        verifier_key(name, Algorithm.ED25519, LOG_KEY.public_key())


@pytest.mark.parametrize("text", ["", "No newline.", "A tab:\t\n", "\ud800\n", "x" * 65536 + "\n"])
def test_nothing_is_signed_that_a_reader_would_refuse(text: str) -> None:
    with pytest.raises(NoteFailed):
        sign_note(text, LOG, LOG_KEY)


# ---- anything ------------------------------------------------------------------------------------

printable = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
texts = st.text(printable | st.just("\n"), max_size=200).map(lambda text: f"{text}\n")
names = st.text(printable, min_size=1, max_size=20).filter(
    lambda name: "+" not in name and not any(character.isspace() for character in name)
)
signatures = st.builds(
    NoteSignature,
    name=names,
    key_hash=st.binary(min_size=4, max_size=4),
    value=st.binary(min_size=1, max_size=100),
)
notes = st.builds(Note, texts, st.lists(signatures, min_size=1, max_size=16).map(tuple))
checkpoints = st.builds(
    Checkpoint,
    origin=st.text(printable, min_size=1, max_size=40),
    size=st.integers(0, SIZE_MAX),
    root=st.binary(min_size=32, max_size=32),
    extensions=st.lists(st.text(printable, min_size=1, max_size=40), max_size=3).map(tuple),
)


@given(notes)
def test_any_note_is_read_as_it_was_written(note: Note) -> None:
    assert read_note(write_note(note)) == note


@given(checkpoints)
def test_any_checkpoint_is_read_as_it_was_written(checkpoint: Checkpoint) -> None:
    assert read_checkpoint(write_checkpoint(checkpoint)) == checkpoint


@given(st.text() | st.text(alphabet="\n \u2014aA+=1"))
def test_any_text_is_read_as_one_note_or_refused(text: str) -> None:
    try:
        note = read_note(text)
    except NoteFailed:
        return
    assert write_note(note) == text


@given(st.integers(0, len(write_note(NOTE)) - 1), printable | st.just("\n"))
def test_a_note_with_any_other_letter_anywhere_is_not_signed(place: int, letter: str) -> None:
    good = write_note(NOTE)
    bad = f"{good[:place]}{letter}{good[place + 1 :]}"
    try:
        note = read_note(bad)
        check_signature(note, LOG, LOG_KEY.public_key())
        check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key())
    except NoteFailed:
        return
    assert bad == good


@given(checkpoints, st.integers(0, TIMESTAMP_MAX), st.integers(0, 71))
def test_any_checkpoint_is_cosigned_for_that_time_alone(
    checkpoint: Checkpoint, time: int, place: int
) -> None:
    text = write_checkpoint(checkpoint)
    cosignature = cosign(text, INSPECTOR, INSPECTOR_KEY, time)
    note = read_note(write_note(Note(text, (cosignature,))))
    assert check_cosignature(note, INSPECTOR, INSPECTOR_KEY.public_key()) == time
    wrong = replace(cosignature, value=changed(cosignature.value, place))
    with pytest.raises(NoteFailed):
        check_cosignature(Note(text, (wrong,)), INSPECTOR, INSPECTOR_KEY.public_key())
