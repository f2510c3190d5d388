"""Record the history of every path that a job can take: `python -m tests.replay.record [NAME ...]`.

Histories of earlier releases are never overwritten by hand: a change that no longer replays one needs
`workflow.patched`, a new path needs a new scenario here.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle

from activities.payloads import data_converter
from activities.store import open_store
from phasegate.logs import configure_logs
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from phasegate.settings import Settings
from states.view import JobView
from states.words import Awaiting, Phase, ReviewKind, State
from tests.replay import agent_stories, option_stories
from tests.replay.agent_stories import busy
from tests.replay.waiting import until, view
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
Handle = WorkflowHandle[Any, Any]
Story = Callable[[Handle], Awaitable[None]]


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


async def gate(handle: Handle, name: str) -> JobView:
    """Wait for a gate to be open."""
    return await until(handle, lambda seen: seen.gate is not None and seen.gate.id == name)


async def pass_gates(handle: Handle, *names: str) -> None:
    """Approve these gates, one after the other."""
    for name in names:
        await gate(handle, name)
        await handle.signal("approve", {"gate": name, "by": "ann"})


async def verified(handle: Handle) -> None:
    """Wait for the end of planning."""
    await until(handle, lambda seen: seen.state is State.VERIFIED)


async def happy(handle: Handle) -> None:
    """Straight through."""
    await pass_gates(handle, "clarification-1", "contracts-1", "validation-1")
    await verified(handle)


async def happy_and_closed(handle: Handle) -> None:
    """Straight through, and not kept open."""
    await happy(handle)
    await handle.result()


async def redesigned(handle: Handle) -> None:
    """AI review of VALIDATION sends the job back to CONTRACTS, whose gate is earned again."""
    await pass_gates(handle, "clarification-1", "contracts-1", "contracts-2", "validation-1")
    await verified(handle)


async def dialogue(handle: Handle) -> None:
    """Answers out of order, corrected, a free message, a correction at the gate."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("answer", {"question": "q2", "text": "no", "by": "ann"})
    await handle.signal("say", "sessions live in Redis")
    await handle.execute_update("answer", {"question": "q2", "text": "yes"})
    await handle.signal("answer", "LegacyAuthService")
    await gate(handle, "clarification-1")
    await handle.signal("answer", {"question": "q1", "text": "both"})
    await gate(handle, "clarification-2")
    await pass_gates(handle, "clarification-2", "contracts-1", "validation-1")
    await verified(handle)


async def best_guess(handle: Handle) -> None:
    """The dialogue is ended with open questions."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("finish")
    await happy(handle)


def revised(kind: ReviewKind, back: str) -> Story:
    """Refuse the VALIDATION gate with a revision of one kind, then pass."""

    async def story(handle: Handle) -> None:
        await pass_gates(handle, "clarification-1", "contracts-1")
        await gate(handle, "validation-1")
        await handle.signal("revise", {"feedback": "not yet", "kind": kind.value, "by": "bob"})
        gates = ["clarification-2", "contracts-2", "validation-2"]
        await pass_gates(handle, *gates[["clarification", "contracts", "validation"].index(back) :])
        await verified(handle)

    return story


def restarted(phase: Phase) -> Story:
    """Restart a verified job from one phase, in the Alfred seed's form."""

    async def story(handle: Handle) -> None:
        await happy(handle)
        context = {
            "trigger": "requirements_changed",
            "changes": "also SAML",
            "invalidated_decisions": ["oauth_only"],
        }
        await handle.signal("restart_from", {"restart_from": phase.name, "context": context})
        order = [Phase.CLARIFICATION, Phase.CONTRACTS, Phase.VALIDATION]
        for each in order:
            if list(Phase).index(each) >= list(Phase).index(phase):
                await pass_gates(handle, f"{each}-2")
        await verified(handle)

    return story


async def paused(handle: Handle) -> None:
    """Pause at a gate, approve while paused, resume."""
    await gate(handle, "clarification-1")
    await handle.signal("pause", "lunch")
    await handle.signal("approve")
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume")
    await pass_gates(handle, "contracts-1", "validation-1")
    await verified(handle)


async def cancelled(handle: Handle) -> None:
    """Cancel at a gate."""
    await pass_gates(handle, "clarification-1")
    await gate(handle, "contracts-1")
    await handle.signal("cancel", {"reason": "not needed", "by": "ann"})
    await handle.result()


async def cancelled_by_temporal(handle: Handle) -> None:
    """`temporal workflow cancel`."""
    await gate(handle, "clarification-1")
    await handle.cancel()
    await handle.result()


