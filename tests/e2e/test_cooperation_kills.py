"""Workers and servers killed while two agents talk: mail arrives once and in order, nothing is paid twice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from states.agents import Allowance
from states.bench import BenchSetting, BenchTask, FeatureText
from states.cooperation import CooperationState
from states.trace import TraceKind
from tests.e2e.agent_mortals import AgentMortals, agent_mortals
from tests.e2e.agent_places import LONG, Moment
from tests.e2e.bench_stage import AGENT1, AGENT2, FIRST, SECOND, plan_for, small_repository
from tests.e2e.kill_table import VICTIMS
from tests.model_server.script import Script, slow

AGREE, TALK = "agreement_reached", "communicate_with_agent"
LOOK = ("list_files", {"explanation": "look", "path": "."})
PLANS = (plan_for("Lines 4-9"), plan_for("Lines 40-49"))
TURNS = 4
"""replies of each agent before it agrees; each sends two letters"""
SEEN = {AGENT1: "agent1", AGENT2: "agent2"}
IN_TOOLS = (Moment.BEFORE_TOOL, Moment.AMONG_TOOLS, Moment.AFTER_TOOL)
LATER = 3.0
"""seconds until the first agent runs the tools in which it is stopped: as long as they run neither of the two
goes on, and the other has to stand before its third call by then"""
FAST = (Moment.AFTER_TOOL, "worker")
SLOW = tuple((m, v) for m in Moment for v in VICTIMS if (m, v) != FAST)

pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True)
class Cell:
    """One run, whose first agent is in the tools of its first turn or its second call when processes die."""

    moment: Moment
    task: BenchTask

    @property
    def holds(self) -> tuple[str, ...]:
        """The files by which the worker is stopped: both agents stand still, or calls of the other may be
        cut short between the model's answer and its keeping, which nobody can help.
        """
        other = f"{self.task.run}.agent2.call-3.before"
        what = {
            Moment.BEFORE_CALL: "call-2.before",
            Moment.AFTER_CALL: "call-2.after",
            Moment.BEFORE_TOOL: f"{TALK}-0.before",
            Moment.AMONG_TOOLS: f"{TALK}-2.before",
            Moment.AFTER_TOOL: f"{TALK}-2.after",
        }.get(self.moment)
        return (f"{self.task.run}.agent1.{what}", other) if what else (other,)


def letters(agent: str) -> list[str]:
    """All that an agent says, in the order in which it says it."""
    return [f"{SEEN[agent]} says {turn}{part}" for turn in range(1, TURNS + 1) for part in "ab"]


def talking(moment: Moment) -> Script:
    """Two agents that send letters with every reply and then agree."""
    script = Script()
    if moment is Moment.DURING_CALL:
        script.when(system=AGENT1, replies=1).fail(slow(LONG))
    for agent, plan in zip(SEEN, PLANS, strict=True):
        rule, said = script.when(system=agent), letters(agent)
        for turn, (one, two) in enumerate(zip(said[::2], said[1::2], strict=True), 1):
            first, second = ((TALK, {"message": each, "message_type": "proposal"}) for each in (one, two))
            held = agent == AGENT1 and turn == 1 and moment in IN_TOOLS
            rule.calls(first, LOOK, second, delay=LATER if held else 0.1)
        rule.call(AGREE, {"plan": plan})
    return script


def run_of(moment: Moment, home: Path) -> Cell:
    """A run over a small repository."""
    repository, commit = small_repository(home)
    task = BenchTask(
        setting=BenchSetting.COOP,
        repo_name="shop",
        task_id=1,
        k=1,
        repository=str(repository),
        commit=commit,
        features=(FeatureText(id=1, text=FIRST), FeatureText(id=2, text=SECOND)),
        models=("openai/one", "openai/two"),
        max_iterations=25,
    )
    return Cell(moment, task)


async def killed_in(all_: AgentMortals, cell: Cell, victims: str) -> CooperationState:
    """How a run ends in which processes died."""
    runs = await all_.runs()
    for hold in cell.holds:
        all_.hold(hold)
    await runs.begin(cell.task, Allowance())
    for hold in cell.holds:
        await all_.reached(hold)
    if cell.moment is Moment.DURING_CALL:
        await all_.asked_slowly("one")
    await all_.kill_and_replace(victims)
    for hold in cell.holds:
        all_.release(hold)
    return await runs.result(cell.task.run)


def heard(bodies: Sequence[str], agent: str) -> list[list[str]]:
    """For each request of an agent, the letters that it shows, in order."""
    return [re.findall(r"agent\d says \d[ab]", _without_own(body)) for body in bodies if agent in body]


def _without_own(body: str) -> str:
    """What others said: the headed parts of a conversation."""
    return " ".join(re.findall(r"## CONVERSATION HISTORY.*?\"", body))


async def check(cell: Cell, home: Path, victims: str) -> None:
    """Plans are those of the script, each letter is there once, and no answered request is sent again."""
    async with agent_mortals(home, talking(cell.moment)) as all_:
        state = await killed_in(all_, cell, victims)
        runs = await all_.runs()
        assert [await runs.text(member.plan) for member in state.members] == list(PLANS)
        assert all_.models.asked_twice() == []
        answered = all_.models.answered()
        # A call that was cut short may have been billed.
        asked = [all_.asked().count(model) for model in ("one", "two")]
        assert [member.usage.calls for member in state.members] == asked, "what is booked is what was asked"
        assert len(answered) == 2 * (TURNS + 1)
        for member, other, agent in zip(state.members, reversed(state.members), SEEN, strict=True):
            left = [await runs.text(mail.digest) for mail in member.mail]
            shown = heard([request.body for request in answered], agent)
            sent = letters(next(each for each in SEEN if each != agent))
            assert shown[-1] + [re.findall(r"agent\d says \d[ab]", text)[0] for text in left] == sent
            assert all(each == sent[: len(each)] for each in shown)
            received = [e for e in member.trace if e.kind is TraceKind.COMMUNICATION_RECEIVED]
            assert len(received) == len(shown[-1])
            assert {e.source for e in received} <= {other.agent}


@pytest.mark.slow
async def test_two_agents_survive(tmp_path: Path) -> None:
    moment, victims = FAST
    await check(run_of(moment, tmp_path), tmp_path, victims)


@pytest.mark.slow
@pytest.mark.parametrize(("moment", "victims"), SLOW)
async def test_two_agents_survive_whoever_dies(tmp_path: Path, moment: Moment, victims: str) -> None:
    await check(run_of(moment, tmp_path), tmp_path, victims)
