"""Restarts: what is kept, redone and invalidated, for every phase, choice and progress."""

from itertools import chain, combinations
from typing import Any

import pytest

from states import restart as rules
from states.advance import advance
from states.amounts import counted
from states.facts import facts_of
from states.machine import can_fire
from states.messages import RestartFrom
from states.receive import receive
from states.record import JobRecord, QuestionState
from states.restart import preview
from states.review import PhaseFacts
from states.words import WORK_PHASES, ArtifactStatus, Message, Phase, ReviewKind, State, Trigger
from tests.states.job_maker import (
    NOW,
    QUESTION,
    SIMPLE,
    everything_but_the_ledger,
    hand_over,
    job_in,
    new_job,
    one_step,
    reviewed,
    story,
    verified_job,
)

WHOLE = tuple(p.value for p in WORK_PHASES)
PARTIAL = tuple(f"partial_{p}" for p in WORK_PHASES)
Choice = tuple[str, ...] | None


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every choice of some names."""
    return list(chain.from_iterable(combinations(names, n) for n in range(len(names) + 1)))


CHOICES: list[Choice] = [None, *subsets(WHOLE)]


def after_revisions() -> list[JobRecord]:
    """Jobs with a past: revised by kind, restarted, edited, with superseded and invalidated versions."""
    jobs = []
    for kind in ReviewKind:
        record = job_in(State.VALIDATION_HUMAN_REVIEW)
        assert receive(record, Message.REVISE, [{"feedback": "no", "kind": kind}], NOW)
        advance(record, Trigger.revise(kind), NOW)
        jobs.append(record.model_copy(deep=True))
        one_step(record, PhaseFacts())
        jobs.append(record)
    restarted = verified_job()
    assert receive(restarted, Message.RESTART_FROM, ["contracts"], NOW)
    advance(restarted, Trigger.RESTART_FROM_CONTRACTS, NOW)
    jobs.append(restarted)
    edited = job_in(State.CONTRACTS_HUMAN_REVIEW)
    gate = edited.gate
    assert gate is not None
    assert receive(edited, Message.EDIT, [{"artifact": {}, "base": gate.digest}], NOW)
    hand_over(edited)
    advance(edited, Trigger.EDIT, NOW)
    jobs.append(edited)
    refused = job_in(State.IMPLEMENTATION_PLAN_AI_REVIEW)
    advance(refused, reviewed(refused, ReviewKind.CONTRACT), NOW)
    jobs.append(refused)
    stale = job_in(State.IMPLEMENTATION_PLAN)
    hand_over(stale, stale=True)
    jobs.append(stale)
    return jobs


PROGRESS: list[JobRecord] = [
    *story(gates="all"),
    *story(facts=SIMPLE),
    *(r for r in story(gates="all", max_restarts=0) if r.state is State.VERIFIED),
    *after_revisions(),
]


def current_digests(record: JobRecord) -> dict[Phase, str]:
    """What the job stands on."""
    return {p: ref.digest for p in WORK_PHASES if (ref := record.current(p))}


def built_on_gone(record: JobRecord) -> list[str]:
    """Current artifacts that were built from something that is no longer current, the refused one apart."""
    now = current_digests(record)
    return [
        f"{ref.phase} builds on a {phase} that is gone"
        for ref in record.artifacts
        if ref.status is ArtifactStatus.CURRENT and ref.accepted_by
        for phase, digest in ref.built_from.items()
        if now.get(phase) != digest
    ]


def broken_by(record: JobRecord, phase: Phase, choice: Choice) -> list[str]:
    """Preview and carry out one restart; what is wrong with it."""
    request = RestartFrom(phase=phase, preserve_artifacts=choice)
    plan = preview(record, request)
    kept = {ref.digest for ref in plan.kept}
    gone = {ref.digest for ref in plan.invalidated}
    if plan.refused:
        return []
    wrong = [
        f"keeps {ref.phase}, built on what it does not keep"
        for ref in plan.kept
        if not set(ref.built_from.values()) <= kept or not ref.accepted_by
    ]
    wrong += [f"keeps {ref.phase}, which it redoes" for ref in plan.kept if ref.phase in plan.redone]
    if kept & gone or kept | gone != set(current_digests(record).values()):
        wrong.append("neither keeps nor invalidates each current artifact")
    return wrong + _broken_when_done(record, request, plan)


def _broken_when_done(record: JobRecord, request: RestartFrom, plan: rules.RestartPlan) -> list[str]:
    job, trigger = record.model_copy(deep=True), Trigger.restart(request.phase)
    names = None if request.preserve_artifacts is None else list(request.preserve_artifacts)
    ack = receive(
        job, Message.RESTART_FROM, [{"phase": request.phase.value, "preserve_artifacts": names}], NOW
    )
    if record.restarts_in_a_row >= record.spec.policy.max_restarts:
        return [] if ack is None else ["is taken though the restart limit is reached"]
    if ack is None:
        return [f"is refused though the preview was not: {job.ledger[-1].why}"]
    if not can_fire(job.state, trigger, facts_of(job)):
        return ["is taken and cannot be fired"]
    advance(job, trigger, NOW)
    wrong = built_on_gone(job)
    if job.state is not State.of(request.phase) or job.gate or job.demand or job.hold:
        wrong.append("leaves something open")
    if current_digests(job) != {ref.phase: ref.digest for ref in plan.kept}:
        wrong.append("keeps something else than its preview said")
    for before, after in zip(record.artifacts, job.artifacts, strict=True):
        invalidated = before in plan.invalidated
        expected = before.model_copy(update={"status": ArtifactStatus.INVALIDATED}) if invalidated else before
        if after != expected:
            wrong.append(f"changes {before.phase} v{before.version}")
    if job.restarts[-1].partial != plan.partial:
        wrong.append("notes other partial artifacts than its preview said")
    return wrong


@pytest.mark.parametrize("phase", WORK_PHASES)
def test_no_restart_keeps_what_builds_on_something_invalidated(phase: Phase) -> None:
    wrong = {
        (n, choice): problems
        for n, record in enumerate(PROGRESS)
        for choice in CHOICES
        if (problems := broken_by(record, phase, choice))
    }
    assert wrong == {}
    done = [r for r in PROGRESS if not preview(r, RestartFrom(phase=phase)).refused]
    assert len(done) >= 6, "a check of nothing but refusals proves nothing"


@pytest.mark.parametrize("phase", WORK_PHASES)
def test_partial_names_never_keep_more(phase: Phase) -> None:
    """All 2^10 choices of whole and partial names, on the job that has most to lose."""
    record = verified_job(gates="all")
    for choice in subsets((*WHOLE, *PARTIAL)):
        assert broken_by(record, phase, choice) == []
        plan = preview(record, RestartFrom(phase=phase, preserve_artifacts=choice))
        without = tuple(name for name in choice if name in WHOLE)
        alone = preview(record, RestartFrom(phase=phase, preserve_artifacts=without))
        assert (plan.kept, plan.refused) == (alone.kept, alone.refused)
        if not plan.refused:
            partly = [name.removeprefix("partial_") for name in choice if name in PARTIAL]
            assert sorted(plan.partial) == sorted(partly)
            assert all(digest == current_digests(record)[p] for p, digest in plan.partial.items())


def test_the_check_sees_a_restart_that_keeps_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check on broken rules: the foundation forgotten, the acceptance forgotten."""
    monkeypatch.setattr(rules, "_missing", lambda *_: "")
    found = {
        problem
        for record in PROGRESS
        for choice in CHOICES
        for phase in WORK_PHASES
        for problem in broken_by(record, phase, choice)
    }
    assert "keeps clarification, built on what it does not keep" in found


