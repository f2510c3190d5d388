"""CLARIFICATION: a model says what the dialogue means; who said what is the record's, never a model's."""

from activities.brief import Answered
from activities.desks.sources import Body, Sources, once
from activities.deterministic import invalidated
from activities.deterministic.wording import cut
from states.checks.words import same
from states.people import BEST_GUESS, is_policy


def fill(body: Body, at: Sources) -> Body:
    """The whole artifact. Problems are left in `at.problems`."""
    brief = at.brief
    resolved = _resolved(body["resolved_ambiguities"], at)
    wanted = body["updated_requirements"]
    said = invalidated.surviving(brief.says, brief.invalidated)
    changed = "The task as changed: " + " ".join(brief.wanted_changes())
    return {
        **body,
        "resolved_ambiguities": resolved,
        "updated_requirements": {
            "task": invalidated.without(brief.task, brief.invalidated) or changed,
            "requirements": _first(brief.requirements, wanted["requirements"], at),
            "constraints": _first(brief.constraints, wanted["constraints"], at),
        },
        "domain_knowledge_gained": _once([*said, *body["domain_knowledge_gained"]]),
        "open_points": once([*_guesses(resolved), *body["open_points"]]),
    }


def _resolved(given: list[Body], at: Sources) -> list[Body]:
    """One entry for each question that DISCOVERY or a follow-up asked, in their order."""
    gone = at.brief.invalidated
    answers = {
        a.question_id: a for a in at.brief.answers if not invalidated.answers(a.question_id, a.text, gone)
    }
    asked = {a.id: a.question for a in at.brief.found().ambiguities_discovered}
    asked.update({a.question_id: a.question for a in answers.values() if a.question_id not in asked})
    readings = {}
    for number, entry in enumerate(given):
        where = f"resolved_ambiguities[{number}].question_id"
        if entry["question_id"] not in asked:
            known = ", ".join(asked) or "none"
            at.problems.add(where, f"no such question; there are: {known}", entry["question_id"])
        elif entry["question_id"] in readings:
            at.problems.add(where, "resolved twice; keep one entry", entry["question_id"])
        readings[entry["question_id"]] = entry["clarification"]
    for name in asked:
        if name not in readings:
            at.problems.add("resolved_ambiguities", "this question has no entry", name)
    return [_entry(name, asked[name], answers.get(name), readings.get(name, "")) for name in asked]


def _entry(name: str, question: str, answer: Answered | None, reading: str) -> Body:
    """Nobody's answer is recorded as a guess, whatever a model makes of it."""
    by = answer.by.strip() if answer else ""
    said = answer.text.strip() if answer else ""
    nobody = not said or not by or by == BEST_GUESS or is_policy(by)
    return {
        "question_id": name,
        "original_question": question or name,
        "human_response": "" if nobody else said,
        "clarification": reading,
        "answered_by": by if not nobody or is_policy(by) else BEST_GUESS,
    }


def _guesses(resolved: list[Body]) -> list[Body]:
    return [
        {
            "subject": cut(entry["original_question"], 120),
            "why": f"nobody answered; read by {entry['answered_by']} as: {cut(entry['clarification'])}",
        }
        for entry in resolved
        if not entry["human_response"]
    ]


def _first(given: tuple[str, ...], more: list[str], at: Sources) -> list[str]:
    """What people wrote down explicitly comes first and cannot be dropped."""
    kept = [text.strip() for text in invalidated.surviving(given, at.brief.invalidated) if text.strip()]
    return _once([*kept, *more])


def _once(texts: list[str]) -> list[str]:
    return list({same(text): text for text in reversed(texts)}.values())[::-1]
