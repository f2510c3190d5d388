"""IMPLEMENTATION_PLAN: does the plan stand on the repository, the requirements and the contracts."""

from collections.abc import Iterator

from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.artifacts.implementation import FileOperation, ImplementationPlanArtifact
from states.checks import subtasks
from states.checks.contracts import new_names
from states.checks.words import (
    beside,
    contract,
    misplaced,
    repeated,
    requirement,
    same,
    short,
    technical,
    warning,
)
from states.grounding import Ground, outside
from states.review import Finding
from states.words import Operation


def check(
    plan: ImplementationPlanArtifact,
    clarified: ClarificationArtifact,
    designed: ContractDesignArtifact | None,
    ground: Ground,
) -> Iterator[Finding]:
    """Every finding about an IMPLEMENTATION_PLAN artifact. `designed` is None when CONTRACTS was skipped."""
    yield from _operations(plan, ground)
    yield from _symbols(plan, designed, ground)
    yield from subtasks.check(plan, ground)
    yield from _coverage(plan, clarified)
    yield from _contracts(plan, designed)
    yield from _tests(plan, ground)


def uncovered(plan: ImplementationPlanArtifact, clarified: ClarificationArtifact) -> tuple[str, ...]:
    """The requirements that no subtask covers, in their order."""
    covered = {same(text) for subtask in plan.subtasks for text in subtask.covers}
    return tuple(r for r in clarified.updated_requirements.requirements if same(r) not in covered)


def _operations(plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    if not plan.file_operations:
        what = "no file operation is planned; name each file to create, modify or delete"
        yield beside(plan, technical(what))
    for repeat in repeated(operation.file_path for operation in plan.file_operations):
        yield technical(f"{short(repeat)} has two file operations; merge them into one", repeat)
    for operation in plan.file_operations:
        yield from _operation(operation, ground)


def _operation(operation: FileOperation, ground: Ground) -> Iterator[Finding]:
    path, exists = operation.file_path, operation.file_path in ground.paths
    if outside(path):
        yield from misplaced(path, path)
    elif operation.operation is not Operation.CREATE:
        if not exists:
            yield technical(
                f"{operation.operation} of {short(path)}, which does not exist; name an existing file, or "
                "CREATE it",
                path,
            )
        elif operation.operation is Operation.MODIFY and not operation.existing_code_context.strip():
            yield warning("the existing code is not quoted", path)
    elif exists or path in ground.folders:
        yield technical(
            f"CREATE of {short(path)}, which already exists; MODIFY it or choose another path", path
        )
    elif file := _file_above(path, ground):
        yield technical(f"CREATE of {short(path)} inside {short(file)}, which is a file, not a folder", path)


def _file_above(path: str, ground: Ground) -> str:
    parts = path.split("/")
    above = ("/".join(parts[:n]) for n in range(1, len(parts)))
    return next((folder for folder in above if folder in ground.paths), "")


def _symbols(
    plan: ImplementationPlanArtifact, designed: ContractDesignArtifact | None, ground: Ground
) -> Iterator[Finding]:
    tests = (*plan.test_plan.unit_tests, *plan.test_plan.integration_tests)
    planned = new_names(designed) | {test.name for test in tests}
    for operation in plan.file_operations:
        for symbol in operation.affected_methods:
            if symbol not in planned and not ground.knows(symbol):
                yield _unknown(symbol, operation, designed, ground)


def _unknown(
    symbol: str, operation: FileOperation, designed: ContractDesignArtifact | None, ground: Ground
) -> Finding:
    what = f"symbol {short(symbol)} exists neither in the repository nor as new in the contracts"
    if operation.file_path in ground.unread:
        return warning(f"{what}; no parser reads {operation.file_path}, check it by eye", operation.file_path)
    if designed is None and operation.operation is Operation.CREATE:
        return warning(f"{what}; the new file brings it without a contract", operation.file_path)
    return technical(f"{what}; name an existing one, or have it designed first", operation.file_path)


def _coverage(plan: ImplementationPlanArtifact, clarified: ClarificationArtifact) -> Iterator[Finding]:
    for text in uncovered(plan, clarified) if plan.subtasks else ():
        what = f"no subtask covers the requirement {short(text)}; cover it, or drop it in CLARIFICATION"
        yield beside(plan, requirement(what, "requirements"))
    known = {same(text) for text in clarified.updated_requirements.requirements}
    for subtask in plan.subtasks:
        for text in subtask.covers:
            if same(text) not in known:
                yield warning(
                    f"it also covers {short(text)}, which the clarified requirements do not list",
                    f"subtask {subtask.subtask_id}",
                )


def _contracts(
    plan: ImplementationPlanArtifact, designed: ContractDesignArtifact | None
) -> Iterator[Finding]:
    """A contract that the plan forgot; not where the plan's own gaps, reported already, are the reason."""
    planned = {operation.file_path for operation in plan.file_operations}
    gaps = {s.location for s in plan.subtasks if s.location not in planned}
    for method in designed.method_contracts if designed and planned else ():
        if not method.stays and method.path not in gaps and not _is_touched(method, plan):
            yield contract(
                f"no file operation or subtask on {method.path} names {short(method.qualified)}, whose "
                f"contract says {method.change}; plan it, or drop the contract",
                f"{method.path}: {method.qualified}",
            )


def _is_touched(method: MethodContract, plan: ImplementationPlanArtifact) -> bool:
    """Whether the plan names the method where its contract puts it."""
    named = {n for o in plan.file_operations if o.file_path == method.path for n in o.affected_methods}
    for subtask in plan.subtasks:
        if method.path == subtask.location or method.path in subtask.edits:
            named |= {m.method_name for m in subtask.specification.method_implementations}
    return method.qualified in named or method.method_name in named


def _tests(plan: ImplementationPlanArtifact, ground: Ground) -> Iterator[Finding]:
    tests = (*plan.test_plan.unit_tests, *plan.test_plan.integration_tests)
    created = {o.file_path for o in plan.file_operations if o.operation is Operation.CREATE}
    if not tests:
        yield warning("no test is planned", "test_plan")
    for test in tests:
        where = f"test {test.name}"
        if outside(test.path):
            yield from misplaced(test.path, where)
        elif test.extends and test.path not in ground.paths | created:
            yield technical(
                f"it extends {short(test.path)}, which does not exist; name an existing test file", where
            )
        elif not test.extends and test.path in ground.paths:
            yield warning(f"{short(test.path)} already exists; the test extends it", where)
