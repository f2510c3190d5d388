"""The phase table, proven over its whole space, and each proof shown to fail on a broken table."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product

import pytest

from states import guards as g
from states.guards import Facts, Guard
from states.machine import MoveRefused, can_fire, fire, triggers_from
from states.table import PHASE_TABLE, Row
from states.words import WORK_PHASES, Phase, State, Trigger
from tests.states.table_model import Model, plain_facts, plain_model, where
from tests.states.table_walk import (
    ALL_FACTS,
    GATE_SETS,
    Rows,
    Walk,
    built_on_nothing,
    clashes_of_facts,
    clashes_of_guards,
    contradictions,
    endless_states,
    fires,
    from_state,
    gates_before_ai_review,
    opened_without_review,
    reads,
    reviewed_without_work,
    unearned_after_revision,
    unreachable_states,
    verified_without_gates,
    ways_out_of_the_end,
)

Proof = Callable[[Rows], list[str]]
Mutation = Callable[[Rows], Rows]

PROOFS: tuple[Proof, ...] = (
    unreachable_states,
    endless_states,
    ways_out_of_the_end,
    clashes_of_guards,
    clashes_of_facts,
    contradictions,
    gates_before_ai_review,
    unearned_after_revision,
    verified_without_gates,
    built_on_nothing,
    reviewed_without_work,
    opened_without_review,
)
NAMES = {
    verified_without_gates: "verified_without_gates",
    built_on_nothing: "built_on_nothing",
    reviewed_without_work: "reviewed_without_work",
    opened_without_review: "opened_without_review",
}


def _name(proof: Proof) -> str:
    return NAMES.get(proof, proof.__name__)


@pytest.mark.parametrize("proof", PROOFS, ids=_name)
def test_the_table_is_proven(proof: Proof) -> None:
    assert proof(PHASE_TABLE) == []


# --- the engine against the plain model -----------------------------------------------------------------


def differences(model: Model, states: Iterable[State] = State) -> list[str]:
    """Every (state, trigger, facts) in which the engine and the model disagree."""
    found = []
    for state, trigger, facts in product(states, Trigger, ALL_FACTS):
        expected = where(model, state, trigger, facts)
        actual = fire(state, trigger, facts) if can_fire(state, trigger, facts) else None
        if actual is not expected:
            found.append(f"{state} {trigger}: {actual}, not {expected}")
    return found


def test_the_engine_agrees_with_the_plain_model_everywhere() -> None:
    assert differences(plain_model()) == []


def test_the_comparison_sees_a_move_that_one_side_lacks() -> None:
    model = plain_model()
    del model["contracts_awaiting_human_review", "revise_contract"]
    assert differences(model, [State.CONTRACTS_HUMAN_REVIEW])


def test_the_comparison_sees_a_guard_that_one_side_lacks() -> None:
    model = plain_model()
    model["validation", "submit"] = [("validation_awaiting_ai_review", {})]
    assert differences(model, [State.VALIDATION])


def test_the_triggers_of_a_state_are_those_of_the_model() -> None:
    known = plain_model()
    for state in State:
        assert {t.value for t in triggers_from(state)} == {t for s, t in known if s == state.value}


def test_a_refusal_says_which_guard_stands_in_the_way() -> None:
    for row in PHASE_TABLE:
        for facts in (Facts(), Facts(*(True for _ in vars(Facts())))):
            if can_fire(row.source, row.trigger, facts):
                continue
            with pytest.raises(MoveRefused) as refused:
                fire(row.source, row.trigger, facts)
            rows = [r for r in from_state(PHASE_TABLE, row.source) if r.trigger is row.trigger]
            blamed = [
                guard
                for r in rows
                for guard in (*r.when, *r.unless)
                if g.meaning(guard) in str(refused.value)
            ]
            assert blamed
            assert "nothing is missing" not in str(refused.value)
            assert "transitions" not in str(refused.value)


def test_every_guard_reads_the_facts_that_it_is_named_after() -> None:
    used = {guard for row in PHASE_TABLE for guard in (*row.when, *row.unless)}
    fields = {guard.__name__: reads(guard) for guard in used}
    assert fields.pop("gate_required") == ("gate_applies", "gate_waived")
    assert all(names == (name,) for name, names in fields.items())
    assert {name for names in (*fields.values(), ("gate_applies", "gate_waived")) for name in names} == set(
        vars(Facts())
    )


def test_every_row_says_why() -> None:
    assert all(row.why for row in PHASE_TABLE)


def test_on_the_default_facts_a_job_can_only_be_revised_waved_through_or_cancelled() -> None:
    """The defaults of Facts allow nothing that needs a reason to be allowed."""
    free = {row.trigger for row in PHASE_TABLE if fires(row, Facts())}
    revisions = {Trigger.REVISE_TECHNICAL, Trigger.REVISE_REQUIREMENT, Trigger.REVISE_CONTRACT}
    assert free == {Trigger.AI_APPROVE, Trigger.CANCEL, *revisions}
    assert plain_facts(Facts())["gate"] is False


# --- every proof can fail ---------------------------------------------------------------------------------


def without(trigger: Trigger, *sources: State) -> Mutation:
    """The table without some rows."""
    return lambda rows: tuple(r for r in rows if r.trigger is not trigger or r.source not in sources)


def changed(trigger: Trigger, source: State, **fields: object) -> Mutation:
    """The table with one trigger's rows from one state changed."""

    def mutate(rows: Rows) -> Rows:
        hit = [r for r in rows if r.trigger is trigger and r.source is source]
        assert hit, "the mutation must hit a row"
        return tuple(replace(r, **fields) if r in hit else r for r in rows)  # type: ignore[arg-type]

    return mutate


