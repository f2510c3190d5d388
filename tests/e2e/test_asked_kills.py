"""Workers and servers killed while a step is asked about and another one runs: question and answer stay."""

from pathlib import Path

import pytest

from phasegate.stored_jobs import StoredJobs
from states.artifacts.plan import Estimates, Plan, PlanOption, PlanStep
from states.record import JobSpec
from states.view import JobView
from states.words import Mode
from tests.e2e.acting_stage import WITHOUT_PEOPLE
from tests.e2e.executions import a_step, repository
from tests.e2e.stage import until
from tests.e2e.test_act_kills import ActMortals, act_mortals

JOB = "asked"
LONG = f"{JOB}.act-1.run_step.long.before"
ASKS = f"{JOB}.act-1.run_step.asks"
PLAN: tuple[PlanStep, ...] = (
    a_step("long", command="echo long"),
    a_step("asks", command="touch asked"),
    a_step("behind", "asks", command="ls asked"),
)


async def begun(all_: ActMortals, home: Path) -> None:
    """A job whose first step takes as long as it is held, and whose second one asks."""
    plan = Plan(title="The plan", steps=PLAN, estimates=Estimates(confidence=0.9))
    kept = await StoredJobs(all_.store).keep_option(PlanOption(id="a", title="The only way", plan=plan))
    policy = {**WITHOUT_PEOPLE, "option_count": 0, "question_handling": "best_guess"}
    project = repository(home / "project", {"app.py": "x = 1\n"})
    given = {
        "task": "Touch it",
        "repository": str(project),
        "policy": policy,
        "brought": (kept,),
        "act": True,
    }
    all_.hold(LONG)
    await (await all_.client()).start(JobSpec.model_validate(given), JOB)
    await all_.reached(LONG)


async def seen(all_: ActMortals, at_gate: str) -> JobView:
    """Wait until the gate is open."""

    def there(view: JobView | None) -> bool:
        return view is not None and view.gate is not None and view.gate.id == at_gate

    view: JobView = await until(lambda: all_.view(JOB), there, 60)
    return view


@pytest.mark.slow
@pytest.mark.parametrize("victims", ["worker", "both"])
async def test_an_answer_that_nobody_could_hear_is_heard(tmp_path: Path, victims: str) -> None:
    """Killed at the open gate, and answered while no worker runs; both again, while what was allowed runs."""
    async with act_mortals(tmp_path) as all_:
        await begun(all_, tmp_path)
        gate = (await seen(all_, "operator-1")).gate
        assert gate
        assert gate.step == "asks"
        all_.hold(f"{ASKS}.after")
        all_.kill_worker()
        await all_.cli.signal(JOB, "approve", {"gate": gate.id, "digest": gate.digest, "by": "ann"})
        await all_.kill_and_replace(victims)
        await all_.reached(f"{ASKS}.after")
        if victims == "both":
            await all_.kill_and_replace(victims)
        all_.release(f"{ASKS}.after")

        async def lines() -> dict[str, str]:
            execution = await (await all_.client()).execution(JOB)
            return {line.id: line.status for line in execution.act.last.steps} if execution else {}

        now = {"long": "in_progress", "asks": "completed", "behind": "completed"}
        await until(lines, lambda found: found == now, 60)
        all_.release(LONG)
        await until(lambda: all_.view(JOB), lambda view: view and view.mode is Mode.NORMAL, 60)
        record = await all_.record(JOB)
        assert record.gates_closed == {"operator-1": "allowed by ann"}
        assert record.act
        assert [line.attempts for line in record.act.last.steps] == [1, 1, 1]
        assert (Path(record.act.last.path) / "asked").exists()
