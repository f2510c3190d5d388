"""The index of one tree as it lies on disk: one piece of bytes, opened in place, decoded where it is read."""

import os
import struct
import weakref
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from activities.index.postings import Postings
from activities.index.records import Import, Parsed, Role, Symbol

_MAGIC = b"phasegate-index\n"
_HEAD = struct.Struct("<16sQQI4x")  # magic; place, length and CRC-32 of the table of contents
_ALIGNED = 8
_MOST = 1 << 31  # bytes; a damaged length must not ask for all memory there is
_ARRAYS = ("letters", "starts", "bounds", "texts", "values")
_TYPES = {"starts": "<u4", "bounds": "<u4", "texts": "<u4", "values": "u1"}

TABLES = ("names", "terms", "titles")
"""`names` in the bits below; how often `terms`, a text's words, occur; and those of its symbols' names"""
USED, DEFINED, MEMBER, WRITTEN = 1, 2, 4, 8
"""what a text does with a name: code uses it, defines it, has a field of that name; other text holds it"""


Fetch = Callable[[int, int], bytes]
"""place, length -> bytes; fewer where the pack ends"""


class DamagedPack(Exception):
    """The bytes are no whole pack."""


class Text(msgspec.Struct, frozen=True, array_like=True):
    """One distinct content in one language; files with equal contents share it. `at`, `length` and `check`
    (CRC-32) say where its record lies."""

    blob: str
    language: str
    skipped: str
    lines: int
    at: int
    length: int
    check: int


class File(msgspec.Struct, frozen=True, array_like=True):
    """One path. `text` is the number of its Text, -1 when it was not read."""

    path: str
    language: str
    role: Role
    blob: str
    size: int
    skipped: str
    text: int


class Record(msgspec.Struct, array_like=True):
    """What one text says, each part decoded by itself."""

    symbols: msgspec.Raw
    imports: msgspec.Raw
    uses: msgspec.Raw
    terms: msgspec.Raw


class _Section(msgspec.Struct, frozen=True, array_like=True):
    at: int
    length: int
    check: int


class _Contents(msgspec.Struct, frozen=True, array_like=True):
    files: list[File]
    texts: list[Text]
    sections: dict[str, _Section]


_encode = msgspec.msgpack.Encoder().encode
_CONTENTS = msgspec.msgpack.Decoder(_Contents)
_RECORD = msgspec.msgpack.Decoder(Record)
_SYMBOLS = msgspec.msgpack.Decoder(tuple[Symbol, ...])
_IMPORTS = msgspec.msgpack.Decoder(tuple[Import, ...])
_USES = msgspec.msgpack.Decoder(dict[str, tuple[int, ...]])
_TERMS = msgspec.msgpack.Decoder(dict[str, int])


def encode_record(parsed: Parsed) -> bytes:
    """A record of what a text says."""
    parts = (parsed.symbols, parsed.imports, parsed.uses, parsed.terms)
    return _encode(Record(*(msgspec.Raw(_encode(part)) for part in parts)))


class Pack:
    """Reads a pack. The tables are checked when it is opened, each record when it is read; both raise
    DamagedPack."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        contents = self._contents()
        self.files, self.texts = contents.files, contents.texts
        self.tables = {name: self._postings(name, contents.sections) for name in TABLES}
        self._records = contents.sections["records"].at

    def record_bytes(self, number: int) -> bytes:
        """The record of a text as it is stored."""
        text = self.texts[number]
        return self._checked(self._records + text.at, text.length, text.check)

    def _contents(self) -> _Contents:
        head = self._fetch(0, _HEAD.size)
        if len(head) < _HEAD.size:
            raise DamagedPack("too short")
        magic, at, length, check = _HEAD.unpack(head)
        if magic != _MAGIC:
            raise DamagedPack("not a pack")
        return _CONTENTS.decode(self._checked(at, length, check))

    def _postings(self, name: str, sections: dict[str, _Section]) -> Postings:
        parts = {}
        for array in _ARRAYS:
            section = sections[f"{name}.{array}"]
            data = self._checked(section.at, section.length, section.check)
            parts[array] = np.frombuffer(data, dtype=_TYPES[array]) if array in _TYPES else data
        return Postings(**parts)  # type: ignore[arg-type]

    def _checked(self, at: int, length: int, check: int) -> bytes:
        data = self._fetch(at, length) if length < _MOST else b""
        if len(data) != length or zlib.crc32(data) != check:
            raise DamagedPack(f"{length} bytes at {at}")
        return data


def from_bytes(data: bytes) -> Pack:
    """A pack in memory."""
    return Pack(lambda at, length: data[at : at + length])


def from_file(path: Path) -> Pack:
    """A pack on disk, whose records are read one by one. Not mapped: a file that somebody cuts short under a
    mapping ends the process. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        pack = Pack(lambda at, length: os.pread(handle, length, at))
    except BaseException:
        os.close(handle)
        raise
    weakref.finalize(pack, os.close, handle)
    return pack


def symbols_of(record: bytes) -> tuple[Symbol, ...]:
    """The symbols of a record, without their path."""
    return _SYMBOLS.decode(_RECORD.decode(record).symbols)


def imports_of(record: bytes) -> tuple[Import, ...]:
    """Its imports as written."""
    return _IMPORTS.decode(_RECORD.decode(record).imports)


def uses_of(record: bytes) -> dict[str, tuple[int, ...]]:
    """Its identifiers with their lines."""
    return _USES.decode(_RECORD.decode(record).uses)


def terms_of(record: bytes) -> dict[str, int]:
    """Its words with how often they occur."""
    return _TERMS.decode(_RECORD.decode(record).terms)


def write_pack(
    files: Sequence[File], texts: Sequence[Text], records: Sequence[bytes], tables: Mapping[str, Postings]
) -> bytes:
    """The bytes of a pack. `records` go with `texts`, whose places are filled in here; `tables` are those of
    TABLES."""
    placed, at = [], 0
    for text, record in zip(texts, records, strict=True):
        placed.append(msgspec.structs.replace(text, at=at, length=len(record), check=zlib.crc32(record)))
        at += len(record)
    sections = {f"{name}.{part}": data for name in TABLES for part, data in _parts(tables[name]).items()}
    sections["records"] = b"".join(records)
    pieces, places, start = [b""], {}, _HEAD.size
    for name, data in sections.items():
        places[name] = _Section(start, len(data), 0 if name == "records" else zlib.crc32(data))
        pieces.append(data + b"\0" * (-len(data) % _ALIGNED))
        start += len(pieces[-1])
    contents = _encode(_Contents(list(files), placed, places))
    pieces[0] = _HEAD.pack(_MAGIC, start, len(contents), zlib.crc32(contents))
    return b"".join([*pieces, contents])


def _parts(table: Postings) -> dict[str, bytes]:
    arrays = {name: getattr(table, name).tobytes() for name in _TYPES}
    return {"letters": bytes(table.letters), **arrays}
