"""What the kill tests found, for the table that is printed after them."""

from collections.abc import Iterator
from dataclasses import dataclass

CELLS: list["Cell"] = []
"""filled by the tests of this process, in their order"""


@dataclass(frozen=True)
class Cell:
    """One kill: where the job was, who died, and the seconds from the kill to the next sign of progress."""

    kind: str
    place: str
    victims: str
    seconds: float
    same: bool


def table() -> Iterator[str]:
    """One line per place, one column per victim."""
    victims = sorted({cell.victims for cell in CELLS})
    for kind in sorted({cell.kind for cell in CELLS}):
        found = [cell for cell in CELLS if cell.kind == kind]
        yield f"{'killed with ' + kind + ' parts, s to go on':55}" + "".join(f"{v:>10}" for v in victims)
        for place in dict.fromkeys(cell.place for cell in found):
            here = {cell.victims: cell for cell in found if cell.place == place}
            yield f"{place:55}" + "".join(f"{_shown(here.get(v)):>10}" for v in victims)


def _shown(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.seconds:.1f}" + ("" if cell.same else " LOST")
