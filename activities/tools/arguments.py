"""What each tool takes: the schema that models are shown, and the check of what they send."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from activities.agent_ports import Tool
from activities.plain_text import strip_line
from activities.tools.errors import ToolError
from states.wrong_input import place_of, rule_of

_LONGEST_QUERY = 1_000
_SHOWN = ("type", "description", "default")


class Arguments(BaseModel):
    """Parameters of one tool; unknown ones are ignored, null means not given, "3" is taken as 3."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _given(cls, sent: Any) -> Any:
        return {k: v for k, v in sent.items() if v is not None} if isinstance(sent, dict) else sent


class Explained(Arguments):
    """Parameters of a tool of the seed, which asks for an explanation. A call without one is not sent back:
    nothing depends on it, and another call costs money."""

    explanation: str = Field(description="One sentence: why this tool is used now.")

    @model_validator(mode="before")
    @classmethod
    def _unread(cls, sent: Any) -> Any:
        return {**sent, "explanation": ""} if isinstance(sent, dict) else sent


class ListFiles(Explained):
    """Parameters of list_files."""

    path: str = Field(".", description="Directory, relative to the workspace.")


class ReadFile(Explained):
    """Parameters of read_file; lines are 1-based and inclusive."""

    filename: str = Field(min_length=1, description="File, relative to the workspace.")
    start_line: int | None = Field(None, ge=1, description="First line, counted from 1.")
    end_line: int | None = Field(None, ge=1, description="Last line, inclusive.")


class GrepSearch(Explained):
    """Parameters of grep_search."""

    query: str = Field(
        min_length=1,
        max_length=_LONGEST_QUERY,
        description="Regular expression (RE2 style, no look-around), matched line by line.",
    )
    file_pattern: str = Field(
        "*", description="Glob of the files to search, such as *.py or src/**/*.{ts,tsx}."
    )
    case_sensitive: bool = Field(False, description="Whether case matters.")
    context_lines: int = Field(2, ge=0, description="Lines shown around each match, at most 10.")


class Named(Arguments):
    """Parameters of find_symbol and find_callers."""

    name: str = Field(
        min_length=1, description="Name of a function, class or method, such as Context.invoke."
    )


class Located(Arguments):
    """Parameters of find_importers and find_tests."""

    path: str = Field(min_length=1, description="File, relative to the workspace.")


class Described(Arguments):
    """Parameters of find_similar."""

    description: str = Field(
        min_length=1,
        max_length=_LONGEST_QUERY,
        description="What is to be built, in a few words; name symbols and files where you know them.",
    )


A = TypeVar("A", bound=Arguments)


def parse(kind: type[A], sent: str) -> A:
    """The arguments in the raw JSON text of a model, blank meaning none. Raises ToolError."""
    try:
        return kind.model_validate_json(sent if sent.strip() else "{}")
    except ValidationError as error:
        raise ToolError(f"Tool call error: {_told(error)}") from error


def _told(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name, rule = place_of(first["loc"]), strip_line(rule_of(first))
    match first["type"]:
        case "missing" | "string_too_short":
            return f"Missing required parameter '{name}'."
        case "json_invalid":
            return f"The arguments are not valid JSON: {rule.removeprefix('is not valid JSON: ')}."
        case "model_type":
            return "The arguments must be a JSON object."
        case _:
            return f"Parameter '{name}': {rule}."


def schema(name: str, description: str, kind: type[Arguments]) -> Tool:
    """The tool in OpenAI's function form, the same bytes every time."""
    drawn = kind.model_json_schema()
    properties = {key: _plain(value) for key, value in drawn["properties"].items()}
    parameters = {"type": "object", "properties": properties, "required": drawn.get("required", [])}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _plain(drawn: dict[str, Any]) -> dict[str, Any]:
    """Only what every provider understands: no union with null, no titles, no limits."""
    merged = {**drawn.get("anyOf", [{}])[0], **drawn}
    return {key: merged[key] for key in _SHOWN if merged.get(key) is not None}
