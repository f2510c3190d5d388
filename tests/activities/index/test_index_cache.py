"""The parse cache: used, shared, versioned, and never trusted when damaged."""

import json
from pathlib import Path

import pytest

from activities.index import build, parse
from activities.index.build import open_index
from activities.index.records import Parsed
from tests.activities.conftest import MakeRepo

FILES = {f"pkg/m{n}.py": f"def f{n}(a: int) -> int:\n    return g{n}(a)\n" for n in range(20)}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was parsed, in order."""
    seen: list[bytes] = []
    real = parse.parse

    def noted(data: bytes, language: str) -> Parsed:
        seen.append(data)
        return real(data, language)

    monkeypatch.setattr(build, "parse", noted)
    return seen


def test_a_second_index_parses_nothing_and_is_equal(
    make_repo: MakeRepo, tmp_path: Path, parsed: list[bytes]
) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    first = open_index(root, "HEAD", cache)
    assert len(parsed) == 20
    second = open_index(root, "HEAD", cache)
    assert len(parsed) == 20
    assert second.files == first.files


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"x": 1}', b"\xff\xfe\0", b'{"python:%s": {"skipped": "", "parsed": 3}}']
)
def test_a_damaged_entry_is_rebuilt(
    make_repo: MakeRepo, tmp_path: Path, parsed: list[bytes], damage: bytes
) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    first = open_index(root, "HEAD", cache)
    shard = sorted(cache.rglob("*.json"))[0]
    blob = next(iter(json.loads(shard.read_text()))).partition(":")[2]
    shard.write_bytes(damage.replace(b"%s", blob.encode()))
    again = open_index(root, "HEAD", cache)
    assert len(parsed) > 20
    assert again.files == first.files
    assert json.loads(shard.read_text())


def test_another_version_is_another_folder(
    make_repo: MakeRepo, tmp_path: Path, parsed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, cache = make_repo(FILES), tmp_path / "cache"
    open_index(root, "HEAD", cache)
    monkeypatch.setattr("activities.index.cache.VERSION", parse.VERSION + 1)
    open_index(root, "HEAD", cache)
    assert len(parsed) == 40


def test_a_cache_that_cannot_be_written_costs_only_time(make_repo: MakeRepo, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    index = open_index(make_repo(FILES), "HEAD", blocked)
    assert len(index.symbol_names) == 20
    assert list(tmp_path.glob("*.tmp")) == []