def test_the_check_sees_a_restart_that_invalidates_too_little() -> None:
    broken = job_in(State.IMPLEMENTATION_PLAN)
    first = broken.artifacts[0]
    broken.replace(first, status=ArtifactStatus.INVALIDATED)
    assert built_on_gone(broken)


# --- what the rule keeps by itself (Alfred seed, State Restart Rules) ---


@pytest.mark.parametrize("phase", WORK_PHASES)
def test_the_rule_keeps_everything_before_the_phase(phase: Phase) -> None:
    record = verified_job(gates="all")
    plan = preview(record, RestartFrom(phase=phase))
    at = WORK_PHASES.index(phase)
    assert plan.refused == ""
    assert tuple(ref.phase for ref in plan.kept) == WORK_PHASES[:at]
    assert tuple(ref.phase for ref in plan.invalidated) == WORK_PHASES[at:]
    assert plan.redone == WORK_PHASES[at:]


def test_a_skipped_phase_is_not_missed() -> None:
    record = verified_job(facts=SIMPLE)
    assert record.skipped == [Phase.CONTRACTS]
    plan = preview(record, RestartFrom(phase=Phase.IMPLEMENTATION_PLAN))
    assert plan.refused == ""
    assert [ref.phase for ref in plan.kept] == [Phase.DISCOVERY, Phase.CLARIFICATION]
    assert receive(record, Message.RESTART_FROM, ["contracts"], NOW)
    advance(record, Trigger.RESTART_FROM_CONTRACTS, NOW)
    assert (record.state, record.skipped) == (State.CONTRACTS, [])
    after = preview(record, RestartFrom(phase=Phase.IMPLEMENTATION_PLAN))
    assert "builds on CONTRACTS, which does not exist yet" in after.refused


