"""A zip file that two readers take for two bundles is refused, whichever of them is the true one.

A zip file lists its files twice: in a record before each, which readers of a pipe follow, and in
the directory at its end, which Python and most others follow.
"""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from app.audit.verifier import verify
from tests.audit.exporting import ExportedHouse, Forgery, codes
from tests.audit.zips import Zip, large_end, plain_end, read_from_the_front

README = "README.txt"
UNICODE_NAME = struct.pack("<2HBL", 0x7075, 5 + 3, 1, 0) + b"a/b"  # another name for the file


def files_of(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def false_bundle(house: ExportedHouse, folder: Path) -> Path:
    """What the house would like some readers to see."""
    forgery = Forgery.of(house)
    forgery.files["reports/about.txt"] = b"not of the house\n"
    forgery.sign()
    return forgery.write(folder / "false.zip")


def in_front(false: Path, true: Path, out: Path) -> None:
    out.write_bytes(false.read_bytes() + true.read_bytes())


def in_front_with_right_offsets(false: Path, true: Path, out: Path) -> None:
    """The directory has the files where they are, and only does not speak of all."""
    out.write_bytes(false.read_bytes())
    with out.open("r+b") as file:  # records alone: where there is a directory, a file is added
        file.truncate(false.read_bytes().index(b"PK\x01\x02"))
    with ZipFile(out, "a", ZIP_DEFLATED) as archive:
        for name, data in files_of(true).items():
            archive.writestr(name, data)


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("join", [in_front, in_front_with_right_offsets])
def test_a_false_bundle_in_front_of_the_true_one_is_refused(
    exported: ExportedHouse, tmp_path: Path, join: Callable[[Path, Path, Path], None]
) -> None:
    false, true = false_bundle(exported, tmp_path), exported.bundle("last")
    both = tmp_path / "both.zip"
    join(false, true, both)
    assert files_of(both) == files_of(true)
    assert read_from_the_front(both) == files_of(false) != files_of(true)
    report = verify(both, exported.keys)
    assert (codes(report), report.exit_code) == ({"bundle.ambiguous"}, 3)


@pytest.mark.rule("X-audit-log")
def test_both_readers_see_the_same_in_what_the_house_writes(exported: ExportedHouse) -> None:
    true = exported.bundle("last")
    assert read_from_the_front(true) == files_of(true)
    assert verify(true, exported.keys).faults == []


# ---- each rule alone -----------------------------------------------------------------------------

Change = Callable[[Zip], object]


def end(made: Callable[[list[int]], bytes]) -> Change:
    return lambda whole: setattr(whole, "end", made)


def first(change: Callable[..., object]) -> Change:
    return lambda whole: change(whole.members[0])


def other_name_before_it(whole: Zip) -> None:
    whole.named(README).name = b"README.TXT"


def other_crc_before_it(whole: Zip) -> None:
    whole.named(README).local[5] ^= 1


def other_size_before_it(whole: Zip) -> None:
    member = whole.named(README)
    member.local[6:8], member.local_extra = [1, 1], b""


def data_behind_the_data(whole: Zip) -> None:
    member = whole.named(README)
    text = zlib.decompress(member.data, -zlib.MAX_WBITS)
    member.repack(member.data + b"\0", len(text), zlib.crc32(text))


def more_data_than_stated(whole: Zip) -> None:
    """Python takes the first bytes for the file, as many as are stated; others take all."""
    member = whole.named(README)
    text = zlib.decompress(member.data, -zlib.MAX_WBITS)[:-1]
    member.repack(member.data, len(text), zlib.crc32(text))


def not_packed_with_two_sizes(whole: Zip) -> None:
    member = whole.named(README)
    member.repack(b"a", 2, zlib.crc32(b"a"))
    member.both(2, 0)


def a_file_left_out(whole: Zip) -> None:
    hidden = whole.members.pop(3)
    whole.names.pop(3)
    whole.members[3].before = hidden.record()


def in_another_order(whole: Zip) -> None:
    one, two = whole.members[:2]
    listed = (one.listed, two.listed)
    size = len(one.record())
    setattr(one, "listed", lambda _, __: listed[1](two.name, size))  # noqa: B010
    setattr(two, "listed", lambda _, __: listed[0](one.name, 0))  # noqa: B010


READ_IN_TWO_WAYS: dict[str, Change] = {
    "a byte behind its end": end(lambda about: plain_end(about) + b"\0"),
    "an end record behind its end": end(lambda about: plain_end(about) + plain_end([0, 0, 0])),
    "a comment": end(lambda about: plain_end(about, b"a comment")),
    "a comment that is an end record": end(lambda about: plain_end(about, plain_end([0, 0, 0]))),
    "a comment that is not there": end(lambda about: plain_end(about)[:-2] + b"\1\0"),
    "more entries counted than there are": end(
        lambda about: plain_end([about[0] + 1, about[1], about[2]])
    ),
    "two disks": end(lambda about: plain_end(about)[:4] + b"\1" + plain_end(about)[5:]),
    "another large end record": end(lambda about: large_end(about, large=[0, 0, about[2]])),
    "an end record that says other than the large one": end(
        lambda about: large_end(about)[:-22] + plain_end([0, 0, 0])
    ),
    "a large end record of two disks": end(lambda about: large_end(about, disk=1)),
    "a large end record somewhere else": end(lambda about: large_end(about, moved=-1)),
    "an entry behind those that are counted": end(
        lambda about: bytes(46) + plain_end([about[0], about[1] + 46, about[2]])
    ),
    "bytes before the first file": first(lambda member: setattr(member, "before", b"MZ")),
    "bytes between two files": lambda whole: setattr(whole.members[2], "before", b"\0"),
    "bytes before the directory": lambda whole: setattr(whole, "behind", b"\0"),
    "two directories": lambda whole: setattr(whole, "directories", 2),
    "an end record that leaves out an entry": lambda whole: setattr(whole, "hidden", 1),
    "a file that the directory leaves out": a_file_left_out,
    "a directory in another order": in_another_order,
    "another name before the file": other_name_before_it,
    "another CRC-32 before the file": other_crc_before_it,
    "another size before the file": other_size_before_it,
    "another method before the file": first(lambda member: member.local.__setitem__(2, 0)),
    "another date before the file": first(lambda member: member.local.__setitem__(4, 34)),
    "a flag before the file": first(lambda member: member.local.__setitem__(1, 8)),
    "sizes behind the data": first(lambda member: member.both(1, 8)),
    "names in UTF-8": first(lambda member: member.both(1, 0x800)),
    "another name in an extra field of the directory": first(
        lambda member: setattr(member, "entry_extra", UNICODE_NAME)
    ),
    "another name in an extra field of the file": first(
        lambda member: setattr(member, "local_extra", member.local_extra + UNICODE_NAME)
    ),
    "a comment on an entry": first(lambda member: member.entry.__setitem__(9, 1)),
    "data behind the data": data_behind_the_data,
    "more data than stated": more_data_than_stated,
    "two sizes of what is not packed": not_packed_with_two_sizes,
}


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("what", READ_IN_TWO_WAYS)
def test_what_can_be_read_in_two_ways_is_refused(
    exported: ExportedHouse, tmp_path: Path, what: str
) -> None:
    whole = Zip.of(exported.bundle("last"))
    READ_IN_TWO_WAYS[what](whole)
    report = verify(whole.written(tmp_path / "changed.zip"), exported.keys)
    assert report.faults[0].code == "bundle.ambiguous"


@pytest.mark.rule("X-audit-log")
def test_an_encrypted_file_is_refused(exported: ExportedHouse, tmp_path: Path) -> None:
    whole = Zip.of(exported.bundle("last"))
    whole.members[0].both(1, 1)
    report = verify(whole.written(tmp_path / "changed.zip"), exported.keys)
    assert codes(report) == {"bundle.hostile"}


@pytest.mark.rule("X-audit-log")
def test_a_sound_bundle_in_pieces_is_the_same_when_it_is_put_together(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    """Or what the tests above find would be a mistake of theirs."""
    true = exported.bundle("last")
    again = Zip.of(true).written(tmp_path / "again.zip")
    assert again.read_bytes() == true.read_bytes()


@pytest.mark.rule("X-audit-log", "X-retention")
def test_a_bundle_of_more_than_two_gigabytes_is_written_and_read_in_one_way(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    """Python writes every large number in its own place; small ones stand in for them here."""
    path = tmp_path / "large.zip"
    with patch("zipfile.ZIP64_LIMIT", 500), ZipFile(path, "w") as archive:
        for name, data in files_of(exported.bundle("last")).items():
            info = ZipInfo(name)
            info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, 3, 0
            with archive.open(info, "w", force_zip64=True) as file:
                file.write(data)
    data = path.read_bytes()
    assert b"PK\x06\x06" in data
    assert b"PK\x06\x07" in data
    assert verify(path, exported.keys).faults == []
