"""What a run of one or two planning agents starts from: digests and counts."""

from pydantic import Field

from activities.agent_orders import Feature
from states.agents import AgentKind, AgentLimits, Allowance
from states.artifacts.base import Piece
from states.cooperation import CooperationState


class Member(Piece):
    """One agent of a run: its name in the trace, its models, and the features that it plans."""

    agent: str
    models: tuple[str, ...] = Field(min_length=1)
    features: tuple[Feature, ...] = Field(min_length=1)


class OpenOrder(Piece):
    """Make the checkout that the agents of a run read."""

    job: str
    repository: str
    ref: str


class CompareOrder(Piece):
    """Compare the edits of two stored plans; the first is the one whose ranges come first."""

    plans: tuple[str, str]


class CooperationOrder(Piece):
    """One or two agents to plan with; two talk to each other."""

    kind: AgentKind
    repository: str
    ref: str
    members: tuple[Member, ...] = Field(min_length=1, max_length=2)
    limits: AgentLimits = AgentLimits()
    allowance: Allowance = Allowance()
    state: CooperationState | None = None
    """go on with this run instead of starting one"""
