"""DISCOVERY: does what was found exist, and are the questions usable."""

from collections.abc import Iterator

from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.checks.words import misplaced, missing_file, repeated, short, technical, warning
from states.grounding import Ground, outside, path_of
from states.review import Finding


def check(found: ContextDiscoveryArtifact, ground: Ground) -> Iterator[Finding]:
    """Every finding about a DISCOVERY artifact."""
    yield from _emptiness(found, ground)
    yield from _paths(found, ground)
    yield from _questions(found, ground)
    yield from _estimate(found)


def _emptiness(found: ContextDiscoveryArtifact, ground: Ground) -> Iterator[Finding]:
    if found.codebase_understanding.relevant_files:
        return
    if ground.paths:
        yield technical("no relevant file is listed; list the files that the task touches", "relevant_files")
    else:
        yield warning("the repository is empty; everything in the plan will be new", "relevant_files")


def _paths(found: ContextDiscoveryArtifact, ground: Ground) -> Iterator[Finding]:
    """One finding per missing path, at the first place that names it."""
    named: dict[str, str] = {}
    for where, path in _named_paths(found):
        named.setdefault(path, where)
    for path, where in named.items():
        yield from missing_file(path, where, ground)


def _named_paths(found: ContextDiscoveryArtifact) -> Iterator[tuple[str, str]]:
    understanding, context = found.codebase_understanding, found.extracted_context
    yield from (("relevant_files", path) for path in understanding.relevant_files)
    yield from (("ranking", file.path) for file in understanding.ranking)
    yield from (("ranking", path_of(test)) for file in understanding.ranking for test in file.tests)
    yield from (("integration_points", point.path) for point in understanding.integration_points)
    yield from (("dependencies", dependency.source) for dependency in understanding.dependencies)
    yield from (("dependencies", d.target) for d in understanding.dependencies if not d.external)
    yield from (("code_snippets", path_of(place)) for place in context.code_snippets)
    yield from (("existing_methods", method.path) for method in context.existing_methods)
    yield from (("data_models", path_of(model.path)) for model in context.data_models if model.path)


def _questions(found: ContextDiscoveryArtifact, ground: Ground) -> Iterator[Finding]:
    for repeat in repeated(a.id for a in found.ambiguities_discovered):
        yield technical(
            f"question id {short(repeat)} is used twice; give each question its own id", "ambiguities"
        )
    for ambiguity in found.ambiguities_discovered:
        yield from _question(ambiguity, ground)


def _question(ambiguity: Ambiguity, ground: Ground) -> Iterator[Finding]:
    where = f"question {ambiguity.id}"
    labels = [candidate.label for candidate in ambiguity.candidates]
    for candidate in ambiguity.candidates:
        path = path_of(candidate.path)
        if outside(path) and path:
            yield from misplaced(path, where)
        elif path and path.rstrip("/") not in ground.paths | ground.folders:
            yield technical(
                f"candidate {short(candidate.label)} names {short(path)}, which is missing", where
            )
    if ambiguity.recommended and labels and ambiguity.recommended not in labels:
        yield warning(f"the recommended answer {short(ambiguity.recommended)} is none of the choices", where)
    if not ambiguity.context.strip():
        yield warning("the question comes without the code that makes it one", where)


def _estimate(found: ContextDiscoveryArtifact) -> Iterator[Finding]:
    estimate, understanding = found.estimate, found.codebase_understanding
    if estimate.files_affected == 0 and understanding.relevant_files:
        yield warning(
            "the estimate says that no file is affected although relevant ones are listed", "estimate"
        )
    if estimate.existing_pattern and not understanding.existing_patterns:
        yield warning("the estimate relies on an existing pattern but none is listed", "estimate")
