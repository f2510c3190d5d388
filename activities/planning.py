"""The activities of a job: prepare, one per phase, review, and keeping the record.

What they need from outside comes in through the constructor and is wired in `worker.py`.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.brief import Brief, Planner
from activities.briefing import Briefing, Workspaces, lasting
from activities.heartbeat import beating
from activities.option_joining import with_drafts
from activities.option_keeping import BadOption, edited, peoples_own, store_option, store_plans
from activities.orders import (
    EditOrder,
    Handover,
    JoinOrder,
    LedgerPage,
    LoadOrder,
    Prepared,
    PrepareOrder,
    ReviewOrder,
    WorkOrder,
)
from activities.shelf import BlobShelf
from activities.store import Store
from activities.workspace import Workspace
from states.artifacts.base import Artifact, canonical_json
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.kinds import KIND
from states.option_checks import Optional, options_of
from states.record import JobRecord
from states.review import Review
from states.selecting import option_facts
from states.words import Phase
from states.wrong_input import told


class Reviewer(Protocol):
    """One way to review an artifact."""

    def review(
        self,
        phase: Phase,
        artifacts: dict[Phase, Artifact],
        digests: dict[Phase, str],
        root: Path,
        commit: str,
    ) -> Review:
        """Findings and facts about the artifact of `phase`; both mappings hold it and what is before it."""
        ...


class PlanningActivities:
    """Everything a planning job does outside of its workflow."""

    def __init__(self, store: Store, workspaces: Workspaces, planner: Planner, reviewer: Reviewer) -> None:
        self._store = store
        self._shelf = BlobShelf(store)
        self._workspaces = workspaces
        self._briefing = Briefing(self._shelf, workspaces)
        self._planner = planner
        self._reviewer = reviewer

    @activity.defn
    async def prepare_job(self, order: PrepareOrder) -> Prepared:
        """Open the repository at a fixed commit and store the task."""
        async with beating():
            opened: Workspace = await lasting(
                self._workspaces.open(order.job, order.repository, order.ref, order.refresh)
            )
        task = order.model_dump(mode="json", include={"task", "requirements", "constraints"})
        return Prepared(workspace=opened.ref, task_digest=await self._shelf.put_task(task))

    @activity.defn
    async def discover_context(self, order: WorkOrder) -> Handover:
        """DISCOVERY: read the repository."""
        return await self._work(order, self._planner.discover)

    @activity.defn
    async def compose_clarification(self, order: WorkOrder) -> Handover:
        """CLARIFICATION: fold answers into the requirements."""
        return await self._work(order, self._planner.clarify)

    @activity.defn
    async def design_contracts(self, order: WorkOrder) -> Handover:
        """CONTRACTS: every interface that changes."""
        return await self._work(order, self._planner.design)

    @activity.defn
    async def plan_implementation(self, order: WorkOrder) -> Handover:
        """IMPLEMENTATION_PLAN: file operations and subtasks."""
        return await self._work(order, self._planner.plan)

    @activity.defn
    async def validate_plan(self, order: WorkOrder) -> Handover:
        """VALIDATION: whether the plan holds together."""
        return await self._work(order, self._planner.validate)

    @activity.defn
    async def review_artifact(self, order: ReviewOrder) -> Review:
        """AI review of one artifact."""
        async with beating():
            digests = {**order.built_from, order.phase: order.digest}
            artifacts = await self._briefing.artifacts(digests)
            root = await self._briefing.checkout(order.job, order.workspace)
            review = await asyncio.to_thread(
                self._reviewer.review, order.phase, artifacts, digests, root, order.workspace.commit
            )
            return await self._with_options(review, order, artifacts[order.phase])

    @activity.defn
    async def accept_edit(self, order: EditOrder) -> Handover:
        """Validate and store a person's own version. An invalid one fails for good, naming the field."""
        try:
            body = order.body
            if body is None:
                body = json.loads(await lasting(self._store.get(order.stored)))
            artifact = KIND[order.phase].model_validate(body)
            if isinstance(artifact, Optional):
                artifact = await self._edited(artifact, order)
        except (ValidationError, ValueError) as problem:
            raise ApplicationError(_first(problem), type="InvalidEdit", non_retryable=True) from None
        artifact = artifact.model_copy(update={"made_by": f"person:{order.by}"})
        kept = await self._briefing.keep(order.phase, artifact, order.built_from)
        return kept.model_copy(update={"brought": await self._mended(artifact, order)})

    @activity.defn
    async def join_options(self, order: JoinOrder) -> Handover:
        """The artifact with the options that agents drafted in place of its own."""
        phase = order.work.phase
        brief = await self._briefing.brief(order.work)
        base = (await self._briefing.artifacts({phase: order.base}))[phase]
        options = [await lasting(self._shelf.option(digest)) for digest in order.options]
        notes = [(each.name, each.why) for each in order.left_out]
        joined = with_drafts(base, options, notes, brief)
        return await self._briefing.keep(phase, joined, order.work.built_from)

    @activity.defn
    async def save_manifest(self, record: JobRecord) -> None:
        """Keep the record where it outlives Temporal's retention."""
        await self._store.write_manifest(record.job, record.model_dump(mode="json"))

    @activity.defn
    async def load_manifest(self, order: LoadOrder) -> JobRecord:
        """The record of a job that has closed. Fails for good when there is none."""
        record: JobRecord | None = await lasting(self._store.read_record(order.job))
        if record is None:
            text = f"the store knows no job {order.job}; start it with a task and a repository"
            raise ApplicationError(text, type="UnknownJob", non_retryable=True)
        return record

    @activity.defn
    async def store_ledger_page(self, page: LedgerPage) -> str:
        """Move ledger entries to the store; gives the page's digest."""
        return await self._store.put(canonical_json(page.model_dump(mode="json")["entries"]))

    async def _with_options(self, review: Review, order: ReviewOrder, artifact: Artifact) -> Review:
        """The review, with the facts about the options that a person chooses from."""
        if order.phase is not Phase.VALIDATION:
            return review
        options = options_of(artifact)
        plans = await store_plans(self._store, options)
        facts = option_facts(options, order.work.ranking if order.work else {}, plans)
        return review.model_copy(update={"facts": review.facts.model_copy(update={"options": facts})})

    async def _edited(self, artifact: Optional, order: EditOrder) -> Optional:
        """Raises BadOption."""
        before = {order.phase: order.previous} if order.previous else {}
        known = await self._briefing.artifacts({**order.built_from, **before})
        plan = artifact if order.phase is Phase.IMPLEMENTATION_PLAN else known[Phase.IMPLEMENTATION_PLAN]
        subtasks = plan.subtasks if isinstance(plan, ImplementationPlanArtifact) else ()
        names = [subtask.subtask_id for subtask in subtasks]
        return edited(artifact, known.get(order.phase), names, order.by, order.ranking)

    async def _mended(self, artifact: Artifact, order: EditOrder) -> tuple[str, ...]:
        """Digests of what people brought along as the edit has it; none where it changes nothing of that."""
        known = [await lasting(self._shelf.option(digest)) for digest in order.brought]
        before = await self._briefing.artifacts({order.phase: order.previous} if order.previous else {})
        theirs = peoples_own(options_of(artifact), options_of(before.get(order.phase)), known)
        digests = tuple([await store_option(self._store, option) for option in theirs])
        return digests if digests != order.brought else ()

    async def _work(self, order: WorkOrder, method: Callable[[Brief], Artifact]) -> Handover:
        async with beating():
            brief = await self._briefing.brief(order)
            artifact = await asyncio.to_thread(method, brief)
        return await self._briefing.keep(order.phase, artifact, order.built_from)


def _first(problem: ValueError) -> str:
    if isinstance(problem, BadOption):
        return f"the edited artifact does not validate: {problem}"
    if isinstance(problem, ValidationError):
        return f"the edited artifact does not validate: {told(problem)}"
    return f"the edited artifact is no JSON object: {problem}"
