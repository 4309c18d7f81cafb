"""Zip files in pieces, and a reader that starts at the front: what a forger has."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOCAL, ENTRY, END = (struct.Struct(form) for form in ("<4s5H3L2H", "<4s6H3L5H2L", "<4s4H2LH"))
LARGE_END, LOCATOR = struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
LARGE = struct.Struct("<2H2Q")  # the extra field before a file: size and packed size


@dataclass
class Member:
    """A file: the record before it, its packed data, and its entry in the directory."""

    local: list[int]  # version, flags, method, time, date, CRC-32, packed size, size
    name: bytes
    local_extra: bytes
    data: bytes
    entry: list[int]  # made by, then as before; comment, disk, attributes; no offset
    entry_extra: bytes = b""
    before: bytes = b""  # what stands in front of it

    def record(self) -> bytes:
        sizes = len(self.name), len(self.local_extra)
        header = LOCAL.pack(b"PK\x03\x04", *self.local, *sizes)
        return self.before + header + self.name + self.local_extra + self.data

    def listed(self, name: bytes, offset: int) -> bytes:
        sizes = len(name), len(self.entry_extra)
        header = ENTRY.pack(b"PK\x01\x02", *self.entry[:9], *sizes, *self.entry[9:], offset)
        return header + name + self.entry_extra

    def both(self, place: int, value: int) -> None:
        """Say something in the record and in the directory."""
        self.local[place] = self.entry[place + 1] = value

    def repack(self, data: bytes, size: int, crc: int) -> None:
        """Take other packed data, of which both headers say the same."""
        self.data = data
        self.local_extra = LARGE.pack(1, 16, size, len(data))
        self.entry[7:9] = len(data), size
        self.both(5, crc)


@dataclass
class Zip:
    """A zip file as the exporter writes it, to be changed and put together again."""

    members: list[Member]
    names: list[bytes]  # as the directory has them
    behind: bytes = b""  # what stands between the last file and the directory
    directories: int = 1
    hidden: int = 0  # entries that the end record does not count
    end: Callable[[list[int]], bytes] | None = None  # of count, size and start of the directory

    @classmethod
    def of(cls, path: Path) -> "Zip":
        data = path.read_bytes()
        *_, count, _, place, _ = END.unpack(data[-END.size :])
        members = []
        for _ in range(count):
            _, *entry, name_size, extra_size, comment, disk, inner, outer, offset = (
                ENTRY.unpack_from(data, place)
            )
            _, *local, _, local_extra = LOCAL.unpack_from(data, offset)
            begins = offset + LOCAL.size + name_size
            ends = begins + local_extra + entry[7]
            name = data[begins - name_size : begins]
            extra, packed = data[begins : begins + local_extra], data[begins + local_extra : ends]
            about = [*entry, comment, disk, inner, outer]
            members.append(Member(local, name, extra, packed, about))
            place += ENTRY.size + name_size + extra_size
        return cls(members, [member.name for member in members])

    def named(self, name: str) -> Member:
        return next(each for each in self.members if each.name == name.encode())

    def written(self, path: Path) -> Path:
        records, listed = b"", b""
        for name, member in zip(self.names, self.members, strict=True):
            listed += member.listed(name, len(records) + len(member.before))
            records += member.record()
        records += self.behind + listed * (self.directories - 1)
        about = [len(self.members) - self.hidden, len(listed), len(records)]
        end = self.end or plain_end
        path.write_bytes(records + listed + end(about))
        return path


def plain_end(about: list[int], comment: bytes = b"") -> bytes:
    count, size, starts = about
    return END.pack(b"PK\x05\x06", 0, 0, count, count, size, starts, len(comment)) + comment


def large_end(
    about: list[int], *, large: list[int] | None = None, disk: int = 0, moved: int = 0
) -> bytes:
    """The end of a large zip file, which says everything twice."""
    count, size, starts = large or about
    record = LARGE_END.pack(b"PK\x06\x06", 44, 45, 45, disk, 0, count, count, size, starts)
    place = about[1] + about[2] + moved
    return record + LOCATOR.pack(b"PK\x06\x07", 0, place, 1) + plain_end(about)


def read_from_the_front(path: Path) -> dict[str, bytes]:
    """Read a zip file as it comes, without its directory, as from a pipe."""
    data, place, files = path.read_bytes(), 0, {}
    while data[place : place + 4] == b"PK\x03\x04":
        _, _, _, method, *_, packed_size, _, name_size, extra_size = LOCAL.unpack_from(data, place)
        place += LOCAL.size
        name, place = data[place : place + name_size].decode(), place + name_size
        if packed_size == 0xFFFFFFFF:
            *_, packed_size = LARGE.unpack_from(data, place)
        place += extra_size
        packed, place = data[place : place + packed_size], place + packed_size
        if name in files:
            continue  # the first of two stays
        files[name] = zlib.decompress(packed, -zlib.MAX_WBITS) if method else packed
    return files
