"""Models of a job as text: which are asked for what, what they used, what one does now, what it replied."""

from collections.abc import Iterator

from rich.text import Text

from phasegate.screen.tame import tame, tame_line
from states.agents import Usage
from states.amounts import counted
from states.models import ladder_words, ladders_in_words
from states.record import Reply
from states.spending import dollars, in_words
from states.trace import AgentProgress
from states.view import JobView
from states.words import Phase

Ladders = dict[Phase, tuple[str, ...]]
_LAST_REPLIES = 3
_ASKS = "asks "
"""how `AgentProgress.doing` begins while a model call runs"""


def pair(name: str, value: str) -> Text:
    """A name and what it is, as one line of a page."""
    return Text.assemble((f"{name:<12}", "dim"), value)


def model_lines(view: JobView, live: AgentProgress | None = None) -> Iterator[Text]:
    """Models, spending, the running agent and replies; nothing for a job without models."""
    if not (view.model or view.models or view.agents):
        return
    yield pair("models", models_words(view))
    yield pair("used", tame_line(in_words(view.spent, view.budget_usd, view.budget_tokens)))
    for phase, used in view.spending.items():
        yield pair("", f"{phase.name}: {in_words(used)}")
    if view.running:
        yield pair("agent", agent_words(live) if live else f"{view.running.id} is at work")
    if view.phase in (Phase.DISCOVERY, Phase.CLARIFICATION):
        for reply in view.replies[-_LAST_REPLIES:]:
            said = view.said[reply.to - 1] if reply.to <= len(view.said) else ""
            yield pair("said", tame_line(said))
            yield pair("reply", reply_words(reply))
    yield Text()


def models_words(view: JobView) -> str:
    """`a, then b; CONTRACTS: c; reviews: none`"""
    return tame_line(ladders_in_words(view.model, view.models))


def ladder_lines(planning: Ladders, reviewing: Ladders) -> Iterator[Text]:
    """A line for each phase: who plans it, and who reviews it where that is another."""
    width = max(len(phase) for phase in planning) + 2
    for phase, ladder in planning.items():
        reviews = "" if reviewing[phase] == ladder else f"; reviews: {ladder_words(reviewing[phase])}"
        line = tame_line(f"{ladder_words(ladder)}{reviews}")
        yield Text.assemble((f"{phase.name:<{width}}", "dim"), line)


def agent_words(live: AgentProgress) -> str:
    """`contracts-1, call 3: asks m (so far 2 calls, 220 tokens, $0.02)`"""
    asking = live.doing.startswith(_ASKS)
    call = f", call {live.calls + asking}" if live.calls + asking else ""
    doing = live.doing or "begins"
    used = f" (so far {in_words(live.usage)})" if live.usage.calls else ""
    return tame_line(f"{live.agent}{call}: {doing}{used}", 300)


def reply_words(reply: Reply) -> str:
    """Who replied, and what; the lines of the reply stay."""
    return tame(f"{reply.by}: {reply.text}")


def cost(used: Usage) -> str:
    """The shortest word for what was used: dollars, and tokens where no price is known."""
    if used.calls and used.calls == used.unpriced_calls:
        return counted(used.tokens, "token")
    return f"{dollars(used.cost_usd)}{' and more' if used.unpriced_calls else ''}"
