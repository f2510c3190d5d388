"""open_index: from a checkout to an Index."""

from collections.abc import Callable, Iterable
from pathlib import Path

from activities.index.assembly import assemble
from activities.index.cache import LIMIT, PackCache
from activities.index.contents import Contents
from activities.index.crew import parse_all
from activities.index.languages import language_of, role_of, settle_headers, vendored
from activities.index.model import Index
from activities.index.pack import File, Pack, from_bytes
from activities.index.parse import MAX_BYTES, decode
from activities.index.records import Role
from activities.index.tree import FolderTree, GitTree, Listed, open_tree
from states.amounts import counted

_PROGRESS_EVERY = 1_000
_NO_FILES = ("symlink", "submodule")
Progress = Callable[[str], None]


def open_index(
    root: Path,
    commit: str,
    cache: Path | None = None,
    progress: Progress = lambda _: None,
    limit: int = LIMIT,
) -> Index:
    """Index the checkout at `root` as of `commit`. `cache` is a folder that any number of processes share,
    `limit` the bytes that it may take. Raises UnreadableCheckout with a sentence for people."""
    tree = open_tree(root, commit)
    if cache is None:
        return _opened(from_bytes(_build(tree, (), progress)), tree)
    packs, key = PackCache(cache, limit), tree.key()
    pack = packs.load(key)
    if pack is None:
        data = _build(tree, packs.recent(tree.source), progress)
        packs.save(key, tree.source, data)
        pack = packs.load(key) or from_bytes(data)  # from the disk it takes less memory
    return _opened(pack, tree)


def _opened(pack: Pack, tree: GitTree | FolderTree) -> Index:
    files = {file.path: file for file in pack.files}

    def read(path: str) -> str:
        file = files[path]
        if file.skipped in _NO_FILES or file.size > MAX_BYTES:
            return ""
        data = next(iter(tree.read([Listed(path, file.blob, file.size)])), b"")
        return "" if b"\0" in data[:8_000] else decode(data)

    return Index(Contents(pack, tree, read), read)


def _build(tree: GitTree | FolderTree, known: Iterable[Pack], progress: Progress) -> bytes:
    """The pack of a tree. What `known` packs have already is not read again."""
    listed = sorted(tree.list(), key=lambda item: item.path)
    headers = settle_headers(item.path for item in listed)
    assembly = assemble([_file(item, headers) for item in listed], known)
    missing = assembly.missing()
    progress(f"{counted(len(listed), 'file')} listed, {len(missing)} to parse")
    read = 0
    for first, batch in parse_all(tree, missing):
        texts = missing[first : first + len(batch.records)]
        assembly.add(texts, batch)
        for each, skipped in zip(texts, batch.skipped, strict=True):
            if skipped == "unparsable":
                progress(f"{each.path!a} is passed over: reading it ends or outlasts a process")
        before, read = read, read + len(batch.records)
        if read // _PROGRESS_EVERY > before // _PROGRESS_EVERY:
            progress(f"{read} of {counted(len(missing), 'file')} parsed")
    return assembly.pack()


def _file(item: Listed, headers: str) -> File:
    language = headers if item.path.endswith(".h") else language_of(item.path)
    role = role_of(item.path, language)
    return File(item.path, language, role, item.blob, item.size, _skip(item, role), -1)


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
