"""MODE_TABLE: how a job moves between Normal, Plan, Act and Paused (HelixCode seed, ModeController)."""

from dataclasses import dataclass

from states import guards as g
from states.guards import ModeGuard
from states.words import Mode, ModeTrigger


@dataclass(frozen=True)
class ModeRow:
    """One allowed move. `extension` marks the four moves that only the seeds' combination needs."""

    trigger: ModeTrigger
    source: Mode
    dest: Mode
    when: tuple[ModeGuard, ...] = ()
    why: str = ""
    extension: bool = False


_T, _M = ModeTrigger, Mode

MODE_TABLE: tuple[ModeRow, ...] = (
    ModeRow(_T.PLAN, _M.NORMAL, _M.PLAN, (), "a job begins to plan"),
    ModeRow(_T.ACT, _M.PLAN, _M.ACT, (g.plan_verified, g.option_selected), "a verified plan is carried out"),
    ModeRow(_T.CLOSE, _M.PLAN, _M.NORMAL, (), "planning ended or was cancelled"),
    ModeRow(_T.PAUSE, _M.PLAN, _M.PAUSED, (), "somebody or a lasting failure stops the work", extension=True),
    ModeRow(_T.PAUSE, _M.ACT, _M.PAUSED, (), "somebody or a lasting failure stops the work"),
    ModeRow(_T.CLOSE, _M.ACT, _M.NORMAL, (), "the plan was carried out or cancelled"),
    ModeRow(_T.REPLAN, _M.ACT, _M.PLAN, (), "carrying out showed that the plan won't work", extension=True),
    ModeRow(_T.RESUME, _M.PAUSED, _M.PLAN, (g.paused_while_planning,), "planning goes on", extension=True),
    ModeRow(_T.RESUME, _M.PAUSED, _M.ACT, (g.paused_while_acting,), "carrying out goes on"),
    ModeRow(_T.REPLAN, _M.PAUSED, _M.PLAN, (), "a restart plans anew", extension=True),
    ModeRow(_T.CLOSE, _M.PAUSED, _M.NORMAL, (), "the paused job was cancelled"),
)
