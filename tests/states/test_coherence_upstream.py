"""The mechanical review of DISCOVERY, CLARIFICATION and CONTRACTS passes none of their mutants."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from states.artifacts.base import ModelDefinition, OpenPoint
from states.artifacts.contracts import ApiContract, ContractDesignArtifact
from states.artifacts.discovery import Dependency, IntegrationPoint
from states.words import MethodChange, ModelStatus, Phase, ReviewKind
from tests.states.good_plans import World, good_world, good_worlds
from tests.states.mutants import (
    CONTRACT,
    REQUIREMENT,
    TECHNICAL,
    Mutation,
    asked,
    assert_says,
    blocking,
    shapes,
    without_file,
)


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
