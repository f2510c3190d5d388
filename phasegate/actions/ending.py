"""Where nothing goes on by itself any more: the exit code of that, and how people go on from there."""

import os.path
import shlex
from pathlib import Path

from phasegate.problems import Exit
from phasegate.screen.tame import tame_line
from states.act import ActEnd, ActNote, FormerAct
from states.view import JobView
from states.words import HoldKind, State


def end_of(view: JobView) -> Exit | None:
    """The exit code of a job that has come to an end; None while it goes on, or waits at a gate."""
    if view.state is State.CANCELLED:
        return Exit.REFUSED
    if view.state is not State.VERIFIED:
        return None
    act = view.act
    if view.acting or (act and act.running):
        return None
    if act is None:
        return Exit.WAITING if view.wants_act and view.selected is None else Exit.DONE
    if view.hold and view.hold.kind is HoldKind.FAILURE:
        return Exit.ERROR
    if view.hold:
        return Exit.WAITING
    return Exit.DONE if act.last.end in (ActEnd.COMPLETED, ActEnd.ROLLED_BACK) else Exit.ERROR


def how_to_come_back(job: str, view: JobView | None) -> str:
    """What Ctrl-C leaves behind, and what to type."""
    if view and (view.acting or (view.act and view.act.running)):
        return f"the execution goes on: phasegate watch {job} comes back, phasegate pause {job} stops it"
    return f"the job goes on: phasegate show {job}"


def ways_home(view: JobView, act: ActNote) -> tuple[tuple[str, str], ...]:
    """Commands that bring what an execution did to people: what each does, and the command. None is run."""
    if act.running or not act.last.diffstat:
        return ()
    there = _checkout(view.repository)
    at = f"-C {shlex.quote(there)} " if there else ""
    branch, job = shlex.quote(act.branch), shlex.quote(view.job)
    patch = ("apply the changes to your checkout", f"phasegate export {job} --patch | git {at}apply")
    patches = (patch,) if act.last.patch else ()
    fetch = _fetch(view, act.last.path, act.branch)
    if not fetch:
        return patches
    title, body = tame_line(view.title, 100), f"Planned and carried out as job {view.job}."
    pull = f"gh pr create --head {branch} --title {shlex.quote(title)} --body {shlex.quote(body)}"
    enter = f"cd {shlex.quote(there)} && " if there else ""
    return (
        ("take the branch", fetch),
        *((f"or {what}", command) for what, command in patches),
        ("or, with the branch, open a pull request", f"{enter}git push -u origin {branch} && {pull}"),
    )


def ways_back(view: JobView) -> tuple[tuple[FormerAct, str], ...]:
    """Former executions, each with the command that brings its branch: blank where it cannot be had here."""
    return tuple((act, _fetch(view, act.path, act.branch) if act.head else "") for act in view.former)


def _fetch(view: JobView, worktree: str, name: str) -> str:
    """The command that brings a branch of an execution; blank where its repository is not on this machine."""
    git = Path(worktree).parent / "git"
    if not worktree or not git.is_dir():
        return ""
    there, branch = _checkout(view.repository), shlex.quote(name)
    at = f"-C {shlex.quote(there)} " if there else ""
    return f"git {at}fetch {shlex.quote(str(git))} {branch}:{branch}"


def _checkout(repository: str) -> str:
    """The folder of a repository on this machine; blank for any other."""
    return repository if os.path.isabs(repository) and os.path.isdir(repository) else ""
