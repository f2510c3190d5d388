"""The subtasks of a plan: self-contained, independent, and each with a file operation to its name."""

from collections.abc import Iterator
from itertools import combinations

from states.artifacts.implementation import ContextBundle, ImplementationPlanArtifact, Subtask
from states.checks.words import beside, misplaced, repeated, short, technical, warning
from states.grounding import Ground, outside, path_of
from states.overlap import checked_range, conflicts
from states.review import Finding
from states.words import Operation


def check(plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    """Every finding about the subtasks of a plan."""
    if not plan.subtasks:
        what = "there is no subtask; say step by step what to do where"
        yield beside(plan, technical(what, "subtasks"))
    for repeat in repeated(subtask.subtask_id for subtask in plan.subtasks):
        yield technical(f"subtask id {short(repeat)} is used twice; give each its own", f"subtask {repeat}")
    for subtask in plan.subtasks:
        yield from _independence(subtask)
        yield from _place(subtask, plan, ground)
        yield from _bundle(subtask, plan, ground)
        yield from _edits(subtask, plan, ground)
        yield from _instructions(subtask)
    for first, second in combinations(plan.subtasks, 2):
        yield from _side_by_side(first, second)
    yield from _idle_operations(plan)


def dependencies_found(plan: ImplementationPlanArtifact) -> dict[str, tuple[str, ...]]:
    """What each subtask depends on, by its id: what it declares, and those that edit the same place."""
    found = {subtask.subtask_id: list(subtask.dependencies) for subtask in plan.subtasks}
    for first, second in combinations(plan.subtasks, 2):
        if clash_of(first, second):
            found[first.subtask_id].append(second.subtask_id)
            found[second.subtask_id].append(first.subtask_id)
    return {name: tuple(dict.fromkeys(names)) for name, names in found.items()}


def clash_of(first: Subtask, second: Subtask) -> str:
    """Why two subtasks cannot be done side by side; empty when they can."""
    whole = {first.operation, second.operation} & {Operation.CREATE, Operation.DELETE}
    if first.location == second.location and whole:
        return f"both work on {short(first.location)}, which one of them creates or deletes"
    places = conflicts(_sound_edits(first), _sound_edits(second))
    if not places:
        return ""
    a, b = places[0].range_a, places[0].range_b
    return f"edit the same place in {short(places[0].path)}: lines {a[0]:g}-{a[1]:g} and {b[0]:g}-{b[1]:g}"


def _side_by_side(first: Subtask, second: Subtask) -> Iterator[Finding]:
    pair = f"subtasks {short(first.subtask_id)} and {short(second.subtask_id)}"
    where, place = f"subtask {second.subtask_id}", first.location
    if clash := clash_of(first, second):
        yield technical(f"{pair} {clash}; merge them or move the border", where)
    elif place == second.location and not (place in first.edits and place in second.edits):
        yield warning(f"{pair} share {short(place)} without both saying which lines they edit", where)


def _sound_edits(subtask: Subtask) -> dict[str, list[tuple[float, float]]]:
    """The edits without malformed ranges, which `_edits` reports."""
    return {path: [r for r in lines if not _malformed(path, r)] for path, lines in subtask.edits.items()}


def _malformed(path: str, lines: tuple[float, float]) -> str:
    try:
        checked_range(path, lines)
    except ValueError as error:  # the message is the finding
        return str(error)
    return ""


def _independence(subtask: Subtask) -> Iterator[Finding]:
    if subtask.dependencies:
        yield technical(
            f"subtask {short(subtask.subtask_id)} depends on {', '.join(map(short, subtask.dependencies))}; "
            "give it what it needs in its context bundle, or merge them",
            f"subtask {subtask.subtask_id}",
        )


def _place(subtask: Subtask, plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    where = f"subtask {subtask.subtask_id}"
    operations = {o.file_path: o.operation for o in plan.file_operations}
    exists = subtask.location in ground.paths
    if outside(subtask.location):
        yield from misplaced(subtask.location, where)
    elif subtask.location not in operations:
        yield technical(
            f"no file operation on {short(subtask.location)}, where the subtask works; add it", where
        )
    elif operations[subtask.location] is not subtask.operation:
        yield technical(
            f"the subtask says {subtask.operation} of {short(subtask.location)} but the file operation says "
            f"{operations[subtask.location]}; make them agree",
            where,
        )
    if operations.get(subtask.location) is subtask.operation:
        return  # whether that is possible is said about the file operation
    if subtask.operation is Operation.CREATE and exists:
        yield technical(f"CREATE of {short(subtask.location)}, which already exists; MODIFY it", where)
    elif subtask.operation is not Operation.CREATE and not exists and not outside(subtask.location):
        yield technical(
            f"{subtask.operation} of {short(subtask.location)}, which does not exist; CREATE it", where
        )


def _bundle(subtask: Subtask, plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    where, bundle = f"subtask {subtask.subtask_id}", subtask.context_bundle
    if _is_empty(bundle):
        yield technical("its context bundle is empty; put in all that the work needs to know", where)
    elif subtask.operation is Operation.MODIFY and not _has_code(bundle):
        yield technical(
            f"its context bundle has no code; put in the current text of {short(subtask.location)}", where
        )
    known = ground.paths | {operation.file_path for operation in plan.file_operations}
    quoted = [path_of(place) for place in bundle.related_code_snippets]
    quoted += [path_of(model.path) for model in bundle.data_models if model.path]
    for path in dict.fromkeys(quoted):
        if outside(path):
            yield from misplaced(path, where)
        elif path not in known:
            yield technical(f"its context bundle quotes {short(path)}, which does not exist; drop it", where)


def _is_empty(bundle: ContextBundle) -> bool:
    texts = (bundle.testing_patterns, bundle.error_handling_patterns, *bundle.utility_functions)
    return not _has_code(bundle) and not bundle.data_models and not any(text.strip() for text in texts)


def _has_code(bundle: ContextBundle) -> bool:
    return any(text.strip() for text in (bundle.existing_code, *bundle.related_code_snippets.values()))


def _edits(subtask: Subtask, plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    where = f"subtask {subtask.subtask_id}"
    operations = {operation.file_path for operation in plan.file_operations}
    for path, ranges in subtask.edits.items():
        if outside(path):
            yield from misplaced(path, where)
        elif path not in operations:
            yield technical(f"it edits {short(path)}, which no file operation names; add it", where)
        elif ranges and path not in ground.paths:
            yield warning(f"it names old lines of {short(path)}, which does not exist yet", where)
        for lines in ranges:
            if reason := _malformed(path, lines):
                yield technical(reason, where)


def _instructions(subtask: Subtask) -> Iterator[Finding]:
    where, specification = f"subtask {subtask.subtask_id}", subtask.specification
    if not specification.exact_changes and not specification.method_implementations:
        yield warning("it does not say what to change", where)
    if not subtask.acceptance_criteria:
        yield warning("it does not say when it is done", where)
    if not subtask.covers:
        yield warning("it covers no requirement", where)


def _idle_operations(plan: ImplementationPlanArtifact) -> Iterator[Finding]:
    worked_on = {s.location for s in plan.subtasks} | {path for s in plan.subtasks for path in s.edits}
    for operation in plan.file_operations:
        if operation.file_path not in worked_on:
            yield warning("no subtask works on this file", operation.file_path)
