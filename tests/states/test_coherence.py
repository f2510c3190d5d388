"""The mechanical review passes good plans and none of their mutants."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from states.artifacts.base import ModelDefinition, OpenPoint
from states.artifacts.contracts import ApiContract, ContractDesignArtifact
from states.artifacts.discovery import Dependency, IntegrationPoint
from states.artifacts.implementation import ContextBundle, FileOperation, TestPlan, TestSpecification
from states.artifacts.validation import IndependenceCheck
from states.coherence import Ground, bounded, review
from states.review import Finding
from states.words import Level, MethodChange, ModelStatus, Operation, Phase, ReviewKind
from tests.states.good_plans import World, good_world, good_worlds

PLAN, VALIDATION = Phase.IMPLEMENTATION_PLAN, Phase.VALIDATION
TECHNICAL, REQUIREMENT, CONTRACT = ReviewKind.TECHNICAL, ReviewKind.REQUIREMENT, ReviewKind.CONTRACT
Mutation = Callable[[World], World]


def operations(world: World, change: Callable[[tuple[FileOperation, ...]], tuple[Any, ...]]) -> World:
    return world.with_change(PLAN, file_operations=change(world[PLAN].file_operations))


def operation_of(world: World, wanted: Operation, **fields: Any) -> World:
    """Change the first file operation of a kind."""
    first = next(o for o in world[PLAN].file_operations if o.operation is wanted)
    return operations(
        world, lambda all_: tuple(o.model_copy(update=fields) if o is first else o for o in all_)
    )


def subtask(world: World, position: int = 0, **fields: Any) -> World:
    subtasks = list(world[PLAN].subtasks)
    subtasks[position] = subtasks[position].model_copy(update=fields)
    return world.with_change(PLAN, subtasks=tuple(subtasks))


def proving(world: World, **fields: Any) -> World:
    test = TestSpecification(path="tests/test_mod0.py", name="t", proves="p").model_copy(update=fields)
    return world.with_change(PLAN, test_plan=TestPlan(integration_tests=(test,)))


def clashing_halves(world: World) -> World:
    """The second half of the first file now edits the lines of the first half."""
    return subtask(world, -1, edits=world[PLAN].subtasks[0].edits)


def without_file(world: World, path: str) -> World:
    return world.on_ground(paths=world.ground.paths - {path})


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


def blocking(world: World, phase: Phase) -> list[Finding]:
    return [finding for finding in world.review(phase).findings if finding.blocking]


def assert_says(found: list[Finding], kind: ReviewKind, says: str) -> None:
    assert [finding for finding in found if finding.kind is kind and says in finding.what], found


shapes = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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


def refuses(mutant: World, kind: ReviewKind, says: str) -> None:
    """The plan's review refuses the mutant, and so does VALIDATION's, even with an honest new validation."""
    found = blocking(mutant, PLAN)
    assert_says(found, kind, says)
    assert mutant.review(PLAN).kind is kind
    assert set(found) <= set(blocking(mutant.revalidated(), VALIDATION))
    assert not mutant.review(VALIDATION).approved


def validated(world: World, **fields: Any) -> World:
    return world.with_change(VALIDATION, **fields)


def claims(world: World, confidence: float) -> World:
    coverage = world[VALIDATION].requirement_coverage
    return validated(
        world,
        requirement_coverage=tuple(
            c.model_copy(update={"coverage_confidence": confidence}) for c in coverage
        ),
    )


def independence(world: World, change: Callable[[list[IndependenceCheck]], list[IndependenceCheck]]) -> World:
    return validated(
        world, subtask_independence_check=tuple(change(list(world[VALIDATION].subtask_independence_check)))
    )


def summary(world: World, **fields: Any) -> World:
    return validated(world, plan_summary=world[VALIDATION].plan_summary.model_copy(update=fields))


VALIDATION_MUTATIONS: dict[str, tuple[Mutation, ReviewKind, str]] = {
    "another plan's digest": (
        lambda w: validated(w, plan_digest="0" * 64),
        TECHNICAL,
        "it validates plan 000000000000",
    ),
    "plan edited afterwards": (
        lambda w: w.with_change(PLAN, implementation_notes=("hm",)),
        TECHNICAL,
        "validate the current one",
    ),
    "requirement not assessed": (
        lambda w: validated(w, requirement_coverage=()),
        REQUIREMENT,
        "'Requirement number 0 holds' is not assessed",
    ),
    "requirement assessed as not met": (
        lambda w: claims(w, 0.0),
        REQUIREMENT,
        "0% of the requirements are covered",
    ),
    "independence not checked": (
        lambda w: independence(w, lambda all_: all_[1:]),
        TECHNICAL,
        "is not checked",
    ),
    "independence checked twice": (
        lambda w: independence(w, lambda all_: [*all_, all_[0]]),
        TECHNICAL,
        "is checked twice",
    ),
    "independence of a ghost": (
        lambda w: independence(
            w, lambda all_: [*all_, IndependenceCheck(subtask_id="ghost", is_independent=True)]
        ),
        TECHNICAL,
        "the plan has no subtask 'ghost'",
    ),
    "falsely dependent": (
        lambda w: independence(
            w,
            lambda all_: [
                all_[0].model_copy(update={"is_independent": False, "dependencies_found": ("x",)}),
                *all_[1:],
            ],
        ),
        TECHNICAL,
        "claimed to be dependent but",
    ),
    "wrong number of files": (lambda w: summary(w, files_affected=99), TECHNICAL, "it counts 99 files"),
}


@pytest.mark.parametrize("name", VALIDATION_MUTATIONS)
@shapes
@given(world=good_worlds())
def test_no_false_validation_passes(name: str, world: World) -> None:
    mutate, kind, says = VALIDATION_MUTATIONS[name]
    assert_says(blocking(mutate(world), VALIDATION), kind, says)


@shapes
@given(good_worlds())
def test_a_claim_of_independence_is_checked_against_the_plan(world: World) -> None:
    honest = clashing_halves(world).revalidated()
    liar = independence(
        honest,
        lambda all_: [IndependenceCheck(subtask_id=c.subtask_id, is_independent=True) for c in all_],
    )
    lies = [f for f in blocking(liar, VALIDATION) if "claimed to be independent but depends on" in f.what]
    assert len(lies) == 2
    assert not [f for f in blocking(honest, VALIDATION) if "claimed" in f.what]


@pytest.mark.parametrize(("uncovered", "passes"), [(0, True), (1, True), (2, False)])
def test_coverage_needs_95_percent(uncovered: int, passes: bool) -> None:
    world = good_world(requirements=21)
    coverage = world[VALIDATION].requirement_coverage
    world = validated(
        world,
        requirement_coverage=tuple(
            c.model_copy(update={"coverage_confidence": 0.0}) if n < uncovered else c
            for n, c in enumerate(coverage)
        ),
    )
    assert world.review(VALIDATION).approved is passes
    assert world.review(VALIDATION).facts.coverage == pytest.approx((21 - uncovered) / 21)


def test_low_complexity_with_many_files_is_only_a_warning() -> None:
    world = summary(good_world(modified=3), estimated_complexity=Level.LOW)
    found = world.review(VALIDATION)
    assert found.approved
    assert any("LOW although 4 files" in f.what and not f.blocking for f in found.findings)
    assert found.facts.complexity is Level.MEDIUM  # counted, not claimed


def designed(world: World, **fields: Any) -> World:
    first, *others = world[Phase.CONTRACTS].method_contracts
    changed = (first.model_copy(update=fields), *others)
    return world.with_change(Phase.CONTRACTS, method_contracts=changed)


def modelled(world: World, **fields: Any) -> World:
    return world.with_change(Phase.CONTRACTS, data_models=(ModelDefinition(name="Thing0", **fields),))


CONTRACT_MUTATIONS: dict[str, tuple[Mutation, ReviewKind, str]] = {
    "modify in a missing file": (
        lambda w: designed(w, path="src/no.py"),
        CONTRACT,
        "cannot be marked modify",
    ),
    "keep in a missing file": (
        lambda w: designed(w, path="src/no.py", change=MethodChange.KEEP),
        CONTRACT,
        "cannot be marked keep",
    ),
    "modify an unknown method": (
        lambda w: designed(w, method_name="fly"),
        CONTRACT,
        "'Thing0.fly' is marked modify but",
    ),
    "modify in the wrong file": (lambda w: designed(w, path="README.md"), CONTRACT, "src/mod0.py does"),
    "modify what is gone": (
        lambda w: w.on_ground(symbols=frozenset(), places=frozenset()),
        CONTRACT,
        "src/mod0.py does not have it",
    ),
    "new where it exists": (
        lambda w: designed(w, change=MethodChange.NEW, current=""),
        CONTRACT,
        "marked new but src/mod0.py already has it",
    ),
    "keep with another signature": (
        lambda w: designed(w, change=MethodChange.KEEP),
        CONTRACT,
        "marked keep but its signature differs",
    ),
    "path outside": (lambda w: designed(w, path="../evil.py"), TECHNICAL, "'../evil.py' must stay inside"),
    "two contracts for one method": (
        lambda w: w.with_change(
            Phase.CONTRACTS, method_contracts=(w[Phase.CONTRACTS].method_contracts[0],) * 2
        ),
        CONTRACT,
        "has two contracts",
    ),
    "two contracts for one endpoint": (
        lambda w: w.with_change(Phase.CONTRACTS, api_contracts=(ApiContract(endpoint="/x"),) * 2),
        CONTRACT,
        "'GET /x' has two contracts",
    ),
    "no interface at all": (
        lambda w: w.with_change(Phase.CONTRACTS, method_contracts=()),
        CONTRACT,
        "no interface is named",
    ),
    "existing model in a missing file": (
        lambda w: modelled(w, path="src/no.py"),
        CONTRACT,
        "'Thing0' is marked existing but 'src/no.py' is missing",
    ),
    "new model where it exists": (
        lambda w: modelled(
            w.on_ground(places=frozenset({*w.ground.places, ("src/mod0.py", "Thing0")})),
            path="src/mod0.py",
            status=ModelStatus.NEW,
        ),
        CONTRACT,
        "'Thing0' is marked new but src/mod0.py already has it",
    ),
    "model outside": (lambda w: modelled(w, path="/tmp/x.py"), TECHNICAL, "'/tmp/x.py' must be relative"),
}


@pytest.mark.parametrize("name", CONTRACT_MUTATIONS)
@shapes
@given(world=good_worlds().filter(lambda w: Phase.CONTRACTS in w.artifacts))
def test_no_mutant_of_contracts_passes(name: str, world: World) -> None:
    mutate, kind, says = CONTRACT_MUTATIONS[name]
    assert_says(blocking(mutate(world), Phase.CONTRACTS), kind, says)


def test_contracts_may_be_open_and_names_may_repeat_in_other_files() -> None:
    world = good_world()
    open_ = ContractDesignArtifact(open_points=(OpenPoint(subject="the API", why="only a person can say"),))
    assert (
        replace(world, artifacts={**world.artifacts, Phase.CONTRACTS: open_}).review(Phase.CONTRACTS).approved
    )
    elsewhere = designed(world, path="src/fresh0.py", change=MethodChange.NEW, current="")
    assert not [f for f in blocking(elsewhere, Phase.CONTRACTS) if "already has it" in f.what]


def test_where_a_symbol_really_is_gets_named() -> None:
    moved = designed(good_world(), path="src/mod1.py")
    assert any("src/mod0.py does" in f.what for f in blocking(moved, Phase.CONTRACTS))


def discovered(world: World, **fields: Any) -> World:
    understanding = world[Phase.DISCOVERY].codebase_understanding
    return world.with_change(Phase.DISCOVERY, codebase_understanding=understanding.model_copy(update=fields))


def extracted(world: World, **fields: Any) -> World:
    context = world[Phase.DISCOVERY].extracted_context
    return world.with_change(Phase.DISCOVERY, extracted_context=context.model_copy(update=fields))


def asked(world: World, **fields: Any) -> World:
    question = world[Phase.DISCOVERY].ambiguities_discovered[0]
    return world.with_change(Phase.DISCOVERY, ambiguities_discovered=(question.model_copy(update=fields),))


DISCOVERY_MUTATIONS: dict[str, Mutation] = {
    "missing relevant file": lambda w: discovered(w, relevant_files=("src/no.py",)),
    "nothing relevant": lambda w: discovered(w, relevant_files=()),
    "file gone": lambda w: without_file(w, "src/mod0.py"),
    "missing integration point": lambda w: discovered(
        w, integration_points=(IntegrationPoint(path="src/no.py", target="x"),)
    ),
    "missing dependency": lambda w: discovered(
        w, dependencies=(Dependency(source="src/mod0.py", target="src/no.py"),)
    ),
    "snippet of a missing file": lambda w: extracted(w, code_snippets={"src/no.py:3-9": "x"}),
    "model in a missing file": lambda w: extracted(
        w, data_models=(ModelDefinition(name="M", path="src/no.py"),)
    ),
    "relevant file outside": lambda w: discovered(w, relevant_files=("../x.py",)),
    "candidate in a missing file": lambda w: asked(
        w,
        candidates=tuple(
            c.model_copy(update={"path": "src/no.py"})
            for c in w[Phase.DISCOVERY].ambiguities_discovered[0].candidates
        ),
    ),
    "question id used twice": lambda w: w.with_change(
        Phase.DISCOVERY, ambiguities_discovered=w[Phase.DISCOVERY].ambiguities_discovered * 2
    ),
}


@pytest.mark.parametrize("name", DISCOVERY_MUTATIONS)
@shapes
@given(world=good_worlds())
def test_no_mutant_of_a_discovery_passes(name: str, world: World) -> None:
    assert world.review(Phase.DISCOVERY).approved
    assert not DISCOVERY_MUTATIONS[name](world).review(Phase.DISCOVERY).approved


def test_an_empty_repository_and_external_packages_are_no_mistake() -> None:
    world = discovered(
        good_world(), dependencies=(Dependency(source="src/mod0.py", target="numpy", external=True),)
    )
    assert world.review(Phase.DISCOVERY).approved
    empty = extracted(discovered(good_world(), relevant_files=()), code_snippets={}, existing_methods=())
    empty = empty.with_change(Phase.DISCOVERY, ambiguities_discovered=()).on_ground(paths=frozenset())
    assert empty.review(Phase.DISCOVERY).approved


def clarified(world: World, **fields: Any) -> World:
    entry = world[Phase.CLARIFICATION].resolved_ambiguities[0]
    return world.with_change(Phase.CLARIFICATION, resolved_ambiguities=(entry.model_copy(update=fields),))


def without_requirements(world: World) -> World:
    requirements = world[Phase.CLARIFICATION].updated_requirements
    return world.with_change(
        Phase.CLARIFICATION, updated_requirements=requirements.model_copy(update={"requirements": ()})
    )


@pytest.mark.parametrize(
    ("mutate", "kind"),
    [
        (without_requirements, REQUIREMENT),
        (lambda w: w.with_change(Phase.CLARIFICATION, resolved_ambiguities=()), REQUIREMENT),
        (lambda w: clarified(w, question_id="q2"), REQUIREMENT),
        (lambda w: clarified(w, human_response=" "), TECHNICAL),
        (
            lambda w: w.with_change(
                Phase.CLARIFICATION, resolved_ambiguities=w[Phase.CLARIFICATION].resolved_ambiguities * 2
            ),
            TECHNICAL,
        ),
    ],
)
def test_no_mutant_of_a_clarification_passes(mutate: Mutation, kind: ReviewKind) -> None:
    found = blocking(mutate(good_world()), Phase.CLARIFICATION)
    assert kind in {finding.kind for finding in found}


def test_a_guess_and_a_minor_question_are_warnings_that_stay_visible() -> None:
    guessed = clarified(good_world(), answered_by="best guess", human_response="").review(Phase.CLARIFICATION)
    assert guessed.approved
    assert any("nobody answered" in finding.what for finding in guessed.findings)
    assert [q.id for q in guessed.facts.questions] == ["q1"]
    minor = asked(good_world(), critical=False).with_change(Phase.CLARIFICATION, resolved_ambiguities=())
    assert minor.review(Phase.CLARIFICATION).approved


def test_symbols_are_known_by_every_usual_spelling() -> None:
    ground = Ground(frozenset({"src/pkg/mod.py", "pkg2/__init__.py"}), frozenset({"Auth.login", "helper"}))
    for known in ("login", "Auth.login", "Auth.login()", "Auth::login", "Auth#login(user)", "helper"):
        assert ground.knows(known), known
    for known in ("mod.Auth.login", "pkg.mod.helper", "src/pkg/mod.py:helper", "pkg2.helper"):
        assert ground.knows(known), known
    for unknown in ("Other.login", "other.helper", "helper.login", "Auth", "", "mod.missing"):
        assert not ground.knows(unknown), unknown


def test_what_no_parser_reads_is_a_warning() -> None:
    world = operation_of(good_world(contracts=False), Operation.MODIFY, affected_methods=("do_backup",))
    assert not world.review(PLAN).approved
    assert world.on_ground(unread=frozenset({"src/mod0.py"})).review(PLAN).approved


def test_findings_are_bounded_without_changing_the_verdict() -> None:
    warnings = tuple(Finding(kind=TECHNICAL, what=f"w{n}", blocking=False) for n in range(50))
    blockers = tuple(Finding(kind=TECHNICAL, what=f"b{n}") for n in range(60))
    last = Finding(kind=REQUIREMENT, what="the last one")
    kept = bounded((*warnings, *blockers, last), most=10)
    assert len(kept) == 10
    assert kept[-1] == Finding(kind=REQUIREMENT, what="and 102 more findings")
    assert not bounded(warnings, most=10)[-1].blocking
    assert bounded((*warnings[:3], last)) == (last, *warnings[:3])


def test_a_review_without_what_it_needs_is_refused() -> None:
    world = good_world()
    with pytest.raises(LookupError, match="digest of the plan"):
        review(VALIDATION, world.artifacts, world.ground, "d")
    with pytest.raises(LookupError, match="CLARIFICATION artifact"):
        review(PLAN, {PLAN: world[PLAN]}, world.ground, "d")
    with pytest.raises(LookupError, match="VERIFIED"):
        review(Phase.VERIFIED, world.artifacts, world.ground, "d")
