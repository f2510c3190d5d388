"""DISCOVERY: a model says what matters and why; what stands there is read from the repository."""

from itertools import count

from activities.desks.sources import Body, Sources
from activities.deterministic import extracts
from activities.deterministic.asked import Asked, hear
from activities.deterministic.extracts import signature_of
from activities.deterministic.relevance import MOST_TARGETS, Relevant, find_relevant
from activities.deterministic.sizing import estimate
from activities.index.records import Ranked, Role

MOST_QUESTIONS = 5
MOST_POINTS = 60
_LONGEST = 1_000
"""characters of a question or of its impact: both stand in the record of the job"""


def fill(body: Body, at: Sources) -> Body:
    """The whole artifact. Problems are left in `at.problems`."""
    asked = hear(at.brief)
    body["codebase_understanding"] = _understanding(body["codebase_understanding"], at)
    body["ambiguities_discovered"] = _numbered(body["ambiguities_discovered"], asked, at)
    body["extracted_context"] = _context(body["extracted_context"], at)
    body["estimate"] = _estimate(body["estimate"], asked, at)
    return {
        **body,
        "commit": at.brief.commit,
        "source": at.brief.source.value,
        "files_total": len(at.index.files),
        "languages": at.index.languages,
    }


def _understanding(given: Body, at: Sources) -> Body:
    where = "codebase_understanding"
    files: dict[str, Body] = {}
    for number, file in enumerate(given["ranking"]):
        if at.exists(file["path"], f"{where}.ranking[{number}].path"):
            files.setdefault(file["path"], _ranked(file, at))
    points = []
    for number, point in enumerate(given["integration_points"]):
        if at.exists(point["path"], f"{where}.integration_points[{number}].path"):
            points.append({**point, "line": _line(point["path"], point["target"], at)})
    relevant = _relevant(list(files), at)
    read = [p.model_dump(mode="json") for p in extracts.integration_points(at.index, relevant)]
    known = {(p["path"], p["target"]) for p in points}
    points += [p for p in read if (p["path"], p["target"]) not in known]
    return {
        **given,
        "ranking": list(files.values()),
        "relevant_files": list(files),
        "integration_points": points[:MOST_POINTS],
        "dependencies": [d.model_dump(mode="json") for d in extracts.dependencies(at.index, relevant)],
    }


def _ranked(file: Body, at: Sources) -> Body:
    entry = at.index.files[file["path"]]
    return {
        **file,
        "role": entry.role.value,
        "language": entry.language,
        "tests": list(at.index.tests_of(entry.path)),
    }


def _line(path: str, target: str, at: Sources) -> int:
    """Where a file first uses a symbol or imports a file; 0 where the index sees neither."""
    entry = at.index.files[path]
    lines = entry.uses.get(target.rpartition(".")[2].removesuffix("()"), ())
    imported = (i.line for i in entry.imports if target in i.paths)
    return min(lines, default=0) or next(imported, 0)


def _relevant(paths: list[str], at: Sources) -> Relevant:
    """The files of a model's ranking, as the index is asked about its own."""
    sources = [p for p in paths if at.index.files[p].role is Role.SOURCE]
    return Relevant(
        files=tuple(Ranked(path, 0.0) for path in paths),
        targets=tuple(sources[:MOST_TARGETS]),
        symbols=(),
        matched=True,
        scores={},
    )


def _context(given: Body, at: Sources) -> Body:
    where = "extracted_context"
    methods = at.symbols(given["existing_methods"], f"{where}.existing_methods")
    models = at.symbols(given["data_models"], f"{where}.data_models")
    return {
        "code_snippets": at.snippets(given["code_snippets"], f"{where}.code_snippets"),
        "existing_methods": [signature_of(symbol).model_dump(mode="json") for symbol in methods],
        "data_models": [extracts.model_of(at.index, s).model_dump(mode="json") for s in models],
    }


def _numbered(questions: list[Body], asked: Asked, at: Sources) -> list[Body]:
    """A question keeps the id it had; a new one never takes the id of another: answers are kept by id."""
    if len(questions) > MOST_QUESTIONS:
        at.problems.add("ambiguities_discovered", f"at most {MOST_QUESTIONS}; keep those that matter most")
    known = dict(asked.ids)
    free = (name for number in count(1) if (name := f"q{number}") not in known.values())
    for number, question in enumerate(questions):
        where = f"ambiguities_discovered[{number}]"
        for name in ("question", "impact_if_wrong"):
            if len(question[name]) > _LONGEST:
                at.problems.add(
                    f"{where}.{name}", f"at most {_LONGEST:,} characters; put the rest in context"
                )
        labels = [candidate["label"] for candidate in question["candidates"]]
        if len(labels) < 2:
            at.problems.add(f"{where}.candidates", "an ambiguity has two or more candidates")
        elif question["recommended"] not in labels:
            at.problems.add(
                f"{where}.recommended", "must be the label of a candidate", question["recommended"]
            )
    return [{**q, "id": known.get(q["question"]) or next(free)} for q in questions]


def _estimate(given: Body, asked: Asked, at: Sources) -> Body:
    """A model may make the job harder than it looks, but not easier: an easy one skips CONTRACTS."""
    counted = estimate(at.index, asked, find_relevant(at.index, asked))
    return {
        "files_affected": max(given["files_affected"], 1),
        "new_api": given["new_api"] or counted.new_api,
        "new_model": given["new_model"] or counted.new_model,
        "existing_pattern": given["existing_pattern"] and counted.existing_pattern,
    }
