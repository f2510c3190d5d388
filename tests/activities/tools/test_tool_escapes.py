"""Every way out of the workspace, and that none of it shows where the workspace lies."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.index.build import open_index
from activities.tools.toolbox import ALL_TOOLS, MOST_CHARACTERS, Toolbox
from tests.activities.conftest import write
from tests.activities.tools.boxes import SECRET, content, make_box, refusal

LINKS = {
    "absolute": "{outside}/secret.txt",
    "relative": "../outside/secret.txt",
    "folder": "../outside",
    "chain": "sub/second",
    "sub/second": "../../outside/secret.txt",
    "sub/up": "../..",
    "sub/root": "/",
    "passwd": "/etc/passwd",
    "zero": "/dev/zero",
    "twin": "{workspace}-twin/secret.txt",
    "inside-then-out": "{workspace}/../outside/secret.txt",
    "proc": "/proc/self/root",
}


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    box = make_box(tmp_path, {"src/a.py": "one\n", "sub/b.py": "two\n", ".git": f"gitdir: {tmp_path}/mirror"})
    for name, target in LINKS.items():
        full = target.format(outside=tmp_path / "outside", workspace=box.root)
        (box.root / name).symlink_to(full)
    return box


OUTSIDE = [
    "..",
    "../",
    "../outside/secret.txt",
    "src/../../outside/secret.txt",
    "./.././outside",
    "sub/../src/../..",
    "nope/../../outside/secret.txt",
    "src/a.py/../../../outside",
    "../workspace/src/a.py",
    "/",
    "//",
    "/etc/passwd",
    "///etc/passwd",
    "/proc/self/environ",
    "/proc/self/cwd",
    *LINKS,
    "folder/secret.txt",
    "sub/up/outside/secret.txt",
    "sub/root/etc/passwd",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_refused_with_the_path_as_it_was_given(path: str, box: Toolbox) -> None:
    said = f"Path {path} is outside agent workspace directory"
    assert refusal(box, "read_file", filename=path) == said
    assert refusal(box, "list_files", path=path) == said


def test_the_absolute_path_of_the_workspace_itself_is_no_way_in(box: Toolbox) -> None:
    path = str(box.root / "src/a.py")
    assert refusal(box, "read_file", filename=path) == f"Path {path} is outside agent workspace directory"


@pytest.mark.parametrize(
    "pattern",
    [
        "../*",
        "../outside/*",
        "**/../..",
        "src/../../*",
        "/etc/*",
        "/",
        "..",
        "{..,src}/*",
        "{../outside,src}/*",
        "*/../..",
    ],
)
def test_file_patterns_that_lead_out(pattern: str, box: Toolbox) -> None:
    said = refusal(box, "grep_search", query=".", file_pattern=pattern)
    assert said == f"Path {pattern} is outside agent workspace directory"


@pytest.mark.parametrize(
    "path", ["~", "~/secret", "~root", "$HOME", "C:\\", "..\\outside", "%2e%2e/outside", "．．/outside"]
)
def test_what_is_no_way_out_on_this_system_is_just_a_name(path: str, box: Toolbox) -> None:
    assert refusal(box, "read_file", filename=path) == f"File {path} not found"


@pytest.mark.parametrize(
    "path", [".git", "./.git", "src/../.git", ".GIT", ".git/config", ".git/../src/a.py", ".git\u200b"]
)
def test_git_is_hidden(path: str, box: Toolbox) -> None:
    assert "not found" in refusal(box, "read_file", filename=path)
    assert "not found" in refusal(box, "list_files", path=path)
    assert "No matches" in content(box, "grep_search", query="gitdir")


def test_links_into_git_are_hidden_too(box: Toolbox) -> None:
    (box.root / "peek").symlink_to(".git")
    assert refusal(box, "read_file", filename="peek") == "File peek not found"


def test_links_inside_are_followed(box: Toolbox) -> None:
    for name, target in {
        "ok": "src/a.py",
        "whole": str(box.root),
        "sub/back": "../src/../src/a.py",
        "a": "b",
        "b": "ok",
    }.items():
        (box.root / name).symlink_to(target)
    for path in ("ok", "whole/src/a.py", "sub/back", "a", "whole/whole/a", "whole/sub/../a"):
        assert "   1 one" in content(box, "read_file", filename=path)


def test_a_workspace_behind_a_link(box: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(box.root)
    (box.root / "ok").symlink_to(box.root / "src/a.py")
    aliased = Toolbox(tmp_path / "alias", box.index)
    assert "   1 one" in content(aliased, "read_file", filename="ok")
    assert "outside" in refusal(aliased, "read_file", filename="relative")


def test_loops_end(box: Toolbox) -> None:
    (box.root / "loop").symlink_to("loop")
    (box.root / "ping").symlink_to("pong/x")
    (box.root / "pong").symlink_to("ping/x")
    assert refusal(box, "read_file", filename="loop") == "File loop is a loop of symbolic links"
    assert refusal(box, "list_files", path="ping") == "Directory ping is a loop of symbolic links"


@pytest.mark.parametrize("name", ["read_file", "list_files"])
def test_nul_bytes(name: str, box: Toolbox) -> None:
    key = "filename" if name == "read_file" else "path"
    assert refusal(box, name, **{key: "src\0/../.."}) == "Path src/../.. contains a NUL character"


def test_searching_follows_no_link(box: Toolbox) -> None:
    assert content(box, "grep_search", query=SECRET) == f"No matches found for pattern: {SECRET}"
    assert content(box, "grep_search", query="root:", file_pattern="passwd").startswith("No files found")


def test_no_descriptor_is_left_open(box: Toolbox) -> None:
    before = len(os.listdir("/dev/fd"))
    for path in [*OUTSIDE, "src/a.py", "src", "nope", "a\0", "src/.." * 3_000, "zz/" * 500]:
        box.run("read_file", json.dumps({"filename": path}))
        box.run("list_files", json.dumps({"path": path}))
    box.run("grep_search", json.dumps({"query": "."}))
    assert len(os.listdir("/dev/fd")) == before


def test_a_file_that_becomes_a_link_while_it_is_opened_is_never_followed(
    box: Toolbox, tmp_path: Path
) -> None:
    """The swap that a check before opening would lose now and then."""
    place, stop = box.root / "src" / "swap", threading.Event()
    write(tmp_path, {"spare": "harmless\n"})
    (tmp_path / "evil").symlink_to(tmp_path / "outside" / "secret.txt")

    def swap() -> None:
        while not stop.is_set():
            for source in ("spare", "evil"):
                os.link(tmp_path / source, tmp_path / "next", follow_symlinks=False)
                os.replace(tmp_path / "next", place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = {box.run("read_file", '{"filename": "src/swap"}').text for _ in range(2_000)}
    finally:
        stop.set()
        thread.join()
    assert not [text for text in seen if SECRET in text]
    assert len(seen) >= 2


PIECES = [
    "..",
    ".",
    "/",
    "src",
    "a.py",
    "sub/up",
    "folder",
    "absolute",
    "~",
    "*",
    "**",
    "\0",
    "\n",
    "\x1b[2J",
    "é",
    "!",
    "-e",
]
PATHS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8).map("/".join)
VALUES: st.SearchStrategy[Any] = (
    PATHS
    | st.text(max_size=30)
    | st.integers()
    | st.booleans()
    | st.none()
    | st.floats()
    | st.lists(st.text(max_size=3), max_size=2)
)
KEYS = [
    "path",
    "filename",
    "query",
    "file_pattern",
    "start_line",
    "end_line",
    "case_sensitive",
    "context_lines",
]
SENT = st.dictionaries(st.sampled_from([*KEYS, "name", "description"]), VALUES, max_size=8).map(json.dumps)


@pytest.mark.timeout(120)
@given(name=st.sampled_from(ALL_TOOLS), sent=SENT | st.text(max_size=40) | st.binary(max_size=20).map(repr))
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_is_sent_nothing_raises_or_leaks(name: str, sent: str, box: Toolbox, tmp_path: Path) -> None:
    index = open_index(box.root / "src", "HEAD")
    given = Toolbox(box.root, lambda: index).run(name, sent)
    assert bool(given.error) != bool(given.content)
    assert len(given.text) <= MOST_CHARACTERS + 100
    assert SECRET not in given.text
    assert str(tmp_path) not in given.text
    assert not [c for c in given.text if ord(c) < 32 and c not in "\n\t"]
