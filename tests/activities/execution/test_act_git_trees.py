"""Trees of git rewritten by the folder: what one would get from a list of paths, whatever turns into what."""

from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.execution.trees import NOTHING, Entry, differences, files, rewrite

PATHS = st.lists(st.sampled_from([b"a", b"b", b"a.c", b"c"]), min_size=1, max_size=3).map(b"/".join)
ENTRIES = st.tuples(st.sampled_from([0o100644, 0o100755, 0o120000, 0o160000]), st.sampled_from([b"1", b"2"]))
NO_FILES = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")


@pytest.fixture(scope="module")
def odb(tmp_path_factory: pytest.TempPathFactory) -> pygit2.Odb:
    return pygit2.init_repository(str(tmp_path_factory.mktemp("git")), bare=True).odb


def laid(wanted: dict[bytes, Entry], onto: dict[bytes, Entry]) -> dict[bytes, Entry]:
    """The paths after these changes, removals first: a file takes the place of what is below it or above."""
    found = {path: entry for path, entry in onto.items() if wanted.get(path) != NOTHING}
    for path, entry in sorted(wanted.items()):
        if entry != NOTHING:
            off = {p for p in found if p.startswith(path + b"/") or path.startswith(p + b"/")}
            found = {p: e for p, e in found.items() if p not in off} | {path: entry}
    return found


def named(paths: dict[bytes, Entry]) -> dict[bytes, Entry]:
    """The entries with ids of their full length."""
    return {path: (mode, id * 20) if mode else NOTHING for path, (mode, id) in paths.items()}


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(PATHS, ENTRIES), st.dictionaries(PATHS, ENTRIES | st.just((0, b""))))
def test_a_tree_is_rewritten_as_its_paths_say(
    odb: pygit2.Odb, begun: dict[bytes, Entry], changes: dict[bytes, Entry]
) -> None:
    before = laid(named(begun), {})
    old = rewrite(odb, NO_FILES, before)
    assert dict(files(odb, old)) == before
    after = laid(named(changes), before)
    new = rewrite(odb, old, named(changes))
    assert dict(files(odb, new)) == after
    assert new == rewrite(odb, NO_FILES, after)
    found = {path: (was, now) for path, was, now in differences(odb, old, new)}
    paths = before.keys() | after.keys()
    both = {path: (before.get(path, NOTHING), after.get(path, NOTHING)) for path in paths}
    assert found == {path: (was, now) for path, (was, now) in both.items() if was != now}


def test_git_reads_what_was_written(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path), bare=True)
    blob = repository.create_blob(b"text")
    index = pygit2.Index()
    wanted: dict[bytes, Entry] = {}
    for path in ("a/b/c", "a.c", "a-b", "a0", "b"):
        index.add(pygit2.IndexEntry(path, blob, pygit2.enums.FileMode.BLOB))
        wanted[path.encode()] = (0o100644, blob.raw)
    assert rewrite(repository.odb, NO_FILES, wanted) == index.write_tree(repository).raw


def test_folders_may_lie_deeper_than_python_recurses(odb: pygit2.Odb) -> None:
    deep = b"d/" * 1_400 + b"file"
    tree = rewrite(odb, NO_FILES, {deep: (0o100644, b"1" * 20), b"other": (0o100644, b"1" * 20)})
    assert {path for path, _ in files(odb, tree)} == {deep, b"other"}
    assert [path for path, _, _ in differences(odb, NO_FILES, tree) if path == deep] == [deep]
    assert dict(files(odb, rewrite(odb, tree, {deep: NOTHING}))).keys() == {b"other"}
