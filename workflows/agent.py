"""AgentWorkflow: one agent's conversation, as a workflow of its own."""

from collections.abc import Sequence

from temporalio import workflow
from temporalio.common import RawValue

with workflow.unsafe.imports_passed_through():
    from activities.agent_orders import USED, AgentOrder, AgentOutcome
    from states.agents import Usage
    from states.budget import Account
    from states.trace import AgentProgress
    from workflows.conversation import RESTS, Conversation

STOP = "stop"
"""the signal of a job that is paused: the call that runs is finished, the next one is not begun"""


@workflow.defn
class AgentWorkflow:
    """One LLM conversation with tools, durable call by call."""

    @workflow.init
    def __init__(self, order: AgentOrder) -> None:
        self.order = order
        account = Account(allowance=order.allowance, spent=order.spent, shared=order.shared)
        self.talk = Conversation(order, account, record=self._record)
        self.talk.usage = order.spent
        self.talk.used = dict.fromkeys(order.used)

    @workflow.signal(dynamic=True)
    def on_signal(self, name: str, args: Sequence[RawValue]) -> None:  # noqa: ARG002 (whatever it carries)
        """`stop`; everything else is ignored. Dynamic, as a typed handler can wedge on what it is sent."""
        if name == STOP:
            self.talk.stopping = True

    @workflow.query
    def progress(self) -> AgentProgress:
        """The agent at this moment, without its trace: it is asked every second, and a trace grows."""
        return self.talk.progress().model_copy(update={"trace": ()})

    @workflow.query
    def transcript(self) -> AgentProgress:
        """The agent at this moment, with all that it did."""
        return self.talk.progress()

    @workflow.run
    async def run(self, order: AgentOrder) -> AgentOutcome:
        """Converse until something is handed over, or the conversation rests."""
        outcome = await self.talk.run(until=lambda: workflow.info().is_continue_as_new_suggested())
        if outcome.reason == RESTS:
            past = {
                "carry": outcome.carry,
                "spent": outcome.usage,
                "past": tuple(self.talk.trace),
                "used": outcome.used,
            }
            workflow.continue_as_new(order.model_copy(update=past), memo=_memo(outcome.usage))
        return outcome

    def _record(self, used: Usage) -> None:
        """Where the job finds it if this workflow is terminated; the server keeps it, whoever is killed."""
        workflow.upsert_memo(_memo(used))


def _memo(used: Usage) -> dict[str, dict[str, float]]:
    return {USED: used.model_dump(mode="json", exclude_defaults=True)}
