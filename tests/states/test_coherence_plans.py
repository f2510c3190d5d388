"""The mechanical review passes good plans and none of their mutants."""

from typing import Any

import pytest
from hypothesis import given

from states.artifacts.implementation import ContextBundle, FileOperation, TestPlan, TestSpecification
from states.words import Operation, Phase, ReviewKind
from tests.states.good_plans import World, good_worlds
from tests.states.mutants import (
    CONTRACT,
    PLAN,
    REQUIREMENT,
    TECHNICAL,
    Mutation,
    blocking,
    clashing_halves,
    operation_of,
    operations,
    refuses,
    shapes,
    subtask,
    without_file,
)


def proving(world: World, **fields: Any) -> World:
    test = TestSpecification(path="tests/test_mod0.py", name="t", proves="p").model_copy(update=fields)
    return world.with_change(PLAN, test_plan=TestPlan(integration_tests=(test,)))


PLAN_MUTATIONS: dict[str, tuple[Mutation, ReviewKind, str]] = {
    "create an existing path": (
        lambda w: operation_of(w, Operation.CREATE, file_path="README.md"),
        TECHNICAL,
        "CREATE of 'README.md', which already exists",
    ),
    "create what has appeared since": (
        lambda w: w.on_ground(paths=w.ground.paths | {"src/fresh0.py"}),
        TECHNICAL,
        "CREATE of 'src/fresh0.py', which already exists",
    ),
    "create a folder that exists": (
        lambda w: operation_of(w, Operation.CREATE, file_path="src"),
        TECHNICAL,
        "CREATE of 'src', which already exists",
    ),
    "create below a file": (
        lambda w: operation_of(w, Operation.CREATE, file_path="README.md/x.py"),
        TECHNICAL,
        "inside 'README.md', which is a file",
    ),
    "modify a missing path": (
        lambda w: operation_of(w, Operation.MODIFY, file_path="src/no.py"),
        TECHNICAL,
        "MODIFY of 'src/no.py', which does not exist",
    ),
    "modify what is gone": (
        lambda w: without_file(w, "src/mod0.py"),
        TECHNICAL,
        "MODIFY of 'src/mod0.py', which does not exist",
    ),
    "delete a missing path": (
        lambda w: operations(
            w,
            lambda all_: (
                *all_,
                FileOperation(file_path="src/no.py", operation=Operation.DELETE, changes_description="drop"),
            ),
        ),
        TECHNICAL,
        "DELETE of 'src/no.py', which does not exist",
    ),
    "no file operation": (lambda w: operations(w, lambda _: ()), TECHNICAL, "no file operation is planned"),
    "two operations on one file": (
        lambda w: operations(w, lambda all_: (*all_, all_[0])),
        TECHNICAL,
        "has two file operations",
    ),
    "unknown symbol": (
        lambda w: operation_of(w, Operation.MODIFY, affected_methods=("Thing0.run", "Thing0.fly")),
        TECHNICAL,
        "symbol 'Thing0.fly' exists neither",
    ),
    "symbol of an unknown class": (
        lambda w: operation_of(w, Operation.MODIFY, affected_methods=("Thing0.run", "Nothing.run")),
        TECHNICAL,
        "symbol 'Nothing.run' exists neither",
    ),
    "operation above the repository": (
        lambda w: operation_of(w, Operation.CREATE, file_path="../evil.py"),
        TECHNICAL,
        "'../evil.py' must stay inside",
    ),
    "operation at an absolute path": (
        lambda w: operation_of(w, Operation.CREATE, file_path="/etc/passwd"),
        TECHNICAL,
        "'/etc/passwd' must be relative",
    ),
    "operation inside .git": (
        lambda w: operation_of(w, Operation.CREATE, file_path=".git/hooks/x"),
        TECHNICAL,
        "belongs to git itself",
    ),
    "location outside": (
        lambda w: subtask(w, location="a/../../b.py"),
        TECHNICAL,
        "'a/../../b.py' must stay inside",
    ),
    "edits outside": (
        lambda w: subtask(w, edits={"../evil.py": ((1.0, 2.0),)}),
        TECHNICAL,
        "'../evil.py' must stay inside",
    ),
    "snippet from outside": (
        lambda w: subtask(w, context_bundle=ContextBundle(related_code_snippets={"/etc/passwd:1-2": "x"})),
        TECHNICAL,
        "'/etc/passwd' must be relative",
    ),
    "snippet from a missing file": (
        lambda w: subtask(w, context_bundle=ContextBundle(related_code_snippets={"src/no.py:1-2": "x"})),
        TECHNICAL,
        "quotes 'src/no.py', which does not exist",
    ),
    "test outside": (lambda w: proving(w, path="../t.py"), TECHNICAL, "'../t.py' must stay inside"),
    "test extends a missing file": (
        lambda w: proving(w, path="tests/no.py", extends=True),
        TECHNICAL,
        "it extends 'tests/no.py', which does not exist",
    ),
    "dependent subtask": (
        lambda w: subtask(w, dependencies=("second half",)),
        TECHNICAL,
        "depends on 'second half'",
    ),
    "no subtask": (lambda w: w.with_change(PLAN, subtasks=()), TECHNICAL, "there is no subtask"),
    "repeated subtask id": (
        lambda w: subtask(w, subtask_id="second half"),
        TECHNICAL,
        "'second half' is used twice",
    ),
    "location without file operation": (
        lambda w: subtask(w, location="README.md"),
        TECHNICAL,
        "no file operation on 'README.md'",
    ),
    "edits without file operation": (
        lambda w: subtask(w, edits={"README.md": ((1.0, 2.0),)}),
        TECHNICAL,
        "it edits 'README.md', which no file operation names",
    ),
    "operation disagrees": (lambda w: subtask(w, operation=Operation.DELETE), TECHNICAL, "make them agree"),
    "malformed edit": (
        lambda w: subtask(w, edits={"src/mod0.py": ((9.0, 3.0),)}),
        TECHNICAL,
        "is not [first, last]",
    ),
    "two subtasks edit one place": (
        clashing_halves,
        TECHNICAL,
        "edit the same place in 'src/mod0.py': lines 3-9.5",
    ),
    "empty context bundle": (
        lambda w: subtask(w, context_bundle=ContextBundle()),
        TECHNICAL,
        "its context bundle is empty",
    ),
    "blank context bundle": (
        lambda w: subtask(w, context_bundle=ContextBundle(existing_code=" \n", utility_functions=(" ",))),
        TECHNICAL,
        "its context bundle is empty",
    ),
    "context bundle without code": (
        lambda w: subtask(w, context_bundle=ContextBundle(testing_patterns="pytest")),
        TECHNICAL,
        "its context bundle has no code",
    ),
    "uncovered requirement": (
        lambda w: w.with_change(
            PLAN, subtasks=tuple(s.model_copy(update={"covers": ()}) for s in w[PLAN].subtasks)
        ),
        REQUIREMENT,
        "no subtask covers the requirement 'Requirement number 0 holds'",
    ),
    "requirement reworded": (
        lambda w: subtask(w, covers=("Something like it",)),
        REQUIREMENT,
        "no subtask covers the requirement 'Requirement number 0 holds'",
    ),
    "one more requirement": (
        lambda w: w.with_change(
            Phase.CLARIFICATION,
            updated_requirements=w[Phase.CLARIFICATION].updated_requirements.model_copy(
                update={
                    "requirements": (
                        *w[Phase.CLARIFICATION].updated_requirements.requirements,
                        "It also sings",
                    )
                }
            ),
        ),
        REQUIREMENT,
        "no subtask covers the requirement 'It also sings'",
    ),
}

