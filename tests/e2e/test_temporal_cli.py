"""A job from start to end with nothing but the `temporal` program."""

import json
import shlex
from functools import partial
from typing import Any

import pytest

from states.record import JobRecord
from states.view import JobView
from states.words import ArtifactStatus, Awaiting, Mode, Phase, State
from tests.e2e.stage import Stage, job_id, until

TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop"}
CONTRACTS_ONLY = {**TASK, "policy": {"gates": ["contracts"]}}
VALIDATION_ONLY = {**TASK, "policy": {"gates": ["validation"]}}
AT_CLARIFICATION = State.CLARIFICATION_HUMAN_REVIEW
AT_CONTRACTS = State.CONTRACTS_HUMAN_REVIEW
AT_VALIDATION = State.VALIDATION_HUMAN_REVIEW


async def at(stage: Stage, state: State, given: dict[str, Any] | None = None) -> str:
    """A new job, started from the command line, that waits in `state`."""
    job = job_id("cli")
    await stage.cli.start(job, given or TASK)
    await stage.at(job, state)
    return job


def has_left(state: State, view: JobView) -> bool:
    """Whether the job stands in another state."""
    stands = view.awaiting is not Awaiting.NONE or view.state is State.VERIFIED
    return stands and view.state is not state


async def test_start_query_and_approve_with_no_input_until_verified(plain: Stage) -> None:
    job = await at(plain, AT_CLARIFICATION)
    for state in (AT_CLARIFICATION, AT_CONTRACTS, AT_VALIDATION):
        view = JobView.model_validate(await plain.cli.query(job, "view"))
        assert (view.state, view.awaiting, view.mode) == (state, Awaiting.HUMAN_REVIEW, Mode.PLAN)
        assert view.task == TASK["task"]
        assert view.next_commands[0].temporal.startswith("temporal workflow signal --workflow-id cli-")
        await plain.cli.signal(job, "approve")
        await plain.until(job, partial(has_left, state))
    record = JobRecord.model_validate(await plain.cli.query(job, "record_now"))
    assert record.state is State.VERIFIED
    assert [ref.accepted_by for ref in record.artifacts] == [
        ("ai_review",),
        ("unnamed",),
        ("unnamed",),
        ("ai_review",),
        ("unnamed",),
    ]
    ledger = await plain.cli.query(job, "ledger")
    assert [entry["n"] for entry in ledger] == list(range(1, record.ledger_count + 1))
    later = await plain.cli.query(job, "ledger", record.ledger_count - 2)
    assert later == ledger[-2:]
    diagram = await plain.cli.query(job, "diagram")
    assert diagram.startswith("stateDiagram-v2")
    assert "verified" in diagram


async def test_the_next_commands_work_as_they_are_printed(plain: Stage) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    approve, revise = (await plain.view(job)).next_commands
    assert await plain.cli.run(*shlex.split(revise.temporal)[1:])
    assert (await plain.gate(job, "contracts-2")).against
    await plain.cli.run(*shlex.split(approve.temporal)[1:])
    [stale] = await plain.refusals(job)
    assert stale.why.startswith("stale: gate contracts-1 is closed, revised (technical)")
    [approve, _] = (await plain.view(job)).next_commands
    await plain.cli.run(*shlex.split(approve.temporal)[1:])
    await plain.at(job, State.VERIFIED)


@pytest.mark.parametrize(
    "form", ["comment", "gate", "digest", "sha256", "object", "with a digest that policy demands"]
)
async def test_approve_in_every_form(plain: Stage, form: str) -> None:
    demands = form.startswith("with")
    policy = {"gates": ["contracts"], "require_digest": demands}
    job = await at(plain, AT_CONTRACTS, {**TASK, "policy": policy})
    gate = await plain.gate(job, "contracts-1")
    given: dict[str, Any] = {
        "comment": "Looks right to me",
        "gate": gate.id,
        "digest": gate.digest[:12],
        "sha256": f"sha256:{gate.digest}",
        "object": {"gate": gate.id, "digest": gate.digest, "comment": "fine", "by": "ann"},
    }
    await plain.cli.signal(job, "approve", given.get(form, {"digest": gate.digest[:8].upper(), "by": "ann"}))
    await plain.at(job, State.VERIFIED)
    record = await plain.record(job)
    accepted = record.current(Phase.CONTRACTS)
    assert accepted
    assert accepted.digest == gate.digest
    assert accepted.accepted_by == (("unnamed",) if form not in ("object",) and not demands else ("ann",))
    approval = next(e for e in record.ledger if e.what.startswith("approve"))
    assert approval.why == {"comment": "Looks right to me", "object": "fine"}.get(form, "")
    assert not await plain.refusals(job)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("Name the exceptions", Phase.VALIDATION),
        ({"feedback": "Name the exceptions", "kind": "TECHNICAL", "by": "ann"}, Phase.VALIDATION),
        ({"feedback": "The interface is wrong", "kind": "contract"}, Phase.CONTRACTS),
        ({"feedback": "That was not asked for", "kind": "requirement"}, Phase.CLARIFICATION),
    ],
)
async def test_revise_by_kind_leads_back_and_re_earns_the_gate(
    plain: Stage, given: str | dict[str, str], target: Phase
) -> None:
    job = await at(plain, AT_VALIDATION, VALIDATION_ONLY)
    before = await plain.gate(job, "validation-1")
    await plain.cli.signal(job, "revise", given)
    gate = await plain.gate(job, "validation-2")
    record = await plain.record(job)
    words = given if isinstance(given, str) else given["feedback"]
    assert gate.against == before.digest != gate.digest
    moved = [e.what for e in record.ledger if "revise_" in e.what and "->" in e.what]
    assert moved[0].startswith(f"validation_awaiting_human_review -> {target}")
    assert [ref.feedback for ref in record.versions(target)] == [(), (words,)]
    assert record.gates_closed["validation-1"].startswith("revised")


