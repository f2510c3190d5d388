"""Objects of a repository, read and written in this process: no `git` is started for what takes microseconds.

Worktrees are git's own business; here are only commits, trees, blobs and refs.
"""

import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pygit2
from pygit2.enums import ConfigLevel, FileMode, ObjectType

from activities.execution.large import LARGE, size_of
from activities.execution.trees import NOTHING, SUBMODULE, Entry, differences, files, rewrite
from activities.git import GitError
from activities.snapshot import NOBODY

EPOCH = 946_684_800
"""the time of commits that have none of their own"""

# What git is told in `activities.git`: nobody's configuration counts, and volumes may have other owners.
pygit2.settings.owner_validation = False
for _level in (ConfigLevel.GLOBAL, ConfigLevel.XDG, ConfigLevel.SYSTEM):
    pygit2.settings.search_path[_level] = ""


@dataclass(frozen=True)
class Change:
    """One path that differs between two trees. `mode` is 0 for what is gone."""

    path: bytes
    kind: str
    """A, D, M or T, as git says it"""
    mode: int
    blob: str


@dataclass(frozen=True)
class Objects:
    """The objects of the bare repository at `path`, and of its alternate."""

    path: Path

    def missing(self, commits: Iterable[str]) -> list[str]:
        """Those that are not here as commits."""
        with opened(self.path) as here:
            return [each for each in commits if not _is_commit(here, each)]

    def read_all(self, names: Iterable[str]) -> None:
        """Read objects of any kind. Raises GitError for one that is missing or not what its name says."""
        with opened(self.path) as here:
            for name in names:
                here.odb.read(pygit2.Oid(hex=name))

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        with opened(self.path) as here:
            return str(_tree(here, commit).id)

    def message_of(self, commit: str) -> str:
        """What a commit says."""
        with opened(self.path) as here:
            return str(here[commit].peel(pygit2.Commit).message)

    def snapshot(self, commit: str) -> tuple[str, str]:
        """The tree `files` and the text of `rest.json` in a snapshot commit."""
        with opened(self.path) as here:
            tree = _tree(here, commit)
            rest = here[tree["rest.json"].id].peel(pygit2.Blob)
            return str(tree["files"].id), rest.data.decode("utf-8", "surrogateescape")

    def submodules(self, commit: str) -> list[bytes]:
        """Paths of submodules, sorted."""
        with opened(self.path) as here:
            found = files(here.odb, _tree(here, commit).id.raw)
            return sorted(path for path, (mode, _) in found if mode == SUBMODULE)

    def put_snapshot(
        self, files: str, rest: str, message: str, parents: tuple[str, ...], when: datetime | None
    ) -> str:
        """A commit of the tree `files` beside `rest.json`."""
        with opened(self.path) as here:
            builder = here.TreeBuilder()
            builder.insert("files", pygit2.Oid(hex=files), FileMode.TREE)
            builder.insert("rest.json", here.create_blob(rest.encode()), FileMode.BLOB)
            return _commit(here, builder.write(), message, parents, when)

    def put_commit(self, tree: str, message: str, parents: tuple[str, ...], when: datetime | None) -> str:
        """A commit by phasegate. The same tree, message, parents and time give the same commit."""
        with opened(self.path) as here:
            return _commit(here, pygit2.Oid(hex=tree), message, parents, when)

    def merge_base(self, ours: str, theirs: str) -> str:
        """The newest commit that both come from. Raises GitError when there is none."""
        with opened(self.path) as here:
            base = here.merge_base(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs))
        if base is None:
            raise GitError("merge-base", f"{ours[:12]} and {theirs[:12]} have nothing in common")
        return str(base)

    def changes(self, old: str, new: str) -> list[Change]:
        """What differs between two commits or trees, by path; renames are a deletion and an addition."""
        with opened(self.path) as here:
            return sorted((_change(*each) for each in _differences(here, old, new)), key=lambda c: c.path)

    def lines_changed(self, old: str, new: str) -> int:
        """Lines added and removed between two commits or trees; binary and large files do not count."""
        with opened(self.path) as here:
            texts = (
                (_text(here, was), _text(here, now))
                for _, was, now in _differences(here, old, new)
                if not (_is_large(here, was) or _is_large(here, now))
            )
            stats = [pygit2.Patch.create_from(was, now, context_lines=0).line_stats for was, now in texts]
            return sum(added + removed for _, added, removed in stats)

    def bytes_changed(self, old: str, new: str) -> int:
        """Bytes of the files that differ between two commits or trees, as they were and as they are."""
        with opened(self.path) as here:
            differing = [entry for _, was, now in _differences(here, old, new) for entry in (was, now)]
            return sum(size_of(here, id) for mode, id in differing if mode not in (0, SUBMODULE))

    def apply(self, tree: str, changes: Iterable[Change]) -> str:
        """The tree of a commit or tree after these changes."""
        wanted = {each.path: (each.mode, bytes.fromhex(each.blob)) for each in changes}
        with opened(self.path) as here:
            return rewrite(here.odb, _tree(here, tree).id.raw, wanted).hex()

    def there(self, tree: str, paths: Iterable[bytes]) -> set[bytes]:
        """Those paths that a commit or tree has."""
        with opened(self.path) as here:
            root = _tree(here, tree)
            return {path for path in paths if path.decode("utf-8", "surrogateescape") in root}

    def tree_in(self, index: Path) -> str:
        """Write the tree that an index file stands for."""
        with opened(self.path) as here:
            return str(pygit2.Index(str(index)).write_tree(here))

    def show_as_committed(self, commit: str, index: Path) -> None:
        """Let an index file say what a commit holds; git looks at the files itself when it is asked."""
        with opened(self.path) as here:
            told = pygit2.Index(str(index))
            told.read_tree(_tree(here, commit))
            told.write()

    def refs(self, names: Iterable[str]) -> dict[str, str]:
        """Where refs are; those that do not exist are left out."""
        with opened(self.path) as here:
            found = ((name, here.references.get(name)) for name in names)
            return {name: str(ref.resolve().target) for name, ref in found if ref is not None}

    def hold(self, ref: str, commit: str) -> None:
        """Let a ref lead to a commit."""
        with opened(self.path) as here:
            here.references.create(ref, pygit2.Oid(hex=commit), force=True)


