"""What cooperating agents need besides their conversations: a checkout, and their plans compared."""

from temporalio import activity

from activities.briefing import Workspaces, lasting
from activities.cooperation_orders import CompareOrder, OpenOrder
from activities.heartbeat import beating
from activities.store import Store
from activities.workspace import Workspace
from states.cooperation import Comparison, OpenedWorkspace
from states.overlap import conflicts
from states.plan_edits import plan_edits

MOST = 40
"""conflicts that are kept of one comparison; all are counted"""


class CooperationActivities:
    """Everything a CooperationWorkflow does outside of itself, but for the conversations."""

    def __init__(self, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    @activity.defn
    async def open_workspace(self, order: OpenOrder) -> OpenedWorkspace:
        """Open the repository at its commit."""
        async with beating():
            opened: Workspace = await lasting(self._workspaces.open(order.job, order.repository, order.ref))
        return OpenedWorkspace(workspace=opened.ref, path=str(opened.path))

    @activity.defn
    async def compare_plans(self, order: CompareOrder) -> Comparison:
        """Where two plans edit the same or touching lines of the repository as it is."""
        first, second = [
            plan_edits((await lasting(self._store.get(digest))).decode()) for digest in order.plans
        ]
        found = conflicts(first.edits, second.edits)
        return Comparison(
            conflicts=found[:MOST], count=len(found), unplaced=(first.unplaced, second.unplaced)
        )
