"""Walks over a phase table: each proof takes the rows and returns what is wrong, nothing when proven."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations, islice, product

from states.guards import Facts, Guard
from states.table import FINAL, Row
from states.words import WORK_PHASES, Phase, Stage, State, Trigger

Rows = tuple[Row, ...]
FIELDS = tuple(field.name for field in fields(Facts))
ALL_FACTS = tuple(Facts(*bits) for bits in product((False, True), repeat=len(FIELDS)))
GATE_SETS = tuple(frozenset(s) for n in range(6) for s in combinations(WORK_PHASES, n))
RESTARTS = {Trigger.restart(p): p for p in WORK_PHASES}
REVISIONS = (Trigger.REVISE_TECHNICAL, Trigger.REVISE_REQUIREMENT, Trigger.REVISE_CONTRACT)


def fires(row: Row, facts: Facts) -> bool:
    """Whether a row fires, read from the row alone and not through the engine."""
    return all(g(facts) for g in row.when) and not any(g(facts) for g in row.unless)


@cache
def reads(guard: Guard) -> tuple[str, ...]:
    """The facts that a guard depends on, found by flipping each under every assignment of the others."""
    return tuple(
        name
        for name in FIELDS
        if any(guard(f) != guard(replace(f, **{name: not getattr(f, name)})) for f in ALL_FACTS)
    )


def from_state(rows: Rows, state: State) -> Rows:
    """The rows that start in a state."""
    return tuple(row for row in rows if row.source is state)


def reachable(rows: Iterable[Row], start: State, without: State | None = None) -> set[State]:
    """Every state that some path of rows leads to, never through `without`."""
    edges = [(row.source, row.dest) for row in rows if without not in (row.source, row.dest)]
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for source, dest in edges:
            if source is here and dest not in seen:
                seen.add(dest)
                todo.append(dest)
    return seen


def unreachable_states(rows: Rows) -> list[str]:
    """Every state is reachable from the start."""
    seen = reachable(rows, State.DISCOVERY)
    return [f"{state} cannot be reached" for state in State if state not in seen]


def endless_states(rows: Rows) -> list[str]:
    """Every active state can end both ways: verified, and cancelled by one row that nothing guards."""
    wrong = []
    for state in State:
        if state in (*FINAL, State.VERIFIED):
            continue
        forward = [row for row in rows if row.trigger not in RESTARTS and row.trigger is not Trigger.CANCEL]
        if State.VERIFIED not in reachable(forward, state):
            wrong.append(f"{state} never leads to verified")
        cancels = [row for row in from_state(rows, state) if row.dest is State.CANCELLED]
        if not any(fires(row, Facts()) for row in cancels):
            wrong.append(f"{state} cannot be cancelled")
    return wrong


def ways_out_of_the_end(rows: Rows) -> list[str]:
    """Nothing leaves a final state, and a verified job is left by a restart or while it is kept open only."""
    wrong = [f"{row.trigger} leaves {row.source}" for row in rows if row.source in FINAL]
    for row in from_state(rows, State.VERIFIED):
        if row.trigger in RESTARTS:
            continue
        if row.trigger is not Trigger.CANCEL or any(fires(row, f) for f in ALL_FACTS if not f.kept_open):
            wrong.append(f"{row.trigger} leaves verified")
    return wrong


def clashes_of_guards(rows: Rows) -> list[str]:
    """In each state, under all 2^n assignments of its guards, at most one row of a trigger fires."""
    wrong = []
    for state, trigger in product(State, Trigger):
        rivals = [row for row in from_state(rows, state) if row.trigger is trigger]
        guards = list(dict.fromkeys(g for row in rivals for g in (*row.when, *row.unless)))
        for bits in product((False, True), repeat=len(guards)):
            holds = dict(zip(guards, bits, strict=True))
            firing = [
                row
                for row in rivals
                if all(holds[g] for g in row.when) and not any(holds[g] for g in row.unless)
            ]
            if len(firing) > 1:
                wrong.append(f"{len(firing)} rows of {trigger} fire in {state}")
    return wrong


def clashes_of_facts(rows: Rows) -> list[str]:
    """The same over every combination of facts."""
    wrong = []
    for state, trigger in product(State, Trigger):
        rivals = [row for row in from_state(rows, state) if row.trigger is trigger]
        if len(rivals) > 1 and any(sum(fires(r, f) for r in rivals) > 1 for f in ALL_FACTS):
            wrong.append(f"more than one row of {trigger} fires in {state}")
    return wrong


def contradictions(rows: Rows) -> list[str]:
    """Each row can fire on some facts: no guards of a row contradict, by themselves or in effect."""
    return [
        f"{row.trigger} from {row.source} to {row.dest} never fires"
        for row in rows
        if not any(fires(row, facts) for facts in ALL_FACTS)
    ]


def gates_before_ai_review(rows: Rows) -> list[str]:
    """A gate is reached through AI review of its own phase and in no other way."""
    wrong = []
    for phase in WORK_PHASES:
        ai, human = State.of(phase, Stage.AI_REVIEW), State.of(phase, Stage.HUMAN_REVIEW)
        if human in reachable(rows, State.DISCOVERY, without=ai):
            wrong.append(f"{human} is reached around {ai}")
        around = [row for row in rows if row.dest is human and row.source is not ai]
        wrong += [f"{row.trigger} leads {row.source} to {human}" for row in around]
    return wrong


def unearned_after_revision(rows: Rows) -> list[str]:
    """After a revision, what lies behind the refused phase is reached through its work and AI review only."""
    wrong = []
    onward = [row for row in rows if row.trigger not in RESTARTS and row.trigger is not Trigger.CANCEL]
    for row in rows:
        if row.trigger not in REVISIONS:
            continue
        phase = row.source.phase
        assert phase is not None
        at = WORK_PHASES.index(phase)
        if row.dest.stage is not Stage.WORK or row.dest.phase not in WORK_PHASES[: at + 1]:
            wrong.append(f"{row.trigger} from {row.source} goes on in {row.dest}")
            continue
        paths = [r for r in onward if not (phase is Phase.CONTRACTS and _skips(r))]
        for stop in (State.of(phase), State.of(phase, Stage.AI_REVIEW)):
            seen = reachable(paths, row.dest, without=stop) if row.dest is not stop else set()
            behind = [s for s in seen if s is State.VERIFIED or s.phase in WORK_PHASES[at + 1 :]]
            wrong += [f"{s} is reached around {stop} after {row.trigger}" for s in sorted(behind)]
    return wrong


@cache
def _skips(row: Row) -> bool:
    """A simple task has no CONTRACTS gate left to earn; the row that says so must ask for it."""
    skip = (Phase.CLARIFICATION, State.IMPLEMENTATION_PLAN)
    return (row.source.phase, row.dest) == skip and all(f.simple_task for f in ALL_FACTS if fires(row, f))


@dataclass(frozen=True)
class Spot:
    """A place in the walk with its ghost.

    `earned` is, per phase, 0 nothing, 1 handed over, 2 AI reviewed, 3 rightly passed.
    """

    state: State
    earned: tuple[int, ...] = (0, 0, 0, 0, 0)
    simple: bool = False

    def passed(self, upto: int) -> bool:
        """Whether all phases before this one were rightly passed; a simple task has no CONTRACTS."""
        skipped = WORK_PHASES.index(Phase.CONTRACTS) if self.simple else None
        return all(n == 3 or i == skipped for i, n in enumerate(self.earned[:upto]))

    def level(self, at: int, value: int, onward: bool = False) -> "Spot":
        """The same spot with a phase's level set, and with all later ones forgotten if `onward`."""
        tail = (0,) * (4 - at) if onward else self.earned[at + 1 :]
        return replace(self, earned=(*self.earned[:at], value, *tail))


