"""Validation without a command: the files that changed can be read as what they are, named paths exist."""

import asyncio
import json
import os
import tomllib
from collections.abc import Sequence

from activities.execution.commands import Place, run_shell
from activities.execution.outcome import Outcome
from activities.execution.repository import ActRepository, decoded
from activities.git import GitError
from activities.index.languages import CODE, language_of
from activities.index.parse import MAX_BYTES, parse
from activities.plain_text import strip_line
from states.amounts import counted
from states.artifacts.plan import FileChange, FileChangeKind
from states.execution import Metrics

_NAMED = 5
_DOUBTFUL = frozenset({"c", "cpp"})  # macros may stand for anything, and no parser sees through them


async def validate(place: Place, outcome: Outcome) -> None:
    """Run the step's command, else check every file that the execution has changed so far."""
    step, at = place.order.step, place.order.at
    if step.command:
        ended = await run_shell(place, step.command, outcome)
        outcome.error = ended.error if ended else ""
        return
    repository = place.worktree.repository
    changed = await changed_files(repository, at.workspace.commit, at.head)
    broken = await _broken(repository, at.head, changed)
    already = await _broken(repository, at.workspace.commit, [path for path in changed if path in broken])
    # What could not be parsed before says more about the parser than about the change.
    doubtful = {path for path in broken if path in already or language_of(path) in _DOUBTFUL}
    outcome.notes += [f"{broken[path]}, as before or by its language's nature" for path in sorted(doubtful)]
    outcome.metrics += Metrics(warnings=len(doubtful))
    broken = {path: why for path, why in broken.items() if path not in doubtful}
    wrong = _misplaced(place, step.files)
    lines = [
        f"{counted(len(changed), 'changed file')}, {counted(len(step.files), 'path')} checked",
        *broken.values(),
        *wrong,
    ]
    outcome.output = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    outcome.tail = "\n".join(lines[:50])
    if broken or wrong:
        named = "; ".join([*broken.values(), *wrong][:_NAMED])
        outcome.error = f"validation failed: {named}"


async def changed_files(repository: ActRepository, base: str, head: str) -> list[str]:
    """Files that were added or changed between two commits and are still there."""
    listed = await repository.run(
        *("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=d", base, head)
    )
    return decoded(listed)


async def _broken(repository: ActRepository, head: str, paths: Sequence[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        try:
            size = int(await repository.line("cat-file", "-s", f"{head}:{path}"))
        except (GitError, ValueError):
            continue  # a submodule has no contents here
        if size <= MAX_BYTES:
            data = await repository.run("cat-file", "blob", f"{head}:{path}")
            why = await asyncio.to_thread(wrong_syntax, path, data)
            if why:
                found[path] = f"{strip_line(path)}: {why}"
    return found


def wrong_syntax(path: str, data: bytes) -> str:
    """What keeps a file from being read as its name says; blank when nothing does or nobody can tell."""
    language = language_of(path)
    try:
        if path.endswith(".json"):
            json.loads(data)
        elif path.endswith(".toml"):
            tomllib.loads(data.decode())
        elif language in CODE and parse(data, language).broken:
            return f"this is no {language} that can be parsed"
    except ValueError as error:
        return strip_line(str(error))
    except RecursionError:
        return "it is nested too deeply to be read"
    return ""


def _misplaced(place: Place, files: Sequence[FileChange]) -> list[str]:
    wrong = []
    for change in files:
        there = os.path.lexists(place.worktree.path / change.path)
        if there is (change.kind is FileChangeKind.DELETE):
            wrong.append(f"{strip_line(change.path)} is {'still' if there else 'not'} there")
    return wrong
