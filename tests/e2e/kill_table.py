"""What the kill tests found, for the table that is printed after them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from states.words import WORK_PHASES, State

PROPERTY = "killed"
"""name of the report property that holds a cell's fields; reports travel from pytest-xdist's processes"""

WORKING = tuple(f"{phase}-{what}" for phase in WORK_PHASES for what in ("work", "review"))
WAITING = (
    State.CLARIFICATION,
    State.CLARIFICATION_HUMAN_REVIEW,
    State.CONTRACTS_HUMAN_REVIEW,
    State.VALIDATION_HUMAN_REVIEW,
    State.VERIFIED,
)
PLACES = (*WORKING, *(f"waits in {state}" for state in WAITING))
VICTIMS = ("worker", "server", "both")


@dataclass(frozen=True)
class Cell:
    """One kill: where the job was, who died, and the seconds from the kill to the next sign of progress."""

    kind: str
    place: str
    victims: str
    seconds: float
    same: bool


def order(cell: Cell) -> tuple[int, str]:
    """Places of a job in its own order; those of agents by name."""
    return (PLACES.index(cell.place) if cell.place in PLACES else len(PLACES)), cell.place


def table(cells: Sequence[Cell]) -> Iterator[str]:
    """One line per place, one column per victim."""
    for kind in sorted({cell.kind for cell in cells}):
        found = [cell for cell in cells if cell.kind == kind]
        yield f"{'killed with ' + kind + ' parts, s to go on':55}" + "".join(f"{v:>10}" for v in VICTIMS)
        for place in dict.fromkeys(cell.place for cell in found):
            here = {cell.victims: cell for cell in found if cell.place == place}
            yield f"{place:55}" + "".join(f"{_shown(here.get(v)):>10}" for v in VICTIMS)


def _shown(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.seconds:.1f}" + ("" if cell.same else " LOST")
