"""Where agents are killed: in a model call or a tool, in the work and the review of every phase."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from activities.desks.offers import SUBMIT_ARTIFACT, SUBMIT_REVIEW
from states.words import WORK_PHASES, Phase
from tests.e2e.whole_job import LOOKS, reviewing, whole_job, working
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
    """In the second call of the agent that works on a phase, which hands over, or its reviewer's only one."""

    moment: Moment
    phase: Phase
    review: bool = False

    @property
    def agent(self) -> str:
        """Its id in the job."""
        return f"review-{self.phase}-1" if self.review else f"{self.phase}-1"

    @property
    def job(self) -> str:
        """The job that is killed here and nowhere else, and its model: no two jobs' requests are equal."""
        return f"at-{self.agent}-{self.moment.replace(' ', '-')}"

    @property
    def hold(self) -> str:
        """The file by which the worker is stopped here; blank where the model server does it."""
        last = SUBMIT_REVIEW if self.review else SUBMIT_ARTIFACT
        number = 1 if self.review else 2
        what = {
            Moment.BEFORE_CALL: f"call-{number}.before",
            Moment.AFTER_CALL: f"call-{number}.after",
            Moment.BEFORE_TOOL: f"{last}-0.before",
            Moment.AMONG_TOOLS: f"{LOOKS[1][0]}-1.before",
            Moment.AFTER_TOOL: f"{last}-0.after",
        }.get(self.moment)
        return f"{self.job}.{self.agent}.{what}" if what else ""


def places_of(moment: Moment) -> tuple[Place, ...]:
    """Every phase and every review; a reviewer that asks for one tool alone is never among tools."""
    work = tuple(Place(moment, phase) for phase in WORK_PHASES)
    reviews = tuple(Place(moment, phase, review=True) for phase in WORK_PHASES)
    return work if moment is Moment.AMONG_TOOLS else work + reviews


def script_for(places: Sequence[Place]) -> Script:
    """A whole job; where a call is to be cut short, its first request waits in the model server."""
    script = Script()
    for place in places:
        if place.moment is Moment.DURING_CALL:
            asked = reviewing(place.phase) if place.review else working(place.phase)
            replies = 0 if place.review else 1
            script.when(model=place.job, replies=replies, **asked).fail(slow(LONG))
    script.rules += whole_job().rules
    return script
