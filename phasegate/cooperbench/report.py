"""What a run came to: plans, cost and calls, overlaps, and the same for one agent doing both."""

import dataclasses
from typing import Any

from pydantic import BaseModel

from phasegate.cooperbench.files import known_metadata
from phasegate.cooperbench.interface import FileInterface
from states.agents import AgentEnd, Usage
from states.bench import BenchSetting, BenchTask
from states.cooperation import CooperationState
from states.overlap_notice import told
from states.spending import in_words


class AgentReport(BaseModel):
    """One agent."""

    agent: str
    model: str
    role: str
    end: AgentEnd | None
    reason: str = ""
    plan: str = ""
    """path of its plan"""
    forced: bool = False
    usage: Usage
    unread: int = 0
    """messages that came after it had agreed"""


class OverlapReport(BaseModel):
    """Predicted merge conflicts of the two plans."""

    first: int
    """in the plans that were agreed first"""
    last: int
    """in the plans that count"""
    told: tuple[str, ...] = ()
    """agents that were told; one without a call left is not"""
    where: tuple[str, ...] = ()
    unplaced: tuple[int, int] = (0, 0)
    """edits of each plan that name no lines, and so could not be compared"""


class SoloReport(BaseModel):
    """One agent doing both features, for comparison: what it used, or how to get it."""

    usage: Usage | None = None
    command: str


class BenchReport(BaseModel):
    """A whole run."""

    run: str
    setting: BenchSetting
    settled: bool
    how: str
    trajectory: str
    agents: tuple[AgentReport, ...]
    usage: Usage
    overlaps: OverlapReport | None = None
    solo: SoloReport | None = None
    upload: str = ""

    def lines(self) -> list[str]:
        """For people."""
        found = [f"{a.agent} ({a.model}): {_ended(a)}; {in_words(a.usage)}" for a in self.agents]
        found += _overlap_lines(self.overlaps) if self.overlaps else []
        found += [f"{self.setting}: {in_words(self.usage)}"]
        if self.solo:
            used = in_words(self.solo.usage) if self.solo.usage else f"not planned yet: {self.solo.command}"
            found.append(f"solo, one agent doing both: {used}")
        found += [f"trajectory: {self.trajectory}"]
        return [*found, *([self.upload] if self.upload else [])]


def report_of(given: FileInterface, task: BenchTask, state: CooperationState, how: str) -> BenchReport:
    """From the state of a run and the files of the solo one."""
    agents = tuple(
        AgentReport(
            agent=member.agent,
            model=model,
            role=seat.role,
            end=member.end,
            reason=member.reason,
            plan=str(given.path(f"plan{number}")) if member.plan else "",
            forced=member.forced,
            usage=member.usage,
            unread=len(member.mail),
        )
        for number, (member, model, seat) in enumerate(
            zip(state.members, task.models, task.setting.seats, strict=False), 1
        )
    )
    return BenchReport(
        run=task.run,
        setting=task.setting,
        settled=state.settled,
        how=how,
        trajectory=str(given.path("planning_traj")),
        agents=agents,
        usage=state.usage,
        overlaps=_overlaps(state),
        solo=solo_report(given) if len(task.setting.seats) == 2 else None,
    )


def solo_interface(given: FileInterface) -> FileInterface:
    """The same features by one agent, the first one's model."""
    return dataclasses.replace(given, setting=BenchSetting.SOLO, model2=None)


def solo_report(given: FileInterface) -> SoloReport:
    """What the solo run used, from its files, with the features in either order."""
    solo, (first, second) = solo_interface(given), given.feature_ids
    swapped = dataclasses.replace(solo, feature1_id=second, feature2_id=first)
    command = (
        f"phasegate cooperbench plan --setting solo --repo-name {given.repo_name} --task-id {given.task_id} "
        f"--feature1-id {given.feature1_id} --feature2-id {given.feature2_id} --model1 {given.model1} "
        f"--k {given.k}, or add --with-solo"
    )
    for each in (solo, swapped):
        if used := _used(known_metadata(each)):
            return SoloReport(usage=used, command=command)
    return SoloReport(command=command)


def _used(metadata: dict[str, Any] | None) -> Usage | None:
    """Of a finished run of ours; trajectories of other programs say nothing of cost."""
    if not metadata or not metadata.get("settled"):
        return None
    try:
        return Usage.model_validate(metadata["usage"]["total"])
    except (KeyError, TypeError, ValueError):
        return None


def _overlaps(state: CooperationState) -> OverlapReport | None:
    if state.first is None:
        return None
    last = state.last or state.first
    return OverlapReport(
        first=state.first.count,
        last=last.count,
        told=tuple(member.agent for member in state.members if member.rounds > 1),
        where=tuple(told(each) for each in last.conflicts),
        unplaced=last.unplaced,
    )


def _overlap_lines(found: OverlapReport) -> list[str]:
    if not found.first:
        lines = ["no predicted merge conflict between the two plans"]
    elif not found.last:
        lines = [f"predicted merge conflicts: {found.first}; the agents were told and settled them"]
    else:
        who = f"{' and '.join(found.told)} told" if found.told else "no agent had a call left to be told"
        lines = [f"predicted merge conflicts: {found.first}; {who}; {found.last} left:"]
        lines += [f"  {each}" for each in found.where[:10]]
        lines += [f"  and {found.last - 10} more"] if found.last > 10 else []
    if any(found.unplaced):
        lines.append(f"edits without lines, which could not be compared: {sum(found.unplaced)}")
    return lines


def _ended(agent: AgentReport) -> str:
    unread = f", messages that came too late for it: {agent.unread}" if agent.unread else ""
    if agent.end is AgentEnd.SUBMITTED:
        return f"{'forced ' if agent.forced else ''}plan in {agent.plan}{unread}"
    return f"{agent.end or 'works'}{f', {agent.reason}' if agent.reason else ''}{unread}"
