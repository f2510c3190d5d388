"""The agents of a job: who was put to work, what they used, and what rests."""

from datetime import datetime

from states.agents import AgentCarry, AgentEnd, AgentKind, AgentNote, Usage
from states.ledger import EntryKind
from states.receive import pause
from states.record import Hold, JobRecord, Rest
from states.spending import in_words
from states.words import HoldKind, Phase

SHORT = {AgentKind.PLAN: "", AgentKind.REVIEW: "review-", AgentKind.EXPLAIN: "explain-"}


def hold_for_budget(record: JobRecord, why: str, now: datetime) -> None:
    """Stop and ask for a larger budget."""
    record.note(now, EntryKind.AGENT, "the budget is used up", why=why)
    pause(record, Hold(reason=why, by="phasegate", kind=HoldKind.BUDGET, since=now), now)


def hire(record: JobRecord, kind: AgentKind, phase: Phase, models: tuple[str, ...]) -> str:
    """Enter an agent into the record; gives its id, which no other agent of the job has."""
    number = 1 + sum(1 for each in record.agents if each.kind is kind and each.phase is phase)
    agent = f"{SHORT[kind]}{phase}-{number}"
    record.agents.append(AgentNote(id=agent, kind=kind, phase=phase, models=models))
    return agent


def book(
    record: JobRecord,
    agent: str,
    end: AgentEnd,
    usage: Usage,
    used: tuple[str, ...],
    reason: str,
    now: datetime,
    head: str = "",
) -> None:
    """Enter what an agent used and how it ended."""
    blind = record.budget_usd is not None and not _without_price(record.spent())
    index = next(i for i, each in enumerate(record.agents) if each.id == agent)
    record.agents[index] = record.agents[index].model_copy(
        update={"end": end, "usage": usage, "used": used, "reason": reason[:400], "head": head}
    )
    who = ", ".join(f"model:{name}" for name in used)
    record.note(now, EntryKind.AGENT, f"{agent} {end}: {in_words(usage)}", who=who, why=reason)
    if blind and _without_price(usage):
        record.note(
            now,
            EntryKind.AGENT,
            "the budget in USD cannot count this model: its price is not known",
            why=f"a limit on tokens holds for every model: phasegate budget {record.job} --tokens N",
        )


def _without_price(usage: Usage) -> int:
    """Calls of models whose price is not known; one that was given up says nothing about its model."""
    return usage.unpriced_calls - usage.given_up_calls


def taken_over(record: JobRecord, work: str) -> AgentCarry | None:
    """The conversation of an earlier agent of exactly this work, if one rests; it rests no more."""
    rest, record.rest = record.rest, None
    return rest.carry if rest and rest.work == work else None


def lay_down(record: JobRecord, agent: str, work: str, end: AgentEnd, carry: AgentCarry | None) -> None:
    """Keep a conversation for the next agent. One that failed has all its tries again."""
    if carry is None:
        return
    if end is AgentEnd.FAILED:
        carry = carry.model_copy(update={"iterations": 0, "repairs": 0})
    record.rest = Rest(agent=agent, work=work, carry=carry)
