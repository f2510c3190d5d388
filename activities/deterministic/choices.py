"""What an answer to an ambiguity chose among its candidates."""

import re

from activities.deterministic import invalidated
from activities.deterministic.wording import normal
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.discovery import Ambiguity, Candidate, ContextDiscoveryArtifact

_ALL = re.compile(r"^\W*(?:both|all|every|each|either)\b", re.I)
_NEITHER = re.compile(r"^\W*(?:neither|none)\b", re.I)
_NOT = re.compile(
    r"(?:\bnot|\bno|n't|\bexcept|\bwithout|\bleave|\brather than|\binstead of)\W+(?:\w+\W+){0,2}$", re.I
)


def chosen(ambiguity: Ambiguity, answer: str) -> tuple[Candidate, ...]:
    """The candidates that an answer names: by number, label, path or `both`. Empty when it names none."""
    text = answer.strip()
    candidates = ambiguity.candidates
    number = re.fullmatch(r"[#(]?(\d{1,2})[).]?", text)
    if number:
        place = int(number[1])
        return _spread(candidates[place - 1 : place], candidates) if place else ()
    exact = tuple(c for c in candidates if normal(c.label) == normal(text) or (c.path and c.path == text))
    if exact:
        return _spread(exact, candidates)
    if _NEITHER.match(text):
        return ()
    said = tuple(c for c in candidates if _names(text, c))
    if said:
        return _spread(said, candidates)
    return (tuple(c for c in candidates if c.path) or candidates) if _ALL.match(text) else ()


def _spread(picks: tuple[Candidate, ...], candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """What was picked; a candidate that stands for all of them is replaced by those with a place."""
    if any(_ALL.match(p.label) and not p.path for p in picks):
        return tuple(c for c in candidates if c.path)
    return picks


def _names(text: str, candidate: Candidate) -> bool:
    """Whether a text names a candidate other than to rule it out."""
    for name in (candidate.label, candidate.path):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I) if name else ():
            if not _NOT.search(text[: match.start()]):
                return True
    return False


def best_guess(ambiguity: Ambiguity, decisions: tuple[str, ...]) -> Candidate | None:
    """The recommended candidate, or the first one that rests on no invalidated decision."""
    left = [c for c in ambiguity.candidates if not invalidated.answers("", f"{c.label} {c.path}", decisions)]
    recommended = [c for c in left if normal(c.label) == normal(ambiguity.recommended)]
    return next(iter(recommended or [c for c in left if c.path] or left), None)


def decided(
    found: ContextDiscoveryArtifact, clarified: ClarificationArtifact
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Over all questions: the candidates that were chosen, and those that a person ruled out by it. A guess
    chooses, but rules nothing out."""
    guessed = {r.question_id for r in clarified.resolved_ambiguities if r.guessed}
    said = {
        r.question_id: r.human_response.strip() or r.clarification for r in clarified.resolved_ambiguities
    }
    taken: list[Candidate] = []
    refused: list[Candidate] = []
    for ambiguity in found.ambiguities_discovered:
        picks = chosen(ambiguity, said.get(ambiguity.id, ""))
        taken += picks
        if picks and ambiguity.id not in guessed:
            refused += [c for c in ambiguity.candidates if c.path and c not in picks]
    return tuple(dict.fromkeys(taken)), tuple(dict.fromkeys(c for c in refused if c not in taken))
