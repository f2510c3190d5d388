"""`act`, `rollback`: a verified plan is carried out, and taken back."""

from pathlib import Path
from typing import Any

from rich.text import Text

from phasegate.actions.conversing import Conversation
from phasegate.actions.deciding import acknowledged, given
from phasegate.actions.jobs import find_job, named
from phasegate.actions.looking import shown_now
from phasegate.actions.planning import Wish, plan_task
from phasegate.client import JobClient
from phasegate.problems import Exit, Problem, WrongUse
from phasegate.screen.acting import step_line
from phasegate.screen.asking import Left, ask
from phasegate.screen.tame import tame_line
from phasegate.session import Outcome, Session
from states.act import ActEnd, ActNote, StepLine
from states.artifacts.plan import Plan, PlanStep
from states.execution import StepStatus
from states.steps import resolve
from states.undoing import START
from states.view import JobView
from states.words import JOB_ID, Message, QuestionHandling

_READY = {
    "option_count": 0,
    "gates": "validation",
    "question_handling": QuestionHandling.BEST_GUESS.value,
}
"""the policy of a job whose plan is ready: what there is to decide is that plan"""


async def act_on(session: Session, prefix: str, option: str, by: str, watch: bool) -> Outcome:
    """Carry the plan out and, unless nobody wants to, go along until it ends or a person is needed."""
    if not prefix:
        raise WrongUse("act needs a job, or a plan: phasegate act JOB, phasegate act --plan FILE [REPO]")
    client, job = await find_job(session, prefix)
    ack = await client.send(job, Message.ACT, given({"option": option, "by": named(by)}))
    if not watch:
        return acknowledged(job, ack)
    session.say(Text(tame_line(ack.note), "green"))
    return await Conversation(session, client, job, named(by)).run()


async def act_on_plan(session: Session, wished: dict[str, Any], watch: bool) -> Outcome:
    """A new job for a plan that is ready: it is checked against the repository, and a person approves it."""
    wish = Wish(act=True, policy=_READY, **wished)
    where = wish.repository
    if JOB_ID.fullmatch(where) and not Path(where).exists():
        client = await session.client()
        if await client.store.read_manifest(where):
            mend = f"`phasegate edit {where} --plan {wish.ready}`"
            raise WrongUse(f"{where} is a job and no repository; it is given another plan by {mend}")
    return await plan_task(session, wish, detach=not watch)


async def roll_back(session: Session, prefix: str, to: str, yes: bool, by: str) -> Outcome:
    """Say what would be undone, ask, and wait until it is. Raises WrongUse, having said nothing before."""
    client, job = await find_job(session, prefix)
    view = await client.view(job)
    execution = await client.executions.view(view.act) if view.act else None
    act = execution.act if execution else None
    if act:
        _check_step(act, to)
    if not yes:
        if not session.interactive:
            steps = tame_line(", ".join(line.id for line in _steps(act, to)))
            would = f"; {_effect(act, to, 'would')}{steps and f': {steps}'}" if act else ""
            raise WrongUse(f"rolling {job} back needs --yes where nobody can be asked{would}")
        session.say(*_warning(act, to, "would"))
        try:
            sure = ask("roll back? [y/N] ").lower() in ("y", "yes")
        except Left:
            sure = False
        if not sure:
            return Outcome(None, (Text("nothing was changed"),), Exit.REFUSED)
    ack = await client.send(job, Message.ROLLBACK, given({"to": to, "by": named(by)}))
    if not ack.state:
        return acknowledged(job, ack)  # nobody has read it yet
    if yes:
        session.say(*_warning(act, to, "will"))
    return await _undone(session, client, job, view.ledger_count)


def _check_step(act: ActNote, to: str) -> None:
    """Raises WrongUse for what is no step to go back to, before anybody is asked to agree to it."""
    if not act.last.steps or to.strip().casefold() in START:
        return
    steps = tuple(PlanStep(id=each.id, title=each.title) for each in act.last.steps)
    step = resolve(Plan(title="", steps=steps), to)
    if step is None:
        known = tame_line(", ".join(step.id for step in steps))
        raise WrongUse(f"the plan has no step {tame_line(to, 60)!r}; steps are {known}")
    completed = [line.id for line in act.last.steps if line.status == StepStatus.COMPLETED]
    # what runs may complete until it is stopped: then the job knows better
    if step.id not in completed and not _runs(act):
        done = tame_line(", ".join(completed)) or "none"
        raise WrongUse(f"step {tame_line(step.id)} is not completed; completed are {done}")


def _runs(act: ActNote) -> bool:
    return act.running or any(line.status == StepStatus.IN_PROGRESS for line in act.last.steps)


def _warning(act: ActNote | None, to: str, verb: str) -> list[Text]:
    """What a rollback takes back, as far as it is known before. `verb`: would, or will."""
    if act is None:
        return []
    stops = [Text(f"what runs {verb} be stopped first", "yellow")] if _runs(act) else []
    steps = [step_line(line) for line in _steps(act, to)]
    return [*stops, Text(f"{_effect(act, to, verb)}{':' if steps else ''}", "yellow"), *steps]


def _effect(act: ActNote, to: str, verb: str) -> str:
    branch = tame_line(act.branch)
    if to.strip().casefold() not in START:
        return f"what came onto branch {branch} after step {tame_line(to)} {verb} be undone"
    if _steps(act, to):
        return f"these steps on branch {branch} {verb} be undone"
    if _runs(act):
        return f"what was done on branch {branch} {verb} be undone"
    return f"no step on branch {branch} is done; its worktree {verb} be put back"


def _steps(act: ActNote | None, to: str) -> list[StepLine]:
    """Those that are undone for sure; in which order they came onto the branch is not known here."""
    if act is None or to.strip().casefold() not in START:
        return []
    return [line for line in act.last.steps if line.status == StepStatus.COMPLETED]


async def _undone(session: Session, client: JobClient, job: str, before: int) -> Outcome:
    """Wait for the rollback. Raises Problem with the reason where nothing was rolled back."""
    view = await _settled(client, job, before)
    act = view.act
    if act is None or act.last.end is not ActEnd.ROLLED_BACK:
        why = view.hold.reason if view.hold else "the job went on without it"
        raise Problem(f"{why}; look with `phasegate show {job}`")
    outcome = await shown_now(session, client, view)
    return Outcome(outcome.data, outcome.parts)


async def _settled(client: JobClient, job: str, before: int) -> JobView:
    """The job when more has happened to it than `before`, and nothing is under way."""
    async for view in client.follow(job):
        resting = view.act is None or (view.act.undo is None and not view.act.running)
        if view.ledger_count > before and resting:
            return view
    return await client.view(job)
