"""The generated pictures and tables say what the tables say, all of it and nothing else."""

import re

import pytest

from states.diagram import (
    BEGIN,
    END,
    guard_table_markdown,
    mode_diagram,
    mode_table_markdown,
    phase_diagram,
    phase_table_markdown,
    with_block,
)
from states.modes import MODE_TABLE
from states.table import PHASE_TABLE
from states.words import WORK_PHASES, Mode, Phase, State, Trigger

Move = tuple[str, str, str]
ARROW = re.compile(r"^\s*(\S+) --> (\S+) : (.+)$", re.M)
GUARDS = re.compile(r" \[[^\]]*\]")


def arrows(diagram: str) -> set[Move]:
    found = set()
    for source, dest, label in ARROW.findall(diagram):
        for trigger in re.split(r", | / ", GUARDS.sub("", label)):
            found.add((source, dest, trigger))
    return found


def box(state: State) -> str:
    return state.phase.name if state.phase in WORK_PHASES else state.value


def drawn_as(source: State, dest: State) -> tuple[str, str]:
    inside = source.phase is dest.phase
    return (source.value, dest.value) if inside else (box(source), box(dest))


def test_every_move_is_drawn_and_no_other() -> None:
    everywhere = {Trigger.restart(phase) for phase in WORK_PHASES} | {Trigger.CANCEL}
    expected = {
        (*drawn_as(row.source, row.dest), row.trigger.value)
        for row in PHASE_TABLE
        if row.trigger not in everywhere
    }
    assert arrows(phase_diagram()) == expected | {("anywhere", "cancelled", "cancel")}


def test_the_note_tells_every_restart() -> None:
    note = phase_diagram().split("note right of anywhere")[1].split("end note")[0]
    assert "leads from every state but cancelled" in note
    for phase in WORK_PHASES:
        assert re.search(rf"\b{phase.name}\b", note)
        sources = {row.source for row in PHASE_TABLE if row.trigger is Trigger.restart(phase)}
        assert sources == set(State) - {State.CANCELLED}


def test_the_fork_for_simple_tasks_shows_its_guard() -> None:
    lines = phase_diagram().splitlines()
    assert "    CLARIFICATION --> CONTRACTS : ai_approve, human_approve [not simple_task]" in lines
    assert "    CLARIFICATION --> IMPLEMENTATION_PLAN : ai_approve, human_approve [simple_task]" in lines


@pytest.mark.parametrize("state", State)
def test_the_current_state_is_marked(state: State) -> None:
    lines = phase_diagram(state).splitlines()
    assert lines[-1] == f"    class {state.value} current"
    assert lines[-2].startswith("    classDef current ")
    assert re.search(rf"\b{state.value}\b", "\n".join(lines[:-2]))
    assert "\n".join(lines[:-2]) + "\n" == phase_diagram()


def test_every_mode_move_is_drawn_and_the_current_one_marked() -> None:
    expected = {(row.source.value, row.dest.value, row.trigger.value) for row in MODE_TABLE}
    assert arrows(mode_diagram()) == expected
    assert mode_diagram(Mode.PAUSED).endswith("class Paused current\n")


def test_the_phase_table_has_every_row() -> None:
    lines = phase_table_markdown().splitlines()[2:]
    for row in PHASE_TABLE:
        matching = [
            line
            for line in lines
            if line.startswith(f"| `{row.trigger}` |")
            and f"| `{row.dest}` |" in line
            and line.endswith(f"| {row.why} |")
            and all(guard.__name__ in line for guard in (*row.when, *row.unless))
        ]
        assert [line for line in matching if f"`{row.source}`" in line or "every state but" in line], row
    assert len(lines) < len(PHASE_TABLE) / 2


def test_the_mode_table_has_every_row() -> None:
    lines = mode_table_markdown().splitlines()[2:]
    assert len(lines) == len(MODE_TABLE)
    assert sum(line.endswith("| yes |") for line in lines) == sum(row.extension for row in MODE_TABLE)


def test_every_guard_is_explained() -> None:
    guards = [g for row in PHASE_TABLE for g in (*row.when, *row.unless)]
    names = {g.__name__ for g in guards} | {g.__name__ for row in MODE_TABLE for g in row.when}
    explained = re.findall(r"^\| `(\w+)` \| \S", guard_table_markdown(), re.M)
    assert sorted(explained) == sorted(names)


def test_the_block_is_replaced_and_the_rest_left_alone() -> None:
    text = f"before\n{BEGIN}\nold picture\n{END}\nafter\n"
    fresh = with_block(text)
    assert fresh.startswith(f"before\n{BEGIN}\n```mermaid\n")
    assert fresh.endswith(f"```\n{END}\nafter\n")
    assert "old picture" not in fresh
    assert with_block(fresh) == fresh


@pytest.mark.parametrize("text", ["no block", BEGIN, f"{END} {BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_readme_without_its_block_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"README\.md needs one line"):
        with_block(text)


def test_verified_is_no_box() -> None:
    assert Phase.VERIFIED.name not in phase_diagram()
