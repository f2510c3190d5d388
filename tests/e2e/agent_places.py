"""Where agents are killed: in a model call or a tool; in the work and review of every phase, in drafts."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from activities.desks.offers import SUBMIT_ARTIFACT, SUBMIT_REVIEW
from activities.desks.options import SUBMIT_OPTION
from states.words import WORK_PHASES, Phase
from tests.activities.desks.good import OPTIONS
from tests.e2e.whole_job import CALLS, DRAFT_CALLS, LOOKS, drafting, reviewing, whole_job, working
from tests.model_server.script import Script, slow

LONG = 120.0
"""seconds that a model takes whose worker is to be killed meanwhile"""


class Moment(StrEnum):
    """How far a call has come when its worker dies."""

    BEFORE_CALL = "before call"
    DURING_CALL = "during call"
    """the model has the request"""
    AFTER_CALL = "after call"
    """the reply is kept, the Temporal server does not know of it"""
    BEFORE_TOOL = "before tool"
    AMONG_TOOLS = "among tools"
    """of the tools of one reply some are done and one is not"""
    AFTER_TOOL = "after tool"


@dataclass(frozen=True)
class Place:
    """In the second call of the agent that works on a phase, which hands over, or its reviewer's only one.

    With `drafts`, numbers from 1, in the second call of each agent that drafts these options of the plan, all
    at once; the other drafts are finished then.
    """

    moment: Moment
    phase: Phase
    review: bool = False
    drafts: tuple[int, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """Ids in the job of those who are stopped here."""
        if self.drafts:
            return tuple(f"option-{self.phase}-{number}" for number in self.drafts)
        return (f"review-{self.phase}-1" if self.review else f"{self.phase}-1",)

    @property
    def name(self) -> str:
        """What is stopped here: the agent, or the drafts by their numbers."""
        first, *others = self.agents
        return "+".join([first, *(other.rpartition("-")[2] for other in others)])

    @property
    def job(self) -> str:
        """The job that is killed here and nowhere else, and its model: no two jobs' requests are equal."""
        return f"at-{self.name}-{self.moment}".replace(" ", "-").replace("+", "-")

    @property
    def spec(self) -> dict[str, Any]:
        """What the job has of its own; where no draft is killed, the options are made without a model."""
        return {"model": f"openai/{self.job}", **({"models": {}} if self.drafts else {})}

    @property
    def calls(self) -> int:
        """How many the job makes."""
        return CALLS + (DRAFT_CALLS if self.drafts else 0)

    @property
    def holds(self) -> tuple[str, ...]:
        """The files by which the worker is stopped here, one for each agent; none where the model does it."""
        last = SUBMIT_OPTION if self.drafts else SUBMIT_REVIEW if self.review else SUBMIT_ARTIFACT
        number = 1 if self.review else 2
        what = {
            Moment.BEFORE_CALL: f"call-{number}.before",
            Moment.AFTER_CALL: f"call-{number}.after",
            Moment.BEFORE_TOOL: f"{last}-0.before",
            Moment.AMONG_TOOLS: f"{LOOKS[1][0]}-1.before",
            Moment.AFTER_TOOL: f"{last}-0.after",
        }.get(self.moment)
        return tuple(f"{self.job}.{agent}.{what}" for agent in self.agents) if what else ()

    @property
    def requests(self) -> tuple[dict[str, Any], ...]:
        """Those that are cut short here, as conditions of rules, one for each agent."""
        if self.drafts:
            return tuple({"replies": 1, **drafting(number)} for number in self.drafts)
        work = {"replies": 1, **working(self.phase)}
        return ({"replies": 0, **reviewing(self.phase)} if self.review else work,)


def drafts_at(moment: Moment) -> tuple[Place, ...]:
    """All drafts at once, and one of them while the others are finished."""
    every = tuple(range(1, len(OPTIONS) + 1))
    return tuple(Place(moment, Phase.IMPLEMENTATION_PLAN, drafts=drafts) for drafts in (every, (2,)))


def places_of(moment: Moment) -> tuple[Place, ...]:
    """Every phase, every review and drafts; a reviewer that asks for one tool alone is never among tools."""
    work = tuple(Place(moment, phase) for phase in WORK_PHASES) + drafts_at(moment)
    reviews = tuple(Place(moment, phase, review=True) for phase in WORK_PHASES)
    return work if moment is Moment.AMONG_TOOLS else work + reviews


def script_for(places: Sequence[Place]) -> Script:
    """A whole job; where a call is to be cut short, its first request waits in the model server."""
    script = Script()
    for place in places:
        for request in place.requests if place.moment is Moment.DURING_CALL else ():
            script.when(model=place.job, **request).fail(slow(LONG))
    script.rules += whole_job().rules
    return script
