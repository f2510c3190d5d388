"""open_index: from a checkout to an Index."""

import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from activities.index.cache import ParseCache
from activities.index.languages import CODE, language_of, role_of, settle_headers, vendored
from activities.index.model import Index
from activities.index.parse import MAX_BYTES, decode, parse, unreadable
from activities.index.records import FileEntry, Parsed, Role
from activities.index.resolve import resolve
from activities.index.tree import Listed, Tree, open_tree

_PROGRESS_EVERY = 1_000
# `warnings.catch_warnings` changes the whole process: two indexes must not restore each other's filters.
_QUIET = threading.Lock()


def open_index(
    root: Path,
    commit: str,
    cache: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Index:
    """Index the checkout at `root` as of `commit`. Raises UnreadableCheckout with a sentence for people."""
    tree = open_tree(root, commit)
    listed = {item.path: item for item in tree.list()}
    progress(f"{len(listed)} files listed")
    headers = settle_headers(listed)
    files = {path: _entry(item, headers) for path, item in listed.items()}
    store = ParseCache(cache) if cache else None
    for number, entry in enumerate(_parsed(tree, listed, files, store), 1):
        files[entry.path] = entry
        if number % _PROGRESS_EVERY == 0:
            progress(f"{number} of {len(listed)} files read")
    if store:
        store.save()
    return Index(
        resolve(files, lambda path: _text(tree, listed[path])), lambda path: _text(tree, listed[path])
    )


def _entry(item: Listed, headers: str) -> FileEntry:
    language = headers if item.path.endswith(".h") else language_of(item.path)
    role = role_of(item.path, language)
    return FileEntry(item.path, language, role, item.blob, item.size, _skip(item, role), language in CODE)


def _skip(item: Listed, role: Role) -> str:
    if item.skip:
        return item.skip
    if vendored(item.path):
        return "vendored"
    if item.size > MAX_BYTES:
        return "too large"
    if role is Role.GENERATED:
        return "generated"
    return "" if _ordinary(item.path) else "odd name"


def _ordinary(path: str) -> bool:
    """Whether artifacts can name the path as it is; nobody plans changes to the others."""
    return (
        path == path.strip()
        and "\\" not in path
        and "\ufffd" not in path
        and path[0] != "~"
        and path[1:2] != ":"
    )


def _parsed(
    tree: Tree, listed: dict[str, Listed], files: dict[str, FileEntry], store: ParseCache | None
) -> Iterator[FileEntry]:
    missing = []
    for entry in files.values():
        if entry.skipped:
            continue
        known = store.get(entry.blob, entry.language) if store else None
        if known:
            yield _filled(entry, *known)
        else:
            missing.append(entry)
    contents = tree.read(listed[entry.path] for entry in missing)
    for entry, data in zip(missing, contents, strict=True):
        skipped = unreadable(data, entry.language)
        parsed = Parsed() if skipped else _quietly(data, entry.language)
        if store:
            store.put(entry.blob, entry.language, skipped, parsed)
        yield _filled(entry, skipped, parsed)


def _quietly(data: bytes, language: str) -> Parsed:
    """Warnings about the code that is read are not ours to print."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(data, language)


def _filled(entry: FileEntry, skipped: str, parsed: Parsed) -> FileEntry:
    return replace(
        entry,
        role=Role.GENERATED if skipped in ("generated", "minified") else entry.role,
        skipped=skipped,
        symbols=tuple(replace(symbol, path=entry.path) for symbol in parsed.symbols),
        imports=parsed.imports,
        uses=parsed.uses,
        terms=parsed.terms,
        lines=parsed.lines,
    )


def _text(tree: Tree, item: Listed) -> str:
    if item.skip or item.size > MAX_BYTES:
        return ""
    data = next(iter(tree.read([item])), b"")
    return "" if b"\0" in data[:8_000] else decode(data)
