"""Drafts: an artifact's class without what the machine fills, made from the class itself."""

from functools import cache
from typing import Annotated, Any, ClassVar, get_args, get_origin

from pydantic import Field, create_model, model_validator
from pydantic.fields import FieldInfo

from activities.desks.owned import SAID, owned
from activities.desks.submitted import Submitted
from states.artifacts.base import Piece


class Draft(Submitted):
    """What a model may write. Unknown fields are refused; the machine's own are dropped, as models repeat
    whole artifacts that they were shown."""

    machines: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _without_the_machines(cls, given: Any) -> Any:
        if isinstance(given, dict):
            return {name: value for name, value in given.items() if name not in cls.machines}
        return given


@cache
def draft_of(kind: type[Piece]) -> type[Draft]:
    """The draft of an artifact's class, or of a part of one."""
    mine = owned(kind)
    fields: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        instead = mine.get(name)
        if instead:
            said = Field(default=(), max_length=instead.most, description=instead.said)
            fields[name] = (instead.type, said)
        elif name not in mine:
            fields[name] = _field(field)
    made = create_model(kind.__name__, __base__=Draft, __doc__=SAID.get(kind, kind.__doc__), **fields)
    made.machines = frozenset(name for name, instead in mine.items() if instead is None)
    return made


def as_draft(value: Any) -> Any:
    """An artifact as a model would have written it, as JSON: without what the machine filled and defaults."""
    match value:
        case Piece():
            mine = owned(type(value))
            found = {
                name: instead.back(each) if instead else as_draft(each)
                for name, each in value
                if (instead := mine.get(name)) or name not in mine
            }
            usual = {n: f.get_default(call_default_factory=True) for n, f in type(value).model_fields.items()}
            return {name: each for name, each in found.items() if each != as_draft(usual.get(name))}
        case tuple() | list():
            return [as_draft(each) for each in value]
        case dict():
            return {key: as_draft(each) for key, each in value.items()}
        case _:
            return value


def _field(field: FieldInfo) -> Any:
    kind = Annotated[_drafted(field.annotation), *field.metadata] if field.metadata else None
    annotation = kind or _drafted(field.annotation)
    if field.is_required():
        return (annotation, Field(description=field.description))
    usual = field.get_default(call_default_factory=True)
    if isinstance(usual, Piece):
        return (annotation, Field(default_factory=draft_of(type(usual)), description=field.description))
    return (annotation, Field(default=usual, description=field.description))


def _drafted(kind: Any) -> Any:
    """A type with every class of an artifact in it replaced by its draft."""
    if isinstance(kind, type) and issubclass(kind, Piece):
        return draft_of(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if not arguments:
        return kind
    if origin is Annotated:
        return Annotated[_drafted(arguments[0]), *arguments[1:]]
    return origin[tuple(_drafted(each) for each in arguments)]
