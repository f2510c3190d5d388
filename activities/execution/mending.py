"""A damaged repository of an execution is set aside and made anew; what is on a worktree stays as it is.

All that steps did is in the store. What is not, other people's branches and what was put aside of their work,
comes along as far as it can be read; the rest is in the folder that was set aside.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

from activities.execution.bundles import BundleUnusable
from activities.execution.disk import disk_is_full
from activities.execution.folders import Act, Acts
from activities.execution.loose import take_over
from activities.execution.repository import BRANCH, HEAD, SNAPSHOT
from activities.execution.worktree import MARKS
from activities.execution_orders import ExecutionOrder
from activities.git import GitError, GitMissing, GitTimeout
from activities.locks import locked
from activities.plain_text import strip_line

T = TypeVar("T")
Notes = tuple[str, ...]
_OUT_OF_PLACE = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_WHY = 80
"""characters of what git said that a note repeats"""


async def mended(acts: Acts, at: ExecutionOrder, work: Callable[[], Awaitable[T]]) -> tuple[T, Notes]:
    """Do work on an execution's repository; where that proves damaged, again on a new one, and say so."""
    act = acts.act(at)
    before = _set_aside(act)
    try:
        return await work(), ()
    except (GitError, BundleUnusable, OSError) as error:
        if not _may_be_damage(error) or _cancelled():
            raise
        note = await _made_anew(acts, act, at, before)
        if not note:
            raise
    return await work(), (note,)


def _cancelled() -> bool:
    """Whether somebody wants this to end: then nothing is begun again, whatever the end was."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _may_be_damage(error: Exception) -> bool:
    if isinstance(error, GitError):
        return not isinstance(error, GitMissing | GitTimeout) and not disk_is_full(error)
    return isinstance(error, (BundleUnusable, *_OUT_OF_PLACE))


async def _made_anew(acts: Acts, act: Act, at: ExecutionOrder, before: list[Path]) -> str:
    """Make a damaged repository anew; gives what people have to know, blank where nothing is damaged."""
    async with _alone(act):
        if _set_aside(act) == before:  # else another step has come first
            why = await _damage(acts, act, at)
            if not why:
                return ""
            await _make_anew(acts, act, at)
        else:
            why = "as another step found"
    where = f"what was there is in {_set_aside(act)[-1]}"
    return f"git's data of this execution was damaged ({strip_line(why, _WHY)}) and made anew; {where}"


def _set_aside(act: Act) -> list[Path]:
    """What was set aside so far, the oldest first."""
    found = act.home.glob(f"{act.repository.path.name}.damaged-*")
    return sorted(found, key=lambda path: (len(path.name), path.name))


@asynccontextmanager
async def _alone(act: Act) -> AsyncIterator[None]:
    """Wait for every step that works on the repository, and let none begin."""
    steps = act.home / "steps"
    homes = [act.home, *sorted(steps.iterdir() if steps.is_dir() else ())]
    async with AsyncExitStack() as held:
        for home in homes:
            await held.enter_async_context(locked(home / "lock"))
        await held.enter_async_context(locked(act.home / "git.lock"))
        yield


async def _damage(acts: Acts, act: Act, at: ExecutionOrder) -> str:
    """What keeps the repository from being read as far as the execution needs it; blank: nothing."""
    repository, base = act.repository, at.workspace.commit
    branch = f"{BRANCH}{act.branch}"
    try:
        if cut := await asyncio.to_thread(acts.memory.whole.cut_off, repository.path):
            return f"object {cut[:12]} is cut off"
        refs = await repository.refs(branch, HEAD, SNAPSHOT)
        missing = await repository.missing(base, *refs.values())
        if lost := [name for name, commit in refs.items() if commit in missing]:
            return f"{lost[0]} leads nowhere"
        wanted = [each for each in dict.fromkeys((at.head, at.snapshot, *refs.values())) if each]
        gone = await repository.missing(*wanted)
        here = [each for each in wanted if each not in gone]
        names = await repository.objects_of(*here, without=[base] if base not in missing else [])
        await asyncio.to_thread(repository.objects.read_all, names)
    except GitError as error:
        return error.last_line
    except OSError as error:
        return error.strerror or str(error)
    return ""


async def _make_anew(acts: Acts, act: Act, at: ExecutionOrder) -> None:
    repository = act.repository
    number = len(_set_aside(act)) + 1
    old = repository.path.with_name(f"{repository.path.name}.damaged-{number}")
    repository.path.rename(old)
    acts.memory.forget(repository.path, act.home)
    _keep_marks(old, repository.path)
    await acts.opened(act, at)
    # What cannot be read stays where it is.
    with contextlib.suppress(OSError):
        await asyncio.to_thread(take_over, old, repository.path)
    for ref, commit in _refs(old):
        with contextlib.suppress(GitError):
            names = await repository.objects_of(commit, without=[at.workspace.commit])
            await asyncio.to_thread(repository.objects.read_all, names)
            await repository.move({ref: commit})


def _keep_marks(old: Path, new: Path) -> None:
    """What was noted of worktrees: whether what they hold is a step's or somebody else's doing."""
    for name in MARKS:
        for mark in old.glob(f"worktrees/*/{name}"):
            own = new / mark.relative_to(old)
            own.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):
                own.write_bytes(mark.read_bytes())


def _refs(old: Path) -> Iterator[tuple[str, str]]:
    """Refs with their commits. Ours lie in files of their own; what leads to another ref is not ours."""
    for file in sorted((old / "refs").rglob("*")):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if _COMMIT.fullmatch(commit := file.read_text().strip()):
                yield str(file.relative_to(old)), commit
