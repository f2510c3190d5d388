"""How the checks say what they found, and how they look artifacts up."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from states.artifacts.base import Artifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.grounding import Ground, outside
from states.option_checks import stand_alone
from states.people import PERSON
from states.review import Finding
from states.words import Phase, ReviewKind

A = TypeVar("A", bound=Artifact)
Artifacts = Mapping[Phase, Artifact]


def technical(what: str, where: str = "") -> Finding:
    """A blocking finding that this phase itself must work on."""
    return Finding(kind=ReviewKind.TECHNICAL, what=what, where=where)


def requirement(what: str, where: str = "") -> Finding:
    """A blocking finding that leads back to CLARIFICATION."""
    return Finding(kind=ReviewKind.REQUIREMENT, what=what, where=where)


def contract(what: str, where: str = "") -> Finding:
    """A blocking finding that leads back to CONTRACTS."""
    return Finding(kind=ReviewKind.CONTRACT, what=what, where=where)


def warning(what: str, where: str = "", kind: ReviewKind = ReviewKind.TECHNICAL) -> Finding:
    """A finding that people should see and that blocks nothing."""
    return Finding(kind=kind, what=what, where=where, blocking=False)


def beside(plan: ImplementationPlanArtifact, finding: Finding) -> Finding:
    """A finding about what the plan leaves undone. It holds nothing up beside a plan that a person brought
    along, nor where only a template is offered: that one says what is to be done, and is judged at the
    VALIDATION gate."""
    by_person = any(option.source.startswith(PERSON) for option in plan.options)
    brought = by_person or stand_alone(plan.options)
    return finding.model_copy(update={"blocking": False}) if brought else finding


def short(text: str, limit: int = 100) -> str:
    """Text for a message: one line, quoted, not endless."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= limit else line[: limit - 3] + '...'}'"


def repeated(items: Iterable[str]) -> Iterator[str]:
    """Each item that occurs more than once, once, in order of its second occurrence."""
    seen: dict[str, int] = {}
    for item in items:
        seen[item] = seen.get(item, 0) + 1
        if seen[item] == 2:
            yield item


def same(text: str) -> str:
    """What two spellings of one sentence have in common: words, without case and spacing."""
    return " ".join(text.split()).casefold()


def misplaced(path: str, where: str) -> Iterator[Finding]:
    """The finding that a path leads outside the repository."""
    if reason := outside(path):
        yield technical(f"{reason}; name a path relative to the repository's root", where)


def missing_file(path: str, where: str, ground: Ground) -> Iterator[Finding]:
    """The finding that a path which should exist does not, or is not inside the repository."""
    if outside(path):
        yield from misplaced(path, where)
    elif path not in ground.paths:
        yield technical(f"path {short(path)} does not exist at this commit; name an existing file", where)


def need(artifacts: Artifacts, phase: Phase, kind: type[A]) -> A:
    """The artifact of a phase. Raises LookupError when there is none of that kind."""
    artifact = artifacts.get(phase)
    if not isinstance(artifact, kind):
        raise LookupError(f"the review has no {phase.name} artifact to look at; hand it over")
    return artifact


def maybe(artifacts: Artifacts, phase: Phase, kind: type[A]) -> A | None:
    """The artifact of a phase, None when the phase was skipped or lies ahead."""
    return need(artifacts, phase, kind) if phase in artifacts else None
