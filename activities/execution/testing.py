"""Test steps: a command, and the report that it writes about its tests."""

import asyncio
import os
from pathlib import Path

from activities.execution.commands import Place, run_shell
from activities.execution.junit import MOST_BYTES, ReportUnreadable, TestReport, read_report
from activities.execution.outcome import Outcome
from activities.tools.confined import opened
from activities.tools.errors import ToolError
from states.amounts import counted
from states.execution import Metrics


async def run_tests(place: Place, outcome: Outcome) -> None:
    """Run the tests; a report in which tests failed fails the step, whatever the command's exit status."""
    step = place.order.step
    before = _stamp(place.worktree.path, step.report)
    ended = await run_shell(place, step.command, outcome)
    if ended is None:
        return
    outcome.error = ended.error
    if not step.report:
        return
    outcome.leave_out = step.report
    if before == _stamp(place.worktree.path, step.report):
        outcome.notes.append(f"the tests wrote no report to {step.report}")
        return
    try:
        report = await asyncio.to_thread(lambda: read_report(_contents(place.worktree.path, step.report)))
    except (ReportUnreadable, ToolError) as error:
        outcome.notes.append(str(error))
        return
    _count(report, outcome)


def _count(report: TestReport, outcome: Outcome) -> None:
    outcome.metrics += Metrics(tests_passed=report.passed, tests_failed=report.failed)
    outcome.notes.append(
        f"{counted(report.passed, 'test')} passed, {report.failed} failed, {report.skipped} skipped"
    )
    outcome.notes += [f"failed: {name}" for name in report.failures]
    if report.failed and not outcome.error:
        outcome.error = f"{counted(report.failed, 'test')} failed, although the command reported success"


def _stamp(root: Path, path: str) -> tuple[int, ...] | None:
    """What changes when a report is written; None when there is none."""
    if not path:
        return None
    try:
        with opened(root, path, "File") as report:
            status = os.fstat(report)
    except ToolError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _contents(root: Path, path: str) -> bytes:
    with opened(root, path, "File") as report, open(os.dup(report), "rb") as file:
        return file.read(MOST_BYTES + 1)
