"""Record the histories of cooperating agents: `python -m tests.replay.record_cooperation [NAME ...]`.

Models are a scripted server, replies come over litellm; a history holds digests and counts alone.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from temporalio.client import Client

from activities.agent_orders import Feature
from activities.agents import AgentActivities
from activities.cooperation import CooperationActivities
from activities.cooperation_orders import CooperationOrder, Member
from activities.desks.bench import BenchDesk
from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.store import Store, open_store
from phasegate.logs import configure_logs
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from phasegate.settings import Settings
from states.agents import AgentKind, AgentLimits
from states.bench import BenchSetting
from tests.e2e.bench_stage import AGENT1, AGENT2, plan_for
from tests.model_server.script import FaultKind, Script, fault, rate_limited
from tests.model_server.server import ModelServer
from tests.replay.record import HISTORIES, QUEUE, keep
from tests.scripted import NoWorkspaces
from worker import build_worker
from workflows.attributes import REGISTERED
from workflows.cooperation import CooperationWorkflow

AGREE, LOOK = "agreement_reached", ("list_files", {"explanation": "look"})


def say(text: str) -> tuple[str, dict[str, object]]:
    """A message to the other agent."""
    return "communicate_with_agent", {"message": text, "message_type": "analysis"}


def overlapping() -> Script:
    """Both plan the same lines, are told, talk, and one gives way."""
    script = Script()
    script.when(system=AGENT1).calls(say("mine"), LOOK).call(AGREE, {"plan": plan_for("Lines 4-9")}).call(
        AGREE, {"plan": plan_for("Lines 4-9")}
    )
    script.when(system=AGENT2).calls(LOOK).call(AGREE, {"plan": plan_for("Line 8")}).calls(say("well")).call(
        AGREE, {"plan": plan_for("Line 80")}
    )
    return script


def forced() -> Script:
    """No plan ever comes."""
    script = Script()
    script.when().calls(LOOK).say("no")
    return script


def failing() -> Script:
    """The second agent's key is wrong once; the first one goes on."""
    script = Script()
    script.when(system=AGENT1).calls(say("one"), LOOK).call(AGREE, {"plan": plan_for("Line 4")})
    script.when(system=AGENT2).fail(fault(FaultKind.BAD_KEY)).call(AGREE, {"plan": plan_for("Line 8")})
    return script


def talkative() -> Script:
    """Enough calls for several runs."""
    script = Script()
    for agent, place in ((AGENT1, "Lines 4-9"), (AGENT2, "Lines 8-12")):
        rule = script.when(system=agent)
        for number in range(8):
            rule = rule.calls(say(f"n{number}"), LOOK)
        rule.call(AGREE, {"plan": plan_for(place)}).call(AGREE, {"plan": plan_for(place)})
    return script


def refused_first() -> Script:
    """As above; each agent's first call comes too early."""
    script = Script()
    for agent in (AGENT1, AGENT2):
        script.when(system=agent).fail(rate_limited(0.05))
    script.rules += overlapping().rules
    return script


@dataclass
class Cooperation:
    """One path."""

    script: Callable[[], Script]
    setting: BenchSetting = BenchSetting.COOP
    max_iterations: int = 25
    server: dict[str, object] = field(default_factory=dict)
    again: bool = False
    """go on with the state of the first run"""


COOPERATIONS: dict[str, Cooperation] = {
    "coop_overlap": Cooperation(overlapping),
    "coop_forced": Cooperation(forced, max_iterations=2),
    "coop_failed": Cooperation(failing, again=True),
    "coop_continue_as_new": Cooperation(talkative, server={"limit.historyCount.suggestContinueAsNew": 50}),
    "coop_attempts": Cooperation(refused_first),
    "coop_solo": Cooperation(forced, BenchSetting.SOLO, max_iterations=1),
}


async def order_for(path: Cooperation, store: Store) -> CooperationOrder:
    """What the run starts from."""
    texts = ["one", "two"]
    features = [Feature(id=n, text=await store.put(text.encode())) for n, text in enumerate(texts, 1)]
    seats = path.setting.seats
    own = [tuple(features)] if len(seats) == 1 else [(feature,) for feature in features]
    return CooperationOrder(
        kind=path.setting.kind,
        repository="example",
        ref="0" * 40,
        members=tuple(
            Member(agent=seat.id, models=("openai/scripted",), features=planned)
            for seat, planned in zip(seats, own, strict=True)
        ),
        limits=AgentLimits(max_iterations=path.max_iterations),
    )


async def record(name: str, path: Cooperation, address: str) -> None:
    """Play a path and keep the histories of all its runs."""
    store = open_store("memory://")
    client = await Client.connect(address, data_converter=data_converter(store))
    kinds = (AgentKind.SINGLE, AgentKind.SOLO, AgentKind.COOP)
    agents = AgentActivities(store, dict.fromkeys(kinds, BenchDesk(store, NoWorkspaces())), LiteLlmProvider())
    with ModelServer(path.script()) as models:
        os.environ |= models.environment
        parts = (agents, CooperationActivities(store, NoWorkspaces()))
        async with build_worker(client, Settings.load(task_queue=QUEUE), *parts):
            order = await order_for(path, store)
            for number in range(1 + path.again):
                handle = await client.start_workflow(
                    CooperationWorkflow.run, order, id=f"replay-{name}", task_queue=QUEUE
                )
                state = await handle.result()
                order = order.model_copy(update={"state": state})
                suffix = ".again" if number else ""
                await keep(client, f"{name}{suffix}", handle.id, handle.first_execution_run_id)
            assert state.settled


async def main(names: list[str]) -> None:
    """Record all paths, or only the named ones."""
    configure_logs("error")
    for name in names or COOPERATIONS:
        path = COOPERATIONS[name]
        for old in HISTORIES.glob(f"{name}.*json"):
            old.unlink()
        options = ServerOptions(search_attributes=REGISTERED, dynamic_config=path.server)
        async with EmbeddedServer(options) as server:
            await record(name, path, server.address)
            print(name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
