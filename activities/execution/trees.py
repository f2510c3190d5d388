"""Trees of git as they are stored, by the folder: what two of them share is never opened.

libgit2 reads both trees whole to compare them, and a whole tree to change one file in it. No function here
recurses: folders may lie deeper in each other than Python may.
"""

from collections.abc import Iterator, Mapping

import pygit2
from pygit2.enums import ObjectType

Entry = tuple[int, bytes]
"""mode and id"""
Tree = dict[bytes, Entry]

FOLDER, LINK, SUBMODULE = 0o40000, 0o120000, 0o160000
NOTHING: Entry = (0, b"")
"""the entry of what is not there"""
_EMPTY = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")  # git knows it without having it


def files(odb: pygit2.Odb, root: bytes) -> Iterator[tuple[bytes, Entry]]:
    """Every path below a tree that is no folder, with its entry; in no order."""
    todo = [(b"", root)]
    while todo:
        below, tree = todo.pop()
        for name, entry in _read(odb, tree).items():
            if entry[0] == FOLDER:
                todo.append((below + name + b"/", entry[1]))
            else:
                yield below + name, entry


def differences(odb: pygit2.Odb, old: bytes, new: bytes) -> Iterator[tuple[bytes, Entry, Entry]]:
    """Every path below either tree that is no folder and differs, with both entries; in no order."""
    todo = [(b"", old, new)]
    while todo:
        below, old, new = todo.pop()
        was, now = _read(odb, old), _read(odb, new)
        for name in was.keys() | now.keys():
            before, after = was.get(name, NOTHING), now.get(name, NOTHING)
            if before == after:
                continue
            if FOLDER in (before[0], after[0]):
                folders = [each[1] if each[0] == FOLDER else b"" for each in (before, after)]
                todo.append((below + name + b"/", folders[0], folders[1]))
            file = [each if each[0] != FOLDER else NOTHING for each in (before, after)]
            if file != [NOTHING, NOTHING]:
                yield below + name, file[0], file[1]


def rewrite(odb: pygit2.Odb, root: bytes, changes: Mapping[bytes, Entry]) -> bytes:
    """Write a tree with these files changed; mode 0 removes. Folders without files go, as git has none.

    Where one path is to be a file and a folder, it becomes the folder.
    """
    inside: dict[bytes, Tree] = {b"": {}}
    for path, entry in changes.items():
        folder, _, name = path.rpartition(b"/")
        above = folder
        while above not in inside:
            inside[above] = {}
            above = above.rpartition(b"/")[0]
        inside[folder][name] = entry
    order = sorted(inside, key=lambda folder: folder.count(b"/") + bool(folder))
    trees: dict[bytes, Tree] = {b"": _read(odb, root)}
    for folder in order:
        if folder:
            parent, _, name = folder.rpartition(b"/")
            mode, id = inside[parent].get(name, trees[parent].get(name, NOTHING))
            trees[folder] = _read(odb, id) if mode == FOLDER else {}
        # There is no file to remove where a folder is.
        there = {name for name, entry in trees[folder].items() if entry[0] == FOLDER}
        inside[folder] = {n: entry for n, entry in inside[folder].items() if entry[0] or n not in there}
    for folder in reversed(order[1:]):
        parent, _, name = folder.rpartition(b"/")
        if tree := _changed(trees[folder], inside[folder]):
            same = tree == trees[folder]
            inside[parent][name] = trees[parent][name] if same else (FOLDER, _write(odb, tree))
        elif trees[folder]:
            inside[parent].setdefault(name, NOTHING)
    tree = _changed(trees[b""], inside[b""])
    return root if tree == trees[b""] else _write(odb, tree)


def _changed(tree: Tree, inside: Tree) -> Tree:
    return {name: entry for name, entry in (tree | inside).items() if entry[0]}


def _read(odb: pygit2.Odb, id: bytes) -> Tree:
    """One folder; none of it for a blank id."""
    if id in (b"", _EMPTY):
        return {}
    data, at, found = odb.read(pygit2.Oid(raw=id))[1], 0, {}
    while at < len(data):
        blank = data.index(b" ", at)
        end = data.index(b"\0", blank)
        found[data[blank + 1 : end]] = (int(data[at:blank], 8), data[end + 1 : end + 21])
        at = end + 21
    return found


def _write(odb: pygit2.Odb, tree: Tree) -> bytes:
    named = sorted(tree.items(), key=lambda each: each[0] + b"/" if each[1][0] == FOLDER else each[0])
    data = b"".join(b"%o %s\0%s" % (mode, name, id) for name, (mode, id) in named)
    return odb.write(ObjectType.TREE, data).raw
