"""Record the history of every path that a job can take: `python -m tests.replay.record [NAME ...]`.

Histories of earlier releases are never overwritten by hand: a change that no longer replays one needs
`workflow.patched`, a new path needs a new scenario here.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.client import Client

from activities.payloads import data_converter
from activities.store import open_store
from phasegate.logs import configure_logs
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from phasegate.settings import Settings
from states.words import Phase, ReviewKind
from tests.replay import agent_stories, option_stories, planning_stories
from tests.replay.agent_stories import busy
from tests.replay.planning_stories import Story
from tests.replay.waiting import view
from tests.scripted import (
    QUESTION,
    SECOND,
    NoWorkspaces,
    ScriptedPlanner,
    ScriptedReviewer,
    scripted_activities,
)
from tests.scripted_agents import Script, ScriptedProvider, good, scripted_agents
from worker import build_worker
from workflows.attributes import REGISTERED
from workflows.planning import PlanningWorkflow

HISTORIES = Path(__file__).parent / "histories"
QUEUE = "replay"
AGENTS_KEPT = 5


@dataclass
class Scenario:
    """One path: what happens, and the parts it happens with."""

    story: Story
    spec: dict[str, Any] = field(default_factory=dict)
    policy: dict[str, Any] = field(default_factory=dict)
    reviewer: ScriptedReviewer = field(default_factory=ScriptedReviewer)
    planner: ScriptedPlanner = field(default_factory=ScriptedPlanner)
    files: int = 1
    server: dict[str, object] = field(default_factory=dict)
    again: dict[str, Any] = field(default_factory=dict)
    """input of a second run under the same id, after the first has closed; empty for none"""
    then: Story | None = None
    script: Script | None = None
    """what the models of the job's agents reply; None for a job without a model"""


TECHNICAL, REQUIREMENT, CONTRACT = ReviewKind.TECHNICAL, ReviewKind.REQUIREMENT, ReviewKind.CONTRACT

NO_GATES = {"model": "m", "policy": {"gates": []}}

SCENARIOS: dict[str, Scenario] = {
    "happy": Scenario(planning_stories.happy),
    "dialogue": Scenario(planning_stories.dialogue, reviewer=ScriptedReviewer(questions=(QUESTION, SECOND))),
    "best_guess": Scenario(planning_stories.best_guess, reviewer=ScriptedReviewer(questions=(QUESTION,))),
    "revise_technical": Scenario(planning_stories.revised(TECHNICAL, "validation")),
    "revise_requirement": Scenario(planning_stories.revised(REQUIREMENT, "clarification")),
    "revise_contract": Scenario(planning_stories.revised(CONTRACT, "contracts")),
    "ai_revisions": Scenario(
        planning_stories.redesigned,
        reviewer=ScriptedReviewer(verdicts={Phase.CONTRACTS: [TECHNICAL], Phase.VALIDATION: [CONTRACT]}),
    ),
    "escalated": Scenario(
        planning_stories.happy, reviewer=ScriptedReviewer(verdicts={Phase.CLARIFICATION: [TECHNICAL] * 9})
    ),
    **{f"restart_{p}": Scenario(planning_stories.restarted(p)) for p in Phase if p is not Phase.VERIFIED},
    "pause_resume": Scenario(planning_stories.paused),
    "cancel": Scenario(planning_stories.cancelled),
    "temporal_cancel": Scenario(planning_stories.cancelled_by_temporal),
    "bad_signals": Scenario(planning_stories.bad_signals),
    "edit": Scenario(planning_stories.edited),
    "parked": Scenario(planning_stories.parked, planner=planning_stories.failing_once()),
    "large_repository": Scenario(planning_stories.happy, files=100_000),
    "closes_at_once": Scenario(planning_stories.happy, policy={"keep_open_seconds": 0}),
    "from_the_store": Scenario(
        planning_stories.happy_and_closed,
        policy={"keep_open_seconds": 0},
        again={"resume_from": "CONTRACTS", "changes": "also SAML"},
        then=planning_stories.resumed,
    ),
    "no_gates": Scenario(planning_stories.verified, policy={"gates": []}),
    "agents": Scenario(agent_stories.to_the_end, NO_GATES, script=busy),
    "agents_budget": Scenario(agent_stories.more_budget, NO_GATES, {"budget_usd": 0.035}, script=good),
    "agents_ladder": Scenario(
        agent_stories.to_the_end,
        {**NO_GATES, "model": "first,second", "agents": {"max_iterations": 2}},
        script=agent_stories.clumsy,
    ),
    "agents_dialogue": Scenario(
        agent_stories.asked_again,
        NO_GATES,
        reviewer=ScriptedReviewer(questions=(QUESTION,)),
        script=agent_stories.curious,
    ),
    "agents_failing": Scenario(agent_stories.mended, NO_GATES, script=agent_stories.failing_once()),
    "agents_other_models": Scenario(agent_stories.other_models, NO_GATES, script=agent_stories.gone),
    "agents_overtaken": Scenario(agent_stories.overtaken, NO_GATES, script=busy),
    "agents_attempts": Scenario(
        agent_stories.attempted_again, NO_GATES, script=agent_stories.refused("contracts-1", once=True)
    ),
    "agents_lost": Scenario(
        agent_stories.lost, NO_GATES, script=agent_stories.refused("contracts", once=False)
    ),
    "agents_thought_better": Scenario(
        agent_stories.thought_better,
        NO_GATES,
        reviewer=ScriptedReviewer(questions=(QUESTION,)),
        script=agent_stories.refused("clarification-1", once=True),
    ),
    **{name: Scenario(**given) for name, given in option_stories.SCENARIOS.items()},
    "agents_long": Scenario(
        agent_stories.to_the_end,
        NO_GATES,
        script=busy,
        server={"limit.historyCount.suggestContinueAsNew": 60},
    ),
    "agents_continue_as_new": Scenario(
        agent_stories.to_the_end,
        NO_GATES,
        script=busy,
        server={"limit.historyCount.suggestContinueAsNew": 40},
    ),
    "continue_as_new": Scenario(
        planning_stories.many_signals, server={"limit.historyCount.suggestContinueAsNew": 60}
    ),
}


