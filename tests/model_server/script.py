"""What a scripted model says, and when: rules, in code or in a JSON file.

In code:

    script = Script()
    script.when(system="DISCOVERY", tool="submit_artifact").calls(
        ("read_file", {"filename": "a.py"}), ("list_files", {})
    ).call("submit_artifact", {...})
    script.when(tool="submit_review").after(rate_limited(1)).call("submit_review", {"verdict": "approve"})
    script.when(model="broken").fail(fault(FaultKind.SERVER_ERROR, times=None))

In a file (`Script.load` reads one, `script.save(path)` writes one): an object with `rules`, and `delay` in
seconds for every call. A rule has `when`, a `Match`; `answers`, a list of `Answer`; and `faults`. All fields
are optional:

    {"delay": 0, "rules": [
      {"when": {"system": "DISCOVERY", "tool": "submit_artifact"},
       "answers": [
         {"calls": [{"name": "read_file", "arguments": {"filename": "a.py"}}]},
         {"faults": [{"kind": "rate_limited", "retry_after": 1}],
          "calls": [{"name": "submit_artifact", "arguments": {}}]}]},
      {"when": {"contains": "hello"}, "answers": [{"text": "Hello."}]}]}

The first rule that fits answers. Its n-th answer goes to the n-th call *of the same conversation* that the
rule answers, the last one to all later ones. Which call that is follows from the messages in the request
alone, so a call that is asked again after a kill gets the same answer, and any number of agents can share a
rule. Only faults are counted by the server: each is given `times` times, to whoever comes first. Faults of
a rule come before its answers; a rule without answers then lets requests pass to the rules below.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from tests.model_server.conversation import Conversation


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FaultKind(StrEnum):
    """What can go wrong; `faults.py` has the bytes of each for each dialect."""

    RATE_LIMITED = "rate_limited"
    NO_QUOTA = "no_quota"
    BAD_KEY = "bad_key"
    FORBIDDEN = "forbidden"
    UNKNOWN_MODEL = "unknown_model"
    CONTEXT_OVERFLOW = "context_overflow"
    BAD_REQUEST = "bad_request"
    CONTENT_POLICY = "content_policy"
    NO_TOOL_CHOICE = "no_tool_choice"
    SERVER_ERROR = "server_error"
    OVERLOADED = "overloaded"
    CUT = "cut"
    """the connection closes in the middle of the body"""
    CUT_EARLY = "cut_early"
    """the connection closes before any byte of a reply"""
    GARBAGE = "garbage"
    """200 with a body that is no JSON"""
    SLOW = "slow"
    """after `seconds` the answer comes as if nothing had been"""


class Fault(_Part):
    """One failed reply."""

    kind: FaultKind
    retry_after: float | str | None = None
    """value of the Retry-After header: seconds, or a date"""
    message: str = ""
    """in place of the provider's own words"""
    seconds: float = 0
    """wait this long first"""
    times: int | None = 1
    """None: always"""


class Call(_Part):
    """A tool call of the model. Arguments as an object, or as raw text that may be no JSON at all."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str | None = None
    """blank leaves it empty on the wire; None makes one from the place in the conversation"""


class Tokens(_Part):
    """Usage to report; without one it is estimated, four bytes to a token."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


class Answer(_Part):
    """What the model says once `faults` are used up."""

    text: str = ""
    calls: list[Call] = []
    refusal: str = ""
    thinking: str = ""
    """a signed thinking block (Messages API), or `reasoning_content` (chat completions)"""
    finish: str = ""
    """finish reason in words of the chat completions API; blank follows from the rest"""
    usage: Tokens | None = None
    counted: bool = True
    """False: the reply says nothing of tokens (chat completions)"""
    delay: float = 0
    """seconds, on top of the script's own"""
    faults: list[Fault] = []


