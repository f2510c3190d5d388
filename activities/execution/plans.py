"""Plans and executions in the store: what workflows name by digest."""

from collections import OrderedDict

from pydantic import TypeAdapter
from temporalio.exceptions import ApplicationError

from activities.briefing import lasting
from activities.execution_orders import Opened, OpenOrder
from activities.store import Store
from states.artifacts.base import canonical_json
from states.artifacts.plan import FileChange, Plan, PlanStep
from states.execution import Execution
from states.steps import dependency_graph

CHANGES = TypeAdapter(tuple[FileChange, ...])
_KEPT = 8


class Plans:
    """Reads plans by digest, the last ones from memory. For one event loop; what it gives is shared."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, Plan] = OrderedDict()

    async def put(self, plan: Plan) -> str:
        """Store a plan; gives its digest."""
        return await self._store.put(canonical_json(plan.model_dump(mode="json")))

    async def plan(self, digest: str) -> Plan:
        """A stored plan. Raises ApplicationError for what no retry mends."""
        if digest not in self._known:
            self._known[digest] = Plan.model_validate_json(await lasting(self._store.get(digest)))
        self._known.move_to_end(digest)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return self._known[digest]

    async def step(self, digest: str, step: str, written: str = "") -> PlanStep:
        """One step of a stored plan, with the changes that were written for it.

        Raises ApplicationError when the plan has no such step.
        """
        plan = await self.plan(digest)
        found = next((each for each in plan.steps if each.id == step), None)
        if found is None:
            text = f"plan {digest[:12]} has no step {step}"
            raise ApplicationError(text, type="UnknownStep", non_retryable=True)
        if not written:
            return found
        files = CHANGES.validate_json(await lasting(self._store.get(written)))
        return found.model_copy(update={"files": files})

    async def put_changes(self, changes: tuple[FileChange, ...]) -> str:
        """Store what a model wants done to files; gives the digest."""
        return await self._store.put(canonical_json(CHANGES.dump_python(changes, mode="json")))

    async def open(self, order: OpenOrder) -> Opened:
        """A plan in outline, and the execution that is gone on with."""
        kept = await lasting(self._store.get(order.kept)) if order.kept else b""
        execution = Execution.model_validate_json(kept) if kept else None
        return Opened(plan=outline(await self.plan(order.plan)), execution=execution)

    async def keep(self, execution: Execution) -> str:
        """Store an execution; gives its digest."""
        return await self._store.put(canonical_json(execution.model_dump(mode="json")))


def outline(plan: Plan) -> Plan:
    """A plan for a workflow: what decides the order of its steps, and their titles."""
    needs = dependency_graph(plan)
    steps = [
        PlanStep(
            id=step.id,
            title=step.title[:200],
            type=step.type,
            dependencies=needs[step.id],
            estimated_minutes=step.estimated_minutes,
            condition=step.condition,
            required=step.required,
            retries=step.retries,
            timeout_seconds=step.timeout_seconds,
            subtask=step.subtask,
        )
        for step in plan.steps
    ]
    return Plan(title=plan.title[:200], steps=tuple(steps), version=plan.version)
