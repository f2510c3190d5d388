"""CLARIFICATION without a model: fold answers and free messages into the requirements."""

import re

from activities.brief import Answered, Brief
from activities.deterministic import invalidated, requirements
from activities.deterministic.choices import best_guess, chosen
from activities.deterministic.wording import cut, normal, sentences
from states.amounts import counted
from states.artifacts.base import OpenPoint
from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity, TaskRequirements
from states.artifacts.discovery import Ambiguity, Candidate
from states.people import BEST_GUESS, is_policy

_REVIEWER = re.compile(
    r"no subtask covers|requirements are covered|in CLARIFICATION\b|no file operation|is no requirement",
    re.I,
)
"""what the mechanical review says about artifacts is no wish about the software"""


def clarify(brief: Brief) -> ClarificationArtifact:
    """The task after the dialogue. A question that nobody answered is recorded as a guess and stays open."""
    given = {
        a.question_id: a
        for a in brief.answers
        if not invalidated.answers(a.question_id, a.text, brief.invalidated)
    }
    asked = brief.found().ambiguities_discovered
    resolved = [_resolve(a, given.get(a.id), brief.invalidated) for a in asked]
    known = {a.id for a in asked}
    resolved += [_earlier(a) for a in given.values() if a.question_id not in known and a.text.strip()]
    task = invalidated.without(brief.task, brief.invalidated) or "The task as changed: " + " ".join(
        brief.wanted_changes()
    )
    wanted, limits, left = _requirements(brief, task, asked, resolved)
    said = invalidated.surviving(brief.says, brief.invalidated)
    free = [r.human_response.strip() for r in resolved if r.human_response and _free(asked, r)]
    feedback = invalidated.surviving(brief.feedback, brief.invalidated)
    return ClarificationArtifact(
        feedback_answered=feedback,
        open_points=(*_guesses(resolved), *_unanswerable(feedback), *left),
        resolved_ambiguities=tuple(resolved),
        updated_requirements=TaskRequirements(
            task=task, requirements=tuple(wanted), constraints=tuple(limits)
        ),
        domain_knowledge_gained=tuple(requirements.unique([*said, *free, *brief.changes])),
    )


def _resolve(ambiguity: Ambiguity, answer: Answered | None, decisions: tuple[str, ...]) -> ResolvedAmbiguity:
    """What was said about one question; the recommended reading when nobody said anything."""
    by = answer.by.strip() if answer else BEST_GUESS
    said = answer.text.strip() if answer else ""
    nobody = not said or by == BEST_GUESS or is_policy(by)
    picks = chosen(ambiguity, said)
    guess = best_guess(ambiguity, decisions) if nobody and not picks else None
    return ResolvedAmbiguity(
        question_id=ambiguity.id,
        original_question=ambiguity.question,
        human_response="" if nobody else said,
        clarification=_reading(ambiguity, picks or ((guess,) if guess else ()), said),
        answered_by=(by or BEST_GUESS) if said or is_policy(by) else BEST_GUESS,
    )


def _reading(ambiguity: Ambiguity, picks: tuple[Candidate, ...], said: str) -> str:
    if not picks:
        return said or "Nothing in the repository decides this; the task is taken literally"
    meant = " and ".join(
        f"`{c.label}` in {c.path}" if c.path and c.path != c.label else f"`{c.label}`" for c in picks
    )
    others = [f"`{c.label}`" for c in ambiguity.candidates if c.path and c not in picks]
    verb = "is" if len(picks) == 1 else "are"
    return f"{meant} {verb} meant" + (f", not {' or '.join(others)}" if others else "")


def _earlier(answer: Answered) -> ResolvedAmbiguity:
    """An answer to a question that this DISCOVERY no longer asks: still what a person said."""
    return ResolvedAmbiguity(
        question_id=answer.question_id,
        original_question=answer.question or answer.question_id,
        human_response=answer.text.strip(),
        clarification=answer.text.strip(),
        answered_by=answer.by.strip() or BEST_GUESS,
    )


def _free(asked: tuple[Ambiguity, ...], resolved: ResolvedAmbiguity) -> bool:
    """Whether an answer says more than which candidate is meant."""
    for ambiguity in asked:
        if ambiguity.id == resolved.question_id and chosen(ambiguity, resolved.human_response):
            return len(normal(resolved.human_response).split()) > 8
    return True


def _requirements(
    brief: Brief, task: str, asked: tuple[Ambiguity, ...], resolved: list[ResolvedAmbiguity]
) -> tuple[list[str], list[str], list[OpenPoint]]:
    """Explicit requirements, else the task's own; then what changes, messages, answers and feedback ask for.
    What a restart wants changed is kept as requirements whole: it is why the work is done again."""
    explicit = [requirements.tidy(r) for r in invalidated.surviving(brief.requirements, brief.invalidated)]
    split = requirements.split(task)
    wanted = [
        *(explicit or split.requirements),
        *(requirements.tidy(c) for c in brief.wanted_changes() if c.strip()),
    ]
    limits = [*invalidated.surviving(brief.constraints, brief.invalidated), *split.constraints]
    answered = [r.human_response for r in resolved if r.human_response and _free(asked, r)]
    wishes = tuple(f for f in brief.feedback if not _REVIEWER.search(f))
    for text in invalidated.surviving((*brief.says, *answered, *wishes), brief.invalidated):
        for line in text.splitlines():
            for sentence in sentences(line):
                if requirements.forbids(sentence):
                    limits.append(requirements.tidy(sentence))
                elif requirements.asks(sentence) and not sentence.endswith("?"):
                    wanted.append(requirements.tidy(sentence))
    for resolution in resolved:
        picked = any(chosen(a, resolution.clarification) for a in asked if a.id == resolution.question_id)
        if picked:
            guess = f" ({resolution.answered_by}, nobody answered)" if resolution.guessed else ""
            limits.append(f"{resolution.clarification}{guess}")
    points = []
    if split.left and not explicit:
        points.append(
            OpenPoint(
                subject="requirements",
                why=f"the task asks for {counted(split.left, 'more thing')} than the {requirements.MOST} "
                "that were split out; name the ones that count with --requirement",
            )
        )
    limits = requirements.unique([c for c in limits if c.strip()])
    return requirements.unique(wanted), limits, points


def _guesses(resolved: list[ResolvedAmbiguity]) -> tuple[OpenPoint, ...]:
    return tuple(
        OpenPoint(
            subject=cut(r.original_question, 120),
            why=f"nobody answered; read by {r.answered_by} as: {cut(r.clarification)}",
        )
        for r in resolved
        if r.guessed
    )


def _unanswerable(feedback: tuple[str, ...]) -> tuple[OpenPoint, ...]:
    """Feedback that asks for nothing which could become a requirement or a constraint."""
    return tuple(
        OpenPoint(
            subject=f"feedback: {cut(text, 120)}",
            why="it asks for nothing that can be written down as a requirement without a person or a model",
        )
        for text in feedback
        if _REVIEWER.search(text)
        or not any(requirements.asks(s) or requirements.forbids(s) for s in sentences(text))
    )