CONTRACTED_PLAN_MUTATIONS: dict[str, tuple[Mutation, ReviewKind, str]] = {
    "contract that nothing touches": (
        lambda w: operation_of(w, Operation.MODIFY, affected_methods=()),
        CONTRACT,
        "names 'Thing0.run', whose contract says modify",
    ),
    "contract named in another file": (
        lambda w: operation_of(
            operation_of(w, Operation.MODIFY, affected_methods=()),
            Operation.CREATE,
            affected_methods=("Thing0.run", "Thing.fresh0"),
        ),
        CONTRACT,
        "names 'Thing0.run', whose contract says modify",
    ),
    "new symbol without a contract": (
        lambda w: operation_of(w, Operation.CREATE, affected_methods=("Thing.fresh0", "Thing.surprise")),
        TECHNICAL,
        "symbol 'Thing.surprise' exists neither",
    ),
}


@shapes
@given(good_worlds())
def test_good_plans_pass_every_review(world: World) -> None:
    for phase in world.phases():
        assert blocking(world, phase) == []
        assert world.review(phase).digest == f"digest of {phase}"


@pytest.mark.parametrize("name", PLAN_MUTATIONS)
@shapes
@given(world=good_worlds())
def test_no_mutant_of_a_plan_passes(name: str, world: World) -> None:
    mutate, kind, says = PLAN_MUTATIONS[name]
    refuses(mutate(world), kind, says)


@pytest.mark.parametrize("name", CONTRACTED_PLAN_MUTATIONS)
@shapes
@given(world=good_worlds().filter(lambda w: Phase.CONTRACTS in w.artifacts))
def test_no_plan_that_strays_from_its_contracts_passes(name: str, world: World) -> None:
    mutate, kind, says = CONTRACTED_PLAN_MUTATIONS[name]
    refuses(mutate(world), kind, says)
