"""Texts read and parsed in one go: what a parsing process gets to do and what it gives back."""

import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
import numpy as np

from activities.index.languages import CODE
from activities.index.pack import DEFINED, MEMBER, TABLES, USED, WRITTEN, encode_record
from activities.index.parse import parse, unreadable
from activities.index.postings import Postings, collect
from activities.index.records import Parsed
from activities.index.tree import Listed, Tree
from activities.index.words import count_parts

# `warnings.catch_warnings` changes the whole process: two indexes must not restore each other's filters.
_QUIET = threading.Lock()


class Wanted(msgspec.Struct, frozen=True, array_like=True):
    """A text to parse; `path` is one of the files that hold it."""

    path: str
    blob: str
    size: int
    language: str


class Table(msgspec.Struct, frozen=True, array_like=True):
    """Postings on their way between processes."""

    letters: bytes
    starts: bytes
    bounds: bytes
    texts: bytes
    values: bytes

    @classmethod
    def of(cls, postings: Postings) -> "Table":
        """Ready to travel."""
        numbers = (postings.starts, postings.bounds, postings.texts, postings.values)
        return cls(bytes(postings.letters), *(array.tobytes() for array in numbers))

    def postings(self) -> Postings:
        """As they were."""
        starts, bounds, texts = (np.frombuffer(d, "<u4") for d in (self.starts, self.bounds, self.texts))
        return Postings(self.letters, starts, bounds, texts, np.frombuffer(self.values, np.uint8))


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """What the texts say, in their order: why each was skipped (blank when it was not), its number of lines
    and its record; and the tables of `pack` over all of them."""

    skipped: list[str]
    lines: list[int]
    records: list[bytes]
    tables: dict[str, Table]


def parse_batch(tree: Tree, wanted: Sequence[Wanted], before: Callable[[], object] = lambda: None) -> Batch:
    """Read and parse; `before` each text, something else."""
    skipped, lines, records = [], [], []
    rows: dict[str, list[Mapping[str, int]]] = {name: [] for name in TABLES}
    contents = tree.read(Listed(each.path, each.blob, each.size) for each in wanted)
    with _quiet():
        for each, data in zip(wanted, contents, strict=True):
            before()
            skipped.append(unreadable(data, each.language))
            parsed = Parsed() if skipped[-1] else parse(data, each.language)
            lines.append(parsed.lines)
            records.append(encode_record(parsed))
            rows["names"].append(_names(parsed, each.language))
            rows["terms"].append(parsed.terms)
            rows["titles"].append(count_parts(Counter(symbol.name for symbol in parsed.symbols)))
    return Batch(skipped, lines, records, {name: Table.of(collect(rows[name])) for name in TABLES})


def unparsable() -> Batch:
    """What stands for one text that no process survives."""
    nothing = {name: Table.of(collect([{}])) for name in TABLES}
    return Batch(["unparsable"], [0], [encode_record(Parsed())], nothing)


def _names(parsed: Parsed, language: str) -> dict[str, int]:
    """What a text does with each name, in the bits of `pack`."""
    if language not in CODE:
        return dict.fromkeys(parsed.uses, WRITTEN)
    names = dict.fromkeys(parsed.uses, USED)
    for symbol in parsed.symbols:
        names[symbol.name] = names.get(symbol.name, 0) | DEFINED
        for member in symbol.members:
            names[member.name] = names.get(member.name, 0) | MEMBER
    return names


@contextmanager
def _quiet() -> Iterator[None]:
    """Warnings about the code that is read are not ours to print."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
