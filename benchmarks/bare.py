"""What a job costs by hand: a bare workflow with as many no-op activities and gates as a phasegate job."""

from datetime import timedelta

from temporalio import activity, workflow

PATIENCE = timedelta(seconds=30)


@activity.defn
async def do_nothing(number: int) -> int:
    """A no-op."""
    return number


class _Gates:
    def __init__(self) -> None:
        self.open = 0
        self.passed = 0

    @workflow.signal
    def approve(self) -> None:
        """Pass the open gate."""
        self.passed += 1

    @workflow.query
    def gates(self) -> int:
        """How many gates have been opened."""
        return self.open

    async def wait_for_approval(self) -> None:
        """One human gate."""
        self.open += 1
        await workflow.wait_condition(lambda: self.passed >= self.open)


@workflow.defn
class BareRegular(_Gates):
    """Regular activities: three events and two trips to the server each."""

    @workflow.run
    async def run(self, plan: list[int]) -> None:
        """`plan` holds the number of activities before each gate, and after the last one."""
        for number, count in enumerate(plan):
            for each in range(count):
                await workflow.execute_activity(do_nothing, each, start_to_close_timeout=PATIENCE)
            if number < len(plan) - 1:
                await self.wait_for_approval()


@workflow.defn
class BareLocal(_Gates):
    """Local activities: one event each."""

    @workflow.run
    async def run(self, plan: list[int]) -> None:
        """As BareRegular."""
        for number, count in enumerate(plan):
            for each in range(count):
                await workflow.execute_local_activity(do_nothing, each, start_to_close_timeout=PATIENCE)
            if number < len(plan) - 1:
                await self.wait_for_approval()
