"""What exists in the repository, and whether the paths and names of an artifact stand on it."""

import re
from dataclasses import dataclass
from functools import cached_property

from pydantic import TypeAdapter, ValidationError

from states.artifacts.base import RepoPath
from states.wrong_input import told

_REPO_PATH: TypeAdapter[str] = TypeAdapter(RepoPath)
_LINES = re.compile(r":\d+(?:-\d+)?$")


@dataclass(frozen=True)
class Ground:
    """What exists in the repository at the commit.

    `symbols` are qualified names as `MethodSignature.qualified` writes them, and class names. The rest is
    optional and makes the checks sharper: `places` pairs a path with each qualified name that it declares;
    `unread` are paths whose language no parser knows, so that their symbols can be neither known nor unknown.
    """

    paths: frozenset[str]
    symbols: frozenset[str]
    places: frozenset[tuple[str, str]] = frozenset()
    unread: frozenset[str] = frozenset()

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file."""
        return frozenset(path[:end] for path in self.paths for end in range(len(path)) if path[end] == "/")

    def knows(self, name: str) -> bool:
        """Whether a symbol exists, named bare, qualified, or with its module or path in front."""
        parts = _dotted(name)
        if len(parts) == 1 and parts[0] in self._last_parts:
            return True
        return any(
            ".".join(parts[n:]) in self.symbols and (n == 0 or self._is_module(parts[:n]))
            for n in range(len(parts))
        )

    def declares(self, path: str, qualified: str) -> bool:
        """Whether this file declares the symbol; without `places`, whether it may."""
        if self.places:
            return (path, qualified) in self.places
        return path in self.paths and qualified in self.symbols

    def declared_in(self, qualified: str) -> tuple[str, ...]:
        """The files that declare a symbol, in order; empty without `places`."""
        return tuple(sorted(path for path, name in self.places if name == qualified))

    @cached_property
    def _last_parts(self) -> frozenset[str]:
        return frozenset(_dotted(symbol)[-1] for symbol in self.symbols)

    @cached_property
    def _modules(self) -> frozenset[str]:
        """Every way to name a file as a module: `pkg.mod` of src/pkg/mod.py, `mod`, and so on."""
        names: set[str] = set()
        for path in sorted(self.paths):
            parts = path.rsplit(".", 1)[0].removesuffix("/__init__").split("/")
            names.update(".".join(parts[n:]) for n in range(len(parts)))
        return frozenset(names)

    def _is_module(self, parts: list[str]) -> bool:
        return ".".join(parts) in self._modules


def outside(path: str) -> str:
    """Why a path is not one inside the repository; empty when it is."""
    try:
        cleaned = _REPO_PATH.validate_python(path)
    except ValidationError as error:
        return told(error)
    if ".git" in cleaned.split("/"):
        return f"path {path[:120]!r} belongs to git itself"
    return ""


def path_of(reference: str) -> str:
    """The path of `path`, `path:line`, `path:first-last` or `path::test_name`."""
    return _LINES.sub("", reference.strip().split("::", 1)[0]).removeprefix("./")


def _dotted(name: str) -> list[str]:
    """`Class.method`, `Class::method`, `Class#method(args)` and `path/mod.py:name` as parts."""
    bare = name.strip().split("(", 1)[0].replace("::", ".").replace("#", ".")
    file, colon, symbol = bare.rpartition(":")
    if colon:
        bare = f"{file.rsplit('.', 1)[0]}.{symbol}"
    return bare.replace("/", ".").strip(".").split(".")
