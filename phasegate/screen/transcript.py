"""A conversation with a model as text: numbered messages and calls, cut unless all is wanted.

Everything here was said by a model or read from a repository: it is tamed, and never markup.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from phasegate.screen.agents import model_words
from phasegate.screen.models import agent_words, pair
from phasegate.screen.tame import tame, tame_line
from states.agents import AgentNote
from states.amounts import counted
from states.spending import in_words
from states.trace import AgentProgress, TraceKind

MOST_LINES = 12
"""lines of a message that are shown"""
LONGEST_LINE = 400
"""characters of one line, and of the arguments of one call"""
_COLOURS = {"assistant": "cyan", "tool": "dim", "system": "dim"}


def head_lines(note: AgentNote, live: AgentProgress | None) -> Iterator[Text]:
    """Who it is, what it used and how it ended."""
    runs = f", put to work {note.runs} times" if note.runs > 1 else ""
    yield pair("agent", f"{note.id}, {note.kind} of {note.phase.name}{runs}")
    ladder = ", then ".join(note.models)
    yield pair("model", model_words(note) + (f" (of {tame_line(ladder)})" if len(note.models) > 1 else ""))
    cached = f", {note.usage.cached_tokens:,} of the tokens cached" if note.usage.cached_tokens else ""
    yield pair("used", in_words(note.usage) + cached)
    if note.end:
        yield pair("end", note.end.value + (f": {tame_line(note.reason)}" if note.reason else ""))
    else:
        yield pair("now", agent_words(live) if live else "at work, and nobody answers for it")
    passed_over = Counter(
        (e.model, e.why) for e in (live.trace if live else ()) if e.kind is TraceKind.FALLBACK
    )
    for (model, why), times in passed_over.items():
        often = f" ({times} times)" if times > 1 else ""
        yield Text(f"  {tame_line(model)} could not go on{often}: {tame_line(why)}", "yellow")


def message_lines(messages: Sequence[dict[str, Any]], full: bool) -> Iterator[Text]:
    """Each message with its number, who said it, and what it asks of tools."""
    if not messages:
        yield Text()
        yield Text("nothing has been said yet, or nothing that was kept")
    called: dict[str, str] = {}
    for number, message in enumerate(messages, 1):
        yield Text()
        yield _title(number, message, called)
        yield from _content(text_of(message.get("content")), full)
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            called[str(call.get("id"))] = str(function.get("name"))
            yield _call(function, full)


def text_of(content: object) -> str:
    """What a message says: a text, or a list of parts of which the texts count."""
    if isinstance(content, str) or content is None:
        return content or ""
    if isinstance(content, list):
        return "\n".join(
            str(part["text"]) if isinstance(part, dict) and "text" in part else json.dumps(part)
            for part in content
        )
    return json.dumps(content)


def _title(number: int, message: dict[str, Any], called: dict[str, str]) -> Text:
    role = str(message.get("role"))
    of = called.get(str(message.get("tool_call_id")), "") if role == "tool" else ""
    title = f"answer of {of}" if of else role
    return Text.assemble((f"[{number}] ", "dim"), (tame_line(title, 80), f"bold {_COLOURS.get(role, '')}"))


def _content(text: str, full: bool) -> Iterator[Text]:
    lines = tame(text).rstrip().splitlines()
    for line in lines if full else lines[:MOST_LINES]:
        over = 0 if full else len(line) - LONGEST_LINE
        yield Text(f"  {line[:LONGEST_LINE]}… {counted(over, 'more character')}" if over > 0 else f"  {line}")
    if not full and len(lines) > MOST_LINES:
        yield Text(f"  … {counted(len(lines) - MOST_LINES, 'more line')}; --full shows all", "dim")


def _call(function: dict[str, Any], full: bool) -> Text:
    arguments = str(function.get("arguments") or "")
    name = tame_line(function.get("name"), 80)
    if full:
        return Text.assemble("  → ", (name, "bold"), f" {tame(arguments)}")
    over = len(arguments) - LONGEST_LINE
    rest = f" {counted(over, 'more character')}; --full shows all" if over > 0 else ""
    return Text.assemble("  → ", (name, "bold"), f" {tame_line(arguments, LONGEST_LINE)}", (rest, "dim"))
