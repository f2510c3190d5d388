"""How carrying a plan out went, as a section of the plan's document."""

from collections.abc import Iterator, Sequence

from states.act import ActNote, FormerAct
from states.amounts import metric_words, seconds_words
from states.render_parts import line


def execution_document(act: ActNote) -> str:
    """Markdown: status, branch, steps, what changed."""
    return "\n".join(["", "## EXECUTION", "", *_head(act), "", *_steps(act), *_changes(act)]).rstrip() + "\n"


def former_document(former: Sequence[FormerAct]) -> str:
    """Markdown: executions that restarts have left behind; blank without any."""
    if not former:
        return ""
    lines = (
        f"- `{line(act.id)}`, option `{line(act.option)}`: {line(act.ended)}; {line(act.where)}"
        for act in former
    )
    return "\n".join(["", "## FORMER EXECUTIONS", "", *lines]) + "\n"


def _head(act: ActNote) -> Iterator[str]:
    reason = f": {line(act.last.why)}" if act.last.why else ""
    yield f"- Status: {act.status}{reason}"
    yield f"- Option `{line(act.option)}` on branch `{line(act.branch)}`, for {line(act.by)}"
    if act.last.head:
        yield f"- Commit `{line(act.last.head)}`"
    if words := metric_words(act.last.metrics):
        yield f"- {words[0].upper()}{words[1:]}"
    if act.last.sandbox:
        yield f"- Commands confined by {line(act.last.sandbox)}"
    elif act.last.path and act.last.metrics.commands_executed:
        yield "- Commands not confined"


def _steps(act: ActNote) -> Iterator[str]:
    for step in act.last.steps:
        time = f" in {seconds_words(step.seconds)}" if step.seconds is not None else ""
        why = f". {line(step.error or step.why)}" if step.error or step.why else ""
        yield f"- `{line(step.id)}` {line(step.title)} ({step.type}): {step.status}{time}{why}"
        yield from (f"  - {line(note)}" for note in step.notes)


def _changes(act: ActNote) -> Iterator[str]:
    if act.last.diffstat:
        yield ""
        yield from (f"    {line(each)}" for each in act.last.diffstat.splitlines())