def step(spot: Spot, row: Row, facts: Facts) -> Spot:
    """The ghost's own account of what a move earns, which never looks at the row's guards."""
    trigger, source = row.trigger, spot.state
    after = replace(spot, state=row.dest)
    if trigger in RESTARTS:
        after = after.level(WORK_PHASES.index(RESTARTS[trigger]), 0, onward=True)
    elif trigger is not Trigger.CANCEL and source.phase in WORK_PHASES:
        at = WORK_PHASES.index(source.phase)
        after = _earn(spot, after, trigger, at, facts)
        if (source.phase, row.dest) == (Phase.CLARIFICATION, State.IMPLEMENTATION_PLAN):
            return replace(after, simple=facts.simple_task)
    early = row.dest.phase in WORK_PHASES[:3]
    return replace(after, simple=after.simple and not early)


def _earn(spot: Spot, after: Spot, trigger: Trigger, at: int, facts: Facts) -> Spot:
    stage, level = spot.state.stage, spot.earned[at]
    if trigger is Trigger.SUBMIT:
        return after.level(at, int(stage is Stage.WORK and facts.artifact_ready))
    if trigger is Trigger.EDIT:
        return after.level(at, int(stage is Stage.HUMAN_REVIEW and facts.edit_valid))
    reviewed = stage is Stage.AI_REVIEW and level == 1
    if after.state.stage is Stage.HUMAN_REVIEW:
        return after.level(at, 2 if reviewed else 0)
    if trigger is Trigger.AI_APPROVE:
        free = not facts.gate_applies or facts.gate_waived
        return after.level(at, 3 if reviewed and free else 0)
    if trigger is Trigger.HUMAN_APPROVE:
        by_people = stage is Stage.HUMAN_REVIEW and level == 2 and facts.decisions_enough
        return after.level(at, 3 if by_people else 0)
    target = after.state.phase
    back = WORK_PHASES.index(target) if target in WORK_PHASES else at
    return after.level(min(back, at), 0, onward=True)


