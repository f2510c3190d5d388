"""What file operations of an option need and the repository does not have, before anything is done."""

from collections.abc import Iterator
from pathlib import Path

from activities.plain_text import strip_line
from states.amounts import counted
from states.artifacts.plan import FileChange, FileChangeKind, PlanOption

MOST_BYTES = 5_000_000
"""of a file that is looked into"""
_SHOWN = 60


def unmet(option: PlanOption, root: Path) -> Iterator[str]:
    """One sentence for each change that would fail on the repository as it is; what an earlier step of the
    option changes is not judged."""
    changed: set[str] = set()
    for step in option.plan.steps:
        for change in step.files:
            if change.path not in changed and (why := _why_not(change, root)):
                yield f"option {option.id}, step {step.id}: {why}"
            changed |= {change.path, change.to or change.path}


def _why_not(change: FileChange, root: Path) -> str:
    path, file = strip_line(change.path), root / change.path
    there = file.is_symlink() or file.exists()
    if change.kind is FileChangeKind.CREATE:
        return f"{path} is to be created and is there already" if there else ""
    if not there:
        return f"{path} is to be changed and is not there"
    if change.kind is not FileChangeKind.MODIFY or not _readable(root, change.path):
        return ""
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    for edit in change.edits:
        found = text.count(edit.old)
        if found != edit.count:
            shown = strip_line(edit.old)[:_SHOWN]
            return (
                f"{path} holds {shown!r} {counted(found, 'time')}, and {edit.count} is what the edit expects"
            )
        if len(text) + found * len(edit.new) > MOST_BYTES:
            return ""
        text = text.replace(edit.old, edit.new)
    return ""


def _readable(root: Path, path: str) -> bool:
    """Whether it is a file of the repository itself, of a size to look into."""
    file = root / path
    own = file.resolve() == root.resolve() / path
    return own and file.is_file() and file.stat().st_size <= MOST_BYTES
