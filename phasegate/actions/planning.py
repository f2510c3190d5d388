"""`plan`: from the words of a person to a running job."""

import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from rich.filesize import decimal
from rich.text import Text

from activities.repository import is_url
from activities.snapshot import Copied
from activities.workspace import check_repository
from phasegate.actions.choosing import read_weights
from phasegate.actions.conversing import Conversation
from phasegate.actions.jobs import named
from phasegate.actions.ladders import models_by_use
from phasegate.actions.policies import policy_of, source_of
from phasegate.plan_templates import Filled, fill, read_parameters, read_ready, read_template
from phasegate.problems import WrongUse
from phasegate.screen.tame import tame_line
from phasegate.session import Outcome, Session
from phasegate.settings import Settings
from phasegate.stored_jobs import StoredJobs
from states.amounts import counted
from states.record import TASK_LIMIT, JobSpec
from states.wrong_input import rule_of

_FLAGS = {
    "max_iterations": "--max-iterations",
    "max_output_tokens": "--max-output-tokens",
    "seconds": "--command-seconds",
    "allow": "--allow",
}
"""fields below the job's own whose flags people know"""


@dataclass(frozen=True)
class Wish:
    """What was typed."""

    task: str = ""
    task_file: str = ""
    repository: str = ""
    ref: str = "HEAD"
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    job: str = ""
    by: str = ""
    model: str = ""
    phase_models: tuple[str, ...] = ()
    review_model: str = ""
    max_iterations: int | None = None
    max_output_tokens: int | None = None
    weights: tuple[str, ...] = ()
    template: str = ""
    parameters: tuple[str, ...] = ()
    ready: str = ""
    """a file with the only plan that is offered"""
    act: bool = False
    allow: tuple[str, ...] = ()
    command_seconds: float | None = None
    policy: dict[str, Any] = field(default_factory=dict)


async def plan_task(session: Session, wish: Wish, detach: bool) -> Outcome:
    """Start the job, then talk it through, or go along with it until a person is needed."""
    filled = _filled(wish)
    if filled and filled.task and not (wish.task or wish.task_file):
        wish = replace(wish, task=filled.task)
    spec = read_wish(wish, session.settings)
    if told := source_of(session.settings):
        session.err.print(Text(told, "yellow"), soft_wrap=True)
    client = await session.client()
    copied = await check_repository(spec.repository, spec.ref, session.settings.workspaces)
    if copied:
        session.err.print(Text(_copied_words(spec.repository, copied), "yellow"), soft_wrap=True)
    if filled:
        kept = await StoredJobs(client.store).keep_option(filled.option)
        spec = spec.model_copy(update={"brought": (kept,)})
    job = await client.start(spec, wish.job)
    if detach:
        return Outcome({"job": job}, (job,))
    return await Conversation(session, client, job, named(wish.by)).run()


def _copied_words(folder: str, copied: Copied) -> str:
    """What becomes of a folder that is no repository."""
    size = f"{counted(copied.files, 'file')}, {decimal(copied.bytes)}"
    without = (
        f", without {counted(copied.skipped, 'file')} too large or not readable" if copied.skipped else ""
    )
    return f"{tame_line(folder)} is no git repository; the job plans on a copy of it: {size}{without}"


def read_wish(wish: Wish, settings: Settings) -> JobSpec:
    """The job that was asked for. Raises WrongUse."""
    task = _task(wish)
    if len(task) > TASK_LIMIT:
        raise WrongUse(
            f"the task has {len(task):,} characters and may have {TASK_LIMIT:,}; "
            "put long material into the repository and name it in the task"
        )
    try:
        return JobSpec(
            task=task,
            repository=_repository(wish.repository),
            ref=wish.ref.strip() or "HEAD",
            requirements=wish.requirements,
            constraints=wish.constraints,
            policy=policy_of(settings.policy, {**wish.policy, **_ranking(wish)}),
            **models_of(wish, settings),
            act=wish.act,
            commands=_commands(wish),
            submitted_by=named(wish.by),
        )
    except ValidationError as wrong:
        error = wrong.errors(include_url=False)[0]
        where = _FLAGS.get(str(error["loc"][-1]), str(error["loc"][0]))
        raise WrongUse(f"{where}: {rule_of(error)}") from None


def models_of(wish: Wish, settings: Settings) -> dict[str, Any]:
    """The fields of JobSpec that say which model does what. Raises WrongUse."""
    by_use = {**settings.models, **models_by_use(wish.phase_models, wish.review_model)}
    wished = {"max_iterations": wish.max_iterations, "max_output_tokens": wish.max_output_tokens}
    limits = {name: most for name, most in wished.items() if most is not None}
    return {"model": wish.model or settings.model, "models": by_use, "agents": limits}


def _filled(wish: Wish) -> Filled | None:
    """The option of the template that is named. Raises WrongUse."""
    given = read_parameters(wish.parameters)
    if wish.ready:
        return read_ready(wish.ready, named(wish.by))
    if wish.template:
        return fill(read_template(wish.template), given)
    if given:
        raise WrongUse("--param is for a template; name it with --template")
    return None


def _ranking(wish: Wish) -> dict[str, Any]:
    weights = read_weights(wish.weights)
    return {"ranking": weights} if weights else {}


def _commands(wish: Wish) -> dict[str, Any]:
    """What the commands of the plan may do."""
    seconds = {} if wish.command_seconds is None else {"seconds": wish.command_seconds}
    return {"allow": wish.allow, **seconds}


def _task(wish: Wish) -> str:
    if wish.task and wish.task_file:
        raise WrongUse("the task is given twice; write it as an argument or name --task-file")
    task = _read(wish.task_file) if wish.task_file else wish.task
    if not task.strip():
        raise WrongUse('the task is empty; say what is to be done: phasegate plan --repo PATH "the task"')
    return task.strip()


def _read(name: str) -> str:
    """A file, or stdin for `-`, at most a little more than a task may have."""
    try:
        if name == "-":
            return sys.stdin.read(TASK_LIMIT * 20)
        with Path(name).expanduser().open(encoding="utf-8") as file:
            return file.read(TASK_LIMIT * 20)
    except OSError as error:
        raise WrongUse(f"cannot read the task from {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongUse(f"the task in {name} is not UTF-8 text") from None


def _repository(named_one: str) -> str:
    """What was named, a path made absolute; without a name the git repository around us."""
    if not named_one.strip():
        return _around_us()
    if is_url(named_one):
        return named_one
    return os.path.abspath(os.path.expanduser(named_one))


def _around_us() -> str:
    # a plain folder is only taken when it is named: it would be copied whole, be it a home folder
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        raise WrongUse("no repository is named and this folder is in none; add --repo PATH_OR_URL") from None
    return found.stdout.strip()