def wrong_at(spot: Spot) -> str:
    """What the ghost objects to, empty when all is well."""
    phase = spot.state.phase
    if spot.state is State.VERIFIED:
        return "" if spot.passed(5) else "verified: a gate was not passed"
    if phase is None:
        return ""
    at = WORK_PHASES.index(phase)
    if not spot.passed(at):
        return f"foundation: {spot.state} builds on a phase that was not passed"
    if spot.state.stage is Stage.AI_REVIEW and spot.earned[at] != 1:
        return f"review: {spot.state} has nothing new to review"
    if spot.state.stage is Stage.HUMAN_REVIEW and spot.earned[at] != 2:
        return f"gate: {spot.state} is open without AI review before it"
    return ""


class Walk:
    """The walk over one table. What fires from a state is found once and shared by all sets of gates."""

    def __init__(self, rows: Rows) -> None:
        self._moves = {
            (state, gated, kept): tuple(_moves(from_state(rows, state), gated, kept))
            for state in State
            for gated in (False, True)
            for kept in (False, True)
        }

    def problems(self, gates: frozenset[Phase]) -> Iterator[str]:
        """What is wrong in every spot that can be reached with these gates in the policy."""
        start = Spot(State.DISCOVERY)
        seen, todo = {start}, [start]
        while todo:
            spot = todo.pop()
            if problem := wrong_at(spot):
                yield problem
            for row, facts in self._from(spot, gates):
                after = step(spot, row, facts)
                if after not in seen:
                    seen.add(after)
                    todo.append(after)

    def _from(self, spot: Spot, gates: frozenset[Phase]) -> Iterator[tuple[Row, Facts]]:
        """`foundation_kept` is no free fact: the ghost says whether all earlier phases were passed."""
        gated = spot.state.phase in gates
        for kept in (False, True):
            for row, facts in self._moves[spot.state, gated, kept]:
                restarted = RESTARTS.get(row.trigger)
                held = restarted is not None and spot.passed(WORK_PHASES.index(restarted))
                if held is kept:
                    yield row, facts


def _moves(leaving: Rows, gated: bool, kept: bool) -> Iterator[tuple[Row, Facts]]:
    """Every row that fires, with the facts on which it does.

    Facts that no guard here reads stay false: they decide what the ghost calls earned, and false is worst.
    """
    looked_at = {name for row in leaving for guard in (*row.when, *row.unless) for name in reads(guard)}
    free = sorted(looked_at - {"gate_applies", "foundation_kept"})
    for bits in product((False, True), repeat=len(free)):
        known = dict(zip(free, bits, strict=True))
        facts = Facts(gate_applies=gated, foundation_kept=kept, **known)
        yield from ((row, facts) for row in leaving if fires(row, facts))


def _only(kind: str) -> Callable[[Rows], list[str]]:
    def proof(rows: Rows) -> list[str]:
        walk = Walk(rows)
        found = (p for gates in GATE_SETS for p in walk.problems(gates) if p.startswith(kind))
        return list(islice(found, 1))

    return proof


verified_without_gates = _only("verified")
built_on_nothing = _only("foundation")
reviewed_without_work = _only("review")
opened_without_review = _only("gate")
