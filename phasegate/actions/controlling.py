"""`restart`, `pause`, `resume`, `cancel`, `budget`."""

from typing import Any

from rich.text import Text

from phasegate.actions.deciding import acknowledged, given, send
from phasegate.actions.jobs import find_job, named, read_phase
from phasegate.problems import Exit, RefusedByJob, WrongUse
from phasegate.screen.asking import ask
from phasegate.screen.restart import restart_lines
from phasegate.session import Outcome, Session
from states.messages import Malformed, RestartFrom, parse
from states.words import Message


async def restart_job(session: Session, prefix: str, payload: dict[str, Any], dry_run: bool) -> Outcome:
    """Show what is kept, redone and invalidated, then do it unless it is a dry run."""
    if not payload["phase"]:
        raise WrongUse("restart needs a phase, such as: phasegate restart JOB CONTRACTS")
    payload = given({**payload, "phase": read_phase(payload["phase"]).value, "by": named(payload["by"])})
    try:
        request = parse(Message.RESTART_FROM, [payload])
    except Malformed as problem:
        raise WrongUse(str(problem)) from None
    assert isinstance(request, RestartFrom)
    client, job = await find_job(session, prefix)
    plan = await client.preview(job, request)
    data = {"job": job, "dry_run": dry_run, "plan": plan.model_dump(mode="json")}
    if plan.refused:
        raise RefusedByJob(plan.refused)
    lines = tuple(restart_lines(plan))
    if dry_run:
        return Outcome(data, (*lines, Text("nothing was changed: this was a dry run", "dim")))
    ack = acknowledged(job, await client.restart(job, payload))
    return Outcome({**data, **ack.data}, (*lines, *ack.parts))


async def pause_job(session: Session, prefix: str, reason: str, by: str) -> Outcome:
    """Start no new work."""
    return await send(session, prefix, Message.PAUSE, {"reason": reason, "by": named(by)})


async def resume_job(session: Session, prefix: str, reason: str, by: str) -> Outcome:
    """Go on."""
    return await send(session, prefix, Message.RESUME, {"reason": reason, "by": named(by)})


async def cancel_job(session: Session, prefix: str, reason: str, yes: bool, by: str) -> Outcome:
    """Ask first; where nobody can be asked, --yes must say so."""
    client, job = await find_job(session, prefix)
    if not yes:
        if not session.interactive:
            raise WrongUse(f"cancelling {job} needs --yes where nobody can be asked")
        if ask(f"cancel {job}? [y/N] ").lower() not in ("y", "yes"):
            return Outcome(None, (Text("nothing was changed"),), Exit.REFUSED)
    ack = await client.send(job, Message.CANCEL, given({"reason": reason, "by": named(by)}))
    return acknowledged(job, ack)


async def set_budget(
    session: Session, prefix: str, usd: float | None, tokens: int | None, by: str
) -> Outcome:
    """Change the limits that were given, leave the others."""
    if usd is None and tokens is None:
        raise WrongUse("budget needs --usd or --tokens, such as: phasegate budget JOB --usd 5")
    payload: dict[str, Any] = {"usd": usd, "tokens": tokens, "by": named(by)}
    return await send(session, prefix, Message.SET_BUDGET, payload)
