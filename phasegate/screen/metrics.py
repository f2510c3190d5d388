"""Metrics for people."""

from collections.abc import Iterator

from rich.text import Text

from states.amounts import counted, span_words
from states.execution import Metrics
from states.metrics import JobMetrics
from states.spending import dollars


def metrics_lines(metrics: JobMetrics) -> Iterator[Text]:
    """One line a metric, in the order of the Alfred seed."""
    rows = [
        ("requirement coverage", _share(metrics.requirement_coverage), "of the requirements are covered"),
        ("context completeness", _share(metrics.context_completeness), "of the subtasks have all they need"),
        ("subtask independence", _share(metrics.subtask_independence), "of the subtasks can be done alone"),
        ("planning time", _time(metrics.planning_seconds), "from start to verified, or until now"),
        ("  working", _time(metrics.working_seconds), "work and AI review"),
        ("  human time", _time(metrics.human_seconds), "waiting for answers and decisions"),
        ("restarts", str(metrics.restarts), ""),
        ("revisions", str(metrics.revisions), f"{metrics.revisions_by_people} asked for by people"),
        ("questions", str(metrics.questions), f"{metrics.questions_guessed} guessed instead of answered"),
        ("accepted by people", str(len(metrics.accepted_by_people)), _phases(metrics.accepted_by_people)),
        ("accepted by policy", str(len(metrics.accepted_by_policy)), _phases(metrics.accepted_by_policy)),
    ]
    if metrics.agents:
        rows += [
            ("model calls", f"{metrics.model_calls:,}", f"by {counted(metrics.agents, 'agent')}"),
            ("tokens", f"{metrics.tokens:,}", _tokens(metrics)),
            ("cost", *_cost(metrics)),
        ]
    if metrics.act:
        rows += _acting(metrics, metrics.act)
    for name, value, note in rows:
        yield Text.assemble(f"{name:<22}", (f"{value:>8}", "bold"), (f"  {note}", "dim"))


def _acting(metrics: JobMetrics, act: Metrics) -> list[tuple[str, str, str]]:
    files = act.files_created + act.files_modified + act.files_deleted
    how = f"{act.files_created} created, {act.files_modified} modified, {act.files_deleted} deleted"
    return [
        ("executions", str(metrics.executions), "begun; the last one:"),
        ("  files changed", f"{files:,}", f"{how}; {counted(act.lines_changed, 'line')}"),
        ("  commands executed", f"{act.commands_executed:,}", ""),
        ("  tests passed", f"{act.tests_passed:,}", f"{act.tests_failed:,} failed"),
        ("  errors", f"{act.errors:,}", counted(act.warnings, "warning")),
    ]


def _share(value: float | None) -> str:
    return "not yet" if value is None else f"{value:.0%}"


def _time(seconds: float) -> str:
    return span_words(max(0, int(seconds)))


def _cost(metrics: JobMetrics) -> tuple[str, str]:
    unknown = metrics.unpriced_calls
    if unknown and unknown == metrics.model_calls:
        return "unknown", "no price is known"
    note = f"without {unknown:,} of the calls, whose price is unknown" if unknown else ""
    return dollars(metrics.cost_usd), note


def _tokens(metrics: JobMetrics) -> str:
    note = f"{metrics.cached_tokens:,} of them from a provider's cache"
    return note + (
        f"; {counted(metrics.estimated_calls, 'call')} estimated" if metrics.estimated_calls else ""
    )


def _phases(phases: tuple[object, ...]) -> str:
    return ", ".join(str(phase) for phase in phases)