def test_a_job_restarted_from_any_phase_is_verified_again_without_touching_what_was_kept() -> None:
    for phase in WORK_PHASES:
        record = verified_job(gates="all")
        before = current_digests(record)
        assert receive(record, Message.RESTART_FROM, [phase.value], NOW)
        advance(record, Trigger.restart(phase), NOW)
        while record.state is not State.VERIFIED:
            one_step(record, PhaseFacts())
        after = current_digests(record)
        at = WORK_PHASES.index(phase)
        assert {p: after[p] for p in WORK_PHASES[:at]} == {p: before[p] for p in WORK_PHASES[:at]}
        assert all(after[p] != before[p] for p in WORK_PHASES[at:])
        assert all(len(record.versions(p)) == 1 for p in WORK_PHASES[:at])


def test_a_restart_from_clarification_asks_again_and_shows_what_was_said() -> None:
    record = verified_job()
    record.questions = [QuestionState(ref=QUESTION, text="both", by="Ann")]
    record.finished = "Ann"
    assert receive(record, Message.RESTART_FROM, [{"phase": "clarification", "changes": "SAML too"}], NOW)
    advance(record, Trigger.RESTART_FROM_CLARIFICATION, NOW)
    assert [(q.open, q.text) for q in record.questions] == [(True, "both")]
    assert (record.finished, record.restarts[-1].changes) == ("", "SAML too")


def test_a_restart_from_discovery_starts_fresh() -> None:
    record = verified_job()
    record.questions = [QuestionState(ref=QUESTION, text="both", by="Ann")]
    record.says = ["mind the cache"]
    assert receive(record, Message.RESTART_FROM, ["discovery"], NOW)
    advance(record, Trigger.RESTART_FROM_DISCOVERY, NOW)
    assert (record.questions, record.says, record.workspace, record.facts) == ([], [], None, {})
    assert current_digests(record) == {}


# --- what is refused ---


def why_refused(record: JobRecord, **given: Any) -> str:
    """Ask for a restart that must be refused; the reason."""
    before = everything_but_the_ledger(record)
    assert receive(record, Message.RESTART_FROM, [given], NOW) is None
    assert everything_but_the_ledger(record) == before
    return record.ledger[-1].why


