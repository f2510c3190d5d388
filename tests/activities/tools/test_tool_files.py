"""list_files and read_file on every kind of file that a checkout can hold."""

import os
import socket
from pathlib import Path

import pytest

from activities.tools.files import MOST_CHARACTERS, MOST_ITEMS, MOST_LINES
from activities.tools.toolbox import Toolbox
from tests.activities.conftest import write
from tests.activities.tools.boxes import content, make_box, refusal


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return make_box(tmp_path, {"src/a.py": "".join(f"line {n}\n" for n in range(1, 151))})


def rows(text: str) -> list[str]:
    return text.split("\n")[2:]


# --- list_files ---


def test_names_are_sorted_with_dot_files_and_without_git(box: Toolbox) -> None:
    write(box.root, {"b": "", "B": "", ".github/x": "", "_": "", ".git": "gitdir: /somewhere", "ä": ""})
    expected = "Found 6 items:\n\n.github/\nB\n_\nb\nsrc/\nä"
    assert content(box, "list_files") == expected
    assert content(box, "list_files", path="") == expected
    assert content(box, "list_files", path="src/../") == expected


def test_an_empty_directory(box: Toolbox) -> None:
    (box.root / "empty").mkdir()
    assert content(box, "list_files", path="empty") == "Directory is empty"
    write(box.root, {"sub/.git": "gitdir: ../.git/modules/sub"})
    assert content(box, "list_files", path="sub") == "Directory is empty"


def test_a_long_directory_is_cut(box: Toolbox) -> None:
    write(box.root, {f"many/{n:05}": "" for n in range(MOST_ITEMS + 5)})
    lines = content(box, "list_files", path="many").splitlines()
    assert lines[0] == f"Found {MOST_ITEMS + 5} items:"
    assert lines[2:4] == ["00000", "00001"]
    assert lines[-2:] == ["00999", f"... (first {MOST_ITEMS} of {MOST_ITEMS + 5} items)"]


def test_a_file_is_no_directory_and_a_directory_no_file(box: Toolbox) -> None:
    assert refusal(box, "list_files", path="src/a.py") == "src/a.py is a file, not a directory; use read_file"
    assert refusal(box, "read_file", filename="src") == "src is a directory; use list_files"
    assert refusal(box, "read_file", filename=".") == ". is a directory; use list_files"


def test_links_are_shown_as_what_they_lead_to_inside(box: Toolbox, tmp_path: Path) -> None:
    for name, target in {
        "to-folder": "src",
        "to-file": "src/a.py",
        "absolute": str(box.root / "src"),
        "out": str(tmp_path / "outside"),
        "broken": "nowhere",
        "loop": "loop",
    }.items():
        (box.root / name).symlink_to(target)
    listed = "Found 7 items:\n\nabsolute/\nbroken\nloop\nout\nsrc/\nto-file\nto-folder/"
    assert content(box, "list_files") == listed


# --- read_file: ranges ---


@pytest.mark.parametrize(
    ("asked", "header", "first", "last"),
    [
        ({}, "first 100 lines of 151 total", "   1 line 1", " 100 line 100"),
        ({"start_line": 149}, "from line 149 of 151 total", " 149 line 149", " 151 "),
        ({"end_line": 2}, "first 2 lines of 151 total", "   1 line 1", "   2 line 2"),
        ({"end_line": 999}, "first 151 lines of 151 total", "   1 line 1", " 151 "),
        ({"start_line": 7, "end_line": 7}, "lines 7-7 of 151 total", "   7 line 7", "   7 line 7"),
        ({"start_line": 150, "end_line": 10**30}, "lines 150-151 of 151 total", " 150 line 150", " 151 "),
    ],
)
def test_ranges(asked: dict[str, int], header: str, first: str, last: str, box: Toolbox) -> None:
    text = content(box, "read_file", filename="src/a.py", **asked)
    assert text.startswith(f"File: src/a.py ({header})\n\n")
    assert (rows(text)[0], rows(text)[-1]) == (first, last)


def test_ranges_that_hold_nothing(box: Toolbox) -> None:
    after_end = refusal(box, "read_file", filename="src/a.py", start_line=9, end_line=8)
    assert after_end == "start_line 9 is after end_line 8"
    after_all = refusal(box, "read_file", filename="src/a.py", start_line=152)
    assert after_all == "start_line 152 is after the last line of src/a.py, which is 151"


def test_a_range_is_capped_and_the_header_says_so(box: Toolbox) -> None:
    write(box.root, {"long.txt": "x\n" * 5_000})
    for asked in ({"start_line": 1, "end_line": 4_000}, {"start_line": 1}, {"end_line": 4_000}):
        text = content(box, "read_file", filename="long.txt", **asked)
        assert len(rows(text)) == MOST_LINES
        assert "of 5001 total; at most 1000 lines or 60000 characters at once, go on from line 1001)" in text
    rest = content(box, "read_file", filename="long.txt", start_line=1_001, end_line=2_000)
    assert rest.startswith("File: long.txt (lines 1001-2000 of 5001 total)\n")


def test_characters_are_capped_too(box: Toolbox) -> None:
    write(box.root, {"wide.txt": ("w" * 1_500 + "\n") * 200, "wider.js": "v" * 3_000_000})
    text = content(box, "read_file", filename="wide.txt")
    assert len(text) < MOST_CHARACTERS + 500
    assert text.startswith("File: wide.txt (first 39 lines of 201 total; at most ")
    assert "go on from line 40)" in text
    wider = content(box, "read_file", filename="wider.js")
    assert wider == f"File: wider.js (first 1 lines of 1 total)\n\n   1 {'v' * 2_000}... [truncated]"


