"""What people send to a job: one request model per message, read forgivingly, refused with one sentence."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic import field_validator as validator

from states.models import Ladder, LadderByUse
from states.people import UNNAMED, is_reserved, tidy
from states.words import WORK_PHASES, Message, Phase, ReviewKind
from states.wrong_input import place_of, rule_of

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Body = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]
Digest = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100, to_lower=True)]
DEEPEST = 100
"""levels of an edited artifact; ours have far fewer, and from about 250 on it cannot be written as JSON"""

GATE_ID = re.compile(rf"^({'|'.join(WORK_PHASES)}|operator)-\d+$")
DIGEST = re.compile(r"^(sha256:)?[0-9a-f]{8,64}$")


class Request(BaseModel):
    """What every message may carry. `by` is self-asserted: it is recorded, nothing proves it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    main: ClassVar[str] = ""
    """the field that a bare string fills"""

    by: Line = ""

    @validator("by")
    @classmethod
    def _person(cls, name: str) -> str:
        if is_reserved(name):
            raise ValueError(f"{name[:60]!r} is no person's name; the record uses it for what nobody decided")
        return tidy(name)

    @property
    def who(self) -> str:
        """The name for the record."""
        return self.by or UNNAMED


class Bound(Request):
    """A decision that may name the gate and the digest that was read."""

    gate: Line = ""
    digest: Digest = ""


class Approve(Bound):
    """Pass the open gate. `feedback` turns it into a technical revision; `comment` does not."""

    main: ClassVar[str] = "comment"
    option: Line = ""
    comment: Body = ""
    feedback: Body = ""


class Revise(Bound):
    """Refuse the open gate; the phase is worked on again with this feedback."""

    main: ClassVar[str] = "feedback"
    feedback: Body = Field(min_length=1)
    kind: ReviewKind = ReviewKind.TECHNICAL

    @validator("kind", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


class Answer(Request):
    """Answer one question, or correct an answer. Without `question`: the only open one."""

    main: ClassVar[str] = "text"
    question: Line = ""
    text: Body = Field(min_length=1)


class Say(Request):
    """A free message in CLARIFICATION; kept, never an approval."""

    main: ClassVar[str] = "text"
    text: Body = Field(min_length=1)


class Finish(Request):
    """End the dialogue with what is there; open questions become best guesses, recorded as such."""


class Edit(Request):
    """A person's own version of the artifact under review: the object, or the digest it is stored under."""

    artifact: dict[str, Any] | Digest
    base: Digest = Field(
        min_length=8, validation_alias=AliasChoices("base", "base_digest", "base digest", "digest")
    )

    @validator("artifact", mode="before")
    @classmethod
    def _storable(cls, value: object) -> object:
        """What JSON can say and our storage cannot write would stop the job that carries it."""
        level = [value]
        for _ in range(DEEPEST):
            level = [child for each in level for child in _children(each)]
        if level:
            raise ValueError(f"is nested deeper than {DEEPEST} levels")
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, TypeError):
            raise ValueError("holds a NaN, an infinity or half a character, which cannot be stored") from None
        return value


