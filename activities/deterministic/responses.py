"""What becomes of feedback: which parts were taken up, and which a model or a person must decide."""

from activities.deterministic.names import files_named, symbols_named
from activities.deterministic.novelty import given_signatures
from activities.deterministic.wording import cut, listed, prose
from activities.index.model import Index
from states.artifacts.base import OpenPoint


def to_feedback(feedback: tuple[str, ...], index: Index) -> tuple[OpenPoint, ...]:
    """An open point for every piece of feedback, unless all it does is to give a signature."""
    points = []
    for text in feedback:
        entered = taken_up(text, index)
        if entered:
            why = f"{listed(list(entered))} entered; what exactly changes there, a model or a person decides"
        else:
            why = "it names no file or symbol of the repository, so nothing was changed for it mechanically"
        if not given_signatures((prose(text),)):
            points.append(OpenPoint(subject=f'feedback: "{cut(text, 200)}"', why=why))
    return tuple(points)


def taken_up(text: str, index: Index) -> tuple[str, ...]:
    """The files and symbols of the repository that a piece of feedback names."""
    names = [s.qualified for s in symbols_named(index, text, loosely=True)]
    return tuple(dict.fromkeys((*files_named(index, text), *names)))
