"""The cache: used, shared, bounded, versioned, and never trusted when damaged."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from activities.index import parse
from activities.index.build import open_index
from activities.index.cache import PackCache
from activities.index.model import Index
from tests.activities.conftest import MakeRepo, git, write

FILES = {f"pkg/m{n}.py": f"def f{n}(a: int) -> int:\n    return g{n}(a)\n" for n in range(20)}
QUERY = "change f7 and g7 in pkg"


def packs(cache: Path) -> list[Path]:
    """Every pack, by name."""
    return sorted(cache.rglob("*.pack"))


def opened(root: Path, cache: Path, commit: str = "HEAD") -> tuple[Index, str]:
    """An index, and how many texts had to be parsed for it: blank when it came from a pack as a whole."""
    told: list[str] = []
    index = open_index(root, commit, cache, told.append)
    return index, told[0].split()[3] if told else ""


def same(one: Index, other: Index) -> bool:
    """Whether two indexes answer alike."""
    return one.files == other.files and one.rank(QUERY) == other.rank(QUERY)


def test_a_second_index_parses_nothing_and_is_equal(make_repo: MakeRepo, tmp_path: Path) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    first, parsed = opened(root, cache)
    assert parsed == "20"
    second, parsed = opened(root, cache)
    assert parsed == ""
    assert same(first, second)
    assert same(first, open_index(root, "HEAD"))


def test_only_what_changed_is_parsed_and_the_pack_is_that_of_a_cold_index(
    make_repo: MakeRepo, tmp_path: Path
) -> None:
    root = make_repo(FILES)
    open_index(root, "HEAD", tmp_path / "warm")
    write(root, {"pkg/m3.py": "def changed(): ...\n", "pkg/new.py": "from pkg.m3 import changed\n"})
    git(root, "rm", "-q", "pkg/m4.py")
    git(root, "mv", "pkg/m5.py", "pkg/moved.py")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    warm, parsed = opened(root, tmp_path / "warm")
    assert parsed == "2"
    cold, _ = opened(root, tmp_path / "cold")
    assert same(warm, cold)
    (pack,) = packs(tmp_path / "cold")
    assert pack.read_bytes() == next(p for p in packs(tmp_path / "warm") if p.name == pack.name).read_bytes()


def test_equal_files_are_parsed_once(make_repo: MakeRepo, tmp_path: Path) -> None:
    root = make_repo({"a/__init__.py": "x = 1\n", "b/__init__.py": "x = 1\n", "c.txt": "x = 1\n"})
    index, parsed = opened(root, tmp_path / "cache")
    assert parsed == "2"
    assert [symbol.path for symbol in index.find("x")] == ["a/__init__.py", "b/__init__.py"]


@pytest.mark.parametrize("damage", [b"", b"{", b"phasegate-index\n", b"\xff" * 5_000, b"\0" * 40])
def test_a_damaged_pack_is_made_again(make_repo: MakeRepo, tmp_path: Path, damage: bytes) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    first, _ = opened(root, cache)
    (pack,) = packs(cache)
    whole = pack.read_bytes()
    pack.write_bytes(damage)
    again, parsed = opened(root, cache)
    assert parsed == "20"
    assert same(first, again)
    assert pack.read_bytes() == whole


@pytest.mark.parametrize("part", range(0, 100, 7))
def test_a_pack_that_is_damaged_or_cut_anywhere_gives_no_wrong_answer(
    make_repo: MakeRepo, tmp_path: Path, part: int
) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    first, _ = opened(root, cache)
    (pack,) = packs(cache)
    whole = pack.read_bytes()
    place = len(whole) * part // 100
    pack.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
    assert same(first, open_index(root, "HEAD", cache))
    pack.write_bytes(whole[:place])
    assert same(first, open_index(root, "HEAD", cache))


def test_a_damaged_record_is_not_carried_into_the_next_commit(make_repo: MakeRepo, tmp_path: Path) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    open_index(root, "HEAD", cache)
    (pack,) = packs(cache)
    pack.write_bytes(pack.read_bytes().replace(b"def f7(a: int)", b"def f7(a: xxx)"))
    write(root, {"other.py": "def other(): ...\n"})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    index, parsed = opened(root, cache)
    assert parsed == "2"
    assert index.find("f7")[0].signature == "def f7(a: int) -> int"


def test_a_damaged_list_of_recent_packs_is_passed_over(make_repo: MakeRepo, tmp_path: Path) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    open_index(root, "HEAD", cache)
    (recent,) = cache.rglob("*.recent")
    for damage in (b"", b"{", b"[1, null]", b'["../../x", "gone"]', b'{"a": 1}'):
        recent.write_bytes(damage)
        write(root, {"more.py": f"x = {damage!r}\n"})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "more")
        assert opened(root, cache)[1] == "21"


def test_another_version_is_another_folder(
    make_repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    open_index(root, "HEAD", cache)
    monkeypatch.setattr("activities.index.cache.VERSION", parse.VERSION + 1)
    assert opened(root, cache)[1] == "20"


def test_a_cache_that_cannot_be_written_costs_only_time(make_repo: MakeRepo, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    index = open_index(make_repo(FILES), "HEAD", blocked)
    assert len(index.symbol_names) == 20
    assert list(tmp_path.glob("*.tmp")) == []


def test_the_pack_that_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = PackCache(tmp_path, limit=2_500)
    for number, name in enumerate(("a", "b", "c")):
        cache.save(name, "source", bytes(1_000))
        os.utime(tmp_path / "index" / f"v{parse.VERSION}" / f"{name}.pack", (number + 1, number + 1))
        assert (tmp_path / "index" / f"v{parse.VERSION}" / f"{name}.pack").exists()
    cache.save("d", "source", bytes(1_000))
    assert [path.stem for path in packs(tmp_path)] == ["c", "d"]


def test_the_newest_pack_stays_even_when_it_alone_is_too_large(tmp_path: Path) -> None:
    cache = PackCache(tmp_path, limit=10)
    cache.save("a", "source", bytes(1_000))
    assert [path.stem for path in packs(tmp_path)] == ["a"]


def test_an_index_outlives_its_pack(make_repo: MakeRepo, tmp_path: Path) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    index = open_index(root, "HEAD", cache)
    for pack in packs(cache):
        pack.unlink()
    assert index.find("f7")[0].line == 1
    assert len(index.rank(QUERY, 50)) == 20


def test_a_plain_folder_is_cached_by_what_is_in_it(tmp_path: Path) -> None:
    folder, cache = tmp_path / "plain", tmp_path / "cache"
    write(folder, FILES)
    assert opened(folder, cache)[1] == "20"
    assert opened(folder, cache)[1] == ""
    write(folder, {"pkg/m0.py": "def another(): ...\n"})
    index, parsed = opened(folder, cache)
    assert parsed == "1"
    assert index.find("another")


def test_many_processes_share_a_cache(make_repo: MakeRepo, tmp_path: Path) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    commits = [git(root, "rev-parse", "HEAD")]
    for number in range(3):
        write(root, {f"pkg/more{number}.py": f"def more{number}(): ...\n"})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "more")
        commits.append(git(root, "rev-parse", "HEAD"))
    code = (
        "import sys; from pathlib import Path; from activities.index.build import open_index\n"
        "root, cache = map(Path, sys.argv[1:3])\n"
        "for commit in sys.argv[3:]: index = open_index(root, commit, cache, limit=30_000)\n"
        "print(sorted(index.symbol_names), [r.path for r in index.rank('change f7 and g7 in pkg')])"
    )
    command = [sys.executable, "-c", code, str(root), str(cache)]
    turns = [[*commits[n:], *commits[:n], commits[-1]] for n in range(4)]
    running = [
        subprocess.Popen([*command, *turn], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for turn in turns
    ]
    ended = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 4, ended
    assert len({out for out, _ in ended}) == 1
    assert list(cache.rglob("*.tmp")) == []
