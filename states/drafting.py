"""Options that agents draft side by side: what is finished is kept, what rests is gone on with.

Pure. A drafting is about one exact order and one exact artifact; another order begins another one.
"""

from states.agents import AgentCarry
from states.option_checks import concerns
from states.record import ArtifactRef, Draft, Drafting, JobRecord, Rest
from states.words import Phase


def begin_drafting(record: JobRecord, work: str, base: ArtifactRef, names: tuple[str, ...]) -> Drafting:
    """The drafting of an order; one of the same order goes on as it is."""
    if record.drafting is None or record.drafting.work != work:
        drafts = tuple(Draft(number=number, name=name) for number, name in enumerate(names, 1))
        record.drafting = Drafting(work=work, base=base, drafts=drafts)
    return record.drafting


def kept_base(record: JobRecord, work: str) -> ArtifactRef | None:
    """The artifact that the drafts of this very order are made for, if it was handed over before a pause."""
    return record.drafting.base if record.drafting and record.drafting.work == work else None


def unfinished(record: JobRecord) -> tuple[Draft, ...]:
    """Drafts that have neither an option nor a reason to be left out."""
    return tuple(each for each in record.drafting.drafts if not each.done) if record.drafting else ()


def settle(record: JobRecord, number: int, *, option: str = "", why: str = "") -> None:
    """A draft is there, or is left out."""
    _change(record, number, option=option, why=why, rest=None)


def rest(record: JobRecord, number: int, agent: str, carry: AgentCarry | None) -> None:
    """A draft's conversation rests."""
    assert record.drafting is not None
    kept = Rest(agent=agent, work=record.drafting.work, carry=carry) if carry else None
    _change(record, number, rest=kept)


def names_to_draft(record: JobRecord, phase: Phase, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Which options are drafted: new ones for a plan, in VALIDATION those that feedback is about.

    New ones have no name yet.
    """
    if phase is Phase.IMPLEMENTATION_PLAN:
        return ("",) * record.spec.policy.option_count
    refused = next((ref for ref in record.versions(phase) if ref.digest == record.refused.get(phase)), None)
    plan, facts = record.current(Phase.IMPLEMENTATION_PLAN), record.facts.get(phase)
    if refused is None or plan is None or facts is None:
        return ()
    if refused.built_from.get(Phase.IMPLEMENTATION_PLAN) != plan.digest:
        # The plan is another one, and so are its options.
        return ()
    names = [option.id for option in facts.options]
    fresh = [text for text in asked if text not in refused.feedback]
    return tuple(name for name in names if any(concerns(text, name, names) for text in fresh))


def _change(record: JobRecord, number: int, **fields: object) -> None:
    assert record.drafting is not None
    drafts = tuple(
        each.model_copy(update=fields) if each.number == number else each for each in record.drafting.drafts
    )
    record.drafting = record.drafting.model_copy(update={"drafts": drafts})
