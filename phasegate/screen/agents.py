"""Agents as a table: who, for what, with which model, what it used, how it ended."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from phasegate.screen.lists import NARROW
from phasegate.screen.models import agent_words
from phasegate.screen.tame import tame_line
from states.agents import AgentNote, Usage
from states.amounts import counted
from states.spending import dollars, in_words
from states.trace import AgentProgress

_HEADS = ("agent", "does", "model", "calls", "tokens", "cached", "cost", "end")
_NUMBERS = ("calls", "tokens", "cached", "cost")
_LONGEST_REASON = 120


def agents_table(
    agents: Sequence[AgentNote], live: AgentProgress | None, total: Usage, width: int
) -> tuple[RenderableType, ...]:
    """One row an agent and one for all; some lines each where the screen is narrow."""
    if width < NARROW:
        by_agent = (part for note in agents for part in _stacked(note, live))
        return (*by_agent, Text("all", "bold"), Text(f"  {_used(total)}"))
    rows = [
        (note.id, note.kind.value, model_words(note), *_numbers(note.usage), _end(note, live))
        for note in agents
    ]
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), show_footer=True)
    for head, foot in zip(_HEADS, ("all", "", "", *_numbers(total), ""), strict=True):
        table.add_column(
            head, foot, overflow="fold", justify="right" if head in _NUMBERS else "left", footer_style="bold"
        )
    for row in rows:
        table.add_row(*row)
    return (table,)


def model_words(note: AgentNote) -> str:
    """The models that replied; the preferred one is named too where another stood in."""
    preferred = note.models[0] if note.models else ""
    if not note.used:
        return tame_line(preferred)
    stood_in = preferred and preferred not in note.used
    return tame_line(", ".join(note.used) + (f" instead of {preferred}" if stood_in else ""))


def cost_words(used: Usage) -> str:
    """`$0.02`, `unknown`, or what is known and that there is more."""
    if used.unpriced_calls and used.unpriced_calls == used.calls:
        return "unknown"
    return f"{dollars(used.cost_usd)}{' + unknown' if used.unpriced_calls else ''}"


def token_words(used: Usage) -> str:
    """`1,650`, or `~1,650` where some of them were not counted but estimated."""
    return f"{'~' if used.estimated_calls else ''}{used.tokens:,}"


def _numbers(used: Usage) -> tuple[str, str, str, str]:
    return f"{used.calls:,}", token_words(used), f"{used.cached_tokens:,}", cost_words(used)


def _end(note: AgentNote, live: AgentProgress | None) -> str:
    if note.end is None:
        mine = live if live and live.agent == note.id else None
        now = agent_words(mine).partition(" (so far")[0].removeprefix(note.id) if mine else "not known"
        return now.strip(", :")
    return note.end.value + (f": {tame_line(note.reason, _LONGEST_REASON)}" if note.reason else "")


def _stacked(note: AgentNote, live: AgentProgress | None) -> tuple[Text, ...]:
    return (
        Text(note.id, "bold"),
        Text(f"  {note.kind} by {model_words(note)}"),
        Text(f"  {_used(note.usage)}"),
        Text(f"  {_end(note, live)}", "dim"),
    )


def _used(used: Usage) -> str:
    return in_words(used) + (f", {counted(used.cached_tokens, 'token')} cached" if used.cached_tokens else "")