# --- read_file: contents ---


@pytest.mark.parametrize(
    ("data", "total", "shown"),
    [
        (b"", 1, ["   1 "]),
        (b"\n", 2, ["   1 ", "   2 "]),
        (b"no newline", 1, ["   1 no newline"]),
        (b"a\r\nb\r\n", 3, ["   1 a", "   2 b", "   3 "]),
        (b"caf\xe9\n", 2, ["   1 caf\ufffd", "   2 "]),
        ("grün \U0001f600\n".encode(), 2, ["   1 grün \U0001f600", "   2 "]),
        (b"\xef\xbb\xbfimport os", 1, ["   1 import os"]),
        (b"a\x1b[31mb\x07\tc\x0cd\re", 1, ["   1 a[31mb\tc d e"]),
        ("a\u2028b\u202ec\U000e0041".encode(), 1, ["   1 a bc"]),
    ],
)
def test_contents(data: bytes, total: int, shown: list[str], box: Toolbox) -> None:
    write(box.root, {"f.txt": data})
    text = content(box, "read_file", filename="f.txt")
    assert text.split("\n")[0] == f"File: f.txt (first {total} lines of {total} total)"
    assert rows(text) == shown


def test_lines_across_the_chunks_of_a_large_file(box: Toolbox) -> None:
    data = "".join(f"{n} {'z' * (n % 97)}\n" for n in range(1, 60_001))
    write(box.root, {"big.txt": data})
    lines = [*data.split("\n")]
    for start in (1, 19_990, 20_011, 59_000):
        text = content(box, "read_file", filename="big.txt", start_line=start, end_line=start + 30)
        assert text.startswith(f"File: big.txt (lines {start}-{start + 30} of 60001 total)\n")
        assert rows(text) == [f"{n:4d} {lines[n - 1]}" for n in range(start, start + 31)]


def test_binary_files_are_refused(box: Toolbox) -> None:
    write(box.root, {"p.png": b"\x89PNG\0data", "late.txt": b"x" * 9_000 + b"\0y"})
    assert refusal(box, "read_file", filename="p.png") == "File p.png is binary (9 bytes)"
    assert "xxx" in content(box, "read_file", filename="late.txt")


def test_a_file_too_large_to_count_is_refused_at_once(box: Toolbox) -> None:
    with (box.root / "huge.bin").open("wb") as file:
        file.write(b"text first")
        file.truncate(10**12)
    assert refusal(box, "read_file", filename="huge.bin").startswith("File huge.bin is too large to read")


@pytest.mark.timeout(20)
def test_pipes_and_sockets_never_block(box: Toolbox) -> None:
    os.mkfifo(box.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(box.root)  # the path of a socket is at most 108 bytes long
        try:
            server.bind("sock")
        finally:
            os.chdir(before)
        for name in ("pipe", "sock"):
            assert refusal(box, "read_file", filename=name) == f"{name} is neither a file nor a directory"
            assert refusal(box, "list_files", path=name) == f"{name} is neither a file nor a directory"
        assert content(box, "list_files") == "Found 3 items:\n\npipe\nsock\nsrc/"
        assert "No matches" in content(box, "grep_search", query="zzz")


# --- names ---


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines.py", "two lines.py"),
        ("esc\x1b[2J.py", "esc[2J.py"),
        ("-rf", "-rf"),
        ("~", "~"),
        ("a b.py", "a b.py"),
        ("back\\slash", "back\\slash"),
        ("cafe\u0301.py", "cafe\u0301.py"),
        ("hidden\u202egnp.py", "hiddengnp.py"),
        ("n" * 255, "n" * 255),
    ],
)
def test_odd_names_are_listed_plainly_and_can_be_read_by_that_name(
    name: str, shown: str, box: Toolbox
) -> None:
    write(box.root, {f"odd/{name}": "found\n"})
    assert content(box, "list_files", path="odd") == f"Found 1 items:\n\n{shown}"
    assert content(box, "read_file", filename=f"odd/{shown}").startswith(f"File: odd/{shown} (")


def test_a_name_that_is_no_text(box: Toolbox) -> None:
    with open(os.fsencode(box.root) + b"/caf\xe9", "wb") as file:
        file.write(b"found")
    assert "caf\ufffd" in content(box, "list_files")
    assert "found" in content(box, "read_file", filename="caf\ufffd")
    assert "caf\ufffd:" in content(box, "grep_search", query="found")


def test_accents_in_another_form_mean_the_same_file(box: Toolbox) -> None:
    write(box.root, {"cafe\u0301.py": "found"})
    assert "found" in content(box, "read_file", filename="caf\u00e9.py")


def test_names_that_read_alike_are_not_guessed_between(box: Toolbox) -> None:
    write(box.root, {"a\x01.py": "one", "a\x02.py": "two"})
    assert refusal(box, "read_file", filename="a.py") == "File a.py not found"


@pytest.mark.parametrize(
    "name", ["nope", "SRC/A.PY", "src/a.py/x", "src/a.py/..", "src/a.pyc", "n" * 256, "x/" * 9_000]
)
def test_what_is_not_there(name: str, box: Toolbox) -> None:
    shown = name if len(name) <= 300 else f"{name[:300]}..."
    assert refusal(box, "read_file", filename=name) in (
        f"File {shown} not found",
        f"File {shown} cannot be read: File name too long",
    )
