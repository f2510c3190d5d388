"""What every mechanical review keeps to, whatever it reviews."""

import pytest

from states.coherence import Ground, bounded, review
from states.review import Finding
from states.words import Operation, Phase
from tests.states.good_plans import good_world
from tests.states.mutants import (
    PLAN,
    REQUIREMENT,
    TECHNICAL,
    VALIDATION,
    operation_of,
)


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
