"""Artifacts as prompts show them: compact, without what a restart invalidated, long texts cut."""

from typing import Any

from activities.desks.drafts import as_draft
from activities.deterministic import invalidated
from states.artifacts.base import Artifact, canonical_json

MOST_CHARACTERS = 60_000
"""of one earlier artifact in a prompt"""
MOST_REVIEWED = 160_000
"""of the artifact under review"""
_SHORT = 400
_CODE = frozenset({"code_snippets", "existing_code", "existing_code_context", "related_code_snippets"})


def shown(artifact: Artifact, gone: tuple[str, ...] = (), most: int = MOST_CHARACTERS) -> Any:
    """An artifact as JSON without defaults. Where it is too long, its long texts are cut."""
    found = _surviving(artifact.model_dump(mode="json", exclude_defaults=True), gone)
    return found if len(canonical_json(found)) <= most else _shortened(found)


def written(artifact: Artifact, gone: tuple[str, ...] = ()) -> Any:
    """An artifact in the form in which a model submits one."""
    return _surviving(as_draft(artifact), gone)


def _surviving(value: Any, gone: tuple[str, ...]) -> Any:
    """JSON without the texts, list entries and answers that say an invalidated decision."""
    if not gone:
        return value
    match value:
        case dict():
            return {
                key: each if key in _CODE else _surviving(each, gone)
                for key, each in value.items()
                if not (isinstance(each, str) and key not in _CODE and _is_gone(each, gone))
            }
        case list() | tuple():
            return [_surviving(each, gone) for each in value if not _falls(each, gone)]
        case str():
            return invalidated.without(value, gone)
        case _:
            return value


def _falls(value: Any, gone: tuple[str, ...]) -> bool:
    if isinstance(value, str):
        return _is_gone(value, gone)
    if isinstance(value, dict) and "question_id" in value:
        said = f"{value.get('human_response', '')} {value.get('clarification', '')}"
        return invalidated.answers(str(value["question_id"]), said, gone)
    return False


def _is_gone(text: str, gone: tuple[str, ...]) -> bool:
    return bool(text) and not invalidated.without(text, gone)


def _shortened(value: Any) -> Any:
    match value:
        case dict():
            return {key: _shortened(each) for key, each in value.items()}
        case list():
            return [_shortened(each) for each in value]
        case str() if len(value) > _SHORT:
            return f"{value[:_SHORT]} [cut; {len(value):,} characters in all, read the place with the tools]"
        case _:
            return value
