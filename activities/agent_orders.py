"""What agents' workflows hand to activities and get back: digests and counts, a line for each call."""

from pydantic import Field

from activities.orders import Handover, ReviewOrder, WorkOrder
from states.agents import (
    AgentCarry,
    AgentEnd,
    AgentKind,
    AgentLimits,
    Allowance,
    Price,
    ToolCall,
    Usage,
)
from states.artifacts.base import Piece
from states.review import Finding, QuestionRef
from states.trace import TraceEvent
from states.words import Phase
from states.workspace import WorkspaceRef

USED = "used"
"""the memo of an agent's workflow with what is used at most: all that is settled, and the call under way"""


class Feature(Piece):
    """One feature of a CooperBench task: its number, and the digest of its stored text (UTF-8)."""

    id: int
    text: str


class DraftOrder(Piece):
    """Draft option `number` for the plan `base`, or refine the option of that name. `base` is a digest."""

    base: str
    number: int
    option: str = ""


class CodeOrder(Piece):
    """Write the code of a step of the plan `plan`, in the tree of the execution that was kept as `kept`."""

    phase: Phase = Phase.VERIFIED
    work: WorkOrder
    """what the plan was made for and from"""
    execution: str
    branch: str
    plan: str
    kept: str
    step: str
    failed: tuple[str, ...] = ()
    """what went wrong when the plan was carried out before"""

    @property
    def workspace(self) -> WorkspaceRef:
        """Where the job works."""
        return self.work.workspace


class AgentOrder(Piece):
    """Everything an agent starts from. Stored once; later orders name its digest."""

    job: str
    agent: str
    """unique within the job: `discovery-1`, `review-discovery-2`, `agent1`"""
    session: str
    """run id that a reset keeps: a call that was answered is never paid again within it"""
    kind: AgentKind
    phase: Phase | None = None
    workspace: WorkspaceRef
    models: tuple[str, ...] = Field(min_length=1)
    limits: AgentLimits = AgentLimits()
    allowance: Allowance = Allowance()
    shared: bool = False
    """whether others use shares of the same budget meanwhile; see `states.budget.Account`"""
    spent: Usage = Usage()
    """used of the allowance before this run; set when a long conversation continues as new"""
    past: tuple[TraceEvent, ...] = ()
    """what happened before this run, likewise"""
    used: tuple[str, ...] = ()
    """models that replied before this run, likewise"""
    work: WorkOrder | None = None
    """for PLAN and EXPLAIN"""
    review: ReviewOrder | None = None
    draft: DraftOrder | None = None
    """for OPTION, beside `work`"""
    code: CodeOrder | None = None
    """for CODE, beside `work`"""
    may_ask: bool = False
    """whether follow-up questions for people are offered"""
    features: tuple[Feature, ...] = ()
    """for the CooperBench kinds; for COOP this agent's own comes first"""
    carry: AgentCarry | None = None
    """go on with this conversation instead of opening one"""


class Opened(Piece):
    """A conversation with its system prompt and first message."""

    order: str
    head: str
    size: int
    prices: dict[str, Price]
    fallback: str = ""


class UsageOrder(Piece):
    """Look up what an agent used that cannot say so itself any more."""

    workflow: str


class PriceOrder(Piece):
    """Look up what models cost."""

    models: tuple[str, ...]


class CallOrder(Piece):
    """One model call over the messages of `head`, then `add`, then `mail` as one message, then `say`."""

    order: str
    head: str
    add: tuple[str, ...] = ()
    mail: tuple[str, ...] = ()
    """digests of stored Mail of the other agent, undelivered so far"""
    say: str = ""
    """a short fixed user message"""
    number: int
    """counts the agent's calls from 1; part of the key under which the reply is remembered"""
    model: str
    only: bool = False
    """offer nothing but the agent's submitting tool and demand its use"""


class Reply(Piece):
    """What a model call gave. `head` ends with the reply itself, `size` is in bytes."""

    head: str
    message: str
    size: int
    calls: tuple[ToolCall, ...] = ()
    model: str
    usage: Usage
    finish: str = ""
    kept: bool = False
    """an earlier attempt had asked for it: this one paid nothing"""


class ToolOrder(Piece):
    """Run call `index` of the assistant message that `model` gave."""

    order: str
    message: str
    index: int
    model: str


class ToolAnswer(Piece):
    """A tool's answer, stored as a tool message. `end` is set by a tool that ends the conversation."""

    message: str
    size: int
    ok: bool = True
    refused: bool = False
    """a submission that did not validate; counts as a repair"""
    mail: str = ""
    """digest of a stored Mail for the other agent"""
    end: AgentEnd | None = None
    handover: Handover | None = None
    findings: tuple[Finding, ...] = ()
    questions: tuple[QuestionRef, ...] = ()
    text: str = ""
    """a reply to a person, or why a submission was refused; short"""
    plan: str = ""
    """digest of the stored plan text (CooperBench)"""
    option: str = ""
    """digest of the stored option"""
    changes: str = ""
    """digest of the stored changes that a step's code consists of"""


class AgentOutcome(Piece):
    """How a conversation ended, with what it hands over and what it used in this run."""

    end: AgentEnd
    reason: str = ""
    carry: AgentCarry | None = None
    usage: Usage = Usage()
    used: tuple[str, ...] = ()
    answer: ToolAnswer | None = None
    """of the tool that ended it"""
    forced: bool = False
    """the plan is the fallback, or came by the forced call"""
