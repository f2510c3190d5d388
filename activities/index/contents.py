"""What files say, decoded from a pack when it is asked for; what is damaged is read from the tree again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from activities.index.batch import Wanted, parse_batch, unparsable
from activities.index.history import History, history_of
from activities.index.languages import CODE
from activities.index.pack import DamagedPack, Pack, imports_of, symbols_of, terms_of, uses_of
from activities.index.records import FileEntry, Import, Symbol
from activities.index.resolve import Resolver
from activities.index.tree import Tree

_KEPT = 512


class Contents:
    """The `Facts` of a pack. Safe for several threads."""

    def __init__(self, pack: Pack, tree: Tree, read: Callable[[str], str]) -> None:
        self.pack = pack
        self._tree = tree
        self._read = read
        self._lock = threading.Lock()
        self._mended: dict[int, bytes] = {}
        # git takes half as long as the rest of a first query, and waits for nobody
        reader = ThreadPoolExecutor(1, "history")
        self._history = reader.submit(self._read_history)
        reader.shutdown(wait=False)
        self._uses: OrderedDict[int, Mapping[str, tuple[int, ...]]] = OrderedDict()

    def entries(self) -> dict[str, FileEntry]:
        """Every file by path, in the order of the pack."""
        texts = self.pack.texts
        return {
            f.path: FileEntry(
                *(f.path, f.language, f.role, f.blob, f.size, f.skipped, f.language in CODE),
                *(texts[f.text].lines if f.text >= 0 else 0, self, f.text),
            )
            for f in self.pack.files
        }

    def symbols(self, number: int) -> tuple[Symbol, ...]:
        """What a text defines, without a path; empty for a file that was not read."""
        return symbols_of(self._record(number)) if number >= 0 else ()

    def imports(self, number: int) -> tuple[Import, ...]:
        """Its imports, as written."""
        return imports_of(self._record(number)) if number >= 0 else ()

    def terms(self, number: int) -> Mapping[str, int]:
        """Words with how often they occur."""
        return terms_of(self._record(number)) if number >= 0 else {}

    def uses(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Identifiers with their lines; those asked for lately are kept: callers come in turn."""
        if number < 0:
            return {}
        with self._lock:
            if number in self._uses:
                self._uses.move_to_end(number)
                return self._uses[number]
        found = uses_of(self._record(number))
        with self._lock:
            self._uses[number] = found
            if len(self._uses) > _KEPT:
                self._uses.popitem(last=False)
        return found

    def resolved(self, entry: FileEntry, imports: tuple[Import, ...]) -> tuple[Import, ...]:
        """What the imports of a file reach."""
        return self._resolver.imports(entry.path, entry.language, imports) if imports else ()

    def history(self) -> History:
        """What the commits before the tree did to its files."""
        return self._history.result()

    def _read_history(self) -> History:
        return history_of(self._tree.past(), frozenset(file.path for file in self.pack.files))

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver({file.path for file in self.pack.files}, self._read)

    def _record(self, number: int) -> bytes:
        try:
            return self._mended.get(number) or self.pack.record_bytes(number)
        except DamagedPack:
            text = self.pack.texts[number]
            file = next(f for f in self.pack.files if f.text == number)
            # It was parsed before by a process that lived, unless it says that there was none.
            wanted = [Wanted(file.path, text.blob, file.size, text.language)]
            batch = unparsable() if text.skipped else parse_batch(self._tree, wanted)
            self._mended[number] = batch.records[0]
            return batch.records[0]