async def test_answers_in_any_order_partial_and_corrected_later(asking: Stage) -> None:
    job = await at(asking, State.CLARIFICATION)
    await asking.cli.signal(job, "say", "We use SAML everywhere")
    await asking.cli.signal(job, "answer", {"question": "q2", "text": "no", "by": "ann"})
    await asking.cli.signal(job, "answer", {"question": "q2", "text": "yes", "by": "bob"})
    await asking.cli.signal(job, "answer", "OAuth2Service")
    await asking.at(job, AT_CLARIFICATION)
    assert [(q.ref.id, q.text, q.by) for q in (await asking.view(job)).questions] == [
        ("q1", "OAuth2Service", "unnamed"),
        ("q2", "yes", "bob"),
    ]
    first = await asking.gate(job, "clarification-1")
    await asking.cli.signal(job, "answer", {"question": "q1", "text": "LegacyAuthService", "by": "ann"})
    gate = await asking.gate(job, "clarification-2")
    assert gate.against == first.digest
    stored = await asking.store.get_artifact(gate.digest)
    assert [r["human_response"] for r in stored.body["resolved_ambiguities"]] == ["LegacyAuthService", "yes"]
    assert stored.body["domain_knowledge_gained"] == ["We use SAML everywhere"]
    assert not await asking.refusals(job)


async def test_current_details_follow_every_message(asking: Stage) -> None:
    job = await at(asking, State.CLARIFICATION)
    metadata = ("workflow", "metadata", "--workflow-id", job)
    both = (await asking.cli.run(*metadata)).out
    assert "q1: " in both
    assert "q2: " in both
    await asking.cli.signal(job, "answer", {"question": "q1", "text": "both"})
    one = (await asking.cli.run(*metadata)).out
    assert "q1: " not in one
    assert "q2: " in one


async def test_finish_turns_open_questions_into_best_guesses(asking: Stage) -> None:
    job = await at(asking, State.CLARIFICATION)
    await asking.cli.signal(job, "answer", {"question": "q1", "text": "both", "by": "ann"})
    await asking.cli.signal(job, "finish")
    gate = await asking.gate(job, "clarification-1")
    stored = await asking.store.get_artifact(gate.digest)
    said = [(r["human_response"], r["answered_by"]) for r in stored.body["resolved_ambiguities"]]
    assert said == [("both", "ann"), ("yes", "best guess")]


async def test_edit_puts_a_persons_version_before_the_gate_again(plain: Stage) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    gate = await plain.gate(job, "contracts-1")
    body = (await plain.store.get_artifact(gate.digest)).body
    wrong = {**body, "method_contracts": [{"method_name": "x"}]}
    await plain.cli.signal(job, "edit", {"artifact": wrong, "base": gate.digest, "by": "ann"})
    [refused] = await plain.refusals(job, 1)
    assert "method_contracts.0" in refused.why
    assert (await plain.view(job)).gate == gate
    mine = {**body, "follows_patterns": True}
    await plain.cli.signal(job, "edit", {"artifact": mine, "base": gate.digest[:12], "by": "ann"})
    again = await plain.gate(job, "contracts-2")
    stored = await plain.store.get_artifact(again.digest)
    assert stored.body["follows_patterns"] is True
    assert stored.body["made_by"] == "person:ann"
    assert (await plain.record(job)).gates_closed[gate.id] == "edited by ann"
    await plain.cli.signal(job, "approve", again.id)
    await plain.at(job, State.VERIFIED)


async def test_restart_from_in_the_alfred_seeds_very_form(asking: Stage) -> None:
    job = await at(asking, State.CLARIFICATION, VALIDATION_ONLY)
    await asking.cli.signal(job, "finish", {"by": "ann"})
    await asking.at(job, AT_VALIDATION)
    before = await asking.record(job)
    seed = {
        "task_id": "AL-001",
        "restart_from": "CLARIFICATION",
        "context": {
            "trigger": "requirements_changed",
            "changes": "Now need to support SAML authentication",
            "preserve_artifacts": ["discovery", "partial_contracts"],
            "invalidated_decisions": ["oauth_only_approach"],
        },
    }
    await asking.cli.signal(job, "restart_from", seed)
    await asking.at(job, State.CLARIFICATION)
    await asking.cli.signal(job, "finish")
    await asking.at(job, AT_VALIDATION)
    after = await asking.record(job)
    assert after.current(Phase.DISCOVERY) == before.current(Phase.DISCOVERY)
    contracts = before.current(Phase.CONTRACTS)
    assert contracts
    assert after.restarts[0].partial == {Phase.CONTRACTS: contracts.digest}
    clarified = after.current(Phase.CLARIFICATION)
    assert clarified
    stored = await asking.store.get_artifact(clarified.digest)
    assert "Now need to support SAML authentication" in stored.body["domain_knowledge_gained"]
    assert "not oauth_only_approach" in stored.body["domain_knowledge_gained"]
    old = [ref.status for ref in after.artifacts[1:5]]
    assert old == [ArtifactStatus.INVALIDATED] * 4