def _children(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


class RestartFrom(Request):
    """Plan again from a phase with the good work kept. Also reads the Alfred seed's form."""

    main: ClassVar[str] = "phase"
    phase: Phase = Field(validation_alias=AliasChoices("phase", "restart_from"))
    trigger: Line = ""
    changes: Body = ""
    preserve_artifacts: tuple[Line, ...] | None = Field(default=None, max_length=20)
    invalidated_decisions: tuple[Line, ...] = Field(default=(), max_length=50)

    @validator("phase", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return Phase.parse(value) if isinstance(value, str) else value


class Select(Request):
    """Choose an option."""

    main: ClassVar[str] = "option"
    option: Line = Field(min_length=1)


class Act(Request):
    """Carry the verified plan out; `option` selects one first."""

    main: ClassVar[str] = "option"
    option: Line = ""


class Pause(Request):
    """Start no new work. What plans is finished and kept; steps that run are stopped and put back."""

    main: ClassVar[str] = "reason"
    reason: Line = ""


class Resume(Request):
    """Go on after a pause, by a person or by a failure."""

    main: ClassVar[str] = "reason"
    reason: Line = ""


class Cancel(Request):
    """Stop the job for good; its artifacts stay in the store."""

    main: ClassVar[str] = "reason"
    reason: Line = ""


class SetBudget(Request):
    """Change what the job's models may use."""

    usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    tokens: int | None = Field(default=None, ge=0)


class SetModels(Request):
    """Change which models the job's next agents are given. Uses that are not named stay as they are."""

    main: ClassVar[str] = "model"
    model: Ladder | None = None
    models: LadderByUse = Field(default_factory=dict)


class Rollback(Request):
    """Undo an execution to the end of a step; without `to`, or with `start`, all of it."""

    main: ClassVar[str] = "to"
    to: Line = ""


REQUESTS: dict[Message, type[Request]] = {
    Message.APPROVE: Approve,
    Message.REVISE: Revise,
    Message.ANSWER: Answer,
    Message.SAY: Say,
    Message.FINISH: Finish,
    Message.EDIT: Edit,
    Message.RESTART_FROM: RestartFrom,
    Message.SELECT: Select,
    Message.ACT: Act,
    Message.PAUSE: Pause,
    Message.RESUME: Resume,
    Message.CANCEL: Cancel,
    Message.SET_BUDGET: SetBudget,
    Message.SET_MODELS: SetModels,
    Message.ROLLBACK: Rollback,
}


class Malformed(ValueError):
    """The message cannot be read. The text says which field and what it takes."""


def parse(message: Message, args: Sequence[Any]) -> Request:
    """Read the arguments of a message: nothing, a bare string, or one object. Raises Malformed."""
    kind = REQUESTS[message]
    try:
        return kind.model_validate(_fields(message, kind, args))
    except ValidationError as problem:
        raise Malformed(_sentence(message, problem)) from None


def _fields(message: Message, kind: type[Request], args: Sequence[Any]) -> dict[str, Any]:
    given = [arg for arg in args if arg is not None]
    if len(given) > 1:
        raise Malformed(f"{message} takes one argument, got {len(given)}")
    value = given[0] if given else {}
    if isinstance(value, str):
        value = _from_text(message, kind, value)
    if not isinstance(value, dict):
        raise Malformed(f"{message} takes a string or an object, got {type(value).__name__}")
    return _flat(value) if message is Message.RESTART_FROM else value


def _from_text(message: Message, kind: type[Request], text: str) -> dict[str, Any]:
    text = text.strip()
    if not text:
        return {}
    if message is Message.APPROVE and GATE_ID.match(text):
        return {"gate": text}
    if message is Message.APPROVE and DIGEST.match(text.lower()):
        return {"digest": text}
    if not kind.main:
        raise Malformed(f"{message} takes no text; send an object or nothing")
    return {kind.main: text}


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    """The Alfred seed's form: `task_id` names the job, `context` holds the rest."""
    context = value.get("context")
    if context is not None and not isinstance(context, dict):
        raise Malformed("context of restart_from must be an object")
    flat = {k: v for k, v in value.items() if k not in ("context", "task_id")}
    return {**(context or {}), **flat}


def _sentence(message: Message, problem: ValidationError) -> str:
    error = problem.errors(include_url=False)[0]
    where = place_of(error["loc"])[:80]
    if error["type"] == "missing":
        return f"{message} needs {where}"
    if error["type"] == "extra_forbidden":
        return f"{message} has no field {where!r}"
    return f"{message}: {where}: {rule_of(error)}"[:300]


class Ack(BaseModel):
    """What a message comes back with when it was taken. `entry` is its number in the ledger."""

    message: str
    state: str
    note: str
    entry: int = 0
