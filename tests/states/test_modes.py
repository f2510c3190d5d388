"""The mode table: the sixteen cells that were settled, its guards, and that no failure is a dead end."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from states.advance import advance
from states.facts import mode_facts_of
from states.guards import ModeFacts
from states.holding import pause
from states.machine import MoveRefused, check_mode_move, move_mode
from states.modes import MODE_TABLE, ModeRow
from states.receive import receive
from states.record import Hold
from states.words import Message, Mode, ModeTrigger, Phase, State, Trigger
from tests.states.job_maker import NOW, everything_but_the_ledger, job_in, new_job, story

CELLS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data/cases/modes.json").read_text(encoding="utf-8")
)
ALL_MODE_FACTS = [
    ModeFacts(paused_from=paused_from, verified=verified, option_selected=selected)
    for paused_from in (None, *Mode)
    for verified in (False, True)
    for selected in (False, True)
]

# The design's table once more: what each trigger does, and the facts that it needs.
EXPECTED: dict[tuple[Mode, ModeTrigger], list[tuple[Mode, dict[str, Any]]]] = {
    (Mode.NORMAL, ModeTrigger.PLAN): [(Mode.PLAN, {})],
    (Mode.PLAN, ModeTrigger.ACT): [(Mode.ACT, {"verified": True, "option_selected": True})],
    (Mode.PLAN, ModeTrigger.CLOSE): [(Mode.NORMAL, {})],
    (Mode.PLAN, ModeTrigger.PAUSE): [(Mode.PAUSED, {})],
    (Mode.ACT, ModeTrigger.PAUSE): [(Mode.PAUSED, {})],
    (Mode.ACT, ModeTrigger.CLOSE): [(Mode.NORMAL, {})],
    (Mode.ACT, ModeTrigger.REPLAN): [(Mode.PLAN, {})],
    (Mode.PAUSED, ModeTrigger.RESUME): [
        (Mode.PLAN, {"paused_from": Mode.PLAN}),
        (Mode.ACT, {"paused_from": Mode.ACT}),
    ],
    (Mode.PAUSED, ModeTrigger.REPLAN): [(Mode.PLAN, {})],
    (Mode.PAUSED, ModeTrigger.CLOSE): [(Mode.NORMAL, {})],
}


def cells_that_differ(rows: tuple[ModeRow, ...]) -> list[str]:
    """The cells of the sixteen in which a table says something else."""
    wrong = []
    for cell in CELLS:
        found = {r.extension for r in rows if (r.source.value, r.dest.value) == (cell["from"], cell["to"])}
        if found != ({cell["extension"]} if cell["allowed"] else set()):
            wrong.append(f"{cell['from']} -> {cell['to']}")
    return wrong


def clashes(rows: tuple[ModeRow, ...]) -> list[str]:
    """Two rows of one trigger that fire at once."""
    wrong = []
    for mode, trigger, facts in product(Mode, ModeTrigger, ALL_MODE_FACTS):
        firing = [
            r for r in rows if r.source is mode and r.trigger is trigger and all(g(facts) for g in r.when)
        ]
        if len(firing) > 1:
            wrong.append(f"{trigger} from {mode}")
    return wrong


def dead_ends(rows: tuple[ModeRow, ...]) -> list[str]:
    """Modes in which a job works and that a failure cannot stop, or from whose pause it cannot go on."""
    wrong = []
    for working in (Mode.PLAN, Mode.ACT):
        if not any(r.source is working and r.dest is Mode.PAUSED and not r.when for r in rows):
            wrong.append(f"a failure in {working} cannot pause the job")
        facts = ModeFacts(paused_from=working)
        back = [r.dest for r in rows if r.trigger is ModeTrigger.RESUME and all(g(facts) for g in r.when)]
        if back != [working]:
            wrong.append(f"a job paused in {working} goes on in {back}")
    return wrong


def test_the_sixteen_cells() -> None:
    assert len(CELLS) == 16
    assert cells_that_differ(MODE_TABLE) == []


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell['from']}-{cell['to']}")
def test_a_move_that_is_not_allowed_is_refused_in_the_seeds_words(cell: dict[str, Any]) -> None:
    source, dest = Mode(cell["from"]), Mode(cell["to"])
    if cell["allowed"]:
        check_mode_move(source, dest)
        return
    with pytest.raises(MoveRefused) as refused:
        check_mode_move(source, dest)
    assert str(refused.value) == f"invalid mode transition from {cell['from']} to {cell['to']}"


def test_the_engine_agrees_with_the_plain_model_everywhere() -> None:
    for mode, trigger, facts in product(Mode, ModeTrigger, ALL_MODE_FACTS):
        expected = [
            dest
            for dest, needs in EXPECTED.get((mode, trigger), [])
            if all(getattr(facts, name) == value for name, value in needs.items())
        ]
        if expected:
            assert [move_mode(mode, trigger, facts)] == expected
        else:
            with pytest.raises(MoveRefused, match=f"{trigger} is not possible in mode {mode}"):
                move_mode(mode, trigger, facts)


def test_no_two_rows_fire_at_once() -> None:
    assert clashes(MODE_TABLE) == []


def test_a_failure_leaves_a_mode_from_which_the_job_can_go_on() -> None:
    assert dead_ends(MODE_TABLE) == []


def test_act_needs_a_verified_plan_and_a_selected_option() -> None:
    for verified, selected in ((False, False), (False, True), (True, False)):
        with pytest.raises(MoveRefused, match="needs that") as refused:
            move_mode(Mode.PLAN, ModeTrigger.ACT, ModeFacts(verified=verified, option_selected=selected))
        assert ("the plan is verified" in str(refused.value)) is not verified
        assert ("an option is selected" in str(refused.value)) is not selected


def test_broken_tables_are_caught() -> None:
    for gone in MODE_TABLE:
        left = tuple(row for row in MODE_TABLE if row is not gone)
        same_cell = any((r.source, r.dest) == (gone.source, gone.dest) for r in left)
        assert cells_that_differ(left) or same_cell
        turned = replace(gone, extension=not gone.extension)
        assert cells_that_differ(tuple(turned if row is gone else row for row in MODE_TABLE))
    more = ModeRow(ModeTrigger.ACT, Mode.NORMAL, Mode.ACT)
    assert cells_that_differ((*MODE_TABLE, more)) == ["Normal -> Act"]
    unguarded = tuple(replace(r, when=()) if r.trigger is ModeTrigger.RESUME else r for r in MODE_TABLE)
    assert clashes(unguarded)
    assert dead_ends(unguarded)
    assert dead_ends(tuple(r for r in MODE_TABLE if r.trigger is not ModeTrigger.PAUSE))
    assert dead_ends(tuple(r for r in MODE_TABLE if r.trigger is not ModeTrigger.RESUME))


ACTIVE = [state for state in State if state is not State.CANCELLED]


@pytest.mark.parametrize("state", ACTIVE)
def test_a_lasting_failure_in_any_state_is_left_by_resume(state: State) -> None:
    record = job_in(state)
    before = everything_but_the_ledger(record)
    pause(record, Hold(reason="the key is wrong", by="phasegate", failed=True, since=NOW), NOW)
    assert record.mode is Mode.PAUSED
    assert record.hold is not None
    assert receive(record, Message.RESUME, [], NOW)
    assert everything_but_the_ledger(record) == before


@pytest.mark.parametrize("state", [s for s in ACTIVE if s is not State.DISCOVERY])
def test_a_lasting_failure_in_any_state_is_left_by_a_restart(state: State) -> None:
    record = job_in(state)
    pause(record, Hold(reason="the key is wrong", by="phasegate", failed=True, since=NOW), NOW)
    assert receive(record, Message.RESTART_FROM, ["discovery"], NOW)
    advance(record, Trigger.RESTART_FROM_DISCOVERY, NOW)
    assert (record.mode, record.hold, record.paused_from) == (Mode.PLAN, None, None)
    assert record.state is State.of(Phase.DISCOVERY)


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize("state", ACTIVE)
def test_a_cancelled_job_is_in_normal_mode(state: State, paused: bool) -> None:
    record = job_in(state)
    if paused:
        assert receive(record, Message.PAUSE, ["lunch"], NOW)
    assert receive(record, Message.CANCEL, [], NOW)
    advance(record, Trigger.CANCEL, NOW)
    assert (record.state, record.mode, record.hold, record.gate) == (State.CANCELLED, Mode.NORMAL, None, None)


def test_a_failure_replaces_a_pause_and_is_left_by_one_resume() -> None:
    record = new_job()
    assert receive(record, Message.PAUSE, ["lunch"], NOW)
    pause(record, Hold(reason="no quota", by="phasegate", failed=True, since=NOW), NOW)
    assert record.hold is not None
    assert record.hold.reason == "no quota"
    assert record.paused_from is Mode.PLAN
    assert receive(record, Message.PAUSE, ["again"], NOW) is None
    assert receive(record, Message.RESUME, [], NOW)
    assert record.model_dump(include={"mode", "hold", "paused_from"}) == {
        "mode": Mode.PLAN,
        "hold": None,
        "paused_from": None,
    }


def test_act_is_refused_with_the_reason_in_every_state() -> None:
    for record in story():
        assert receive(record, Message.ACT, [], NOW) is None
        assert "act is not possible in mode Plan" in record.ledger[-1].why
        assert mode_facts_of(record).verified is (record.state is State.VERIFIED)
