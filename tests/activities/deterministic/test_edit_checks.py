"""File operations of options are held against the repository before anything is carried out."""

from pathlib import Path

from activities.deterministic.edit_checks import unmet
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, Plan, PlanOption, PlanStep, StepType


def option(*changes: FileChange) -> PlanOption:
    """One step for each change."""
    steps = [
        PlanStep(id=str(n), title="t", type=StepType.FILE_OPERATION, action="a", files=(change,))
        for n, change in enumerate(changes, start=1)
    ]
    return PlanOption(id="a", plan=Plan(title="p", steps=tuple(steps)))


def modify(path: str, old: str, new: str = "b", count: int = 1) -> FileChange:
    edit = ExactEdit(old=old, new=new, count=count)
    return FileChange(path=path, kind=FileChangeKind.MODIFY, edits=(edit,))


def test_what_would_fail_is_told_and_what_earlier_steps_change_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = 1\ny = 1\n")
    (tmp_path / "link").symlink_to("/etc/passwd")
    told = unmet(
        option(
            modify("app.py", "zzz"),
            modify("gone.py", "x"),
            modify("app.py", "qqq"),
            FileChange(path="link", kind=FileChangeKind.CREATE, content="x"),
            FileChange(path="new.py", kind=FileChangeKind.CREATE, content="x"),
            modify("new.py", "x"),
            FileChange(path="away.py", kind=FileChangeKind.DELETE),
        ),
        tmp_path,
    )
    assert list(told) == [
        "option a, step 1: app.py holds 'zzz' 0 times, and 1 is what the edit expects",
        "option a, step 2: gone.py is to be changed and is not there",
        "option a, step 4: link is to be created and is there already",
        "option a, step 7: away.py is to be changed and is not there",
    ]


def test_an_edit_that_fits_is_silent_and_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = 1\nx = 1\n")
    (tmp_path / "link").symlink_to("/etc/passwd")
    fits = (modify("app.py", "x = 1", count=2), modify("link", "root"))
    assert list(unmet(option(*fits), tmp_path)) == []
    once = list(unmet(option(modify("app.py", "x = 1")), tmp_path))
    assert once == ["option a, step 1: app.py holds 'x = 1' 2 times, and 1 is what the edit expects"]


def test_edits_that_grow_without_end_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a" * 1_000_000)
    grows = FileChange(
        path="a",
        kind=FileChangeKind.MODIFY,
        edits=(ExactEdit(old="a", new="a" * 1_000_000, count=1_000_000), ExactEdit(old="q")),
    )
    assert list(unmet(option(grows), tmp_path)) == []
