"""Agents as the job knows them: who they are, what they used, how far they got."""

from enum import StrEnum

from pydantic import Field

from states.artifacts.base import Piece
from states.words import Phase


class AgentKind(StrEnum):
    """What an agent is for; decides its prompt, its tools and what it hands over."""

    PLAN = "plan"
    """makes the artifact of a phase"""
    REVIEW = "review"
    """reviews the artifact of a phase, once the mechanical checks have passed"""
    EXPLAIN = "explain"
    """replies to what a person said in CLARIFICATION"""
    OPTION = "option"
    """drafts one way to implement a plan, or refines one"""
    CODE = "code"
    """writes the code of a step while a plan is carried out"""
    SINGLE = "single"
    """CooperBench: one agent, one feature"""
    SOLO = "solo"
    """CooperBench: one agent, two features, one plan"""
    COOP = "coop"
    """CooperBench: one of two agents who talk to each other"""


class AgentEnd(StrEnum):
    """How a conversation came to rest. All but `submitted` and `asked` can be gone on with."""

    SUBMITTED = "submitted"
    ASKED = "asked"
    """a follow-up question for people"""
    BUDGET = "budget"
    """the next call might cost more than is left"""
    FAILED = "failed"
    """no model of the ladder could go on; a person must look"""
    STOPPED = "stopped"
    """paused, or overtaken by a message"""


class Usage(Piece):
    """What model calls used. Tokens as the provider counted them; USD as litellm's price list has it."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """the part of `prompt_tokens` that the provider's cache served"""
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    """calls whose cost is not known and not in `cost_usd`: their model has no known price, or see below"""
    given_up_calls: int = 0
    """those of them of which nothing is known, not even the price of their model: their agent was lost"""
    estimated_calls: int = 0
    """calls whose tokens and cost nobody counted: their server reports none, or they were cut short and may
    have been billed (`states.budget.most`)"""

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


class Price(Piece):
    """USD per token of a model; None where no price is known."""

    prompt: float | None = None
    completion: float | None = None


class Allowance(Piece):
    """What may still be used; None means without limit."""

    usd: float | None = None
    tokens: int | None = None


class AgentLimits(Piece):
    """How far one agent may go."""

    max_iterations: int = Field(default=25, ge=1, le=1000)
    """model calls before the one forced call"""
    max_repairs: int = Field(default=3, ge=0, le=20)
    """refused submissions before the agent has failed"""
    call_seconds: float = Field(default=600, gt=0, le=24 * 3600)
    """time-out of one attempt of a model call"""
    max_output_tokens: int = Field(default=16_000, ge=1, le=10_000_000)
    """most tokens that one reply may have; part of what is reserved before a call"""


class ToolCall(Piece):
    """A call that the model asked for; its arguments stay in the stored message."""

    index: int
    name: str


class AgentCarry(Piece):
    """A conversation at rest: enough to go on with it in a new run or after a pause."""

    order: str
    """digest of the stored AgentOrder"""
    head: str
    """digest of the stored list of message digests"""
    size: int = 0
    """bytes of all messages and tool schemas, for the reservation of the next call"""
    add: tuple[str, ...] = ()
    """digests of messages that follow `head` and no call has sent yet"""
    say: str = ""
    """a short user message that the next call begins with"""
    pending: tuple[ToolCall, ...] = ()
    """calls of the last reply that are not answered yet"""
    message: str = ""
    """digest of the last reply"""
    model: str = ""
    """what gave the last reply"""
    prices: dict[str, Price] = Field(default_factory=dict)
    fallback: str = ""
    """digest of the text that stands in for a plan that never came (CooperBench)"""
    calls: int = 0
    iterations: int = 0
    repairs: int = 0


class AgentNote(Piece):
    """One agent in the record of a job."""

    id: str
    kind: AgentKind
    phase: Phase
    models: tuple[str, ...]
    """the ladder, the preferred one first"""
    used: tuple[str, ...] = ()
    """models that replied"""
    end: AgentEnd | None = None
    """None while it runs"""
    usage: Usage = Usage()
    reason: str = ""
    head: str = ""
    """digest of the stored conversation"""
    runs: int = 1
    """how often it was put to work: again each time that a rest was over"""
    summed: int = 0
    """not 0: this is the sum of so many earlier agents, whose own lines are gone"""

    @property
    def agents(self) -> int:
        """How many agents this line tells of."""
        return self.summed or 1

    @property
    def workflow(self) -> str:
        """What the id of the workflow of its newest run adds to that of the job."""
        return self.id if self.runs == 1 else f"{self.id}.{self.runs}"
