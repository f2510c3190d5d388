"""What is set aside for a call counts what is told before it: mail, a notice, the last demand."""

from activities.agent_orders import AgentOrder
from states.agents import AgentCarry, AgentKind, Allowance
from states.budget import Account
from states.workspace import WorkspaceRef
from workflows.conversation import Conversation

ORDER = AgentOrder(
    job="j",
    agent="agent1",
    session="j",
    kind=AgentKind.COOP,
    workspace=WorkspaceRef(repository="/r", commit="c" * 40),
    models=("m",),
    carry=AgentCarry(order="o", head="h", size=1_000),
)


def talk() -> Conversation:
    """One that was opened and has 1,000 bytes."""
    return Conversation(ORDER, Account(allowance=Allowance()))


def test_mail_and_notices_that_wait_are_counted() -> None:
    plain = talk().size
    assert 1_000 < plain < 2_000
    with_mail = talk()
    with_mail.deliver("a", "agent2", 20_000)
    with_mail.deliver("b", "agent2", 300)
    assert plain + 20_300 <= with_mail.size < plain + 22_000
    assert ORDER.carry
    told = Conversation(
        ORDER.model_copy(update={"carry": ORDER.carry.model_copy(update={"say": "ü" * 500})}),
        Account(allowance=Allowance()),
    )
    assert told.size == plain + 1_000


def test_mail_that_waits_is_carried_with_its_size() -> None:
    first = talk()
    first.deliver("a", "agent2", 20_000)
    again = talk()
    for mail in first.mail:
        again.deliver(mail.digest, mail.source, mail.size)
    assert again.size == first.size
    assert again.mail == first.mail