@contextmanager
def opened(path: Path) -> Iterator[pygit2.Repository]:
    """Opened anew each time, as others write to it meanwhile. Failures are GitErrors."""
    try:
        here = pygit2.Repository(str(path))
    except pygit2.GitError as error:
        raise GitError("open", str(error)) from error
    try:
        yield here
    except (KeyError, ValueError) as error:
        raise GitError("read", f"object not found: {error}") from error
    except pygit2.GitError as error:
        raise GitError("read or write", str(error)) from error
    finally:
        here.free()


def _is_commit(here: pygit2.Repository, name: str) -> bool:
    found = here.get(name)
    return found is not None and found.type == ObjectType.COMMIT


def _tree(here: pygit2.Repository, name: str) -> pygit2.Tree:
    return here[name].peel(pygit2.Tree)


def _differences(here: pygit2.Repository, old: str, new: str) -> Iterator[tuple[bytes, Entry, Entry]]:
    return differences(here.odb, _tree(here, old).id.raw, _tree(here, new).id.raw)


def _is_large(here: pygit2.Repository, entry: Entry) -> bool:
    return entry[0] not in (0, SUBMODULE) and size_of(here, entry[1]) > LARGE


def _text(here: pygit2.Repository, entry: Entry) -> pygit2.Blob | bytes:
    """What git compares by line."""
    mode, id = entry
    if mode == SUBMODULE:
        return b"Subproject commit %s\n" % id.hex().encode()
    return here[pygit2.Oid(raw=id)].peel(pygit2.Blob) if mode else b""


def _commit(
    here: pygit2.Repository, tree: pygit2.Oid, message: str, parents: Iterable[str], when: datetime | None
) -> str:
    time = int(when.timestamp()) if when else EPOCH
    who = pygit2.Signature(NOBODY["GIT_AUTHOR_NAME"], NOBODY["GIT_AUTHOR_EMAIL"], time, 0)
    text = message.encode("utf-8", "replace").decode()
    ended = text if text.endswith("\n") else f"{text}\n"
    return str(here.create_commit(None, who, who, ended, tree, [pygit2.Oid(hex=p) for p in parents]))


def _change(path: bytes, old: Entry, new: Entry) -> Change:
    if NOTHING in (old, new):
        kind = "A" if old == NOTHING else "D"
    else:
        kind = "M" if stat.S_IFMT(old[0]) == stat.S_IFMT(new[0]) else "T"
    return Change(path, kind, new[0], new[1].hex())
