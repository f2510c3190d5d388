"""From the tables to mermaid and markdown. Nobody draws by hand; `make docs` runs this file."""

from collections.abc import Callable, Iterable, Iterator

from states.guards import meaning
from states.modes import MODE_TABLE
from states.table import FINAL, PHASE_TABLE, Row
from states.words import WORK_PHASES, Mode, Phase, Stage, State, Trigger

BEGIN, END = "<!-- states:begin -->", "<!-- states:end -->"
_RESTARTS = {phase: Trigger.restart(phase) for phase in WORK_PHASES}
_ANYWHERE = (*_RESTARTS.values(), Trigger.CANCEL)
_CURRENT = "classDef current fill:#ffd54f,stroke:#b26a00,stroke-width:3px,color:#000"
_STAGES = {Stage.WORK: "work", Stage.AI_REVIEW: "AI review", Stage.HUMAN_REVIEW: "human review"}


def phase_diagram(current: State | None = None) -> str:
    """The phase table as a mermaid stateDiagram-v2, one box per phase, `current` highlighted.

    Moves within a phase and from phase to phase are arrows; restart and cancel, possible from nearly
    everywhere, are one node with a note, or the picture would be a ball of wool.
    """
    lines = ["stateDiagram-v2", "    [*] --> DISCOVERY"]
    for phase in WORK_PHASES:
        lines += _box(phase)
    lines += [f"    {line}" for line in _between()]
    lines += [f"    {line}" for line in _from_anywhere()]
    return "\n".join([*lines, *_mark(current)]) + "\n"


def mode_diagram(current: Mode | None = None) -> str:
    """The mode table as a mermaid stateDiagram-v2, `current` highlighted."""
    labels: dict[tuple[Mode, Mode], list[str]] = {}
    for row in MODE_TABLE:
        label = f"{row.trigger}{_bracketed(_guards(row.when, ()))}"
        labels.setdefault((row.source, row.dest), []).append(label)
    lines = ["stateDiagram-v2", f"    [*] --> {Mode.NORMAL}"]
    lines += [f"    {source} --> {dest} : {' / '.join(found)}" for (source, dest), found in labels.items()]
    return "\n".join([*lines, *_mark(current)]) + "\n"


def phase_table_markdown() -> str:
    """The phase table as markdown; rows that differ only in their source are one line."""
    merged: dict[tuple[str, str, str, str], list[State]] = {}
    for row in PHASE_TABLE:
        key = (row.trigger.value, row.dest.value, _guards(row.when, row.unless), row.why)
        merged.setdefault(key, []).append(row.source)
    rows = (
        (f"`{trigger}`", _sources(sources), f"`{dest}`", guards, why)
        for (trigger, dest, guards, why), sources in merged.items()
    )
    return _markdown(("trigger", "from", "to", "guards", "why"), rows)


def mode_table_markdown() -> str:
    """The mode table as markdown; moves that only the combination of the seeds needs are marked."""
    rows = (
        (f"`{r.trigger}`", r.source.value, r.dest.value, _guards(r.when, ()), r.why, "yes" * r.extension)
        for r in MODE_TABLE
    )
    return _markdown(("trigger", "from", "to", "guards", "why", "extension"), rows)


def guard_table_markdown() -> str:
    """Each guard that a table uses and what it says, in order of first use."""
    used: list[Callable[..., bool]] = [g for row in PHASE_TABLE for g in (*row.when, *row.unless)]
    used += [g for row in MODE_TABLE for g in row.when]
    said = {guard.__name__: meaning(guard) for guard in used}
    return _markdown(("guard", "holds when"), ((f"`{name}`", text) for name, text in said.items()))


def states_page() -> str:
    """The whole of docs/states.md."""
    return f"""# States

<!-- written by `make docs` from states/table.py and states/modes.py; do not edit -->

A job moves only along these tables. A row fires when all its guards hold; `not` means that a guard must not.

## Phases

{_fenced(phase_diagram())}

{phase_table_markdown()}

## Modes

{_fenced(mode_diagram())}

{mode_table_markdown()}

## Guards

{guard_table_markdown()}
"""


def readme_block() -> str:
    """What stands in README.md between the two markers, markers included."""
    return f"{BEGIN}\n{_fenced(phase_diagram())}\n{END}"


