"""Random stories of a job against the plain model: messages good and bad, work, reviews, failures."""

import sys
from datetime import datetime
from typing import Any

import pytest
from hypothesis import Phase as Step
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from states.advance import advance
from states.details import details_of
from states.facts import decisions_enough
from states.ledger import EntryKind
from states.messages import Ack
from states.people import AI_REVIEW
from states.policy import Policy
from states.receive import receive
from states.record import JobRecord
from states.review import PhaseFacts, QuestionRef
from states.view import view_of
from states.words import (
    WORK_PHASES,
    ArtifactStatus,
    Awaiting,
    Level,
    Mode,
    Phase,
    QuestionHandling,
    ReviewKind,
    Stage,
    State,
    Trigger,
)
from tests.states import loop_double
from tests.states.job_maker import NOW, SIMPLE, everything_but_the_ledger, new_job
from tests.states.loop_double import LoopDouble, Outside

Letter = tuple[str, list[Any]]

NAMES = ["Ann", "Bob", "Cem"]
PEOPLE = st.sampled_from(["", *NAMES])
PHASE_NAMES = st.sampled_from([p.name for p in Phase])
QUESTIONS = tuple(
    QuestionRef(id=f"q{n}", text=f"Which of the two should change, number {n}?", critical=n == 1)
    for n in (1, 2)
)
FACTS = st.builds(
    PhaseFacts,
    files_affected=st.sampled_from([1, 5]),
    existing_pattern=st.booleans(),
    follows_patterns=st.booleans(),
    complexity=st.sampled_from([Level.LOW, Level.HIGH]),
    coverage=st.sampled_from([1.0, 0.5]),
    sensitive=st.sampled_from([(), ("authentication",)]),
    questions=st.sampled_from([(), QUESTIONS[:1], QUESTIONS]),
)
POLICIES = st.fixed_dictionaries(
    {
        "gates": st.sampled_from(["all", "clarification,contracts,validation"])
        | st.lists(st.sampled_from(list(WORK_PHASES)), unique=True),
        "approvals": st.integers(1, 2),
        "max_revisions": st.integers(0, 2),
        "max_human_revisions": st.integers(1, 5),
        "max_restarts": st.integers(0, 3),
        "skip_human_reviews": st.booleans(),
        "auto_approve_contracts": st.booleans(),
        "question_handling": st.sampled_from(QuestionHandling),
    }
)
LETTERS: st.SearchStrategy[Letter] = st.one_of(
    st.builds(lambda by: ("approve", [{"by": by}]), PEOPLE),
    st.builds(lambda by: ("revise", [{"feedback": "no", "by": by}]), PEOPLE),
    st.builds(
        lambda q: ("answer", [{"text": "the newer", "question": q}]), st.sampled_from(["", "q1", "q2"])
    ),
    st.builds(
        lambda phase, keep: (
            "restart_from",
            [{"restart_from": phase, "context": {"preserve_artifacts": keep}}],
        ),
        PHASE_NAMES,
        st.none() | st.lists(PHASE_NAMES | st.just("partial_contracts"), max_size=4, unique=True),
    ),
    st.sampled_from(
        [
            ("say", ["mind the cache"]),
            ("finish", []),
            ("edit", [{"artifact": "c" * 64, "base": "d" * 64}]),
            ("pause", ["lunch"]),
            ("resume", []),
            ("resume", []),
            ("set_budget", [{"usd": 2.5}]),
        ]
    ),
)
GARBAGE: list[Letter] = [
    ("aprove", []),
    ("approve", [7]),
    ("approve", ["contracts-99"]),
    ("approve", [{"digest": "0" * 64}]),
    ("approve", [{"by": "policy:skip_human_reviews"}]),
    ("revise", []),
    ("answer", [{"question": "q9", "text": "?"}]),
    ("restart_from", [{"restart_from": "DESIGN"}]),
    ("set_budget", [{"usd": float("inf")}]),
    ("edit", [{"artifact": {"a": "\ud800"}, "base": "a" * 64}]),
    ("act", []),
    ("say", [{"text": "x", "more": 1}]),
]
OUTSIDE = st.builds(
    Outside,
    stale=st.sampled_from([False] * 7 + [True]),
    kinds=st.sampled_from([(), (), *((kind,) for kind in ReviewKind), tuple(ReviewKind)]),
    facts=st.just(SIMPLE) | FACTS,
    fails=st.sampled_from([False] * 11 + [True]),
)
OVERTAKEN: st.SearchStrategy[Letter | None] = st.sampled_from(
    [None] * 4 + [("restart_from", ["discovery"]), ("pause", []), ("answer", ["the older one"])]
)
EVENTS = st.one_of(
    st.tuples(st.just("round"), OUTSIDE, OVERTAKEN),
    st.tuples(st.just("goes_well"), st.integers(1, 12), st.booleans()),
    st.tuples(st.just("decide"), st.sampled_from(["approve", "edit", *ReviewKind]), PEOPLE),
    st.tuples(st.just("review"), OUTSIDE),
    st.tuples(st.just("message"), LETTERS),
    st.tuples(st.just("garbage"), st.sampled_from(GARBAGE)),
    st.tuples(st.just("cancel")),
)