class Match(_Part):
    """Which requests a rule is for; everything given must hold. Text conditions are searched literally."""

    tool: str = ""
    """a tool of this name is offered"""
    not_tool: str = ""
    forced: str | None = None
    """this tool is demanded by tool_choice; blank: none is"""
    model: str = ""
    system: str = ""
    """part of the system prompt"""
    first: str = ""
    """part of the first message after the system prompt"""
    contains: str = ""
    """part of any message"""
    last: str = ""
    """part of the last message"""
    pattern: str = ""
    """a regular expression, found in any message"""
    replies: int | None = None
    """how many replies of the model the conversation already has"""

    def fits(self, asked: Conversation) -> bool:
        """Whether all conditions hold."""
        return (
            (not self.tool or self.tool in asked.tools)
            and (not self.not_tool or self.not_tool not in asked.tools)
            and (self.forced is None or self.forced == asked.forced)
            and (not self.model or self.model in asked.model)
            and self.system in asked.system
            and self.first in asked.first
            and self.last in asked.last
            and (not self.contains or any(self.contains in text for text in asked.texts))
            and (not self.pattern or any(re.search(self.pattern, text) for text in asked.texts))
            and (self.replies is None or self.replies == len(asked.reply_places))
        )


class Rule(_Part):
    """A condition and its answers. The methods add to it and give it back."""

    when: Match = Match()
    answers: list[Answer] = []
    faults: list[Fault] = []
    """given to any request that the rule fits, before it answers or lets pass"""
    waiting: list[Fault] = Field(default_factory=list, exclude=True)

    def fail(self, *faults: Fault) -> Self:
        """These go wrong before anything else of this rule."""
        self.faults += faults
        return self

    def after(self, *faults: Fault) -> Self:
        """These go wrong before the answer that is added next."""
        self.waiting += faults
        return self

    def answer(self, answer: Answer) -> Self:
        """Add an answer."""
        answer.faults = [*self.waiting, *answer.faults]
        self.waiting = []
        self.answers.append(answer)
        return self

    def say(self, text: str, **fields: Any) -> Self:
        """Add a text without a tool call. `fields` are those of Answer."""
        return self.answer(Answer(text=text, **fields))

    def call(self, name: str, arguments: dict[str, Any] | str, **fields: Any) -> Self:
        """Add one tool call."""
        return self.calls((name, arguments), **fields)

    def calls(self, *calls: tuple[str, dict[str, Any] | str], **fields: Any) -> Self:
        """Add parallel tool calls."""
        return self.answer(Answer(calls=[Call(name=n, arguments=a) for n, a in calls], **fields))


class Script(_Part):
    """All rules, the first that matches wins."""

    rules: list[Rule] = []
    delay: float = 0
    """seconds that every call takes"""

    def when(self, **conditions: Any) -> Rule:
        """Add a rule with the conditions of `Match`; without any it is for every request."""
        rule = Rule(when=Match(**conditions))
        self.rules.append(rule)
        return rule

    def choose(self, asked: Conversation) -> tuple[int, int] | None:
        """Which rule answers, and with which of its answers; None when no rule fits."""
        chosen = self._rule_for(asked)
        if chosen is None:
            return None
        earlier = sum(self._rule_for(asked.until(place)) == chosen for place in asked.reply_places)
        return chosen, min(earlier, len(self.rules[chosen].answers) - 1)

    def failing(self, asked: Conversation) -> list[int]:
        """Rules whose faults this request meets: those that let it pass, then the one that answers."""
        chosen = self._rule_for(asked)
        above = self.rules if chosen is None else self.rules[: chosen + 1]
        return [
            n for n, rule in enumerate(above) if rule.when.fits(asked) and (n == chosen or not rule.answers)
        ]

    def _rule_for(self, asked: Conversation) -> int | None:
        fitting = (n for n, rule in enumerate(self.rules) if rule.answers and rule.when.fits(asked))
        return next(fitting, None)

    @classmethod
    def load(cls, path: Path) -> "Script":
        """Read a JSON file. Raises pydantic.ValidationError with the place that is wrong."""
        return cls.model_validate_json(path.read_text(encoding="utf-8"))

    def save(self, path: Path) -> Path:
        """Write a JSON file that `load` and the command line read."""
        path.write_text(self.model_dump_json(indent=1, exclude_defaults=True), encoding="utf-8")
        return path


def rate_limited(retry_after: float | str | None = None, times: int | None = 1) -> Fault:
    """429."""
    return Fault(kind=FaultKind.RATE_LIMITED, retry_after=retry_after, times=times)


def slow(seconds: float, times: int | None = 1) -> Fault:
    """A reply that takes its time, once."""
    return Fault(kind=FaultKind.SLOW, seconds=seconds, times=times)


def fault(kind: FaultKind, times: int | None = 1, **fields: Any) -> Fault:
    """Any other; `fields` are those of Fault."""
    return Fault(kind=kind, times=times, **fields)
