"""The agents of a job: who was put to work, what they used, and what rests."""

from datetime import datetime

from states.agents import AgentCarry, AgentEnd, AgentKind, AgentNote, Usage
from states.holding import pause
from states.ledger import EntryKind
from states.record import Hold, JobRecord, Rest
from states.spending import in_words
from states.words import HoldKind, Phase

SHORT = {
    AgentKind.PLAN: "",
    AgentKind.REVIEW: "review-",
    AgentKind.EXPLAIN: "explain-",
    AgentKind.OPTION: "option-",
    AgentKind.CODE: "code-",
}
MOST_AGENTS = 60
"""agents of a job that have a line of their own: five plans from end to end; older ones are summed up"""


def hold_for_budget(record: JobRecord, why: str, now: datetime) -> None:
    """Stop and ask for a larger budget; while a person's pause holds, that is for later: resuming asks."""
    record.note(now, EntryKind.AGENT, "the budget is used up", why=why)
    if record.hold is None or record.hold.kind is not HoldKind.PERSON:
        pause(record, Hold(reason=why, by="phasegate", kind=HoldKind.BUDGET, since=now), now)


def hire(record: JobRecord, kind: AgentKind, phase: Phase, models: tuple[str, ...]) -> AgentNote:
    """Enter an agent into the record, with an id that no other agent of the job has."""
    _sum_up(record)
    number = 1 + sum(each.agents for each in record.agents if each.kind is kind and each.phase is phase)
    note = AgentNote(id=f"{SHORT[kind]}{phase}-{number}", kind=kind, phase=phase, models=models)
    record.agents.append(note)
    return note


def call_back(record: JobRecord, agent: str, models: tuple[str, ...]) -> AgentNote | None:
    """Put an agent to work again, whose conversation rested; None when it has no line of its own any more."""
    note = next((each for each in record.agents if each.id == agent), None)
    if note is None:
        return None
    record.agents.remove(note)
    again = note.model_copy(update={"models": models, "end": None, "reason": "", "runs": note.runs + 1})
    record.agents.append(again)
    return again


def _sum_up(record: JobRecord) -> None:
    """One line in place of the oldest agents of a kind and phase, as often as there are too many."""
    while sum(not each.summed for each in record.agents) >= MOST_AGENTS:
        oldest = next(each for each in record.agents if not each.summed)
        name = f"earlier-{SHORT[oldest.kind]}{oldest.phase}"
        sums = next((each for each in record.agents if each.id == name), None)
        record.agents.remove(oldest)
        if sums is None:
            sums = AgentNote(id=name, kind=oldest.kind, phase=oldest.phase, models=(), runs=0)
            record.agents.insert(0, sums)
        record.agents[record.agents.index(sums)] = _together(sums, oldest)


def _together(sums: AgentNote, note: AgentNote) -> AgentNote:
    return sums.model_copy(
        update={
            "models": _union(sums.models, note.models),
            "used": _union(sums.used, note.used),
            "end": note.end or AgentEnd.STOPPED,
            "usage": sums.usage + note.usage,
            "reason": f"the last of {sums.summed + 1}",
            "runs": sums.runs + note.runs,
            "summed": sums.summed + 1,
        }
    )


def _union(some: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))


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
    """Enter what an agent used, on top of its earlier runs, and how it ended."""
    blind = record.budget_usd is not None and not _without_price(record.spent())
    index = next(i for i, each in enumerate(record.agents) if each.id == agent)
    note = record.agents[index]
    record.agents[index] = note.model_copy(
        update={
            "end": end,
            "usage": note.usage + usage,
            "used": _union(note.used, used),
            "reason": reason[:400],
            "head": head or note.head,
        }
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


def taken_over(record: JobRecord, work: str) -> Rest | None:
    """The conversation of an earlier agent of exactly this work, if one rests; it rests no more."""
    rest, record.rest = record.rest, None
    return rest if rest and rest.work == work else None


def lay_down(record: JobRecord, agent: str, work: str, end: AgentEnd, carry: AgentCarry | None) -> None:
    """Keep a conversation for the next agent. One that failed has all its tries again."""
    if carry is None:
        return
    if end is AgentEnd.FAILED:
        carry = carry.model_copy(update={"iterations": 0, "repairs": 0})
    record.rest = Rest(agent=agent, work=work, carry=carry)
