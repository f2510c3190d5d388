"""What DISCOVERY is asked: the texts of a brief, without what a restart invalidated."""

import re
from dataclasses import dataclass

from activities.brief import Brief
from activities.deterministic import invalidated
from activities.deterministic.wording import prose, sentences
from states.artifacts.discovery import ContextDiscoveryArtifact

_LABEL = re.compile(r"^\W*(?:title|task|summary|goal|feature|bug|issue)\W*:\W*|^[#>*\-\s]+", re.I)
_MAX_HEADLINE = 400
_SHORT = 600


@dataclass(frozen=True)
class Asked:
    """`headline` is what the task is about in its own first words, `spotlight` the whole of a short task;
    `query` is everything that says where to look; `fresh` is feedback and restart changes;
    `settling` is what people said besides the task; `answered` are the questions that have an answer;
    `ids` pairs the questions asked before with their ids."""

    task: str
    headline: str
    spotlight: str
    query: str
    fresh: str
    settling: str
    answered: str
    ids: tuple[tuple[str, str], ...]
    new_things: tuple[str, ...]


def hear(brief: Brief) -> Asked:
    """Read a brief."""
    gone = brief.invalidated
    task = invalidated.without(brief.task, gone)
    requirements = invalidated.surviving(brief.requirements, gone)
    constraints = invalidated.surviving(brief.constraints, gone)
    fresh = invalidated.surviving((*brief.feedback, *brief.changes), gone)
    valid = [a for a in brief.answers if not invalidated.answers(a.question_id, a.text, gone)]
    answers = tuple(a.text for a in valid)
    says = invalidated.surviving(brief.says, gone)
    return Asked(
        task=task,
        headline="\n".join([headline(task), *requirements[:5]])[: 2 * _MAX_HEADLINE],
        spotlight=task if len(task) <= _SHORT else headline(task),
        query="\n".join((task, *requirements, *constraints, *fresh, *answers, *says)),
        fresh="\n".join(fresh),
        settling="\n".join((*requirements, *constraints, *fresh, *answers, *says)),
        ids=_ids(brief),
        answered="\n".join(a.question for a in valid),
        new_things=(task, *requirements, *fresh),
    )


def _ids(brief: Brief) -> tuple[tuple[str, str], ...]:
    known = {a.question: a.question_id for a in brief.answers}
    if isinstance(brief.previous, ContextDiscoveryArtifact):
        known.update({a.question: a.id for a in brief.previous.ambiguities_discovered})
    return tuple(known.items())


def headline(task: str) -> str:
    """The first two sentences of the first line that says something, without markdown and labels."""
    for line in prose(task).splitlines():
        words = _LABEL.sub("", _LABEL.sub("", line)).replace("**", "").strip()
        if words:
            return " ".join(sentences(words)[:2])[:_MAX_HEADLINE]
    return ""
