"""What the index knows about a file: the records that parsers fill and everything else reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import msgspec


class Role(StrEnum):
    """What a file is for. Vendored files count as generated: nobody plans changes to them."""

    SOURCE = "source"
    TEST = "test"
    DOCS = "docs"
    EXAMPLE = "example"
    CONFIG = "config"
    GENERATED = "generated"


class SymbolKind(StrEnum):
    """What a symbol is. STRUCT covers records and unions, INTERFACE also traits and protocols."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    ENUM = "enum"
    TYPE = "type"
    MODULE = "module"
    CONSTANT = "constant"

    @property
    def callable(self) -> bool:
        """Whether the symbol has a signature that is called."""
        return self in (SymbolKind.FUNCTION, SymbolKind.METHOD)

    @property
    def container(self) -> bool:
        """Whether the symbol can hold methods or fields."""
        return self in (SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.ENUM)


class Member(msgspec.Struct, frozen=True, array_like=True):
    """A field of a class, struct or interface; `type` and `default` as written, blank when absent."""

    name: str
    type: str = ""
    default: str = ""


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    """One definition. `signature` is the source's header on one line, without body or trailing colon or
    brace; `first` and `last` are 1-based and include decorators; `doc` is the first line of its docs."""

    path: str
    name: str
    kind: SymbolKind
    first: int
    last: int
    signature: str
    line: int
    parent: str = ""
    doc: str = ""
    members: tuple[Member, ...] = ()
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()

    @property
    def qualified(self) -> str:
        """`Class.method`, or the bare name. Nested classes count only their innermost parent."""
        return f"{self.parent}.{self.name}" if self.parent else self.name

    @property
    def private(self) -> bool:
        """Whether the name starts with an underscore (dunder names are public)."""
        return self.name.startswith("_") and not (self.name.startswith("__") and self.name.endswith("__"))

    @property
    def place(self) -> str:
        """`path:line` of the definition."""
        return f"{self.path}:{self.line}"


class Import(msgspec.Struct, frozen=True, array_like=True):
    """One import. `module` and `names` as written; `paths` are the repository files it reaches, `external`
    the package outside of the repository that it names. Exactly one of the two is filled, or none for
    what belongs to the language itself."""

    module: str
    line: int
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    external: str = ""


class Parsed(msgspec.Struct, frozen=True):
    """What one blob says, whatever its path. `uses` maps identifiers to the lines they stand on (definitions
    and imports excluded); `terms` maps lower-case words to how often they occur."""

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: Mapping[str, tuple[int, ...]] = {}
    terms: Mapping[str, int] = {}
    lines: int = 0
    broken: bool = False


class Facts(Protocol):
    """Where the contents of files come from when they are asked for."""

    def symbols(self, number: int) -> tuple[Symbol, ...]:
        """What a file defines, without its path."""
        ...

    def imports(self, number: int) -> tuple[Import, ...]:
        """Its imports, as written."""
        ...

    def uses(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Identifiers with their lines."""
        ...

    def terms(self, number: int) -> Mapping[str, int]:
        """Words with how often they occur."""
        ...

    def resolved(self, entry: "FileEntry", imports: tuple[Import, ...]) -> tuple[Import, ...]:
        """The same imports with what they reach."""
        ...


class FileEntry:
    """One file of the commit. `skipped` says why it was listed but not read (`binary`, `too large`, ...),
    blank when it was; `code` is whether its language is parsed, so that its identifiers are uses.

    What the file says is decoded when it is asked for: a repository has far more than a task is about.
    `symbols` and `imports` are kept, `uses` and `terms`, which are large, are not: take them once.
    """

    __slots__ = (
        *("path", "language", "role", "blob", "size", "skipped", "code", "lines"),
        *("_facts", "_number", "_symbols", "_imports"),
    )

    def __init__(
        self,
        path: str,
        language: str,
        role: Role,
        blob: str,
        size: int,
        skipped: str,
        code: bool,
        lines: int,
        facts: Facts,
        number: int,
    ) -> None:
        self.path, self.language, self.role, self.blob, self.size = path, language, role, blob, size
        self.skipped, self.code, self.lines = skipped, code, lines
        self._facts, self._number = facts, number
        self._symbols: tuple[Symbol, ...] | None = None
        self._imports: tuple[Import, ...] | None = None

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """What the file defines, top to bottom."""
        if self._symbols is None:
            found = self._facts.symbols(self._number)
            for symbol in found:
                msgspec.structs.force_setattr(symbol, "path", self.path)
            self._symbols = found
        return self._symbols

    @property
    def imports(self) -> tuple[Import, ...]:
        """Its imports with what they reach."""
        if self._imports is None:
            self._imports = self._facts.resolved(self, self._facts.imports(self._number))
        return self._imports

    @property
    def uses(self) -> Mapping[str, tuple[int, ...]]:
        """Identifiers with the lines they stand on, definitions and imports excluded."""
        return self._facts.uses(self._number)

    @property
    def terms(self) -> Mapping[str, int]:
        """Lower-case words with how often they occur."""
        return self._facts.terms(self._number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileEntry) and self._whole() == other._whole()

    def __hash__(self) -> int:
        return hash((self.path, self.blob))

    def __repr__(self) -> str:
        return f"FileEntry({self.path!r}, {self.language!r}, {self.role!r}, {self.skipped!r})"

    def _whole(self) -> tuple[object, ...]:
        named = (
            self.path,
            self.language,
            self.role,
            self.blob,
            self.size,
            self.skipped,
            self.code,
            self.lines,
        )
        return (*named, self.symbols, self.imports, self.uses, self.terms)


@dataclass(frozen=True, slots=True)
class Use:
    """A place that uses a symbol; `enclosing` is the qualified name of the symbol around it, blank at the
    top level of a file."""

    path: str
    line: int
    enclosing: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file that a query is about, with reasons that a person understands."""

    path: str
    score: float
    reasons: tuple[str, ...] = ()
