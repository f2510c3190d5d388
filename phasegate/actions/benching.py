"""`cooperbench plan`: one experiment of the benchmark, or two where solo is asked for beside it."""

import asyncio
import time
from typing import Any

from rich.status import Status
from rich.text import Text

from phasegate.bench_client import BenchClient
from phasegate.cooperbench.interface import FileInterface
from phasegate.cooperbench.planning import Planner, raise_unfinished
from phasegate.cooperbench.report import BenchReport, solo_interface, solo_report
from phasegate.problems import Interrupted, Problem, WrongUse
from phasegate.session import Outcome, Session
from states.agents import Allowance
from states.amounts import counted
from states.cooperation import CooperationProgress

_QUIET_SECONDS = 15.0
"""between two lines of progress where no terminal shows it moving"""


async def plan_bench(
    session: Session, given: FileInterface, max_iterations: int, allowance: Allowance, with_solo: bool
) -> Outcome:
    """Plan, and deliver the report; exit code 1 when an agent could not go on, 5 without budget."""
    if with_solo and len(given.setting.seats) == 1:
        raise WrongUse(f"--with-solo is for two agents, and {given.setting} has one; leave it out")
    jobs = await session.client()
    shown = _Shown(session)
    client = BenchClient(jobs.temporal, jobs.store, jobs.task_queue)
    planner = Planner(client, shown.tell, shown.progress, allowance)
    try:
        report = await planner.plan(given, max_iterations)
        if with_solo and report.settled:
            solo = await planner.plan(solo_interface(given), max_iterations)
            report = report.model_copy(update={"solo": solo_report(given)})
            report = report if solo.settled else report.model_copy(update={"settled": False})
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted(
            "no longer watching; the run goes on, and the same command attaches to it again. To stop it: "
            f"temporal workflow signal --workflow-id {shown.run or 'RUN'} --name stop"
        ) from None
    finally:
        shown.end()
    return _outcome(report, session)


def _outcome(report: BenchReport, session: Session) -> Outcome:
    data: dict[str, Any] = report.model_dump(mode="json")
    lines = tuple(Text(line) for line in report.lines())
    try:
        raise_unfinished(report)
    except Problem as problem:
        session.say(Text(f"phasegate: {problem}"))
        return Outcome({**data, "problem": str(problem)}, lines, problem.code)
    return Outcome(data, lines)


class _Shown:
    """What people see while a run lasts: a moving line on a terminal, now and then a line elsewhere."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._status: Status | None = None
        self._last = ""
        self._told_at = time.monotonic()
        self.run = ""

    def tell(self, line: str) -> None:
        """A line that stays. The last word of the lines about a run is its id."""
        self.end()
        self.run = line.split()[-1] if line.split()[-1].startswith("bench-") else self.run
        self._session.err.print(Text(line), soft_wrap=True)

    def progress(self, now: CooperationProgress) -> None:
        """How far it is."""
        agents = [
            f"{a.agent}: {counted(a.calls, 'call')}{f', {a.doing}' if a.doing else ''}" for a in now.agents
        ]
        line = "; ".join([now.doing, *agents] if now.doing else agents)
        if self._session.err.is_terminal:
            if self._status is None:
                self._status = self._session.err.status(Text(line))
                self._status.start()
            self._status.update(Text(line))
        elif line != self._last and time.monotonic() - self._told_at > _QUIET_SECONDS:
            self._told_at = time.monotonic()
            self._session.err.print(Text(line), soft_wrap=True)
        self._last = line

    def end(self) -> None:
        """Take the moving line away."""
        if self._status:
            self._status.stop()
            self._status = None
