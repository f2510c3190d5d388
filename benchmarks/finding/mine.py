"""Make a features file out of the history of clones, to see how finding does where nobody tuned it.

    python -m benchmarks.finding.mine DIR/owner/name [...] --out FILE [--count 20] [--since 2016-01-01]

A commit becomes a feature when its subject says that something is added, its message describes it at some
length, and it touches one to five source files that its first parent has: these are gold. The message loses
what a task would not say: trailers, links, lists of files, and the area in front of the subject. Commits are
taken in the order of their hashes, which is a fair draw and the same at each run.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from activities.index.languages import CODE, language_of, role_of
from activities.index.records import Role
from benchmarks.features import Feature

FEWEST_CHARACTERS, MOST_CHARACTERS = 400, 6_000
MOST_SOURCES, MOST_TOUCHED = 5, 25
_ADDS = re.compile(
    r"\b(?:add|allow|support|implement|introduce|feat|feature|new|provide|expose|enable|accept|option|teach)\w*\b",
    re.I,
)
_NOISE = re.compile(
    r"(?i)^\s*(?:[\w-]+-by|cc|change-id|bug|link|ref|refs|references|see also|closes?|closed|fix(?:es|ed)?|"
    r"resolves?|reported|reviewed|approved|assisted|pull-request)\b\s*:?\s*(?:#|http|.*[@<]).*$"
    r"|^\s*(?:cherry picked|\(cherry picked|git-svn-id|r\? ).*$"
    r"|^.*\|\s+(?:\d+ [+-]*|Bin .*)$"
    r"|^\s*\d+ files? changed.*$"
    r"|^\* .*$"  # the subjects of squashed commits
    r"|^\s*-{3,}\s*$"
    r"|^\s*(?:[-*]\s*)?`?[\w.+-]*(?:/[\w.+-]+)*\.[a-z]{1,4}`?\s*(?:[,:(].*)?$"
)
_AREA = re.compile(r"^(?:\[[^\]]+\]\s*)*[\w./,(){}*!+ -]{1,40}:\s+(?=\S)")
_MERGE_HEAD = re.compile(
    r"^(?:Auto merge of|Merge (?:pull request|branch|remote|tag|PR)|Rollup merge of)\b.*$"
)
_REFERENCE = re.compile(r"\s*\(?(?:gh-|#)\d+\)?")
_COMMENT = re.compile(r"(?s)<!--.*?-->")
_RECORD = re.compile(r"\x01(?=[0-9a-f]{40}\x02)")
_LINK = re.compile(r"https?://\S+")


@dataclass(frozen=True)
class Change:
    """A commit with its first parent, its message, and the paths that it modifies and touches at all."""

    commit: str
    base: str
    message: str
    modified: tuple[str, ...]
    touched: int


def mine(clone: Path, count: int, since: str) -> list[Feature]:
    """The first `count` features of a clone by hash. Raises CalledProcessError for what is no clone."""
    repository = f"{clone.parent.name}/{clone.name}"
    found = []
    for change in sorted(_changes(clone, since), key=lambda c: c.commit):
        gold = tuple(path for path in change.modified if _is_source(path))
        text = described(change.message)
        fits = 1 <= len(gold) <= MOST_SOURCES and change.touched <= MOST_TOUCHED
        if text and fits:
            name = f"{clone.name}/{change.commit[:10]}"
            found.append(Feature(id=name, repository=repository, base=change.base, text=text, gold=gold))
    return found[:count]


def described(message: str) -> str:
    """The message as a task, blank when it describes no addition or too little of it."""
    lines = _COMMENT.sub("", message).replace("\r", "").split("\n")
    while lines and (not lines[0].strip() or _MERGE_HEAD.match(lines[0])):
        lines.pop(0)
    if not lines or not _ADDS.search(lines[0]):
        return ""
    subject = _AREA.sub("", _REFERENCE.sub("", lines[0])).strip()
    body = [_LINK.sub("", _REFERENCE.sub("", line)).rstrip() for line in lines[1:] if not _NOISE.match(line)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join([subject, *body])).strip()
    return text if FEWEST_CHARACTERS <= len(text) <= MOST_CHARACTERS else ""


def _is_source(path: str) -> bool:
    language = language_of(path)
    return language in CODE and role_of(path, language) is Role.SOURCE


def _changes(clone: Path, since: str) -> Iterator[Change]:
    command = [
        "git",
        "--git-dir",
        str(_objects(clone)),
        "log",
        f"--since={since}",
        "--diff-merges=first-parent",
    ]
    command += ["--no-renames", "--raw", "-z", "--format=%x01%H%x02%P%x02%B%x03", "HEAD"]
    done = subprocess.run(command, capture_output=True, check=True)
    for record in _RECORD.split(done.stdout.decode("utf-8", "replace"))[1:]:
        head, _, raw = record.partition("\x03")
        commit, parents, message = head.split("\x02", 2)
        if parents:
            rows = raw.strip("\0\n").split("\0")
            kinds = [row.rsplit(" ", 1)[-1] for row in rows[::2]]
            modified = tuple(path for kind, path in zip(kinds, rows[1::2], strict=False) if kind == "M")
            yield Change(commit, parents.split()[0], message, modified, len(kinds))


def _objects(clone: Path) -> Path:
    inside = clone / ".git"
    return inside if inside.exists() else clone


def main(clones: list[Path], out: Path, count: int, since: str) -> None:
    """Write the features file and say how many each clone gave."""
    features = []
    for clone in clones:
        found = mine(clone, count, since)
        print(f"{clone.parent.name}/{clone.name}: {len(found)} features")
        features += [feature.model_dump() for feature in found]
    about = "Messages of commits that add something, and the source files that each modified."
    out.write_text(json.dumps({"about": about, "features": features}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+", help="clones as owner/name, bare or not")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--count", type=int, default=20, help="most features of one clone")
    parser.add_argument("--since", default="2016-01-01", help="no commits before this date")
    given = parser.parse_args()
    main(given.clones, given.out, given.count, given.since)
