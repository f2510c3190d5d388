"""The engine: both tables on `transitions`. The only file that imports it.

One module-level Machine per table, without models, queues or auto transitions: it is never written to after
import, so all jobs of a worker share it safely.
"""

from dataclasses import dataclass
from typing import Any

from transitions import Machine, MachineError

from states.guards import Facts, ModeFacts, meaning
from states.modes import MODE_TABLE
from states.table import PHASE_TABLE, Row
from states.words import Mode, ModeTrigger, State, Trigger


class MoveRefused(ValueError):
    """The table has no row for this move, or a guard does not hold. The message says which."""


@dataclass
class _Place:
    """What `transitions` moves: a holder of one state."""

    state: State | Mode


def _machine(states: type[State] | type[Mode], rows: list[dict[str, Any]]) -> Machine:
    return Machine(
        model=None, states=states, transitions=rows, initial=None, auto_transitions=False, queued=False
    )


PHASE_MACHINE = _machine(
    State,
    [
        {
            "trigger": row.trigger.value,
            "source": row.source,
            "dest": row.dest,
            "conditions": list(row.when),
            "unless": list(row.unless),
        }
        for row in PHASE_TABLE
    ],
)

MODE_MACHINE = _machine(
    Mode,
    [
        {"trigger": row.trigger.value, "source": row.source, "dest": row.dest, "conditions": list(row.when)}
        for row in MODE_TABLE
    ],
)


def _fire(machine: Machine, place: _Place, trigger: str, facts: Facts | ModeFacts) -> bool:
    event = machine.events.get(trigger)
    if event is None:
        return False
    try:
        return bool(event.trigger(place, facts))
    except MachineError:
        # The library's way to say that no row starts here; `fire` below says it in the user's words.
        return False


def fire(state: State, trigger: Trigger, facts: Facts) -> State:
    """Where `trigger` leads from `state`. Raises MoveRefused naming the guard that does not hold."""
    place = _Place(state)
    if not _fire(PHASE_MACHINE, place, trigger.value, facts):
        raise MoveRefused(why_not(state, trigger, facts))
    return State(place.state)


def can_fire(state: State, trigger: Trigger, facts: Facts) -> bool:
    """Whether `fire` would move."""
    return _fire(PHASE_MACHINE, _Place(state), trigger.value, facts)


def why_not(state: State, trigger: Trigger, facts: Facts) -> str:
    """One sentence: which guard of which row stands in the way."""
    rows = [row for row in PHASE_TABLE if row.trigger is trigger and row.source is state]
    if not rows:
        return f"{trigger} is not possible in {state}"
    return f"{trigger} is not possible in {state}: " + " or ".join(_missing(row, facts) for row in rows)


def _missing(row: Row, facts: Facts) -> str:
    needed = [f"needs that {meaning(guard)}" for guard in row.when if not guard(facts)]
    needed += [meaning(guard) for guard in row.unless if guard(facts)]
    return ", ".join(needed) or "nothing is missing"


def triggers_from(state: State) -> tuple[Trigger, ...]:
    """Every trigger that has a row from here, whatever its guards, in the table's order."""
    return tuple(Trigger(name) for name in PHASE_MACHINE.get_triggers(state))


def move_mode(mode: Mode, trigger: ModeTrigger, facts: ModeFacts) -> Mode:
    """Where `trigger` leads from `mode`. Raises MoveRefused."""
    place = _Place(mode)
    if _fire(MODE_MACHINE, place, trigger.value, facts):
        return Mode(place.state)
    rows = [row for row in MODE_TABLE if row.trigger is trigger and row.source is mode]
    if not rows:
        raise MoveRefused(f"{trigger} is not possible in mode {mode}")
    missing = [meaning(guard) for row in rows for guard in row.when if not guard(facts)]
    raise MoveRefused(f"{trigger} is not possible in mode {mode}: needs that {' and '.join(missing)}")


def check_mode_move(source: Mode, dest: Mode) -> None:
    """Whether any row leads from one mode to another. Raises MoveRefused in the HelixCode seed's words."""
    if not any(row.source is source and row.dest is dest for row in MODE_TABLE):
        raise MoveRefused(f"invalid mode transition from {source} to {dest}")
