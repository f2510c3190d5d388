"""How ripgrep is found, bounded and ended."""

import os
import subprocess
import sysconfig
import time
import venv
from pathlib import Path

import pytest

from activities.ripgrep import (
    LONGEST_LINE,
    RipgrepFailed,
    RipgrepTooSlow,
    find_ripgrep,
    ripgrep,
)


def running(pattern: str) -> list[str]:
    """Command lines of this machine's processes that hold a text."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = each.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if pattern in command:
            found.append(command)
    return found


def test_the_program_of_this_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "rg"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert find_ripgrep() == Path(sysconfig.get_path("scripts")) / "rg"


def test_a_missing_program_is_a_sentence(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    asked = subprocess.run(
        [tmp_path / "bare/bin/python", "-c", "from activities.ripgrep import find_ripgrep; find_ripgrep()"],
        cwd=Path(__file__).parents[2],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert "RipgrepMissing: The rg program was not found; install it with `pip install" in asked.stderr


def test_lines_come_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    with ripgrep(["o", "a.txt"], tmp_path, 10) as lines:
        assert list(lines) == [b"one\n", b"two\n"]
    with ripgrep(["zzz", "a.txt"], tmp_path, 10) as lines:
        assert list(lines) == []


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.write(b"x" * (2 * LONGEST_LINE + 5) + b"\nxy\n")
    with ripgrep(["x", "a.txt"], tmp_path, 30) as lines:
        assert [len(line) for line in lines] == [LONGEST_LINE, 3]


def test_refused_arguments(tmp_path: Path) -> None:
    with pytest.raises(RipgrepFailed, match="unclosed group"), ripgrep(["("], tmp_path, 10) as lines:
        list(lines)


@pytest.mark.timeout(30)
def test_one_that_never_ends_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "waits-for-a-writer")
    begun = time.monotonic()
    with pytest.raises(RipgrepTooSlow), ripgrep(["x", "waits-for-a-writer"], tmp_path, 0.2) as lines:
        list(lines)
    assert time.monotonic() - begun < 10
    assert not running("waits-for-a-writer")


@pytest.mark.timeout(30)
def test_leaving_early_ends_one_that_waits_for_more(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("leave-me-early\n")
    os.mkfifo(tmp_path / "leave-me-early")
    begun = time.monotonic()
    arguments = ["--threads=1", "--line-buffered", "leave", "a.txt", "leave-me-early"]
    with ripgrep(arguments, tmp_path, 25) as lines:
        assert next(lines) == b"a.txt:leave-me-early\n"
    assert time.monotonic() - begun < 10
    assert not running("leave-me-early")
