"""CodingDesk: what an agent is given that writes the code of a step, and the check of what it hands over."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from activities.agent_orders import AgentOrder, CodeOrder
from activities.agent_ports import Given, Message, Tool
from activities.briefing import Briefing, Workspaces
from activities.desks.arguments import read_arguments
from activities.desks.fencing import fence
from activities.desks.planning import done
from activities.desks.problems import Problems, Refused, problems_of
from activities.desks.prompts import opening
from activities.desks.schemas import tool
from activities.execution.checks import wrong_syntax
from activities.execution.files import apply_changes
from activities.execution.folders import Acts
from activities.execution.mending import mended
from activities.execution.outcome import StepFailed
from activities.execution.plans import Plans
from activities.execution.worktree import Worktree
from activities.execution_orders import ExecutionOrder
from activities.index.model import Index
from activities.index.parse import MAX_BYTES
from activities.shelf import BlobShelf
from activities.store import Store
from activities.tools.toolbox import MOST_CHARACTERS, SEED_TOOLS, Toolbox
from states.amounts import counted
from states.artifacts.implementation import Subtask
from states.artifacts.plan import FileChange, FileChangeKind
from states.execution import Execution

SUBMIT_CHANGES = "submit_changes"
T = TypeVar("T")


class SubmitChanges(BaseModel):
    """The code of the step, as changes of files."""

    model_config = ConfigDict(extra="forbid")

    files: tuple[FileChange, ...] = Field(min_length=1, max_length=200)


class CodingDesk:
    """For agents of the kind CODE. They look at the tree as the steps before have left it."""

    def __init__(self, store: Store, workspaces: Workspaces, acts: Acts) -> None:
        self._briefing = Briefing(BlobShelf(store), workspaces)
        self._acts = acts
        self._plans = Plans(store)

    async def opening(self, order: AgentOrder) -> list[Message]:
        """The system prompt and the first user message. Equal orders give equal bytes."""
        code = _code_in(order)
        brief = await self._briefing.brief(code.work)
        step = await self._plans.step(code.plan, code.step)
        subtasks = brief.planned().subtasks
        subtask: Subtask | None = next((s for s in subtasks if s.subtask_id == step.subtask), None)
        given = {
            "turns": order.limits.max_iterations,
            "task": brief.task,
            "requirements": list(brief.requirements),
            "constraints": list(brief.constraints),
            "step": step.model_dump(mode="json", exclude_defaults=True),
            "subtask": subtask.model_dump(mode="json", exclude_defaults=True) if subtask else None,
            "failed": list(code.failed),
        }
        return opening("write_code", given)

    def tools(self, order: AgentOrder) -> list[Tool]:
        """What looks at the tree, then what the code is handed over with."""
        _code_in(order)
        said = "Hand over the code as changes of files. This ends your part unless it is refused."
        return [*Toolbox.schemas(SEED_TOOLS), tool(SUBMIT_CHANGES, said, SubmitChanges)]

    def submitting(self, order: AgentOrder) -> str:
        """The tool whose success ends the conversation."""
        _code_in(order)
        return SUBMIT_CHANGES

    def demand(self, order: AgentOrder) -> str:
        """The user message of the forced call."""
        return f"You must now hand over the code that you have, using {self.submitting(order)}."

    async def fallback(self, order: AgentOrder) -> str:
        """Blank: nothing may stand in for code."""
        _code_in(order)
        return ""

    async def run(self, order: AgentOrder, name: str, arguments: str, *, model: str) -> Given:  # noqa: ARG002
        """Run a tool on the raw JSON arguments of a model."""
        code = _code_in(order)
        if name in SEED_TOOLS:
            given = await self._in_tree(order.job, code, lambda tree: _look(tree.path, name, arguments))
            text = given.error or given.content
            label = f"error of {name}" if given.error else name
            fenced = fence(label, text, MOST_CHARACTERS)
            return Given(error=fenced) if given.error else Given(content=fenced)
        if name != SUBMIT_CHANGES:
            return Given(error=f"Tool {name[:60]!r} not found")
        try:
            changes = _read(arguments)
            await self._in_tree(order.job, code, lambda tree: _tried(tree, changes))
        except Refused as refused:
            return Given(error=str(refused), answer={"refused": True, "text": refused.findings[:1_000]})
        digest = await self._plans.put_changes(changes)
        return done(f"the code is taken: {counted(len(changes), 'change')}", changes=digest)

    async def _in_tree(self, job: str, code: CodeOrder, look: Callable[[Worktree], Awaitable[T]]) -> T:
        """Do something in a tree of the step's own, which is as the execution has it."""
        execution = await self._execution(code)
        at = ExecutionOrder(
            job=job,
            execution=code.execution,
            workspace=code.work.workspace,
            branch=code.branch,
            head=execution.head,
            snapshot=execution.snapshot,
            bundles=tuple(execution.bundles),
        )

        async def looked() -> T:
            act, there = await self._acts.open(at)
            async with act.of_step(f"{code.step} (code)").held() as tree:
                await tree.bring(there.head, there.snapshot)
                return await look(tree)

        found, _ = await mended(self._acts, at, looked)
        return found

    async def _execution(self, code: CodeOrder) -> Execution:
        return Execution.model_validate_json(await self._acts.store.get(code.kept))


def _code_in(order: AgentOrder) -> CodeOrder:
    if order.code is None:
        raise ValueError(f"agent {order.agent} is a {order.kind} agent and has no code order")
    return order.code


async def _look(root: Path, name: str, arguments: str) -> Given:
    return await asyncio.to_thread(Toolbox(root, _no_index).run, name, arguments)


def _no_index() -> Index:
    raise LookupError("the tree of a step has no index")


def _read(arguments: str) -> tuple[FileChange, ...]:
    try:
        return SubmitChanges.model_validate(read_arguments(arguments, exact=True)).files
    except ValidationError as wrong:
        raise Refused(problems_of(wrong).text()) from None


async def _tried(tree: Worktree, changes: tuple[FileChange, ...]) -> None:
    """Apply the changes and read what they make. Raises Refused with what is wrong."""
    problems, root = Problems(), tree.path
    tree.begin()
    before = {change.path: await asyncio.to_thread(_broken, root, change.path) for change in changes}
    try:
        await asyncio.to_thread(apply_changes, root, changes)
    except StepFailed as wrong:
        problems.add("files", str(wrong))
    else:
        for change in changes:
            path = change.to if change.kind is FileChangeKind.MOVE and change.to else change.path
            why = await asyncio.to_thread(_broken, root, path)
            if why and not before[change.path]:
                problems.add(path, why)
    problems.raise_any()


def _broken(root: Path, path: str) -> str:
    """Why a file cannot be read as its name says; blank when it can, or is not there."""
    file = root / path
    if file.resolve() != root.resolve() / path or not file.is_file() or file.stat().st_size > MAX_BYTES:
        return ""
    return wrong_syntax(path, file.read_bytes())
