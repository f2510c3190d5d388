"""`select`, `rank`, `show --options`: a job's options, side by side."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from phasegate.actions.deciding import send
from phasegate.actions.jobs import find_job, named, next_commands
from phasegate.problems import WrongUse
from phasegate.screen.job import command_lines
from phasegate.screen.markdown import as_markdown
from phasegate.screen.options import alike_lines, chosen_text, options_table, ranking_table
from phasegate.screen.tame import tame
from phasegate.session import Outcome, Session
from phasegate.stored_jobs import StoredJobs
from states.artifacts.plan import PlanOption
from states.comparison import compare
from states.option_diagram import plan_diagram
from states.options import Criterion, ranked
from states.render_options import option_lines, summary
from states.words import Message


async def select_option(session: Session, prefix: str, option: str, by: str) -> Outcome:
    """Choose in a person's name."""
    return await send(session, prefix, Message.SELECT, {"option": option, "by": named(by)})


async def show_options(session: Session, prefix: str) -> Outcome:
    """Side by side, then each with its steps, and how to choose one."""
    client, job = await find_job(session, prefix)
    view, record = await client.view(job), await client.record(job)
    options = await StoredJobs(client.store).options(record)
    commands = next_commands(session, client, view)
    data = {
        "job": job,
        "selected": view.selected.model_dump(mode="json") if view.selected else None,
        "options": [option.model_dump(mode="json") for option in options],
        "facts": [fact.model_dump(mode="json") for fact in view.options],
        "comparison": {**compare(options).model_dump(mode="json"), "summary": summary(options)},
        "next_commands": [command.model_dump() for command in commands],
    }
    details = tame("\n".join(option_lines(options, full=True)[2:]))
    parts: tuple[RenderableType, ...] = (details.rstrip(),)
    if session.out.is_terminal:
        table = options_table(options, session.out.width)
        parts = (*table, Text(), as_markdown(_without_table(details)))
    return Outcome(data, (*parts, Text(), chosen_text(view), *command_lines(commands)))


async def show_steps(session: Session, prefix: str, name: str) -> Outcome:
    """The step graph of one option as mermaid text."""
    if not prefix:
        raise WrongUse("name the job whose option you mean: phasegate diagram JOB --option ID")
    client, job = await find_job(session, prefix)
    options = await StoredJobs(client.store).options(await client.record(job))
    option = option_called(options, name)
    diagram = tame(plan_diagram(option.plan))
    return Outcome({"job": job, "option": option.id, "diagram": diagram}, (diagram.rstrip(),))


def option_called(options: Sequence[PlanOption], name: str) -> PlanOption:
    """An option by id, in any case, or by its place. Raises WrongUse."""
    wanted = name.strip().casefold()
    found = next((each for each in options if each.id.casefold() == wanted), None)
    found = found or next((each for n, each in enumerate(options, 1) if str(n) == wanted), None)
    if found is None:
        raise WrongUse(f"there is no option {name[:60]!r}; options are {', '.join(o.id for o in options)}")
    return found


async def rank_options(session: Session, prefix: str, weights: tuple[str, ...]) -> Outcome:
    """From the store alone."""
    wanted = read_weights(weights)
    stored = StoredJobs.of(session.settings)
    record = await stored.record(prefix)
    options = await stored.options(record)
    found = ranked(options, wanted)
    data = {
        "job": record.job,
        "weights": {each.value: weight for each, weight in wanted.items()},
        "ranking": [
            each.model_dump(mode="json", exclude={"option"}) | {"option": each.option.id} for each in found
        ],
        "summary": summary([each.option for each in found]) if not wanted else "",
    }
    return Outcome(data, (*ranking_table(found, wanted, session.out.width), *alike_lines(found)))


def read_weights(words: tuple[str, ...]) -> dict[Criterion, float]:
    """`speed=2`, each criterion once. Raises WrongUse."""
    found: dict[Criterion, float] = {}
    for word in words:
        name, _, number = word.partition("=")
        try:
            criterion = Criterion(name.strip().lower())
        except ValueError:
            raise WrongUse(f"unknown criterion {name[:60]!r}; criteria are {', '.join(Criterion)}") from None
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= 1_000_000:
            raise WrongUse(
                f"the weight of {criterion} is {number[:60]!r}; it is a number, 0 or more: {criterion}=2"
            )
        if criterion in found:
            raise WrongUse(f"{criterion} is weighed twice")
        found[criterion] = weight
    if found and not any(found.values()):
        raise WrongUse(f"every weight is 0, so nothing is ranked; weigh one of them: {next(iter(found))}=1")
    return found


def _without_table(text: str) -> str:
    """The options without their table, which is shown in the screen's own form."""
    return "\n".join(each for each in text.split("\n") if not each.startswith("|"))
