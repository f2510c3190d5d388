"""Opening a conversation and asking a model, as activities alone."""

import asyncio
from typing import Any

from temporalio.testing import ActivityEnvironment

from activities.agent_orders import AgentOrder
from activities.heartbeat import BEGUN
from activities.store import open_store
from states.agents import AgentKind, Price
from states.words import Phase
from states.workspace import WorkspaceRef
from tests.scripted_agents import ScriptedProvider, scripted_agents


async def test_the_heart_beats_while_prices_are_looked_up() -> None:
    beaten = asyncio.Event()
    heard: list[tuple[Any, ...]] = []
    environment = ActivityEnvironment()

    class Pricing(ScriptedProvider):
        async def price(self, model: str) -> Price:
            # The first look imports a library, which takes longer than a worker may be silent.
            heard.clear()
            beaten.clear()
            await asyncio.wait_for(beaten.wait(), timeout=20)
            return await super().price(model)

    def beat(*details: Any) -> None:
        heard.append(details)
        beaten.set()

    environment.on_heartbeat = beat
    agents = scripted_agents(open_store("memory://"), Pricing())
    order = AgentOrder(
        job="j",
        agent="discovery-1",
        session="s",
        kind=AgentKind.PLAN,
        phase=Phase.DISCOVERY,
        workspace=WorkspaceRef(repository="/r", commit="0" * 40),
        models=("m",),
    )
    opened = await environment.run(agents.open_conversation, order)
    assert opened.prices["m"].prompt
    assert heard == [(BEGUN,)]