def test_a_phase_that_nothing_can_restart_from() -> None:
    record = verified_job()
    known = "DISCOVERY, CLARIFICATION, CONTRACTS, IMPLEMENTATION_PLAN, VALIDATION"
    assert why_refused(record, phase="design").endswith(f"unknown phase 'design'; name one of {known}")
    assert why_refused(record, phase="VERIFIED") == "a restart from VERIFIED has nothing to redo"


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("contracts", "names CONTRACTS, which a restart from CONTRACTS redoes; name partial_contracts"),
        ("validation", "names VALIDATION, which a restart from CONTRACTS redoes; name partial_validation"),
        ("verified", "preserve_artifacts names VERIFIED, which has no artifact"),
        ("partial_verified", "preserve_artifacts names VERIFIED, which has no artifact"),
        ("designs", "unknown phase 'designs'"),
        ("partial_designs", "unknown phase 'designs'"),
        ("", "unknown phase ''"),
    ],
)
def test_names_that_cannot_be_kept(named: str, reason: str) -> None:
    keep = ["discovery", "clarification", named]
    assert reason in why_refused(verified_job(), phase="contracts", preserve_artifacts=keep)


def test_keeping_less_than_the_phase_builds_on() -> None:
    record = verified_job()
    refused = why_refused(record, phase="contracts", preserve_artifacts=["Clarification"])
    assert refused == "CONTRACTS builds on DISCOVERY, which is not kept; restart from DISCOVERY or earlier"
    partly = why_refused(record, phase="contracts", preserve_artifacts=["discovery", "partial_clarification"])
    assert "CONTRACTS builds on CLARIFICATION, which is not kept" in partly


def test_a_phase_that_lies_ahead() -> None:
    refused = why_refused(job_in(State.CLARIFICATION), phase="validation")
    assert "VALIDATION builds on CLARIFICATION, which does not exist yet; restart from" in refused


@pytest.mark.parametrize("state", [State.CONTRACTS_AI_REVIEW, State.CONTRACTS_HUMAN_REVIEW])
def test_a_foundation_whose_gate_was_not_passed(state: State) -> None:
    refused = why_refused(job_in(state), phase="implementation_plan")
    assert refused == (
        "IMPLEMENTATION_PLAN builds on CONTRACTS, whose gate was not passed; restart from CONTRACTS"
    )


def restart_once(record: JobRecord) -> None:
    """One restart from DISCOVERY, taken and fired."""
    assert receive(record, Message.RESTART_FROM, ["discovery"], NOW)
    advance(record, Trigger.RESTART_FROM_DISCOVERY, NOW)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_only_so_many_restarts_without_a_person_in_between(most: int) -> None:
    record = new_job(max_restarts=most)
    for _ in range(most):
        restart_once(record)
    assert f"{counted(most, 'restart')} in a row without a person's decision" in why_refused(
        record, phase="discovery"
    )
    assert not can_fire(record.state, Trigger.RESTART_FROM_DISCOVERY, facts_of(record))


def decides_by_approval(record: JobRecord) -> None:
    """A person approves a gate."""
    while not record.gate:
        one_step(record, PhaseFacts())
    assert receive(record, Message.APPROVE, [], NOW)


def decides_by_revision(record: JobRecord) -> None:
    """A person refuses a gate."""
    while not record.gate:
        one_step(record, PhaseFacts())
    assert receive(record, Message.REVISE, ["no"], NOW)
    advance(record, Trigger.REVISE_TECHNICAL, NOW)


def decides_by_answer(record: JobRecord) -> None:
    """A person answers a question."""
    while record.state is not State.CLARIFICATION:
        one_step(record, PhaseFacts())
    record.questions = [QuestionState(ref=QUESTION)]
    assert receive(record, Message.ANSWER, ["both"], NOW)


@pytest.mark.parametrize("decides", [decides_by_approval, decides_by_revision, decides_by_answer])
def test_a_persons_decision_allows_restarts_again(decides: Any) -> None:
    record = new_job(max_restarts=1)
    restart_once(record)
    assert why_refused(record, phase="discovery")
    decides(record)
    restart_once(record)
    assert (record.restarts_in_a_row, record.restarts_total) == (1, 2)


def test_a_preview_changes_nothing() -> None:
    for record in PROGRESS:
        before = record.model_dump_json()
        for phase in Phase:
            for choice in (None, (), WHOLE[:2], PARTIAL):
                preview(record, RestartFrom(phase=phase, preserve_artifacts=choice))
        assert record.model_dump_json() == before
