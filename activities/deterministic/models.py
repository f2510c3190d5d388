"""Data structures of the repository as definitions of an artifact."""

from activities.index.model import Index
from activities.index.records import Symbol
from states.artifacts.base import ModelDefinition, ModelField


def model_of(symbol: Symbol, index: Index) -> ModelDefinition:
    """A data structure as it stands. Relationships are its bases and the repository's types in its fields."""
    kinds = [f"{m.name}: {m.type}" for m in symbol.members if _refers(m.type, symbol, index)]
    return ModelDefinition(
        name=symbol.name,
        path=symbol.path,
        line=symbol.line,
        fields=tuple(ModelField(name=m.name, type=m.type, default=m.default) for m in symbol.members),
        relationships=(*(f"extends {b}" for b in symbol.bases), *kinds),
    )


def _refers(written: str, symbol: Symbol, index: Index) -> bool:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in written).split()
    return any(s.kind.container for w in words if w != symbol.name and w[:1].isupper() for s in index.find(w))
