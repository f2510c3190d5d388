"""What an agent did, in order: references to what was said, for transcripts and trajectories."""

from datetime import datetime
from enum import StrEnum

from states.agents import AgentEnd, AgentKind, Usage
from states.artifacts.base import Piece


class TraceKind(StrEnum):
    """What one line of a trace tells."""

    LLM_CALL = "llm_call"
    TOOL_EXECUTION = "tool_execution"
    COMMUNICATION_RECEIVED = "communication_received"
    FALLBACK = "fallback"
    """a model could not go on, the next one of the ladder takes over"""


class TraceEvent(Piece):
    """One event. `head` ends with the reply of a call; `message` is the reply, or the mail received."""

    at: datetime
    agent: str
    kind: TraceKind
    model: str = ""
    head: str = ""
    message: str = ""
    index: int = 0
    """which call of the reply a tool answered"""
    answer: str = ""
    """digest of the tool's message"""
    ok: bool = True
    source: str = ""
    """the agent that a mail is from"""
    why: str = ""
    usage: Usage = Usage()


class AgentProgress(Piece):
    """An agent at one moment, for people who watch."""

    agent: str
    kind: AgentKind
    calls: int = 0
    usage: Usage = Usage()
    doing: str = ""
    end: AgentEnd | None = None
    trace: tuple[TraceEvent, ...] = ()
