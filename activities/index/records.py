"""What the index knows about a file: the records that parsers fill and everything else reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a class, struct or interface; `type` and `default` as written, blank when absent."""

    name: str
    type: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
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


@dataclass(frozen=True, slots=True)
class Import:
    """One import. `module` and `names` as written; `paths` are the repository files it reaches, `external`
    the package outside of the repository that it names. Exactly one of the two is filled, or none for
    what belongs to the language itself."""

    module: str
    line: int
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    external: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one blob says, whatever its path. `uses` maps identifiers to the lines they stand on (definitions
    and imports excluded); `terms` maps lower-case words to how often they occur."""

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    terms: Mapping[str, int] = field(default_factory=dict)
    lines: int = 0
    broken: bool = False


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of the commit. `skipped` says why it was listed but not read (`binary`, `too large`, ...),
    blank when it was; `code` is whether its language is parsed, so that its identifiers are uses."""

    path: str
    language: str
    role: Role
    blob: str
    size: int
    skipped: str = ""
    code: bool = False
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    terms: Mapping[str, int] = field(default_factory=dict)
    lines: int = 0


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
