"""The predicates that decide whether a row of a table may fire. Pure functions of the facts, nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

from states.words import Mode


@dataclass(frozen=True)
class Facts:
    """What the guards look at; `states.facts` counts it from the record. The defaults allow nothing."""

    artifact_ready: bool = False
    edit_valid: bool = False
    gate_applies: bool = False
    gate_waived: bool = False
    simple_task: bool = False
    decisions_enough: bool = False
    revisions_used_up: bool = False
    foundation_kept: bool = False
    restarts_used_up: bool = False
    kept_open: bool = False


@dataclass(frozen=True)
class ModeFacts:
    """What the guards of the mode table look at."""

    paused_from: Mode | None = None
    verified: bool = False
    option_selected: bool = False


Guard = Callable[[Facts], bool]
ModeGuard = Callable[[ModeFacts], bool]


def artifact_ready(facts: Facts) -> bool:
    """the artifact of this round exists and validates"""
    return facts.artifact_ready


def edit_valid(facts: Facts) -> bool:
    """the person's version validates"""
    return facts.edit_valid


def gate_required(facts: Facts) -> bool:
    """a human gate applies and no named policy waives it on the facts"""
    return facts.gate_applies and not facts.gate_waived


def simple_task(facts: Facts) -> bool:
    """the task is simple: fewer than 3 files, nothing new, nothing open, an existing pattern"""
    return facts.simple_task


def decisions_enough(facts: Facts) -> bool:
    """enough valid decisions on the current digest"""
    return facts.decisions_enough


def revisions_used_up(facts: Facts) -> bool:
    """the revision limit of the phase is reached"""
    return facts.revisions_used_up


def foundation_kept(facts: Facts) -> bool:
    """every artifact that the phase builds on exists, is accepted and is kept"""
    return facts.foundation_kept


def restarts_used_up(facts: Facts) -> bool:
    """the restart limit without a person's decision in between is reached"""
    return facts.restarts_used_up


def kept_open(facts: Facts) -> bool:
    """the verified job is still kept open"""
    return facts.kept_open


def plan_verified(facts: ModeFacts) -> bool:
    """the plan is verified"""
    return facts.verified


def option_selected(facts: ModeFacts) -> bool:
    """an option is selected"""
    return facts.option_selected


def paused_while_planning(facts: ModeFacts) -> bool:
    """the job was paused in Plan"""
    return facts.paused_from is Mode.PLAN


def paused_while_acting(facts: ModeFacts) -> bool:
    """the job was paused in Act"""
    return facts.paused_from is Mode.ACT


def meaning(guard: Callable[..., bool]) -> str:
    """What a guard says, for people: the first line of its docstring."""
    return (guard.__doc__ or guard.__name__).strip().splitlines()[0]
