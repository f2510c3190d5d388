"""Jobs whose options agents draft: what they start with, agents that wait, and what became of them."""

import asyncio
from typing import Any

from activities.store import Store
from states.agents import AgentKind
from states.artifacts.validation import ValidationArtifact
from states.record import JobRecord, JobSpec
from states.words import Phase
from tests.e2e.stage import Stage, job_id, until
from tests.scripted import ScriptedPlanner, scripted_activities
from tests.scripted_agents import ScriptedProvider, good

DRAFT = "option-implementation_plan"
"""begins the id of an agent that drafts"""
NO_GATES: dict[str, Any] = {"gates": ()}


class WithOptions(ScriptedPlanner):
    """Hands on the options of the plan, as every real planner does."""

    def validate(self, brief: Any) -> ValidationArtifact:
        """VALIDATION."""
        made = super().validate(brief)
        before = brief.previous.options if brief.previous else ()
        return made.model_copy(update={"options": before or brief.planned().options})


class Held(ScriptedProvider):
    """Agents that draft wait until they are freed; those in `through` do not."""

    def __init__(self, *through: str) -> None:
        super().__init__(good)
        self.through = through
        self.waiting: set[str] = set()
        self.free = asyncio.Event()

    async def complete(self, *given: Any, **more: Any) -> Any:
        """The next reply."""
        who = given[1][0]["content"]
        drafts = '"option-' in who and not any(f'"{name}"' in who for name in self.through)
        if drafts:
            self.waiting.add(who)
            await self.free.wait()
        return await super().complete(*given, **more)

    async def asked_by(self, number: int) -> None:
        """Wait until so many agents that draft wait in a call."""
        while len(self.waiting) < number:
            await asyncio.sleep(0.02)


def planning(store: Store) -> Any:
    """The scripted phases, VALIDATION without a model."""
    return scripted_activities(store, planner=WithOptions())


async def start(ready: Stage, **spec: Any) -> str:
    """A job whose plan a model makes, and VALIDATION the planner without one."""
    models = {"validation": "none", "review": "none", **spec.pop("models", {})}
    given = {"task": "do it", "repository": "/r", "model": "m", "policy": NO_GATES, **spec, "models": models}
    return await ready.jobs.start(JobSpec.model_validate(given), job_id("drafts"))


def drafted(record: JobRecord) -> list[str]:
    """Ids of the agents that drafted, with how they ended."""
    return [f"{note.id} {note.end}" for note in record.agents if note.kind is AgentKind.OPTION]


async def options_of(ready: Stage, record: JobRecord, phase: Phase) -> list[tuple[str, int]]:
    """The options of an artifact and their versions."""
    ref = record.current(phase)
    assert ref
    artifact: Any = (await ready.store.get_artifact(ref.digest)).artifact()
    return [(option.id, option.plan.version) for option in artifact.options]


async def told_to_stop(ready: Stage, job: str, *drafts: int) -> None:
    """Until the agents of these drafts, or of all three, know that they should make no further call."""
    for number in drafts or (1, 2, 3):
        handle = ready.temporal.get_workflow_handle(f"{job}.{DRAFT}-{number}")

        async def told(handle: Any = handle) -> bool:
            events = (await handle.fetch_history()).events
            return any(e.HasField("workflow_execution_signaled_event_attributes") for e in events)

        await until(told, bool)
