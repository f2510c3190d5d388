"""A worker process that carries out one step, to be killed: `python -m ... ORDER STATE`."""

import asyncio
import sys
from pathlib import Path

from temporalio.testing import ActivityEnvironment

from activities.execution.activities import ExecutionActivities
from activities.execution.at_hand import StepAtHand
from activities.execution.executor import WorktreeExecutor
from activities.execution.sandbox import find_sandbox
from activities.index.shelf import IndexShelf
from activities.store import open_store
from activities.workspace import Workspaces
from tests.activities.execution.acting import named, no_sandbox


async def main(order: StepAtHand, state: Path) -> None:
    """Run it; without a sandbox where the order does not ask for one."""
    workspaces = Workspaces(state / "workspaces")
    find = find_sandbox if order.rules.sandbox else no_sandbox
    store = open_store(str(state / "store"))
    confined = order.rules.sandbox
    executor = WorktreeExecutor(store, workspaces, IndexShelf(None), unconfined=not confined, find=find)
    activities = ExecutionActivities(executor)
    await ActivityEnvironment().run(activities.run_step, await named(store, order))


if __name__ == "__main__":
    asyncio.run(main(StepAtHand.model_validate_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2])))
