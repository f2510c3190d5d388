"""grep_search with the real ripgrep."""

import time
from pathlib import Path

import pytest

from activities.tools.toolbox import Toolbox
from tests.activities.conftest import write
from tests.activities.tools.boxes import call, content, make_box, refusal

MATCH = "  # <-- MATCH"


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return make_box(
        tmp_path,
        {
            "src/a.py": "zero\none\ntwo needle\nthree\nfour\nfive\nsix Needle\nseven\n",
            "src/b.js": "needle",
            "docs/c.md": "nothing\n",
        },
    )


def test_the_page(box: Toolbox) -> None:
    assert content(box, "grep_search", query="needle", context_lines=1) == (
        "Found 3 matches for 'needle':\n\n"
        "src/a.py:\n"
        f"   2 one\n   3 two needle{MATCH}\n   4 three\n\n"
        f"   6 five\n   7 six Needle{MATCH}\n   8 seven\n\n"
        f"src/b.js:\n   1 needle{MATCH}"
    )


def test_neighbouring_matches_share_their_context(box: Toolbox) -> None:
    text = content(box, "grep_search", query="needle", file_pattern="*.py")
    assert text.count("\n\n") == 1
    assert text.count(MATCH) == 2
    assert [line[:4] for line in text.splitlines()[3:]] == [f"{n:4d}" for n in range(1, 9)]


def test_case_and_context(box: Toolbox) -> None:
    assert content(box, "grep_search", query="Needle", case_sensitive=True, context_lines=0) == (
        f"Found 1 matches for 'Needle':\n\nsrc/a.py:\n   7 six Needle{MATCH}"
    )
    write(box.root, {"tall.txt": "\n".join([*map(str, range(50)), "needle", *map(str, range(50))])})
    text = content(box, "grep_search", query="needle", file_pattern="tall.txt", context_lines=10**9)
    assert len(text.splitlines()) == 3 + 21


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", 3),
        ("", 3),
        ("**", 3),
        ("**/*", 3),
        ("*.py", 2),
        (" *.py ", 2),
        ("**/*.py", 2),
        ("*.{py,js}", 3),
        ("a.py", 2),
        ("src", 3),
        ("src/", 3),
        ("./src/*.js", 1),
        ("src/**", 3),
        ("s*/[ab].*", 3),
    ],
)
def test_file_patterns(pattern: str, found: int, box: Toolbox) -> None:
    text = content(box, "grep_search", query="needle", file_pattern=pattern)
    assert text.startswith(f"Found {found} matches")


@pytest.mark.parametrize("pattern", ["*.rs", "nope", "!*", "!*.py", "#*", "-x", "--files", "*.PY"])
def test_patterns_that_match_no_file(pattern: str, box: Toolbox) -> None:
    assert (
        content(box, "grep_search", query="x", file_pattern=pattern)
        == f"No files found matching pattern: {pattern}"
    )


def test_no_match_and_no_file_are_told_apart(box: Toolbox) -> None:
    assert content(box, "grep_search", query="zzz") == "No matches found for pattern: zzz"
    assert (
        content(box, "grep_search", query="zzz", file_pattern="*.md") == "No matches found for pattern: zzz"
    )


@pytest.mark.parametrize("name", ["!odd.py", "#odd.py", "-odd.py", "[odd].py"])
def test_patterns_with_special_first_characters_are_names(name: str, box: Toolbox) -> None:
    write(box.root, {name: "needle\n"})
    pattern = name.replace("[", "[[]", 1) if "[" in name else name
    assert f"{name}:\n   1 needle" in content(box, "grep_search", query="needle", file_pattern=pattern)


@pytest.mark.parametrize(
    "query", ["--files", "-e", "--pre=touch /tmp/x", "-uuu", "--", "$(id)", "; id", "`id`"]
)
def test_a_query_is_never_an_option_or_a_command(query: str, box: Toolbox) -> None:
    write(box.root, {"odd.txt": f"say {query} now\n"})
    text = call(box, "grep_search", query=query.replace("$(", r"\$\(").replace("d)", r"d\)")).text
    assert f"   1 say {query} now{MATCH}" in text


# --- limits ---


def test_twenty_matches_are_twenty_and_more_are_said(box: Toolbox) -> None:
    write(box.root, {"x/1.txt": "hit\n" * 12, "x/2.txt": "hit\n" * 8})
    exactly = content(box, "grep_search", query="hit")
    assert exactly.startswith("Found 20 matches for 'hit':")
    assert exactly.count(MATCH) == 20
    assert "truncated" not in exactly
    write(box.root, {"x/3.txt": "hit\n"})
    more = content(box, "grep_search", query="hit")
    assert more == f"{exactly}\n\n... (results truncated at 20 matches)"


def test_context_of_matches_that_are_not_shown_is_left_out(box: Toolbox) -> None:
    write(box.root, {"x.txt": "".join(f"hit {n}\n.\n.\n.\n.\n.\n" for n in range(30))})
    text = content(box, "grep_search", query="hit", file_pattern="x.txt")
    assert f"hit 19{MATCH}\n 116 .\n 117 .\n\n... (results" in text
    assert "hit 20" not in text


