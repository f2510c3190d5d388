"""How far a run of one or two planning agents is: what people see, and what the next run goes on from."""

from datetime import datetime

from states.agents import AgentCarry, AgentEnd, Usage
from states.artifacts.base import Piece
from states.overlap import Conflict
from states.trace import AgentProgress, TraceEvent
from states.workspace import WorkspaceRef


class Mail(Piece):
    """A stored message of one agent to the other."""

    digest: str
    source: str
    size: int = 0
    """bytes, at least those of the text"""


class OpenedWorkspace(Piece):
    """A checkout, and its folder on the worker's machine."""

    workspace: WorkspaceRef
    path: str


class Comparison(Piece):
    """Predicted merge conflicts of two plans, at most `MOST` of them, and what could not be compared."""

    conflicts: tuple[Conflict, ...] = ()
    count: int = 0
    unplaced: tuple[int, int] = (0, 0)
    """edits of each plan that name a file and no lines"""


class MemberState(Piece):
    """How far one agent is; enough to go on with it in a new run."""

    agent: str
    carry: AgentCarry | None = None
    usage: Usage = Usage()
    used: tuple[str, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    mail: tuple[Mail, ...] = ()
    """delivered and not read"""
    rounds: int = 0
    """1 once it has agreed, 2 once it was told of overlaps and has agreed again"""
    plan: str = ""
    """digest of the plan that counts"""
    forced: bool = False
    """the plan came by the forced call, or is the fallback"""
    end: AgentEnd | None = None
    """how it came to rest; None while it works"""
    reason: str = ""


class CooperationState(Piece):
    """A run as it stands: its result, what a query gives, and what the next run continues from."""

    started: datetime
    ended: datetime | None = None
    workspace: OpenedWorkspace | None = None
    members: tuple[MemberState, ...] = ()
    first: Comparison | None = None
    """of the plans that were agreed first; None before that, and with one agent"""
    last: Comparison | None = None
    """of the plans that count, where the agents were told of overlaps"""

    @property
    def settled(self) -> bool:
        """Whether every agent has handed over a plan, and overlaps were dealt with."""
        agreed = [member.end is AgentEnd.SUBMITTED for member in self.members]
        return self.ended is not None and bool(agreed) and all(agreed)

    @property
    def usage(self) -> Usage:
        """Of all agents."""
        return sum((member.usage for member in self.members), Usage())


class CooperationProgress(Piece):
    """A run at one moment, for people who watch; small however long it lasts."""

    doing: str = ""
    agents: tuple[AgentProgress, ...] = ()
    """without their traces"""
    plans: int = 0
    events: int = 0
    """lines in all traces: more of them means that there is something new"""
