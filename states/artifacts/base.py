"""What all artifacts share: frozen, JSON-canonical, addressed by content."""

import hashlib
import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from states.words import ModelStatus, Operation


class Piece(BaseModel):
    """A part of an artifact. Frozen; unknown fields are ignored so that old releases read new artifacts."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def canonical_json(value: Any) -> bytes:
    """The one serialisation that digests are taken over: sorted keys, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "backslashreplace"
    )


def digest_of(value: Any) -> str:
    """sha256 of the canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _relative_path(path: str) -> str:
    cleaned = path.strip().replace("\\", "/").removeprefix("./")
    if not cleaned:
        raise ValueError("path must not be blank")
    if cleaned.startswith(("/", "~")) or re.match(r"^[A-Za-z]:", cleaned):
        raise ValueError(f"path {path!r} must be relative to the repository")
    if ".." in cleaned.split("/"):
        raise ValueError(f"path {path!r} must stay inside the repository")
    return cleaned


def _question(text: str) -> str:
    if len(text.strip()) < 10 or not text.strip().endswith("?"):
        raise ValueError("a question has at least 10 characters and ends in '?'")
    return text


_RETURN_TYPE = re.compile(r"->\s*\S|\)\s*:?\s*[^\s{;=:]", re.S)
_TYPE_FIRST = re.compile(
    r"^(?!(?:async\s+)?(?:def|function|func|fn|new)\b)[\w:<>\[\],.*&\s]+[\s*&]+[\w:~.]+\s*\("
)


def has_return_type(signature: str) -> bool:
    """Whether a signature of any language says what comes back: `-> T`, `): T`, `) T` or `T name(`."""
    return bool(_RETURN_TYPE.search(signature) or _TYPE_FIRST.match(signature.strip()))


def _signature(text: str) -> str:
    if not has_return_type(text):
        raise ValueError(f"signature {text[:80]!r} must say its return type")
    return text


def lower(value: Any) -> Any:
    """A word that people write in any case, as our enums have it."""
    return value.strip().lower() if isinstance(value, str) else value


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


Text = Annotated[str, AfterValidator(_not_blank)]
RepoPath = Annotated[str, AfterValidator(_relative_path)]
Question = Annotated[str, AfterValidator(_question)]
Signature = Annotated[str, AfterValidator(_signature)]
FileAction = Annotated[Operation, BeforeValidator(_upper)]
Confidence = Annotated[float, Field(ge=0, le=1)]


class OpenPoint(Piece):
    """Something only a model or a person can decide; marked, never invented."""

    subject: Text
    why: Text


class MethodSignature(Piece):
    """A function or method that exists in the repository."""

    name: Text
    signature: str
    path: RepoPath
    line: int = Field(ge=1)
    class_name: str = ""
    doc: str = ""

    @property
    def qualified(self) -> str:
        """`Class.method`, or the bare name of a function."""
        return f"{self.class_name}.{self.name}" if self.class_name else self.name


class ModelField(Piece):
    """One field of a data model; `type` is as written in the source, blank when it is not."""

    name: Text
    type: str = ""
    default: str = ""


class ModelDefinition(Piece):
    """A data structure that exists or is designed."""

    name: Text
    path: str = ""
    line: int = 0
    fields: tuple[ModelField, ...] = ()
    validation_rules: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()
    status: Annotated[ModelStatus, BeforeValidator(lower)] = ModelStatus.EXISTING


class Artifact(Piece):
    """What a phase hands over. `feedback_answered` quotes the feedback that this version answers."""

    made_by: str = "planner:deterministic"
    feedback_answered: tuple[str, ...] = ()
    open_points: tuple[OpenPoint, ...] = ()
