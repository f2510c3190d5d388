"""What templates are given, by name. Texts of strangers are plain str there, which templates must fence."""

from typing import Any

from activities.agent_orders import AgentOrder
from activities.brief import Brief
from activities.desks.fencing import Told
from activities.desks.shown import shown, written
from activities.deterministic import invalidated
from activities.deterministic.ambiguities import ambiguities
from activities.deterministic.asked import hear
from activities.deterministic.relevance import find_relevant, with_candidates
from activities.index.model import Index
from states.people import BEST_GUESS, is_policy
from states.words import WORK_PHASES, Phase

Context = dict[str, Any]


def context_of(order: AgentOrder, phase: Phase, brief: Brief, index: Index) -> Context:
    """Everything that any template of a planning agent may print. Equal arguments give equal contexts."""
    gone = brief.invalidated
    return {
        "phase": Told(phase.value),
        "turns": order.limits.max_iterations,
        "may_ask": order.may_ask,
        "commit": Told(brief.commit),
        "files": len(index.files),
        "languages": index.languages,
        "task": invalidated.without(brief.task, gone),
        "requirements": list(invalidated.surviving(brief.requirements, gone)),
        "constraints": list(invalidated.surviving(brief.constraints, gone)),
        "upstream": [
            (Told(p.name), shown(brief.upstream[p], gone)) for p in WORK_PHASES if p in brief.upstream
        ],
        "partial": [(Told(p.name), shown(brief.partial[p], gone)) for p in WORK_PHASES if p in brief.partial],
        "answers": _answers(brief),
        "says": list(invalidated.surviving(brief.says, gone)),
        "feedback": list(dict.fromkeys(invalidated.surviving(brief.feedback, gone))),
        "previous": written(brief.previous, gone) if brief.previous else None,
        "changes": list(brief.changes),
        "invalidated": list(gone),
    }


def ranking_of(brief: Brief, index: Index) -> Context:
    """What the index makes of the task: ranked files with reasons, and readings that compete."""
    asked = hear(brief)
    relevant = find_relevant(index, asked)
    questions = ambiguities(index, asked, relevant)
    relevant = with_candidates(relevant, (c.path for q in questions for c in q.candidates))
    return {
        "ranking": [
            {
                "path": file.path,
                "role": index.files[file.path].role.value,
                "reasons": list(file.reasons),
                "tests": list(index.tests_of(file.path)),
            }
            for file in relevant.files
        ],
        "symbols": [f"{s.path}::{s.qualified} (line {s.line})" for s in relevant.symbols],
        "candidates": [
            q.model_dump(mode="json", include={"question", "context", "candidates"}) for q in questions
        ],
    }


def _answers(brief: Brief) -> list[dict[str, str]]:
    """Questions with what was said; where nobody answered, that and the recommended reading."""
    found = []
    for answer in brief.answers:
        if invalidated.answers(answer.question_id, answer.text, brief.invalidated):
            continue
        nobody = answer.by == BEST_GUESS or is_policy(answer.by)
        said = {"nobody answered; recommended": answer.text} if nobody else {"answer": answer.text}
        found.append(
            {"question_id": answer.question_id, "question": answer.question, "by": answer.by, **said}
        )
    return found
