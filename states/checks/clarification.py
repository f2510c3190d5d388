"""CLARIFICATION: is there something to plan, and is nothing critical left without a word."""

from collections.abc import Iterator

from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity
from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.checks.words import repeated, requirement, same, short, technical, warning
from states.review import Finding
from states.words import ReviewKind


def check(clarified: ClarificationArtifact, found: ContextDiscoveryArtifact) -> Iterator[Finding]:
    """Every finding about a CLARIFICATION artifact."""
    requirements = clarified.updated_requirements.requirements
    if not requirements:
        yield requirement(
            "there is no requirement; say in one sentence each what must hold afterwards", "requirements"
        )
    for repeat in repeated(same(text) for text in requirements):
        yield warning(f"requirement {short(repeat)} is listed twice", "requirements")
    for ambiguity in left_open(clarified, found):
        yield _unresolved(ambiguity)
    yield from _entries(clarified, found)


def left_open(clarified: ClarificationArtifact, found: ContextDiscoveryArtifact) -> tuple[Ambiguity, ...]:
    """The questions of DISCOVERY that have no entry, in their order."""
    resolved = {entry.question_id for entry in clarified.resolved_ambiguities}
    return tuple(a for a in found.ambiguities_discovered if a.id not in resolved)


def not_answered_by_people(
    clarified: ClarificationArtifact, found: ContextDiscoveryArtifact
) -> tuple[Ambiguity, ...]:
    """The questions that have no entry or only a guessed one, in their order."""
    answered = {entry.question_id for entry in clarified.resolved_ambiguities if not entry.guessed}
    return tuple(a for a in found.ambiguities_discovered if a.id not in answered)


def _unresolved(ambiguity: Ambiguity) -> Finding:
    what = f"question {short(ambiguity.question)} has no entry; answer it or record the best guess as one"
    where = f"question {ambiguity.id}"
    return (
        requirement(what, where) if ambiguity.critical else warning(what, where, kind=ReviewKind.REQUIREMENT)
    )


def _entries(clarified: ClarificationArtifact, found: ContextDiscoveryArtifact) -> Iterator[Finding]:
    asked = {ambiguity.id for ambiguity in found.ambiguities_discovered}
    for repeat in repeated(entry.question_id for entry in clarified.resolved_ambiguities):
        yield technical(
            f"question {short(repeat)} is resolved twice; keep the entry that holds", f"question {repeat}"
        )
    for entry in clarified.resolved_ambiguities:
        if entry.question_id not in asked:
            yield warning("DISCOVERY did not ask this question", f"question {entry.question_id}")
        yield from _entry(entry)


def _entry(entry: ResolvedAmbiguity) -> Iterator[Finding]:
    where = f"question {entry.question_id}"
    if entry.guessed:
        yield warning(f"nobody answered; {entry.answered_by} took {short(entry.clarification)}", where)
    elif not entry.human_response.strip():
        yield technical(
            f"{short(entry.answered_by)} is named as having answered but no answer is quoted; quote it, or "
            "mark the entry as 'best guess'",
            where,
        )
