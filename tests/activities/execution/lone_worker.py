"""A worker process that carries out one step, to be killed: `python -m ... ORDER STATE`."""

import asyncio
import sys
from pathlib import Path

from temporalio.testing import ActivityEnvironment

from activities.execution.activities import ExecutionActivities
from activities.execution.sandbox import find_sandbox
from activities.execution_orders import StepOrder
from activities.index.shelf import IndexShelf
from activities.store import open_store
from activities.workspace import Workspaces
from tests.activities.execution.acting import no_sandbox


async def main(order: StepOrder, state: Path) -> None:
    """Run it; without a sandbox where the order does not ask for one."""
    workspaces = Workspaces(state / "workspaces")
    find = find_sandbox if order.rules.sandbox else no_sandbox
    store = open_store(str(state / "store"))
    activities = ExecutionActivities(store, workspaces, IndexShelf(None), find=find)
    await ActivityEnvironment().run(activities.run_step, order)


if __name__ == "__main__":
    asyncio.run(main(StepOrder.model_validate_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2])))
