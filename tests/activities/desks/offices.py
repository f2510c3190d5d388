"""A desk over a small real repository, and orders for it whose earlier phases a model has handed over."""

import copy
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.agent_orders import AgentOrder, DraftOrder
from activities.agent_ports import Given
from activities.briefing import Briefing
from activities.desks.options import OptionDesk
from activities.desks.planning import PlanningDesk
from activities.index.shelf import IndexShelf
from activities.orders import AnswerGiven, ReviewOrder, WorkOrder
from activities.shelf import BlobShelf
from activities.store import open_store
from activities.workspace import Workspace
from states.agents import AgentKind
from states.artifacts.base import Artifact
from states.words import WORK_PHASES, Phase
from states.workspace import WorkspaceRef
from tests.activities.desks.good import SUBMISSIONS
from tests.activities.deterministic.small_repos import SHOP, TASK, make

MODEL = "acme/planner-1"


class OneCheckout:
    """The workspaces of a test: the repository itself."""

    def __init__(self, root: Path) -> None:
        self.root = root

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """Not asked for by desks."""
        raise AssertionError((job, repository, ref, refresh))

    async def checkout(self, job: str, workspace: WorkspaceRef) -> Path:
        """The repository."""
        assert job
        assert workspace
        return self.root


class Office:
    """A desk, and what it takes to put agents to it."""

    def __init__(
        self, root: Path, files: Mapping[str, str] = SHOP, task: str = TASK, constraints: tuple[str, ...] = ()
    ) -> None:
        self.root = make(root, dict(files))
        run = ["git", "-C", str(self.root), "rev-parse", "HEAD"]
        self.commit = subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()
        self.task = {"task": task, "requirements": [], "constraints": list(constraints)}
        self.store = open_store("memory://")
        workspaces = OneCheckout(self.root)
        self.desk = PlanningDesk(self.store, workspaces, IndexShelf(None))
        self.options = OptionDesk(self.store, workspaces, IndexShelf(None))
        self.briefing = Briefing(BlobShelf(self.store), workspaces)

    async def work(self, phase: Phase, **more: Any) -> WorkOrder:
        """An order for a phase, after good submissions for the earlier ones."""
        digests: dict[Phase, str] = {}
        for earlier in WORK_PHASES[: WORK_PHASES.index(phase)]:
            given = await self.submit(self.agent(await self._order(earlier, digests)), SUBMISSIONS[earlier])
            digests[earlier] = given.answer["handover"].digest
        return (await self._order(phase, digests)).model_copy(update=more)

    async def plan(self, phase: Phase, *, may_ask: bool = False, **more: Any) -> AgentOrder:
        """An agent that makes the artifact of a phase; `more` are fields of its work order."""
        return self.agent(await self.work(phase, **more), may_ask=may_ask)

    async def explain(self, **more: Any) -> AgentOrder:
        """An agent that replies to a person."""
        return self.agent(await self.work(Phase.CLARIFICATION, **more), AgentKind.EXPLAIN)

    async def review(self, phase: Phase, **more: Any) -> AgentOrder:
        """An agent that reviews a good submission of a phase."""
        work = await self.work(phase, **more)
        given = await self.submit(self.agent(work), SUBMISSIONS[phase])
        order = ReviewOrder(
            job=work.job,
            phase=phase,
            workspace=work.workspace,
            digest=given.answer["handover"].digest,
            built_from=work.built_from,
            work=work,
        )
        return self._hired(AgentKind.REVIEW, phase, review=order)

    async def option(self, number: int = 1, **more: Any) -> AgentOrder:
        """An agent that drafts an option for a good plan."""
        work = await self.work(Phase.IMPLEMENTATION_PLAN, **more)
        planned = await self.submit(self.agent(work), SUBMISSIONS[Phase.IMPLEMENTATION_PLAN])
        draft = DraftOrder(base=planned.answer["handover"].digest, number=number)
        return self.agent(work, AgentKind.OPTION, draft=draft)

    async def refinement(self, option: str, **more: Any) -> AgentOrder:
        """An agent that refines an option of a refused VALIDATION."""
        work = await self.work(Phase.VALIDATION)
        refused = await self.submit(self.agent(work), SUBMISSIONS[Phase.VALIDATION])
        asked = {"previous": refused.answer["handover"].digest, "refine": ("smaller steps",), **more}
        draft = DraftOrder(base="", number=1, option=option)
        return self.agent(work.model_copy(update=asked), AgentKind.OPTION, draft=draft)

    def agent(self, work: WorkOrder, kind: AgentKind = AgentKind.PLAN, **more: Any) -> AgentOrder:
        """An agent for a work order."""
        return self._hired(kind, work.phase, work=work, **more)

    async def submit(self, order: AgentOrder, body: Any) -> Given:
        """What the submitting tool says to these arguments, raw or as JSON."""
        raw = body if isinstance(body, str) else json.dumps(body)
        return await self.desk.run(order, self.desk.submitting(order), raw, model=MODEL)

    async def artifact(self, given: Given) -> Artifact:
        """What was handed over, read from the store."""
        assert given.error == ""
        stored = await self.store.get_artifact(given.answer["handover"].digest)
        return stored.artifact()

    def _hired(self, kind: AgentKind, phase: Phase, **more: Any) -> AgentOrder:
        return AgentOrder(
            job="job-1",
            agent=f"{phase}-1",
            session="run-1",
            kind=kind,
            phase=phase,
            workspace=self._workspace(),
            models=("acme/first-choice",),
            **more,
        )

    def _workspace(self) -> WorkspaceRef:
        return WorkspaceRef(repository=str(self.root), commit=self.commit)

    async def _order(self, phase: Phase, built_from: Mapping[Phase, str]) -> WorkOrder:
        return WorkOrder(
            job="job-1",
            phase=phase,
            workspace=self._workspace(),
            task_digest=await BlobShelf(self.store).put_task(self.task),
            built_from=dict(built_from),
        )


def changed(phase: Phase, *path: str | int, to: Any) -> dict[str, Any]:
    """The good submission of a phase with one value in it replaced."""
    body = copy.deepcopy(SUBMISSIONS[phase])
    place: Any = body
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return body


def without(phase: Phase, *path: str | int) -> dict[str, Any]:
    """The good submission of a phase with one field of it left out."""
    body = copy.deepcopy(SUBMISSIONS[phase])
    place: Any = body
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return body


def answered(question_id: str, question: str, text: str, by: str = "mia") -> AnswerGiven:
    """A question with what was said about it."""
    return AnswerGiven(question_id=question_id, question=question, text=text, by=by)
