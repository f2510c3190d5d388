"""The loop of the planning workflow in small: no Temporal, and an outside world that does what it is told."""

from dataclasses import dataclass

from states.advance import advance, end
from states.facts import decisions_enough, facts_of
from states.holding import pause
from states.ledger import EntryKind
from states.machine import MoveRefused
from states.receive import note_refusal
from states.record import Demand, Hold, JobRecord
from states.review import PhaseFacts
from states.words import Message, QuestionHandling, ReviewKind, Stage, State, Trigger
from tests.states.job_maker import NOW, everything_but_the_ledger, hand_over, reviewed
from tests.states.table_model import plain_model, where

MODEL = plain_model()
COMPLEX = PhaseFacts()
"""of a task that follows no pattern, so that CONTRACTS is needed"""


@dataclass(frozen=True)
class Outside:
    """What the outside world does in one round, when it is asked."""

    stale: bool = False
    """work comes back that was built from other artifacts than the current ones"""
    kinds: tuple[ReviewKind, ...] = ()
    """the blocking findings of an AI review"""
    facts: PhaseFacts = COMPLEX
    fails: bool = False
    """an activity fails for good, or the time of a verified job is over"""


class LoopDouble:
    """Fires what the workflow would fire, and checks each move against the plain model of the table."""

    def __init__(self, record: JobRecord) -> None:
        self.record = record
        self.done = False

    def happened(self, outside: Outside) -> Trigger | None:
        """What this round comes to; None when the loop should look again."""
        record = self.record
        if record.demand:
            return self._demanded(record.demand, outside)
        if record.hold:
            return None
        if outside.fails and record.state.stage in (Stage.WORK, Stage.AI_REVIEW):
            pause(record, Hold(reason="the key is wrong", by="phasegate", failed=True), NOW)
            return None
        match record.state.stage:
            case Stage.WORK:
                return self._work(outside)
            case Stage.AI_REVIEW:
                return reviewed(record, *outside.kinds, facts=outside.facts)
            case Stage.HUMAN_REVIEW:
                return Trigger.HUMAN_APPROVE if decisions_enough(record) else None
            case Stage.VERIFIED:
                if outside.fails:
                    end(record, NOW)
                    self.done = True
            case Stage.CANCELLED:
                self.done = True
        return None

    def _demanded(self, demand: Demand, outside: Outside) -> Trigger | None:
        """A person's version is checked first; every other demand is fired as it is."""
        if demand.trigger is not Trigger.EDIT:
            return demand.trigger
        if outside.fails:
            note_refusal(self.record, Message.EDIT, "the artifact's title is blank", NOW)
            self.record.demand = None
            return None
        hand_over(self.record)
        return Trigger.EDIT

    def _work(self, outside: Outside) -> Trigger | None:
        """The phase hands over; CLARIFICATION when its questions are answered or the dialogue was ended."""
        record = self.record
        if facts_of(record).artifact_ready:
            return Trigger.SUBMIT
        if record.state is State.CLARIFICATION and record.open_questions() and not record.finished:
            handling = record.spec.policy.question_handling
            if handling is QuestionHandling.SKIP_TASK and any(
                q.ref.critical for q in record.open_questions()
            ):
                record.demand = Demand(trigger=Trigger.CANCEL, by="policy:skip_task")
                return None
            if handling is QuestionHandling.ASK:
                return None
            record.finished = "policy:best_guess"
        hand_over(record, stale=outside.stale)
        return Trigger.SUBMIT

    def fire(self, trigger: Trigger) -> State | None:
        """Move as the model says, or not at all: then None, and the workflow's way with a refused move."""
        record = self.record
        before, source, pending = everything_but_the_ledger(record), record.state, record.demand
        expected = where(MODEL, source, trigger, facts_of(record))
        count = record.ledger_count
        try:
            advance(record, trigger, NOW)
        except MoveRefused as refused:
            assert expected is None
            assert everything_but_the_ledger(record) == before
            note_refusal(record, trigger, str(refused), NOW)
            record.demand = None
            if pending is None:
                pause(record, Hold(reason=str(refused), by="phasegate", failed=True), NOW)
            return None
        assert record.state is expected
        assert record.demand == (None if pending and pending.trigger is trigger else pending)
        first = record.ledger[count]
        assert (first.kind, first.what) == (EntryKind.TRANSITION, f"{source} -> {expected} ({trigger})")
        return expected