class Sized(NoWorkspaces):
    """A workspace of any size."""

    def __init__(self, files: int) -> None:
        self.files = files

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Any:
        """As large as the scenario says."""
        opened = await super().open(job, repository, ref, refresh)
        return type(opened)(opened.ref.model_copy(update={"files": self.files}), opened.path)


async def record(name: str, scenario: Scenario, server: EmbeddedServer) -> None:
    """Play a scenario and keep the histories of all its runs."""
    store = open_store("memory://")
    client = await Client.connect(server.address, data_converter=data_converter(store))
    activities = scripted_activities(store, scenario.planner, scenario.reviewer)
    activities._workspaces = Sized(scenario.files)
    spec = {"task": "Expire sessions", "repository": "example", **scenario.spec}
    if scenario.policy:
        spec["policy"] = {**spec.get("policy", {}), **scenario.policy}
    parts = [scripted_agents(store, ScriptedProvider(scenario.script))] if scenario.script else []
    async with build_worker(client, Settings.load(task_queue=QUEUE), activities, *parts):
        handle = await client.start_workflow(
            PlanningWorkflow.run, spec, id=f"replay-{name}", task_queue=QUEUE
        )
        first = handle.first_execution_run_id
        await scenario.story(client.get_workflow_handle(handle.id))
        await view(client.get_workflow_handle(handle.id))
        await keep(client, name, handle.id, first)
        if scenario.script:
            await keep_agents(client, name, handle.id)
        if scenario.again and scenario.then:
            handle = await client.start_workflow(
                PlanningWorkflow.run, scenario.again, id=handle.id, task_queue=QUEUE
            )
            await scenario.then(client.get_workflow_handle(handle.id))
            await keep(client, f"{name}.again", handle.id, handle.first_execution_run_id)


def without_paths(text: str) -> str:
    """A history without stack traces: a replay needs none, and they name folders of one machine."""
    return json.dumps(
        json.loads(text, object_hook=lambda it: {**it, **dict.fromkeys({"stackTrace"} & set(it), "")})
    )


async def keep(client: Client, name: str, job: str, run: str | None) -> None:
    """Write the history of each run of a job."""
    number = 0
    while run:
        history = await client.get_workflow_handle(job, run_id=run).fetch_history()
        suffix = f".{number}" if number else ""
        (HISTORIES / f"{name}{suffix}.json").write_text(without_paths(history.to_json()) + "\n")
        last = history.events[-1]
        run = last.workflow_execution_continued_as_new_event_attributes.new_execution_run_id or None
        number += 1


async def keep_agents(client: Client, name: str, job: str) -> None:
    """Write the histories of a job's first agents; the others are like them."""
    for agent in (await view(client.get_workflow_handle(job))).agents[:AGENTS_KEPT]:
        for runs in range(1, agent.runs + 1):
            child = agent.model_copy(update={"runs": runs}).workflow
            seen = await client.get_workflow_handle(f"{job}.{child}").describe()
            first = seen.raw_description.workflow_execution_info.first_run_id
            await keep(client, f"{name}.{child}", f"{job}.{child}", first)


async def main(names: list[str]) -> None:
    """Record all scenarios, or only the named ones."""
    configure_logs("error")
    for name, scenario in SCENARIOS.items():
        if names and name not in names:
            continue
        for old in HISTORIES.glob(f"{name}.*json"):
            old.unlink()
        async with AsyncExitStack() as stack:
            options = ServerOptions(search_attributes=REGISTERED, dynamic_config=scenario.server)
            server = await stack.enter_async_context(EmbeddedServer(options))
            await record(name, scenario, server)
            print(name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
