"""Counts and times in words: the same on every screen and in every document."""

from states.execution import Metrics

NOT_ESTIMATED = "not estimated"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 line`, `1,200 lines`; `many` where an `s` at the end does not do: `1 place uses`, `2 places use`"""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def seconds_words(seconds: float) -> str:
    """What was measured to a tenth of a second: `0.4s`, `12s`, `3m05s`, `2h14m`"""
    return f"{seconds:.1f}s" if seconds < 10 else span_words(round(seconds))


def span_words(seconds: int) -> str:
    """`0s`, `12s`, `3m05s`, `2h14m`, `3d4h`"""
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    if days:
        return f"{days}d{hours}h"
    if hours:
        return f"{hours}h{minutes:02d}m"
    return f"{minutes}m{seconds % 60:02d}s" if minutes else f"{seconds}s"


def estimate_words(minutes: float) -> str:
    """`2h`, `1h30m`, `10m`, `1m30s`, `30s`; 0 stands for what nobody has estimated."""
    if not minutes:
        return NOT_ESTIMATED
    whole, seconds = divmod(round(minutes * 60), 60)
    hours, left = divmod(whole, 60)
    parts = ((hours, "h"), (left, "m"), (0 if hours else seconds, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "1s"


def metric_words(metrics: Metrics) -> str:
    """`files: 1 created, 2 modified, 12 lines changed; 3 commands; tests: 5 passed`, without what did not
    happen."""
    files = [
        f"{count} {verb}"
        for count, verb in (
            (metrics.files_created, "created"),
            (metrics.files_modified, "modified"),
            (metrics.files_deleted, "deleted"),
        )
        if count
    ]
    parts = [f"files: {', '.join(files)}, {counted(metrics.lines_changed, 'line')} changed"] if files else []
    parts += [counted(metrics.commands_executed, "command")] if metrics.commands_executed else []
    tests = [f"{metrics.tests_passed} passed"] if metrics.tests_passed else []
    tests += [f"{metrics.tests_failed} failed"] if metrics.tests_failed else []
    parts += [f"tests: {', '.join(tests)}"] if tests else []
    parts += [counted(metrics.errors, "error")] if metrics.errors else []
    parts += [counted(metrics.warnings, "warning")] if metrics.warnings else []
    return "; ".join(parts)
