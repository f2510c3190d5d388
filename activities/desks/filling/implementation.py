"""IMPLEMENTATION_PLAN: a model says what to do where; the code of every context bundle is read."""

from activities.desks.places import read_edit
from activities.desks.sources import Body, Sources, once
from activities.deterministic import errors, testing
from activities.deterministic.bundle import existing_code
from activities.deterministic.models import model_of
from activities.index.records import Symbol
from states.amounts import counted
from states.artifacts.base import ModelDefinition
from states.grounding import path_of
from states.words import Operation


def fill(body: Body, at: Sources) -> Body:
    """The whole artifact. Problems are left in `at.problems`; what does not exist is left to the checks."""
    tests = [*body["test_plan"]["unit_tests"], *body["test_plan"]["integration_tests"]]
    operations = [_operation(operation, at) for operation in body["file_operations"]]
    subtasks = [
        _subtask(subtask, f"subtasks[{number}]", operations, tests, at)
        for number, subtask in enumerate(body["subtasks"])
    ]
    plan = {**body["test_plan"]}
    for kind in ("unit_tests", "integration_tests"):
        plan[kind] = [{**test, "extends": test["path"] in at.index.paths} for test in plan[kind]]
    return {
        **body,
        "file_operations": operations,
        "subtasks": subtasks,
        "test_plan": plan,
        "open_points": once([*body["open_points"], *_carried(at)]),
    }


def _operation(operation: Body, at: Sources) -> Body:
    path = operation["file_path"]
    affected = _affected(path, operation["affected_methods"], at)
    code = "" if operation["operation"] == Operation.CREATE else _code(path, affected, at)
    return {**operation, "existing_code_context": code}


def _code(path: str, affected: tuple[Symbol, ...], at: Sources) -> str:
    return existing_code(at.index, path, affected) if at.readable(path) else ""


def _affected(path: str, names: list[str], at: Sources) -> tuple[Symbol, ...]:
    found = [s for name in names for s in at.index.find(name.rpartition("::")[2]) if s.path == path]
    return tuple(dict.fromkeys(found))


def _subtask(subtask: Body, where: str, operations: list[Body], tests: list[Body], at: Sources) -> Body:
    path = subtask["location"]
    names = [m["method_name"] for m in subtask["specification"]["method_implementations"]]
    names += [n for o in operations if o["file_path"] == path for n in o["affected_methods"]]
    affected = _affected(path, names, at)
    given, bundle = subtask["context_bundle"], f"{where}.context_bundle"
    helpers = at.symbols(given["utility_functions"], f"{bundle}.utility_functions")
    return {
        **subtask,
        "edits": _edits(subtask["edits"], f"{where}.edits", at),
        "context_bundle": {
            "existing_code": _code(path, affected, at),
            "related_code_snippets": at.snippets(
                given["related_code_snippets"], f"{bundle}.related_code_snippets"
            ),
            "data_models": _models(given["data_models"], f"{bundle}.data_models", at),
            "utility_functions": [f"{s.place} {s.signature}" for s in helpers],
            "testing_patterns": _testing(subtask, affected, tests, at),
            "error_handling_patterns": errors.in_file(at.index, path) if at.readable(path) else "",
        },
    }


def _testing(subtask: Body, affected: tuple[Symbol, ...], tests: list[Body], at: Sources) -> str:
    """A real test to follow: of the file that will prove the subtask, as planned or else guessed."""
    planned = [test["path"] for test in tests if test["proves"] in subtask["covers"]]
    named = [path_of(text) for text in subtask["testing"]["unit_tests_to_create"]]
    home = testing.home(at.index, subtask["location"], affected)
    chosen = [p for p in (*named, *planned) if p in at.index.paths] or ([home.path] if home else planned)
    return testing.example(at.index, chosen[0], affected) if chosen else ""


def _models(names: list[str], where: str, at: Sources) -> list[Body]:
    """Data models by name: as the contracts design them, else as DISCOVERY or the index has them."""
    designed = at.brief.designed()
    known = [*(designed.data_models if designed else ())]
    found: list[ModelDefinition] = []
    for number, name in enumerate(names):
        bare = name.strip().strip("`").rpartition("::")[2]
        contract = next((m for m in known if m.name == bare), None)
        if contract:
            found.append(contract)
        elif symbol := at.symbol(name, f"{where}[{number}]"):
            found.append(model_of(symbol, at.index))
    return [model.model_dump(mode="json") for model in dict.fromkeys(found)]


def _edits(written: list[str], where: str, at: Sources) -> dict[str, list[list[float]]]:
    found: dict[str, list[list[float]]] = {}
    for number, place in enumerate(written):
        try:
            path, lines = read_edit(place)
        except ValueError as error:
            at.problems.add(f"{where}[{number}]", str(error), place)
            continue
        ranges = found.setdefault(path, [])
        if path in at.index.paths and lines is None:
            at.problems.add(f"{where}[{number}]", "say which lines of today's file change", place)
        elif lines and path in at.index.paths and at.readable(path):
            total = len(at.index.text(path).splitlines())
            if lines[1] >= total + 1:
                at.problems.add(f"{where}[{number}]", f"the file has {counted(total, 'line')} today", place)
        ranges += [list(lines)] if lines else []
    return found


def _carried(at: Sources) -> list[Body]:
    """What the contracts left open stays open."""
    designed = at.brief.designed()
    return [point.model_dump(mode="json") for point in designed.open_points] if designed else []
