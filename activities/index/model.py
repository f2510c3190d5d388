"""Index: the questions that planning asks about a repository, answered from parsed files."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from functools import cached_property

from activities.index import ranking, tests_map
from activities.index.contents import Contents
from activities.index.history import History
from activities.index.pack import DEFINED, MEMBER, USED, WRITTEN
from activities.index.records import FileEntry, Ranked, Role, Symbol, SymbolKind, Use
from activities.index.search import WordIndex
from activities.index.similar import similar

HUGE_LINE = 2_000
_KEPT_TEXTS = 64


class Index:
    """A repository at one commit. Every answer is deterministic and ordered; paths are POSIX and relative."""

    def __init__(self, contents: Contents, read: Callable[[str], str]) -> None:
        self.files: dict[str, FileEntry] = contents.entries()
        self._contents = contents
        self._read = read
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._found: dict[str, tuple[Symbol, ...]] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every path of the commit."""
        return frozenset(self.files)

    @cached_property
    def symbol_names(self) -> frozenset[str]:
        """Every defined name, bare and as `Class.method`."""
        return frozenset(n for e in self.files.values() for s in e.symbols for n in (s.name, s.qualified))

    @cached_property
    def words(self) -> WordIndex:
        """Which files hold which words."""
        return WordIndex(self._contents.pack)

    @cached_property
    def history(self) -> History:
        """What changed lately, and what with it; empty where there is no past to read."""
        return self._contents.history()

    @cached_property
    def languages(self) -> dict[str, int]:
        """How many files of each language the project itself has, most first."""
        counts: dict[str, int] = defaultdict(int)
        for entry in self.files.values():
            if entry.language and entry.role is not Role.GENERATED:
                counts[entry.language] += 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def find(self, name: str) -> tuple[Symbol, ...]:
        """Definitions of a bare or qualified name, sources before tests."""
        name = name.strip().removesuffix("()")
        if name not in self._found:
            self._found[name] = self._defined(name)
        return self._found[name]

    def signatures(self, name: str, limit: int = 8) -> tuple[str, ...]:
        """How a name is defined: `path:line: header` of each definition, in the order of `find`."""
        return tuple(f"{symbol.place}: {symbol.signature}" for symbol in self.find(name)[:limit])

    def similar(self, symbol: Symbol, limit: int = 5) -> tuple[Symbol, ...]:
        """Definitions that a change could follow: the same kind and language, most in common first."""
        return similar(self, symbol, limit)

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """What a file defines, top to bottom. Empty for an unknown path."""
        entry = self.files.get(path)
        return entry.symbols if entry else ()

    def used_in(self, name: str) -> tuple[str, ...]:
        """Code files that use an identifier, by path; definitions and imports do not count."""
        return tuple(self._files_with(name, USED))

    def files_called(self, stem: str) -> tuple[str, ...]:
        """Files whose name without ending is `stem`, in lower case."""
        return tuple(self._called.get(stem, ()))

    def tests_named(self, subject: str) -> tuple[str, ...]:
        """Test files whose name is about `subject`, as `tests_map.subject` writes it."""
        return tuple(self._tests_named.get(subject, ()))

    def mentions(self, name: str) -> bool:
        """Whether code uses or defines the identifier anywhere (also as an attribute or a field)."""
        return bool(self._files_with(name, USED | DEFINED | MEMBER))

    def written(self, name: str) -> bool:
        """Whether any file that is read holds the identifier, or the word in lower case."""
        return (
            bool(self._files_with(name, USED | DEFINED | WRITTEN))
            or self.words.in_text(name.lower())[0].size > 0
        )

    def callers(self, symbol: Symbol) -> tuple[Use, ...]:
        """Places in code that use a symbol. A name that several files define counts only where the
        defining file is imported or its class is named."""
        uses = []
        for path in self._files_with(symbol.name, USED):
            if path == symbol.path or self._reaches(path, symbol):
                for line in self.files[path].uses[symbol.name]:
                    inside = (
                        path == symbol.path and symbol.kind.container and symbol.first <= line <= symbol.last
                    )
                    if not inside:
                        uses.append(Use(path, line, self.enclosing(path, line)))
        return tuple(uses)

    def importers(self, path: str) -> tuple[str, ...]:
        """Files that import this one, directly or through a package that re-exports from it."""
        return self._importers.get(path, ())

    def imports_of(self, path: str) -> tuple[str, ...]:
        """Repository files that this one imports."""
        entry = self.files.get(path)
        found = {target for item in entry.imports for target in item.paths} if entry else set()
        return tuple(sorted(found - {path}))

    def externals_of(self, path: str) -> tuple[str, ...]:
        """Packages outside of the repository that a file imports; the standard library is left out."""
        entry = self.files.get(path)
        return tuple(sorted({i.external for i in entry.imports if i.external})) if entry else ()

    def tests_of(self, path: str, limit: int = 8) -> tuple[str, ...]:
        """Test files that cover a file: named after it first, then by how many of its symbols they use."""
        return tests_map.tests_of(self, path, limit)

    def text(self, path: str) -> str:
        """The whole text, invalid UTF-8 replaced. Raises KeyError for a path that is not in the commit."""
        text = self._texts.get(path)
        if text is None:
            text = self._texts[path] = self._read(path)
            if len(self._texts) > _KEPT_TEXTS:
                self._texts.popitem(last=False)
        return text

    def lines(self, path: str, first: int, last: int) -> str:
        """Lines `first` to `last`, 1-based and inclusive; a line of more than 2,000 characters is cut."""
        chosen = self.text(path).split("\n")[max(first - 1, 0) : last]
        return "\n".join(t if len(t) <= HUGE_LINE else t[:HUGE_LINE] + " ... [cut]" for t in chosen)

    def rank(self, query: str, limit: int = 20) -> tuple[Ranked, ...]:
        """Files that the query is about, best first, ties by path."""
        return ranking.rank(self, query, limit)

    def enclosing(self, path: str, line: int) -> str:
        """Qualified name of the innermost function or class around a line, blank at top level."""
        around = [
            s
            for s in self.symbols_in(path)
            if s.first <= line <= s.last and s.kind is not SymbolKind.CONSTANT
        ]
        return max(around, key=lambda s: (s.first, -s.last)).qualified if around else ""

    def _reaches(self, path: str, symbol: Symbol) -> bool:
        if len({(other.path, other.parent) for other in self.find(symbol.name)}) == 1:
            return True
        if symbol.parent:
            return symbol.parent in self.files[path].uses
        return path in self.importers(symbol.path)

    def _defined(self, name: str) -> tuple[Symbol, ...]:
        places = {*self._files_with(name, DEFINED), *self._files_with(name.rsplit(".", 1)[-1], DEFINED)}
        entries = sorted((self.files[p] for p in places), key=lambda e: (e.role is not Role.SOURCE, e.path))
        return tuple(s for e in entries for s in e.symbols if name in (s.name, s.qualified))

    def _files_with(self, name: str, bits: int) -> list[str]:
        """Files that do this with a name, by path."""
        texts, values = self._contents.pack.tables["names"].find(name)
        return self.words.paths(texts[(values & bits) != 0].tolist())

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.files:
            found[path.rsplit("/", 1)[-1].split(".")[0].lower()].append(path)
        return dict(found)

    @cached_property
    def _tests_named(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for entry in self.files.values():
            if entry.role is Role.TEST and entry.code:
                found[tests_map.subject(entry.path)].append(entry.path)
        return dict(found)

    @cached_property
    def _importers(self) -> dict[str, tuple[str, ...]]:
        return tests_map.importers(self)
