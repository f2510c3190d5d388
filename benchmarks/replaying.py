"""What the sandbox of workflows costs: recorded jobs with agents, replayed in ours and in the SDK's own.

python -m benchmarks.replaying [--rounds 8] [--json]
"""

import asyncio
import time

from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from activities.payloads import data_converter
from activities.store import open_store
from benchmarks.table import Table, arguments, show
from tests.replay.record import HISTORIES
from worker import workflow_runner
from workflows.agent import AgentWorkflow
from workflows.planning import PlanningWorkflow

JOBS = ("agents", "agents.discovery-1", "agents.clarification-1", "agents.review-discovery-1")
TIMES = 4
"""how often each is replayed in a round"""


async def processor_seconds(runner: SandboxedWorkflowRunner, histories: list[WorkflowHistory]) -> float:
    """Of this process, for all histories."""
    replayer = Replayer(
        workflows=[PlanningWorkflow, AgentWorkflow],
        data_converter=data_converter(open_store("memory://")),
        workflow_runner=runner,
    )
    began = time.process_time()
    for history in histories * TIMES:
        await replayer.replay_workflow(history)
    return time.process_time() - began


async def main(rounds: int) -> Table:
    """Both in turn; the least of all rounds, as whatever else runs only adds."""
    histories = [
        WorkflowHistory.from_json(f"replay-{name.split('.')[0]}", (HISTORIES / f"{name}.json").read_text())
        for name in JOBS
    ]
    ours = workflow_runner()
    plain = SandboxedWorkflowRunner(restrictions=ours.restrictions)
    took: dict[str, list[float]] = {"the SDK's sandbox": [], "ours": []}
    for _ in range(rounds):
        for name, runner in zip(took, (plain, ours), strict=True):
            took[name].append(await processor_seconds(runner, histories))
    least = {name: min(seconds) for name, seconds in took.items()}
    base = least["the SDK's sandbox"]
    return Table(
        f"{len(JOBS) * TIMES} replays of jobs with agents, least of {rounds}",
        ["", "processor s", "ratio"],
        [[name, seconds, seconds / base] for name, seconds in least.items()],
        "The same workflow tasks; ours does not ask the workflow in which context a payload is read.",
    )


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="rounds of both")
    given = parser.parse_args()
    show([asyncio.run(main(given.rounds))], given.json)
