"""Loose objects are read to their end before libgit2 reads them, which would never come back."""

import zlib
from pathlib import Path

import pytest

from activities.execution.loose import Whole, read_through, take_over
from tests.activities.conftest import MakeRepo, git


@pytest.mark.parametrize("data", [b"", b"a", bytes(5_000_000), b"ab" * 700_000, bytes(range(256)) * 9_000])
@pytest.mark.parametrize("level", [0, 1, 9])
def test_a_stream_is_whole_or_it_is_not(tmp_path: Path, data: bytes, level: int) -> None:
    packed, file, pieces = zlib.compress(data, level), tmp_path / "stream", list[bytes]()
    file.write_bytes(packed)
    assert read_through(file, pieces.append)
    assert b"".join(pieces) == data
    for length in {0, 1, 2, len(packed) // 2, len(packed) - 4, len(packed) - 1}:
        file.write_bytes(packed[:length])
        assert not read_through(file), length
    file.write_bytes(b"no stream at all")
    assert not read_through(file)


def test_what_is_cut_off_is_found_whenever_that_happened(make_repo: MakeRepo) -> None:
    repository = make_repo({"a.txt": "a\n", "b.txt": "b\n"}) / ".git"
    (repository / "objects/aa").mkdir(exist_ok=True)
    (repository / "objects/aa/tmp_obj_x").write_text("git has not finished this one")
    whole = Whole()
    assert whole.cut_off(repository) == ""
    name = git(repository.parent, "rev-parse", "HEAD:a.txt")
    file = repository / "objects" / name[:2] / name[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-5])
    assert whole.cut_off(repository) == name
    assert whole.cut_off(repository) == name
    assert Whole().cut_off(repository) == name
    file.unlink()
    assert whole.cut_off(repository) == ""


def test_only_what_its_name_says_is_taken_over(make_repo: MakeRepo, tmp_path: Path) -> None:
    old = make_repo({"a.txt": "a\n", "b.txt": "b\n"})
    git(tmp_path, "init", "-q", "new")
    one, other = git(old, "rev-parse", "HEAD:a.txt", "HEAD:b.txt").split()
    files = [old / ".git/objects" / name[:2] / name[2:] for name in (one, other)]
    files[0].unlink()
    files[0].write_bytes(files[1].read_bytes())
    take_over(old / ".git", tmp_path / "new/.git")
    there = tmp_path / "new/.git/objects"
    assert (there / other[:2] / other[2:]).exists()
    assert not (there / one[:2] / one[2:]).exists()