async def bad_signals(handle: Handle) -> None:
    """Everything that must change nothing."""
    await gate(handle, "clarification-1")
    for name, payload in [
        ("aprove", None),
        ("approve", 7),
        ("approve", {"gate": "clarification-9"}),
        ("approve", {"digest": "deadbeef"}),
        ("approve", {"nonsense": True}),
        ("revise", None),
        ("revise", "x" * 30_000),
        ("answer", "nobody asked"),
        ("restart_from", "NOWHERE"),
        ("restart_from", "VALIDATION"),
        ("resume", None),
        ("act", None),
        ("select", "2"),
        ("rollback", None),
    ]:
        await handle.signal(name, payload) if payload is not None else await handle.signal(name)
    await happy(handle)
    await handle.signal("approve", {"by": "ann"})


async def edited(handle: Handle) -> None:
    """A person's own version at the CONTRACTS gate, first an invalid one."""
    await pass_gates(handle, "clarification-1")
    seen = await gate(handle, "contracts-1")
    assert seen.gate
    await handle.signal("edit", {"artifact": {"open_points": [{"subject": ""}]}, "base": seen.gate.digest})
    await until(handle, lambda now: now.ledger_count > seen.ledger_count + 1)
    body = {"follows_patterns": True}
    await handle.signal("edit", {"artifact": body, "base": seen.gate.digest, "by": "ann"})
    await pass_gates(handle, "contracts-2", "validation-1")
    await verified(handle)


async def parked(handle: Handle) -> None:
    """A lasting failure, mended by an operator."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ops"})
    await happy(handle)


async def many_signals(handle: Handle) -> None:
    """Enough messages to continue as new with a gate open."""
    await gate(handle, "clarification-1")
    for n in range(60):
        await handle.signal("nonsense", n)
    await happy(handle)


async def resumed(handle: Handle) -> None:
    """A closed job goes on from the store: CONTRACTS and VALIDATION earn their gates again."""
    await pass_gates(handle, "contracts-2", "validation-2")
    await handle.result()


def failing_once() -> ScriptedPlanner:
    """DISCOVERY fails for good the first time."""
    planner = ScriptedPlanner()

    def fail(phase: Phase, _: object) -> None:
        if phase is Phase.DISCOVERY and planner.calls.count(phase) == 1:
            from temporalio.exceptions import ApplicationError

            raise ApplicationError("the disk is gone", type="Gone", non_retryable=True)

    planner.before = fail
    return planner


TECHNICAL, REQUIREMENT, CONTRACT = ReviewKind.TECHNICAL, ReviewKind.REQUIREMENT, ReviewKind.CONTRACT

NO_GATES = {"model": "m", "policy": {"gates": []}}

SCENARIOS: dict[str, Scenario] = {
    "happy": Scenario(happy),
    "dialogue": Scenario(dialogue, reviewer=ScriptedReviewer(questions=(QUESTION, SECOND))),
    "best_guess": Scenario(best_guess, reviewer=ScriptedReviewer(questions=(QUESTION,))),
    "revise_technical": Scenario(revised(TECHNICAL, "validation")),
    "revise_requirement": Scenario(revised(REQUIREMENT, "clarification")),
    "revise_contract": Scenario(revised(CONTRACT, "contracts")),
    "ai_revisions": Scenario(
        redesigned,
        reviewer=ScriptedReviewer(verdicts={Phase.CONTRACTS: [TECHNICAL], Phase.VALIDATION: [CONTRACT]}),
    ),
    "escalated": Scenario(happy, reviewer=ScriptedReviewer(verdicts={Phase.CLARIFICATION: [TECHNICAL] * 9})),
    **{f"restart_{p}": Scenario(restarted(p)) for p in Phase if p is not Phase.VERIFIED},
    "pause_resume": Scenario(paused),
    "cancel": Scenario(cancelled),
    "temporal_cancel": Scenario(cancelled_by_temporal),
    "bad_signals": Scenario(bad_signals),
    "edit": Scenario(edited),
    "parked": Scenario(parked, planner=failing_once()),
    "large_repository": Scenario(happy, files=100_000),
    "closes_at_once": Scenario(happy, policy={"keep_open_seconds": 0}),
    "from_the_store": Scenario(
        happy_and_closed,
        policy={"keep_open_seconds": 0},
        again={"resume_from": "CONTRACTS", "changes": "also SAML"},
        then=resumed,
    ),
    "no_gates": Scenario(verified, policy={"gates": []}),
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
    "continue_as_new": Scenario(many_signals, server={"limit.historyCount.suggestContinueAsNew": 60}),
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