def test_long_lines_are_cut(box: Toolbox) -> None:
    write(box.root, {"a500.txt": "h" * 500, "a501.txt": "h" * 501})
    text = content(box, "grep_search", query="hhh")
    assert f"   1 {'h' * 500}{MATCH}" in text
    assert f"   1 {'h' * 500}... [truncated]{MATCH}" in text


def test_a_long_line_with_a_million_matches_costs_little(box: Toolbox) -> None:
    write(box.root, {"min.js": "h" * 999_999 + "\n"})
    begun = time.monotonic()
    assert content(box, "grep_search", query="h", file_pattern="min.js").count(MATCH) == 1
    assert time.monotonic() - begun < 10


def test_what_is_not_searched(box: Toolbox) -> None:
    write(
        box.root,
        {
            "limit.txt": "hit" + " " * 999_997,
            "over.txt": "hit" + " " * 999_998,
            "bin.dat": b"hit\0",
            "late.dat": b"hit\n" + b"x" * 100_000 + b"\n\0",
            ".hidden.txt": "hit",
            ".github/ci.yml": "hit",
            "deep/.cache/x.txt": "hit",
        },
    )
    text = content(box, "grep_search", query="hit")
    assert text.startswith("Found 1 matches for 'hit':\n\nlimit.txt:\n")
    for pattern in (".hidden.txt", ".*", ".github/**", "**/.cache/*"):
        assert content(box, "grep_search", query="hit", file_pattern=pattern).startswith("No files found")


def test_ignore_files_hide_nothing(box: Toolbox) -> None:
    everything = "*\n**\n/build\n"
    write(
        box.root,
        {".gitignore": everything, ".ignore": everything, ".rgignore": everything, "build/out.txt": "hit"},
    )
    for pattern in ("*", "*.txt", "build"):
        assert "build/out.txt:" in content(box, "grep_search", query="hit", file_pattern=pattern)


def test_nobody_s_configuration_is_read(
    box: Toolbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"rgrc": "--files-without-match\n--hidden\n--follow\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rgrc"))
    assert content(box, "grep_search", query="needle").startswith("Found 3 matches")


def test_the_order_is_that_of_paths(box: Toolbox) -> None:
    names = ["Z.py", "a.py", "a/b.py", "a/b/c.py", "ab.py", "z.py"]
    write(box.root, {f"order/{name}": "hit\n" for name in reversed(names)})
    pages = {content(box, "grep_search", query="hit", file_pattern="order") for _ in range(5)}
    assert len(pages) == 1
    listed = [
        line[6:-1] for line in pages.pop().splitlines() if line.endswith(":") and line.startswith("order")
    ]
    assert sorted(listed) == names
    assert listed == sorted(names, key=lambda name: name.split("/"))


# --- texts and patterns ---


def test_line_ends_and_encodings(box: Toolbox) -> None:
    write(
        box.root,
        {"w.txt": b"first hit\r\nnext\r\n", "l.txt": b"hit caf\xe9\n", "u.txt": "hit\x1b[31m\u202e\n"},
    )
    text = content(box, "grep_search", query="hit")
    assert f"   1 first hit{MATCH}\n   2 next" in text
    assert f"   1 hit caf\ufffd{MATCH}" in text
    assert f"   1 hit[31m{MATCH}" in text
    assert content(box, "grep_search", query="hit$", file_pattern="w.txt").startswith("Found 1")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("(", "unclosed group"),
        ("[a", "unclosed character class"),
        ("a(?=b)", "look-around, including look-ahead and look-behind, is not supported"),
        (r"(a)\1", "backreferences are not supported"),
        ("a\nb", r'the literal "\n" is not allowed in a regex'),
        ("a{1000}{1000}{1000}", "compiled regex exceeds size limit of 10485760"),
        ("a\0b", r"it contains a NUL character; write \x00"),
    ],
)
def test_invalid_patterns(query: str, reason: str, box: Toolbox) -> None:
    assert refusal(box, "grep_search", query=query) == f"Invalid regex pattern: {reason}"


@pytest.mark.parametrize("pattern", ["[", "{a", "a\\", "[z-a]", "a\0b", "x" * 501])
def test_invalid_file_patterns(pattern: str, box: Toolbox) -> None:
    assert refusal(box, "grep_search", query="x", file_pattern=pattern).startswith("Invalid file_pattern: ")


def test_a_pattern_cannot_blow_up(box: Toolbox) -> None:
    write(box.root, {"evil.txt": "a" * 100_000 + "!\n"})
    begun = time.monotonic()
    assert content(box, "grep_search", query=r"^(a+)+$").startswith("No matches")
    assert content(box, "grep_search", query=r"(a|aa)+(b|c)*$").startswith("No matches")
    assert time.monotonic() - begun < 10


def test_a_search_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    box = make_box(tmp_path, {"a.py": "x\n"}, search_seconds=0.0)
    assert refusal(box, "grep_search", query="x") == (
        "The search took longer than 0 seconds; use a simpler query or a narrower file_pattern"
    )


def test_long_queries_and_paths_are_quoted_short(box: Toolbox) -> None:
    assert len(content(box, "grep_search", query="q" * 1_000)) < 400
    assert len(refusal(box, "grep_search", query="x", file_pattern="/" + "q" * 90_000)) < 400
