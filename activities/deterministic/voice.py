"""Everything people said that a later phase must act on, without what a restart invalidated."""

import re
from dataclasses import dataclass

from activities.brief import Brief
from activities.deterministic import invalidated, requirements
from activities.deterministic.wording import normal, sentences


@dataclass(frozen=True)
class Voice:
    """What people said, by weight; `feedback` includes what CONTRACTS answered."""

    task: str
    requirements: tuple[str, ...]
    constraints: tuple[str, ...]
    known: tuple[str, ...]
    feedback: tuple[str, ...]

    @property
    def said(self) -> str:
        """What asks for changes, as one text."""
        return "\n".join((self.task, *self.requirements, *self.known, *self.feedback))

    @property
    def everything(self) -> str:
        """What asks and what forbids, as one text."""
        return "\n".join((self.said, *self.constraints))


def hear(brief: Brief) -> Voice:
    """The voice of a brief. Raises LookupError when CLARIFICATION is missing."""
    clarified = brief.clarified()
    gone = brief.invalidated
    updated = clarified.updated_requirements
    answered = tuple(r.human_response for r in clarified.resolved_ambiguities if r.human_response)
    designed = brief.designed()
    earlier = designed.feedback_answered if designed else ()
    return Voice(
        task=invalidated.without(updated.task, gone),
        requirements=wanted(brief),
        constraints=invalidated.surviving((*updated.constraints, *brief.constraints), gone),
        known=invalidated.surviving((*clarified.domain_knowledge_gained, *answered), gone),
        feedback=tuple(dict.fromkeys(invalidated.surviving((*earlier, *brief.feedback), gone))),
    )


def wanted(brief: Brief) -> tuple[str, ...]:
    """The requirements word for word, and what a restart after CLARIFICATION added to them."""
    kept = list(invalidated.surviving(brief.clarified().updated_requirements.requirements, brief.invalidated))
    heard = f" {normal(' '.join(kept))} "
    for change in brief.changes:
        if any(f" {normal(s)} " not in heard for s in sentences(change)):
            kept.append(requirements.tidy(change))
    return tuple(requirements.unique(kept))


def answering(brief: Brief) -> tuple[str, ...]:
    """The feedback that this version answers, quoted."""
    return tuple(dict.fromkeys(invalidated.surviving(brief.feedback, brief.invalidated)))


_RULED_OUT = (
    re.compile(
        r"(?:\bnot|n't|\bnever|\bwithout)\s+(?:to\s+)?(?:touch|chang|edit|modif|includ|alter)\w*\s+"
        r"(?P<rest>.*)",
        re.I,
    ),
    re.compile(r"\bleave\s+(?P<rest>.*?)\s+(?:alone|unchanged|as (?:it )?is|out)\b", re.I),
    re.compile(
        r"\b(?:drop|remove|take)\s+(?P<rest>.*?)\s+(?:out of|from)\s+the\s+(?:contracts?|plan|scope|list)\b",
        re.I,
    ),
    re.compile(
        r"(?P<rest>[`\w./,() ]+?)\s+(?:(?:is|are) out of scope|(?:must|should|shall) (?:not be (?:touched|"
        r"changed|modified|edited)|stay (?:as (?:it|they) (?:is|are)|as is|unchanged)))",
        re.I,
    ),
)
_ABOUT_PARTS = re.compile(
    r"\b(?:signatures?|interfaces?|apis?|behaviou?rs?|names?|semantics|defaults?|formats?|output)\b", re.I
)
_LISTED = re.compile(
    r"^(?:(?:the|in|file|files|module|modules|function|functions|method|class|and|or|,|&)\s+|[,\s]+)*"
    r"`?([\w./:-]+)(?:\(\))?`?"
)


def ruled_out(voice: Voice) -> tuple[str, ...]:
    """Names and paths that must not change: `do not touch X`, `leave X alone`, `drop X from the plan`.
    Sentences about a part of X (its signature, its behaviour) rule nothing out."""
    found: list[str] = []
    for text in (voice.task, *voice.constraints, *voice.known, *voice.feedback):
        for line in text.splitlines():
            for sentence in sentences(line):
                for pattern in _RULED_OUT:
                    match = pattern.search(sentence)
                    if match and not _ABOUT_PARTS.search(match["rest"]):
                        found += _names(match["rest"])
    return tuple(dict.fromkeys(found))


def _names(rest: str) -> list[str]:
    """The names at the beginning of a text, separated by commas, `and` or `or`."""
    names = []
    while match := _LISTED.match(rest):
        names.append(match[1].rstrip(".:"))
        rest = rest[match.end() :].lstrip()
        if not re.match(r"(?:,|and\b|or\b|&)", rest):
            break
    return [n for n in names if n]