def with_block(text: str) -> str:
    """A text with its marked block replaced. Raises ValueError when the markers are missing."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"README.md needs one line {BEGIN} and after it one line {END}; add them")
    return text.split(BEGIN)[0] + readme_block() + text.split(END)[1]


def _box(phase: Phase) -> Iterator[str]:
    """One phase with its stages and the moves between them."""
    yield f'    state "{phase.name}" as {phase.name} {{'
    yield f"        [*] --> {State.of(phase)}"
    for stage, label in _STAGES.items():
        yield f'        state "{label}" as {State.of(phase, stage)}'
    labels: dict[tuple[State, State], list[Trigger]] = {}
    for row in _drawn():
        if row.source.phase is phase and row.dest.phase is phase:
            labels.setdefault((row.source, row.dest), []).append(row.trigger)
    for (source, dest), triggers in labels.items():
        yield f"        {source} --> {dest} : {_listed(triggers)}"
    yield "    }"


def _between() -> Iterator[str]:
    """The moves from phase to phase; guards are shown where the same triggers lead to two phases."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in _drawn():
        source, dest = _place(row.source), _place(row.dest)
        if source != dest:
            rows.setdefault((source, dest), []).append(row)
    for (source, dest), found in rows.items():
        label = _listed(row.trigger for row in found)
        rivals = [key for key, other in rows.items() if key[0] == source and _listed_in(other) == label]
        yield f"{source} --> {dest} : {label}{_bracketed(_shared(found)) if len(rivals) > 1 else ''}"


def _from_anywhere() -> Iterator[str]:
    yield f'state "{_sources(_sources_of(Trigger.CANCEL), code=False)}" as anywhere'
    yield f"anywhere --> {State.CANCELLED} : {Trigger.CANCEL}"
    yield f"{State.CANCELLED} --> [*]"
    yield "note right of anywhere"
    for sources, phases in _restarts().items():
        yield f"    restart_from_X leads from {sources} to X = {', '.join(phases)}"
    yield "end note"


def _restarts() -> dict[str, list[str]]:
    """The phases that a restart can lead to, by the states from which it can."""
    phases: dict[str, list[str]] = {}
    for phase, trigger in _RESTARTS.items():
        phases.setdefault(_sources(_sources_of(trigger), code=False), []).append(phase.name)
    return phases


def _drawn() -> Iterator[Row]:
    return (row for row in PHASE_TABLE if row.trigger not in _ANYWHERE)


def _sources_of(trigger: Trigger) -> list[State]:
    return [row.source for row in PHASE_TABLE if row.trigger is trigger]


def _place(state: State) -> str:
    """The node that stands for a state between phases: its phase's box, or itself."""
    return state.phase.name if state.phase in WORK_PHASES else state.value


def _listed(triggers: Iterable[Trigger]) -> str:
    return ", ".join(dict.fromkeys(trigger.value for trigger in triggers))


def _listed_in(rows: Iterable[Row]) -> str:
    return _listed(row.trigger for row in rows)


def _shared(rows: list[Row]) -> str:
    """The guards that all of these rows have."""
    when = [guard for guard in rows[0].when if all(guard in row.when for row in rows)]
    unless = [guard for guard in rows[0].unless if all(guard in row.unless for row in rows)]
    return _guards(when, unless)


def _guards(when: Iterable[Callable[..., bool]], unless: Iterable[Callable[..., bool]]) -> str:
    names = [guard.__name__ for guard in when] + [f"not {guard.__name__}" for guard in unless]
    return ", ".join(names)


def _bracketed(guards: str) -> str:
    return f" [{guards}]" if guards else ""


def _sources(sources: list[State], code: bool = True) -> str:
    """States for people: the list, or what it leaves out when that is shorter."""
    active = [state for state in State if state not in FINAL]
    left_out = [state for state in active if state not in sources]
    if len(sources) > len(active) / 2 and len(left_out) <= 1:
        return f"every state but {', '.join([*left_out, *FINAL])}"
    return ", ".join(f"`{state}`" if code else state.value for state in sources)


def _mark(current: State | Mode | None) -> tuple[str, ...]:
    return () if current is None else (f"    {_CURRENT}", f"    class {current} current")


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fenced(diagram: str) -> str:
    return f"```mermaid\n{diagram}```"


def main() -> None:
    """Write docs/states.md and the block in README.md. The only I/O of `states/`, and only as a command."""
    from pathlib import Path

    root = Path(__file__).resolve().parent.parent
    page, readme = root / "docs" / "states.md", root / "README.md"
    try:
        text = with_block(readme.read_text(encoding="utf-8"))
    except ValueError as missing:  # for whoever runs `make docs`: the sentence, not the stack
        raise SystemExit(str(missing)) from None
    page.parent.mkdir(exist_ok=True)
    page.write_text(states_page(), encoding="utf-8")
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
