"""Which repository files an import reaches, and which package it names when it reaches none."""

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Set

from activities.index.records import Import

Reach = tuple[tuple[str, ...], str]

_PYTHON_ROOTS = ("src", "lib", "python")
_JS_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".d.ts", ".vue", ".svelte", ".json")
_JS_INDEX = ("/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs")
_JS_FAMILY = frozenset({"javascript", "typescript", "tsx"})
_RUST_OWN = frozenset({"std", "core", "alloc"})
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.M)


class Resolver:
    """Lookup tables over all paths, built once. `read` gives the text of a path (for go.mod)."""

    def __init__(self, paths: Set[str], read: Callable[[str], str]) -> None:
        self._files = paths
        self._python = _python_modules(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._go_folders: dict[str, list[str]] = defaultdict(list)
        self._java_folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            folder, name = posixpath.split(path)
            self._by_name[name].append(path)
            if path.endswith(".go") and not path.endswith("_test.go"):
                self._go_folders[folder].append(path)
            if path.endswith(".java"):
                self._java_folders[posixpath.basename(folder)].append(path)
        self._go_modules = {
            found.group(1): posixpath.dirname(path)
            for path in self._by_name.get("go.mod", [])
            if (found := _GO_MODULE.search(read(path)))
        }

    def imports(self, path: str, language: str, written: tuple[Import, ...]) -> tuple[Import, ...]:
        """The imports of one file with what they reach."""
        reach = self._reach_of(language)
        if reach is None:
            return written
        done = []
        for item in written:
            paths, external = reach(path, item)
            paths = tuple(dict.fromkeys(p for p in paths if p != path))
            done.append(Import(item.module, item.line, item.names, paths, "" if paths else external))
        return tuple(done)

    def _reach_of(self, language: str) -> Callable[[str, Import], Reach] | None:
        if language in _JS_FAMILY:
            return self._script
        own: dict[str, Callable[[str, Import], Reach]] = {
            "python": self._python_import,
            "go": self._go,
            "rust": self._rust,
            "java": self._java,
            "c": self._include,
            "cpp": self._include,
            "ruby": self._ruby,
        }
        return own.get(language)

    def _python_import(self, path: str, item: Import) -> Reach:
        dots = len(item.module) - len(item.module.lstrip("."))
        module = item.module[dots:]
        if dots:
            base = posixpath.dirname(path)
            for _ in range(dots - 1):
                base = posixpath.dirname(base)
            folder = posixpath.join(base, *module.split(".")) if module else base
            found = [
                *self._module_files(folder),
                *(f for n in item.names for f in self._module_files(f"{folder}/{n}")),
            ]
            return tuple(found), ""
        found = [self._python[name] for name in (f"{module}.{n}" for n in item.names) if name in self._python]
        if module in self._python:
            found.insert(0, self._python[module])
        top = module.split(".")[0]
        return tuple(found), "" if found or top in sys.stdlib_module_names else top

    def _module_files(self, folder: str) -> list[str]:
        names = (f"{folder}.py", f"{folder}/__init__.py", f"{folder}.pyi")
        return [name for n in names if (name := n.lstrip("/")) in self._files][:1]

    def _script(self, path: str, item: Import) -> Reach:
        module = item.module
        if module.startswith("."):
            bases = [posixpath.normpath(posixpath.join(posixpath.dirname(path), module))]
        elif module.startswith(("@/", "~/")):
            bases = [f"src/{module[2:]}", module[2:]]
        else:
            parts = module.split("/")
            external = "/".join(parts[:2]) if module.startswith("@") else parts[0]
            return (), "" if external.startswith("node:") else external
        for base in bases:
            written = re.sub(r"\.(js|jsx|mjs)$", "", base)  # TypeScript imports `./x.js` for `./x.ts`
            for name in (
                *(base + e for e in _JS_ENDINGS),
                *(written + e for e in _JS_ENDINGS),
                *(base + e for e in _JS_INDEX),
            ):
                if name in self._files:
                    return (name,), ""
        return (), ""

    def _go(self, _path: str, item: Import) -> Reach:
        for module, folder in sorted(self._go_modules.items(), key=lambda m: -len(m[0])):
            if item.module == module or item.module.startswith(module + "/"):
                inside = posixpath.normpath(posixpath.join(folder, item.module[len(module) + 1 :]))
                return tuple(self._go_folders.get("" if inside == "." else inside, ())), ""
        external = item.module if "." in item.module.split("/")[0] else ""  # the standard library has no dot
        return (), external

    def _rust(self, path: str, item: Import) -> Reach:
        parts = [p for p in item.module.split("::") if p]
        folder, stem = posixpath.dirname(path), posixpath.basename(path).removesuffix(".rs")
        own = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
        if parts[:1] == ["crate"]:
            base, rest = self._crate_root(path), parts[1:]
        elif parts[:1] in (["self"], ["super"]):
            base, rest = own, parts
            while rest and rest[0] in ("self", "super"):
                base = posixpath.dirname(base) if rest[0] == "super" else base
                rest = rest[1:]
        else:
            base, rest = own, parts
        for length in range(len(rest), 0, -1):
            stem = posixpath.join(base, *rest[:length])
            found = tuple(n for n in (f"{stem}.rs", f"{stem}/mod.rs") if n in self._files)
            if found:
                return found, ""
        known = parts[:1] == ["crate"] or not parts or parts[0] in ("self", "super") or parts[0] in _RUST_OWN
        return (), "" if known else parts[0]

    def _crate_root(self, path: str) -> str:
        folder = posixpath.dirname(path)
        while folder and not {f"{folder}/lib.rs", f"{folder}/main.rs"} & self._files:
            folder = posixpath.dirname(folder)
        return folder or "src"

    def _java(self, _path: str, item: Import) -> Reach:
        tail = item.module.replace(".", "/")
        if item.names == ("*",):
            near = [
                p
                for p in self._java_folders.get(posixpath.basename(tail), ())
                if ("/" + posixpath.dirname(p)).endswith("/" + tail)
            ]
            return tuple(near), "" if near else _java_package(item.module)
        for name in (tail, posixpath.dirname(tail)):  # a static import names a member of the class
            near = self._ending(f"{name}.java")
            if near:
                return tuple(near[:1]), ""
        return (), _java_package(item.module)

    def _include(self, path: str, item: Import) -> Reach:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), item.module))
        if beside in self._files:
            return (beside,), ""
        near = self._ending(item.module)
        return (tuple(near[:1]), "") if near else ((), item.module if "/" in item.module else "")

    def _ruby(self, path: str, item: Import) -> Reach:
        name = item.module if item.module.endswith(".rb") else f"{item.module}.rb"
        if item.names == ("relative",):
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            return ((beside,) if beside in self._files else ()), ""
        near = self._ending(name)
        return (tuple(near[:1]), "") if near else ((), item.module.split("/")[0])

    def _ending(self, tail: str) -> list[str]:
        """Paths that end with these folders and this name, shortest first."""
        found = [p for p in self._by_name.get(posixpath.basename(tail), ()) if f"/{p}".endswith(f"/{tail}")]
        return sorted(found, key=lambda p: (p.count("/"), p))


def _java_package(module: str) -> str:
    return "" if module.startswith(("java.", "javax.")) else ".".join(module.split(".")[:3])


def _python_modules(files: Iterable[str]) -> dict[str, str]:
    """Dotted name to path. A package starts at the topmost folder with `__init__.py`; plain folders count."""
    known = set(files)
    modules: dict[str, str] = {}
    for path in sorted(known, key=lambda p: (p.count("/"), p)):
        if not path.endswith((".py", ".pyi")):
            continue
        parts = path.rsplit(".", 1)[0].split("/")
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        for start in _starts(path, parts, known):
            if dotted := ".".join(parts[start:]):
                modules.setdefault(dotted, path)
    return modules


def _starts(path: str, parts: list[str], known: set[str]) -> list[int]:
    starts = [0]
    folders = path.split("/")[:-1]
    depth = len(folders)
    while depth > 0 and "/".join([*folders[:depth], "__init__.py"]) in known:
        depth -= 1
    starts.append(min(depth, len(parts)))
    if folders and folders[0] in _PYTHON_ROOTS:
        starts.append(1)
    return list(dict.fromkeys(starts))