async def test_restart_from_with_a_bare_phase_reaches_a_verified_job(plain: Stage) -> None:
    job = await at(plain, State.VERIFIED, {**TASK, "policy": {"gates": []}})
    before = await plain.record(job)
    await plain.cli.signal(job, "restart_from", "implementation-plan")
    await plain.until(job, lambda view: view.state is State.VERIFIED and view.restarts)
    after = await plain.record(job)
    kept = (Phase.DISCOVERY, Phase.CLARIFICATION, Phase.CONTRACTS)
    assert [after.current(p) for p in kept] == [before.current(p) for p in kept]
    assert len(after.versions(Phase.IMPLEMENTATION_PLAN)) == 2


async def test_pause_holds_an_approved_gate_until_resume(plain: Stage) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    await plain.cli.signal(job, "pause", "waiting for legal")
    view = await plain.until(job, lambda view: view.mode is Mode.PAUSED)
    assert view.hold
    assert view.hold.reason == "waiting for legal"
    assert "resume" in view.next_commands[0].temporal
    await plain.cli.signal(job, "approve", {"by": "ann"})
    assert (await plain.view(job)).state is AT_CONTRACTS
    await plain.cli.signal(job, "resume")
    view = await plain.at(job, State.VERIFIED)
    assert view.mode is Mode.PLAN
    assert not await plain.refusals(job)


@pytest.mark.parametrize("way", ["message", "temporal workflow cancel", "message while paused"])
async def test_cancel_ends_the_job_and_keeps_its_artifacts(plain: Stage, way: str) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    if way == "temporal workflow cancel":
        await plain.cli.run("workflow", "cancel", "--workflow-id", job)
    else:
        if way == "message while paused":
            await plain.cli.signal(job, "pause")
        await plain.cli.signal(job, "cancel", {"reason": "not needed", "by": "ann"})
    ended = await plain.cli.ended(job)
    assert ended["status"] == "COMPLETED"
    assert ended["result"]["state"] == "cancelled"
    kept = await plain.jobs.record(job)
    assert (kept.state, kept.mode) == (State.CANCELLED, Mode.NORMAL)
    discovery = kept.current(Phase.DISCOVERY)
    assert discovery
    assert await plain.store.has(discovery.digest)


async def test_set_budget_is_recorded(plain: Stage) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    await plain.cli.signal(job, "set_budget", {"usd": 2.5, "tokens": 1000, "by": "ann"})
    view = await plain.until(job, lambda view: view.budget_usd)
    assert (view.budget_usd, view.budget_tokens) == (2.5, 1000)


async def test_search_attributes_find_jobs_and_signal_them_in_one_go(plain: Stage) -> None:
    repository = f"/srv/{job_id('batch')}"
    given = {**CONTRACTS_ONLY, "repository": repository}
    jobs = [await at(plain, AT_CONTRACTS, given) for _ in range(2)]
    waiting = f"PhasegateRepository='{repository}' AND PhasegateAwaiting='human_review'"

    async def found() -> list[str]:
        return sorted(await plain.cli.listed(waiting))

    await until(found, lambda found: found == sorted(jobs))
    described = await plain.cli.describe(jobs[0])
    decoded = described["workflowExecutionInfo"]["searchAttributes"]["indexedFields"]
    assert set(decoded) >= {"PhasegateState", "PhasegatePhase", "PhasegateMode", "PhasegateAwaiting"}
    batch = ("--query", waiting, "--name", "approve", "--reason", "Friday", "--yes")
    await plain.cli.run("workflow", "signal", *batch)
    for job in jobs:
        await plain.at(job, State.VERIFIED)
    done = f"PhasegateRepository='{repository}' AND PhasegateState='verified' AND PhasegateMode='Plan'"

    async def verified() -> list[str]:
        return sorted(await plain.cli.listed(done))

    await until(verified, lambda found: found == sorted(jobs))


async def test_current_details_say_what_to_type(plain: Stage) -> None:
    job = await at(plain, AT_CONTRACTS, CONTRACTS_ONLY)
    shown = (await plain.cli.run("workflow", "metadata", "--workflow-id", job, "--output", "json")).json()
    details = json.dumps(shown)
    gate = await plain.gate(job, "contracts-1")
    for word in (
        TASK["task"],
        "contracts_awaiting_human_review",
        gate.id,
        gate.digest[:12],
        "--name approve",
    ):
        assert word in details
