"""Which of the options is to be carried out: a person's choice, or that of a named policy."""

from datetime import datetime

from states.artifacts.plan import PlanOption
from states.ledger import EntryKind
from states.options import Criterion, ranked, risk_level
from states.policy import AUTO_SELECT, doubts
from states.record import JobRecord, Selection
from states.review import OptionFact
from states.words import Phase, State

CHOOSING = (State.VALIDATION_HUMAN_REVIEW, State.VERIFIED)
"""the states in which there is something to choose from"""


def option_facts(
    options: tuple[PlanOption, ...], weights: dict[Criterion, float], plans: dict[str, str]
) -> tuple[OptionFact, ...]:
    """What a job remembers of its options, best first. `plans`: option -> digest of its stored plan."""
    return tuple(
        OptionFact(
            id=each.option.id,
            title=each.option.title,
            rank=each.rank,
            score=round(each.score, 4),
            complexity=each.option.plan.estimates.complexity,
            confidence=each.option.plan.estimates.confidence,
            duration_minutes=each.option.plan.estimates.duration_minutes,
            risk=risk_level(each.option.plan.risks),
            steps=len(each.option.plan.steps),
            plan=plans[each.option.id],
            version=each.option.plan.version,
            source=each.option.source,
        )
        for each in ranked(options, weights)
    )


def options_at_hand(record: JobRecord) -> tuple[OptionFact, ...]:
    """The options that can be chosen from now, best first."""
    facts = record.facts.get(Phase.VALIDATION)
    return facts.options if facts and record.state in CHOOSING else ()


def find_option(record: JobRecord, name: str) -> OptionFact | None:
    """An option by its id, in any case, or by its rank."""
    wanted = name.strip().casefold()
    at_hand = options_at_hand(record)
    by_id = next((each for each in at_hand if each.id.casefold() == wanted), None)
    return by_id or next((each for each in at_hand if str(each.rank) == wanted), None)


def choose(record: JobRecord, option: OptionFact, by: str, now: datetime) -> None:
    """Select an option in somebody's name."""
    ref = record.current(Phase.VALIDATION)
    assert ref is not None, "options come with the VALIDATION artifact"
    record.selected = Selection(option=option.id, by=by, at=now, digest=ref.digest, plan=option.plan)


def drop_stale_selection(record: JobRecord, now: datetime) -> None:
    """A choice holds for the very VALIDATION artifact that it was made from."""
    chosen, ref = record.selected, record.current(Phase.VALIDATION)
    if chosen is None or (ref is not None and ref.digest == chosen.digest):
        return
    record.selected = None
    why = "the options it was chosen from are no longer current"
    record.note(now, EntryKind.NOTE, f"option {chosen.option} is no longer selected", why=why)


def select_by_policy(record: JobRecord, now: datetime) -> None:
    """Of a verified plan that nobody chose an option of: the best one, if the policy says so."""
    at_hand = options_at_hand(record)
    if record.selected or not at_hand or not record.spec.policy.auto_select_best:
        return
    best = at_hand[0]
    if why := not_selected_because(record):
        record.note(now, EntryKind.NOTE, "no option is selected: a person chooses", who=AUTO_SELECT, why=why)
        return
    choose(record, best, AUTO_SELECT, now)
    record.note(now, EntryKind.NOTE, f"option {best.id} is selected", who=AUTO_SELECT, digest=best.plan)


def not_selected_because(record: JobRecord) -> str:
    """Why `auto_select_best` leaves a verified job's choice to a person; blank where it does not."""
    at_hand = options_at_hand(record)
    asked = record.spec.policy.auto_select_best and record.state is State.VERIFIED
    if record.selected or not at_hand or not asked:
        return ""
    return "; ".join(doubts(record.spec.policy, at_hand[0]))
