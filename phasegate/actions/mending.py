"""`edit --plan`: a person's plan in the place of an option's, also after that was carried out."""

import json
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from phasegate.actions.deciding import acknowledged
from phasegate.actions.editing import checked, send_version
from phasegate.actions.jobs import find_job, named
from phasegate.client import JobClient
from phasegate.plan_templates import read_ready
from phasegate.problems import NoWorker, Problem, RefusedByJob, WrongUse
from phasegate.screen.tame import tame_line
from phasegate.session import Outcome, Session
from states.artifacts.base import digest_of
from states.artifacts.plan import PlanOption
from states.execution import ExecutionStatus
from states.record import Gate
from states.restart import IMPLEMENTATION_FAILED
from states.selecting import CHOOSING
from states.view import JobView
from states.words import Phase, State


async def put_plan(session: Session, prefix: str, file: str, option: str, by: str) -> Outcome:
    """Put a file's plan in an option's place, at the VALIDATION gate, which opens again where it is shut.

    `option` names the one that it replaces; blank: the one of that name, else the only one. Raises WrongUse,
    RefusedByJob.
    """
    client, job = await find_job(session, prefix)
    written = read_ready(file, named(by)).option
    view = await client.view(job)
    if view.state not in CHOOSING:
        raise RefusedByJob(
            f"a plan is put in place at the VALIDATION gate or later; the job is in {view.state}"
        )
    name = _place_of(written, option, [each.id for each in view.options])
    if any(each.id == name and each.plan == _digest(written, each.version) for each in view.options):
        raise RefusedByJob(f"{file} is the plan that option {name} has already; mend it first")
    gate = _open_gate(view) or await _opened_again(session, client, view, named(by))
    stored = await client.store.get_artifact(gate.digest)
    options = _replaced(stored.body.get("options", []), written, name)
    body = checked(gate.phase, json.dumps({**stored.body, "options": options}))
    return acknowledged(job, await send_version(client, job, gate, body, named(by)))


def _open_gate(view: JobView) -> Gate | None:
    return view.gate if view.state is State.VALIDATION_HUMAN_REVIEW else None


async def _opened_again(session: Session, client: JobClient, view: JobView, by: str) -> Gate:
    """Have a verified job ask at its VALIDATION gate again."""
    if view.acting:
        raise RefusedByJob(f"the plan is being carried out; `phasegate pause {view.job}` stops it first")
    failed = view.act is not None and view.act.status is ExecutionStatus.FAILED
    trigger = {"trigger": IMPLEMENTATION_FAILED} if failed else {}
    ack = await client.restart(view.job, {"phase": Phase.VALIDATION.value, **trigger, "by": by})
    if not ack.state:
        raise NoWorker(f"{ack.note}; once the VALIDATION gate is open again, say it again")
    session.say(Text(tame_line(f"{view.job} plans again from VALIDATION")))
    return await _gate_of(client, view)


async def _gate_of(client: JobClient, before: JobView) -> Gate:
    """Wait for the gate. Raises Problem where the job comes to stand elsewhere."""
    why = "the job has closed"
    async for view in client.follow(before.job):
        if gate := _open_gate(view):
            return gate
        if len(view.restarts) > len(before.restarts):
            if view.hold:
                why = view.hold.reason
                break
            if view.state in (State.VERIFIED, State.CANCELLED):
                why = f"the job is {view.state}, and asked nobody at VALIDATION"
                break
    raise Problem(f"the plan was not put in place: {why}; look with `phasegate show {before.job}`")


def _place_of(written: PlanOption, wanted: str, names: Sequence[str]) -> str:
    """The option that a plan replaces. Raises WrongUse where that is not plain."""
    name = wanted or (written.id if written.id in names or len(names) != 1 else names[0])
    if names and name not in names:
        known = tame_line(", ".join(names))
        raise WrongUse(
            f"there is no option {tame_line(name, 60)!r}; say with --option which it replaces: {known}"
        )
    return name


def _digest(written: PlanOption, version: int) -> str:
    """What a plan is stored under."""
    return digest_of(written.plan.model_copy(update={"version": version}).model_dump(mode="json"))


def _replaced(options: list[Any], written: PlanOption, name: str) -> list[Any]:
    """The options of an artifact with this one in the place of the one of that name."""
    fresh = written.model_copy(update={"id": name}).model_dump(mode="json")
    others = [fresh if option["id"] == name else option for option in options]
    return others if fresh in others else [*others, fresh]