class JobMachine(RuleBasedStateMachine):
    """One rule for all that can happen: hypothesis would leave out half of many rules in each story."""

    loop: LoopDouble

    @property
    def record(self) -> JobRecord:
        return self.loop.record

    @initialize(policy=POLICIES)
    def begin(self, policy: dict[str, Any]) -> None:
        self.loop = LoopDouble(new_job(**policy))

    @rule(what=EVENTS)
    def something_happens(self, what: tuple[Any, ...]) -> None:
        name, *given = what
        getattr(self, f"_{name}")(*given)

    # --- what can happen ---

    def _send(self, name: str, *args: Any) -> None:
        """Any message at any time; a refused one changes nothing but the ledger."""
        before, count = everything_but_the_ledger(self.record), self.record.ledger_count
        state = self.record.state
        if receive(self.record, name, args, NOW) is None:
            assert everything_but_the_ledger(self.record) == before
            assert self.record.ledger_count == count + 1
            assert self.record.ledger[-1].kind is EntryKind.REFUSED
        assert self.record.state is state, "only the loop moves"

    def _message(self, letter: Letter) -> None:
        self._send(letter[0], *letter[1])

    def _garbage(self, letter: Letter) -> None:
        """A message that no job takes at any time."""
        self._send(letter[0], *letter[1])
        assert self.record.ledger[-1].kind is EntryKind.REFUSED

    def _cancel(self) -> None:
        """Late enough for most stories to have been told."""
        if self.record.ledger_count > 100:
            self._send("cancel")

    def _decide(self, decision: str, by: str) -> None:
        """A person who has read the next gate that opens says something about it."""
        self._reach(Stage.HUMAN_REVIEW)
        if not (gate := self.record.gate):
            return
        bound = {"gate": gate.id, "digest": gate.digest, "by": by}
        if decision == "approve":
            self._send("approve", bound)
        elif decision == "edit":
            self._send("edit", {"artifact": {"a": 1}, "base": gate.digest, "by": by})
        else:
            self._send("revise", {**bound, "feedback": "not like this", "kind": decision})
        self._round(Outside(), None)

    def _review(self, outside: Outside) -> None:
        """The next AI review finds something."""
        self._reach(Stage.AI_REVIEW)
        self._round(outside, None)

    def _reach(self, stage: Stage) -> None:
        """Go on for a while, until somebody else has the ball."""
        for _ in range(4):
            if self.record.state.stage is not stage:
                self._goes_well(1, simple=False)

    def _round(self, outside: Outside, overtaken: Letter | None) -> None:
        """One round of the loop; `overtaken` is a message that comes in together with the work's result."""
        if self.loop.done:
            return
        trigger = self.loop.happened(outside)
        if overtaken:
            self._message(overtaken)
        if trigger and (dest := self.loop.fire(trigger)):
            event(f"{trigger} -> {dest}")

    def _goes_well(self, rounds: int, simple: bool) -> None:
        """Everything succeeds and people say yes: the way to the late states."""
        for _ in range(rounds):
            for question in self.record.open_questions():
                self._send("answer", {"question": question.ref.id, "text": "the newer one", "by": "Ann"})
            for by in ("Ann", "Bob"):
                if self.record.gate and not decisions_enough(self.record):
                    self._send("approve", {"by": by})
            self._round(Outside(facts=SIMPLE if simple else PhaseFacts()), None)

    # --- what must hold all the time ---

    @invariant()
    def a_gate_is_open_in_human_review_only(self) -> None:
        gate = self.record.gate
        assert (gate is not None) == (self.record.state.stage is Stage.HUMAN_REVIEW)
        if gate:
            assert gate.phase is self.record.state.phase
            assert gate.id not in self.record.gates_closed
            assert all(d.digest == gate.digest for d in gate.decisions)
            ref = self.record.current(gate.phase)
            assert ref is not None
            assert ref.digest == gate.digest

    @invariant()
    def one_current_artifact_per_phase(self) -> None:
        current = [ref.phase for ref in self.record.artifacts if ref.status is ArtifactStatus.CURRENT]
        assert len(current) == len(set(current))
        for phase in WORK_PHASES:
            versions = [ref.version for ref in self.record.versions(phase)]
            assert versions == list(range(1, len(versions) + 1))

    @invariant()
    def accepted_artifacts_stand_on_current_ones(self) -> None:
        now = {p: ref.digest for p in WORK_PHASES if (ref := self.record.current(p))}
        for ref in self.record.artifacts:
            if ref.status is ArtifactStatus.CURRENT and ref.accepted_by:
                assert all(now.get(phase) == digest for phase, digest in ref.built_from.items())

    @invariant()
    def what_lies_behind_was_accepted(self) -> None:
        """No phase is worked on, reviewed or verified on top of something that nobody let pass."""
        phase = self.record.state.phase
        if phase is None:
            return
        before = WORK_PHASES if phase is Phase.VERIFIED else WORK_PHASES[: WORK_PHASES.index(phase)]
        for each in before:
            ref = self.record.current(each)
            if each in self.record.skipped:
                assert (each, ref) == (Phase.CONTRACTS, None)
            else:
                assert ref is not None
                assert ref.accepted_by
                self._decided_by_who_may(each, ref.accepted_by)

    def _decided_by_who_may(self, phase: Phase, names: tuple[str, ...]) -> None:
        policy = self.record.spec.policy
        persons = [name for name in names if name in ("unnamed", *NAMES)]
        policies = [name for name in names if name.startswith("policy:")]
        assert len(persons) + len(policies) + names.count(AI_REVIEW) == len(names)
        if phase in policy.gates:
            assert AI_REVIEW not in names
            assert len(policies) == 1 or len(set(persons)) >= policy.approvals
            assert not (policies and persons)
        else:
            assert not policies

    @invariant()
    def ledger_numbers_are_consecutive(self) -> None:
        assert [e.n for e in self.record.ledger] == list(range(1, self.record.ledger_count + 1))

    @invariant()
    def the_record_survives_json(self) -> None:
        assert JobRecord.model_validate(self.record.model_dump(mode="json")) == self.record
        assert JobRecord.model_validate_json(self.record.model_dump_json()) == self.record

    @invariant()
    def people_can_always_look(self) -> None:
        view = view_of(self.record)
        assert view.state is self.record.state
        assert details_of(self.record)
        if view.awaiting is not Awaiting.NONE:
            assert view.next_commands
        if self.record.hold:
            assert view.awaiting is Awaiting.OPERATOR

    @invariant()
    def the_mode_fits_the_hold(self) -> None:
        record = self.record
        assert (record.mode is Mode.PAUSED) == (record.hold is not None)
        assert (record.mode is Mode.PAUSED) == (record.paused_from is not None)
        assert (record.mode is Mode.NORMAL) == (self.loop.done or record.state is State.CANCELLED)


