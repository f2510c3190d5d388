"""Options side by side, on wide screens and narrow ones."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from phasegate.screen.tame import tame_line
from states.amounts import NOT_ESTIMATED, counted, estimate_words
from states.artifacts.plan import Plan, PlanOption
from states.options import Criterion, RankedOption
from states.render_options import HEAD, doings, option_rows, step_line
from states.render_parts import MOST_ITEMS
from states.view import JobView

NARROW = 90
"""columns below which a row of the table is a paragraph"""
_LONGEST = 4_000
"""characters of a command that are shown: who approves it reads it"""


def options_table(options: Sequence[PlanOption], width: int) -> tuple[RenderableType, ...]:
    """The comparison."""
    rows = [tuple(tame_line(cell) for cell in row) for row in option_rows(options)]
    return _table(HEAD, rows, width)


def ranking_table(
    found: Sequence[RankedOption], weights: Mapping[Criterion, float], width: int
) -> tuple[RenderableType, ...]:
    """Options by weights: the total, and what each criterion gave."""
    heads = ("rank", "option", "score", *(f"{each} x{weight:g}" for each, weight in weights.items()), "what")
    rows = [
        (
            str(each.rank),
            tame_line(each.option.id),
            f"{each.score:.1f}",
            *(f"{each.scores[criterion]:.0f}" for criterion in weights),
            tame_line(each.option.title, 60),
        )
        for each in found
    ]
    return _table(heads, rows, width)


def fact_lines(view: JobView, plans: Mapping[str, Plan] | None = None) -> Iterator[Text]:
    """The options of a view in two short lines each, so that they fit any screen.

    `plans`: the plans that are told with their steps, by the option's id.
    """
    for each in view.options:
        chosen = view.selected is not None and view.selected.option == each.id
        mark = f"  selected by {tame_line(view.selected.by)}" if chosen and view.selected else ""
        version = f" v{each.version}" if each.version > 1 else ""
        yield Text(
            f"  {each.rank}  {tame_line(each.id)}{version}: {tame_line(each.title, 60)}{mark}",
            "green" if chosen else "",
        )
        facts = (
            f"score {each.score:.1f}",
            f"{each.complexity.value.replace('_', ' ')} complexity",
            _time(each.duration_minutes),
            f"{each.confidence:.0%} sure",
            f"{each.risk} risk",
            counted(each.steps, "step"),
        )
        yield Text(f"     {', '.join(facts)}", "dim")
        if plan := (plans or {}).get(each.id):
            yield from _step_lines(plan)


def _step_lines(plan: Plan) -> Iterator[Text]:
    """Each step, and below it what it runs and changes; what is too long to be told here says so."""
    for number, step in enumerate(plan.steps[:MOST_ITEMS], 1):
        yield Text(f"     {tame_line(step_line(number, step))}")
        yield from (Text(f"        {tame_line(done, _LONGEST)}") for done in doings(step))
    if len(plan.steps) > MOST_ITEMS:
        yield Text(f"     and {len(plan.steps) - MOST_ITEMS} more; --options shows them")


def _time(minutes: float) -> str:
    return estimate_words(minutes) if minutes else f"time {NOT_ESTIMATED}"


def chosen_text(view: JobView) -> Text:
    """Which option is selected, or why none is."""
    if view.selected:
        return Text(
            f"Option {tame_line(view.selected.option)} is selected by {tame_line(view.selected.by)}.", "green"
        )
    if view.unselected:
        return Text(f"No option is selected, a person chooses: {tame_line(view.unselected)}.", "yellow")
    return Text("No option is selected yet." if view.options else "", "yellow")


def alike_lines(found: Sequence[RankedOption]) -> Iterator[Text]:
    """One line for the criteria by which all options are equal; none for a single option."""
    alike = [
        f"{criterion} ({points:.0f})"
        for criterion, points in (found[0].scores.items() if len(found) > 1 else ())
        if all(each.scores[criterion] == points for each in found)
    ]
    if alike:
        names = tame_line(", ".join(alike))
        yield Text(
            f"All options score the same by {names}; weighing that does not change their order.", "dim"
        )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> tuple[RenderableType, ...]:
    if width < NARROW:
        return tuple(part for row in rows for part in _paragraph(heads, row))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return (table,)


def _paragraph(heads: Sequence[str], row: Sequence[str]) -> Iterator[Text]:
    yield Text(f"{row[0]}  {row[1]}: {row[-1]}", "bold")
    said = ", ".join(f"{head} {cell}" for head, cell in zip(heads[2:-1], row[2:-1], strict=True))
    yield Text(f"   {said}")
