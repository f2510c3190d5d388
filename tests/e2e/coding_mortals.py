"""Jobs whose given plan is carried out with code of a scripted model, by processes that are to be killed."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from phasegate.stored_jobs import StoredJobs
from states.artifacts.plan import Estimates, ExactEdit, FileChange, FileChangeKind, Plan, PlanOption, PlanStep
from states.artifacts.plan import StepType as Type
from states.execution import Execution
from states.record import JobRecord, JobSpec
from states.view import JobView
from states.words import Mode
from tests.e2e.acting_stage import WITHOUT_PEOPLE
from tests.e2e.agent_mortals import AgentMortals
from tests.e2e.coding_worker import run
from tests.e2e.executions import a_step
from tests.e2e.stage import until
from tests.model_server.script import Script
from tests.model_server.server import ModelServer

FILES = {
    ".gitignore": "report.xml\n__pycache__/\n",
    "app.py": "def add(a, b):\n    return a - b\n",
    "test_app.py": "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "work.sh": 'echo "$1" >> done\n',
}
NAMED = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="add", new="plus"),))
IMPORTED = FileChange(
    path="test_app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="add", new="plus", count=3),)
)
TESTS = "python3 -m pytest -q -p no:cacheprovider --junitxml=report.xml"
STEPS: tuple[PlanStep, ...] = (
    a_step("name", type=Type.FILE_OPERATION, files=(NAMED, IMPORTED)),
    a_step("before", "name", command="sh work.sh before"),
    a_step("code", "before", type=Type.CODE_GENERATION),
    a_step("behind", "code", command="sh work.sh behind"),
    a_step("test", "behind", type=Type.TESTING, command=TESTS, report="report.xml"),
)
PATIENCE = 120.0


class CodingMortals(AgentMortals):
    """One server, at most one worker that carries plans out, and a model that outlives both."""

    def main(self) -> Callable[[Path, Mapping[str, str]], None]:
        """What the worker's process runs."""
        return run

    async def begin(self, job: str, project: Path, steps: Sequence[PlanStep] = STEPS, **spec: Any) -> None:
        """A job that was given this plan, which it carries out at once."""
        plan = Plan(title="The plan", steps=tuple(steps), estimates=Estimates(confidence=0.9))
        kept = await StoredJobs(self.store).keep_option(PlanOption(id="a", title="The only way", plan=plan))
        given = {
            "task": "Mend the sum",
            "repository": str(project),
            "policy": {**WITHOUT_PEOPLE, "option_count": 0, "question_handling": "best_guess"},
            "brought": (kept,),
            "act": True,
            "commands": {"allow": ["sh *", "sleep *"]},
            **spec,
        }
        await (await self.client()).start(JobSpec.model_validate(given), job)

    async def seen(self, job: str, holds: Any) -> JobView:
        """Wait until something holds for a job, whoever is away meanwhile."""

        async def look() -> JobView | None:
            return await self.view(job)

        view: JobView = await until(look, lambda view: view is not None and holds(view), PATIENCE)
        return view

    async def done(self, job: str) -> JobRecord:
        """The record of a job whose plan is carried out, or that is held for good."""
        view = await self.seen(job, lambda v: v.mode is Mode.NORMAL or v.hold)
        assert view.hold is None, (job, view.hold)
        return await self.record(job)

    async def execution(self, record: JobRecord) -> Execution:
        """What was kept at the last rest."""
        assert record.act
        return Execution.model_validate_json(await self.store.get(record.act.last.kept))


@asynccontextmanager
async def coding_mortals(home: Path, script: Script) -> AsyncIterator[CodingMortals]:
    """All of them, gone when this ends, whatever happened."""
    with ModelServer(script) as models:
        all_ = CodingMortals(home, models)
        try:
            await all_.server.start()
            await all_.start_worker()
            yield all_
        finally:
            all_.kill_worker()
            all_.server.kill()