# A story that fails is printed as it is: to shrink it takes minutes, and the last lines say enough.
UNSHRUNK = [Step.explicit, Step.reuse, Step.generate]
JobMachine.TestCase.settings = settings(
    max_examples=80, stateful_step_count=50, deadline=None, phases=UNSHRUNK
)
TestJobMachine = JobMachine.TestCase


# --- the machine sees what is wrong ---


def forgets_demands(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    """As advance() once did: whatever was demanded is gone after any move."""
    advance(record, trigger, now)
    record.demand = None


def leaves_gates_open(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    """A gate outlives its state."""
    gate = record.gate
    advance(record, trigger, now)
    record.gate = record.gate or gate


def keeps_everything(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    """A revision or a restart invalidates nothing."""
    before = list(record.artifacts)
    advance(record, trigger, now)
    if trigger.startswith(("revise", "restart")):
        record.artifacts = before


def approves_on_its_own(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    """AI review passes for a person."""
    if trigger is Trigger.AI_APPROVE:
        gates = record.spec.policy.gates
        record.spec = record.spec.model_copy(update={"policy": Policy(gates=())})
        advance(record, trigger, now)
        policy = record.spec.policy.model_copy(update={"gates": gates})
        record.spec = record.spec.model_copy(update={"policy": policy})
    else:
        advance(record, trigger, now)


@pytest.mark.parametrize(
    "broken", [forgets_demands, leaves_gates_open, keeps_everything, approves_on_its_own]
)
def test_a_broken_job_is_caught(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_double, "advance", broken)
    few = settings(JobMachine.TestCase.settings, max_examples=60, database=None, derandomize=True)
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(JobMachine, settings=few)


def test_a_refusal_that_leaves_a_trace_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = receive

    def leaves_a_trace(record: JobRecord, name: str, args: Any, now: datetime) -> Ack | None:
        taken = honest(record, name, args, now)
        record.says += [] if taken else ["it was refused"]
        return taken

    monkeypatch.setattr(sys.modules[__name__], "receive", leaves_a_trace)
    few = settings(JobMachine.TestCase.settings, max_examples=20, database=None, derandomize=True)
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(JobMachine, settings=few)
