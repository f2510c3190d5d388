"""Putting a pack together from packs that are there already and from what was parsed anew."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from activities.index.batch import Batch, Wanted
from activities.index.pack import TABLES, DamagedPack, File, Pack, Text, write_pack
from activities.index.postings import Piece, merge
from activities.index.records import Role


class Assembly:
    """The distinct texts of some files, numbered as the files first hold them. The pack that comes out
    depends on the files alone, not on where their texts came from."""

    def __init__(self, files: Sequence[File]) -> None:
        self._files = files
        self._number: dict[tuple[str, str], int] = {}
        self._first: list[File] = []
        for file in files:
            if not file.skipped and (file.blob, file.language) not in self._number:
                self._number[file.blob, file.language] = len(self._first)
                self._first.append(file)
        self._texts: list[Text | None] = [None] * len(self._first)
        self._records = [b""] * len(self._first)
        self._tables: dict[str, list[Piece]] = {name: [] for name in TABLES}

    def take(self, pack: Pack) -> None:
        """Use what a pack knows about texts that are missing; a damaged record is not used."""
        becomes = np.full(len(pack.texts), -1, dtype=np.int64)
        for number, text in enumerate(pack.texts):
            place = self._number.get((text.blob, text.language))
            if place is None or self._texts[place] is not None:
                continue
            try:
                self._records[place] = pack.record_bytes(number)
            except DamagedPack:
                continue
            self._texts[place] = text
            becomes[number] = place
        if (becomes >= 0).any():
            for name in TABLES:
                self._tables[name].append((pack.tables[name], becomes))

    def missing(self) -> list[Wanted]:
        """Texts that are to be parsed."""
        return [
            Wanted(file.path, file.blob, file.size, file.language)
            for file, text in zip(self._first, self._texts, strict=True)
            if text is None
        ]

    def add(self, wanted: Sequence[Wanted], batch: Batch) -> None:
        """What was parsed; `wanted` are the texts of the batch."""
        places = [self._number[each.blob, each.language] for each in wanted]
        found = zip(places, wanted, batch.skipped, batch.lines, batch.records, strict=True)
        for place, each, skipped, lines, record in found:
            self._texts[place] = Text(each.blob, each.language, skipped, lines, 0, 0, 0)
            self._records[place] = record
        becomes = np.array(places, dtype=np.int64)
        for name in TABLES:
            self._tables[name].append((batch.tables[name].postings(), becomes))

    def pack(self) -> bytes:
        """The bytes of the pack. Every text must be there."""
        texts = [text for text in self._texts if text is not None]
        files = [self._finished(file, texts) for file in self._files]
        return write_pack(files, texts, self._records, {name: merge(self._tables[name]) for name in TABLES})

    def _finished(self, file: File, texts: Sequence[Text]) -> File:
        if file.skipped:
            return file
        number = self._number[file.blob, file.language]
        skipped = texts[number].skipped
        role = Role.GENERATED if skipped in ("generated", "minified") else file.role
        return msgspec.structs.replace(file, text=number, skipped=skipped, role=role)


def assemble(files: Sequence[File], known: Iterable[Pack]) -> Assembly:
    """An assembly that has taken all it could from packs; no more of them are opened than are of use."""
    assembly = Assembly(files)
    for pack in known:
        assembly.take(pack)
        if not assembly.missing():
            break
    return assembly