def loosened(guard: Guard) -> Mutation:
    """The table in which a guard is forgotten everywhere."""
    return lambda rows: tuple(
        replace(
            r,
            when=tuple(x for x in r.when if x is not guard),
            unless=tuple(x for x in r.unless if x is not guard),
        )
        for r in rows
    )


def added(trigger: Trigger, source: State, dest: State, *when: Guard) -> Mutation:
    """The table with one row more."""
    return lambda rows: (*rows, Row(trigger, source, dest, when=when, why="a mutant"))


S, T = State, Trigger
PLAN_AI, PLAN_HUMAN = S.IMPLEMENTATION_PLAN_AI_REVIEW, S.IMPLEMENTATION_PLAN_HUMAN_REVIEW

MUTANTS: dict[str, tuple[Mutation, tuple[Proof, ...]]] = {
    "nobody submits the plan": (
        without(T.SUBMIT, S.IMPLEMENTATION_PLAN),
        (unreachable_states, endless_states),
    ),
    "one gate is never reached": (
        lambda rows: tuple(r for r in rows if r.dest is not PLAN_HUMAN),
        (unreachable_states,),
    ),
    "an active state cannot be cancelled": (without(T.CANCEL, S.CONTRACTS_AI_REVIEW), (endless_states,)),
    "cancelling needs a condition": (
        changed(T.CANCEL, S.VALIDATION, when=(g.kept_open,)),
        (endless_states,),
    ),
    "a gate is a dead end": (
        lambda rows: tuple(
            r for r in rows if r.source is not S.CONTRACTS_HUMAN_REVIEW or r.trigger is T.CANCEL
        ),
        (endless_states,),
    ),
    "a cancelled job restarts": (
        added(T.RESTART_FROM_DISCOVERY, S.CANCELLED, S.DISCOVERY, g.foundation_kept),
        (ways_out_of_the_end,),
    ),
    "a verified job is revised": (
        added(T.REVISE_TECHNICAL, S.VERIFIED, S.VALIDATION),
        (ways_out_of_the_end,),
    ),
    "a verified job is cancelled after it closed": (
        changed(T.CANCEL, S.VERIFIED, when=()),
        (ways_out_of_the_end,),
    ),
    "two ways to submit": (
        added(T.SUBMIT, S.CONTRACTS, S.VALIDATION_AI_REVIEW, g.artifact_ready),
        (clashes_of_guards, clashes_of_facts),
    ),
    "simple_task is no condition any more": (
        loosened(g.simple_task),
        (clashes_of_guards, clashes_of_facts, built_on_nothing, verified_without_gates),
    ),
    "gate_required is forgotten": (
        loosened(g.gate_required),
        (clashes_of_guards, clashes_of_facts, verified_without_gates),
    ),
    "a row asks for a guard and against it": (
        changed(T.ESCALATE, S.DISCOVERY_AI_REVIEW, unless=(g.revisions_used_up,)),
        (contradictions,),
    ),
    "a row wants the gate waived and required": (
        changed(T.AI_APPROVE, PLAN_AI, when=(g.gate_required, lambda f: f.gate_waived), unless=()),
        (contradictions,),
    ),
    "work goes straight to the gate": (
        changed(T.SUBMIT, S.CONTRACTS, dest=S.CONTRACTS_HUMAN_REVIEW),
        (gates_before_ai_review, opened_without_review),
    ),
    "an edit goes straight to its gate": (
        changed(T.EDIT, S.VALIDATION_HUMAN_REVIEW, dest=S.VALIDATION_HUMAN_REVIEW),
        (gates_before_ai_review, opened_without_review),
    ),
    "a revision goes to AI review without work": (
        changed(T.REVISE_TECHNICAL, S.VALIDATION_HUMAN_REVIEW, dest=S.VALIDATION_AI_REVIEW),
        (unearned_after_revision, reviewed_without_work),
    ),
    "a revision goes on to the next phase": (
        changed(T.REVISE_TECHNICAL, S.CONTRACTS_HUMAN_REVIEW, dest=S.IMPLEMENTATION_PLAN),
        (unearned_after_revision, built_on_nothing, verified_without_gates),
    ),
    "work leads past its AI review": (
        added(T.HUMAN_APPROVE, S.CONTRACTS, S.IMPLEMENTATION_PLAN, g.decisions_enough),
        (unearned_after_revision, built_on_nothing, verified_without_gates),
    ),
    "a revision of the final gate verifies": (
        changed(T.REVISE_TECHNICAL, S.VALIDATION_HUMAN_REVIEW, dest=S.VERIFIED),
        (unearned_after_revision, verified_without_gates),
    ),
    "one approval is not needed": (
        changed(T.HUMAN_APPROVE, S.VALIDATION_HUMAN_REVIEW, when=()),
        (verified_without_gates,),
    ),
    "AI review waves one gate through": (
        changed(T.AI_APPROVE, S.VALIDATION_AI_REVIEW, dest=S.VERIFIED, when=(), unless=()),
        (verified_without_gates, clashes_of_guards),
    ),
    "an escalation skips the person": (
        changed(T.ESCALATE, S.CONTRACTS_AI_REVIEW, dest=S.IMPLEMENTATION_PLAN),
        (built_on_nothing, verified_without_gates),
    ),
    "clarification always skips contracts": (
        changed(T.HUMAN_APPROVE, S.CLARIFICATION_HUMAN_REVIEW, dest=S.IMPLEMENTATION_PLAN),
        (built_on_nothing, verified_without_gates),
    ),
    "a restart does not ask what it builds on": (loosened(g.foundation_kept), (built_on_nothing,)),
    "an empty hand-over is taken": (loosened(g.artifact_ready), (reviewed_without_work,)),
    "an invalid edit is taken": (loosened(g.edit_valid), (reviewed_without_work,)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_table_is_caught(name: str) -> None:
    mutate, proofs = MUTANTS[name]
    broken = mutate(PHASE_TABLE)
    assert broken != PHASE_TABLE
    assert [_name(proof) for proof in proofs if not proof(broken)] == []


def test_every_proof_catches_some_mutant() -> None:
    assert {_name(p) for _, proofs in MUTANTS.values() for p in proofs} == {_name(p) for p in PROOFS}


def test_each_row_that_is_dropped_is_missed() -> None:
    """No row is redundant: the plain model notices each one that is gone."""
    model = plain_model()
    for gone in PHASE_TABLE:
        left = [
            r for r in from_state(PHASE_TABLE, gone.source) if r is not gone and r.trigger is gone.trigger
        ]
        facts = next(f for f in ALL_FACTS if fires(gone, f))
        assert where(model, gone.source, gone.trigger, facts) is gone.dest
        assert not any(fires(row, facts) for row in left)


def test_the_walk_reaches_every_state_under_every_policy() -> None:
    """A walk that gets nowhere proves nothing."""
    assert len(GATE_SETS) == 32
    for gates in (frozenset[Phase](), frozenset(WORK_PHASES)):
        broken = tuple(r for r in PHASE_TABLE if r.trigger is not T.CANCEL)
        broken += (Row(T.CANCEL, S.VALIDATION_HUMAN_REVIEW, S.VERIFIED),)
        assert any(problem.startswith("verified") for problem in Walk(broken).problems(gates))
