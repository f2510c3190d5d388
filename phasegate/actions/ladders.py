"""Which model does what: read from flags, shown, changed while a job runs."""

from typing import Any

from rich.text import Text

from phasegate.actions.deciding import send
from phasegate.actions.jobs import find_job, named
from phasegate.problems import WrongUse
from phasegate.screen.models import ladder_lines
from phasegate.session import Outcome, Session
from states.agents import AgentKind
from states.models import REVIEW, ladder_for
from states.view import JobView
from states.words import WORK_PHASES, Message


def models_by_use(phase_models: tuple[str, ...], review_model: str) -> dict[str, str]:
    """The flags `--phase-model PHASE=NAME` and `--review-model NAME`. Raises WrongUse."""
    by_use: dict[str, str] = {}
    for one in phase_models:
        phase, sign, name = one.partition("=")
        if not sign or not name.strip():
            raise WrongUse(f"--phase-model {one!r}: write PHASE=NAME, such as contracts=openai/gpt-5")
        by_use[phase.strip()] = name
    return {**by_use, **({REVIEW: review_model} if review_model else {})}


async def show_or_set_models(
    session: Session, prefix: str, model: str, phase_models: tuple[str, ...], review_model: str, by: str
) -> Outcome:
    """Change what was named and leave the rest; without anything named, show what is in force."""
    by_use = models_by_use(phase_models, review_model)
    if not (model or by_use):
        client, job = await find_job(session, prefix)
        return _shown(job, await client.view(job))
    payload: dict[str, Any] = {"model": model, "models": by_use or None, "by": named(by)}
    return await send(session, prefix, Message.SET_MODELS, payload)


def _shown(job: str, view: JobView) -> Outcome:
    in_force = {
        kind: {phase: ladder_for(view.model, view.models, kind, phase) for phase in WORK_PHASES}
        for kind in (AgentKind.PLAN, AgentKind.REVIEW)
    }
    data = {"job": job, "model": view.model, "models": view.models, "in_force": in_force}
    more = Text(f"phasegate models {job} --model NAME changes them for the agents to come", "dim")
    return Outcome(data, (*ladder_lines(in_force[AgentKind.PLAN], in_force[AgentKind.REVIEW]), more))
