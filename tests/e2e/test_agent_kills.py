"""Workers and servers killed in the middle of agents' calls: nothing is paid twice, everything ends the same.

One job for each place, each with a model of its own name; all are stopped in their places, one kill hits all.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest

from states.agents import AgentEnd
from states.record import JobRecord, JobSpec
from states.review import OptionFact
from states.words import WORK_PHASES, Phase, State
from tests.activities.desks.good import OPTIONS
from tests.e2e.agent_mortals import AgentMortals, agent_mortals
from tests.e2e.agent_places import Moment, Place, drafts_at, places_of, script_for
from tests.e2e.kill_table import PROPERTY, VICTIMS, Cell
from tests.e2e.stage import until
from tests.e2e.whole_job import WITHOUT_PEOPLE, shop, whole_job

FAST = (Place(Moment.DURING_CALL, Phase.CONTRACTS), drafts_at(Moment.DURING_CALL)[0])
PATIENCE = 240.0
"""seconds for twelve jobs on a busy machine"""

Note = Callable[[str, object], None]


@dataclass(frozen=True)
class Made:
    """What a job stood on, with every version there was, and its options, best first."""

    digests: dict[Phase, tuple[str, ...]]
    options: tuple[OptionFact, ...]


async def start(all_: AgentMortals, task: dict[str, Any], places: Sequence[Place]) -> None:
    """Begin the job of every place."""
    client = await all_.client()
    for place in places:
        spec = {**task, **place.spec, "policy": WITHOUT_PEOPLE}
        await client.start(JobSpec.model_validate(spec), place.job)


async def ended(all_: AgentMortals, place: Place) -> JobRecord:
    """The record of a place's job, once it is verified."""

    async def state() -> State | None:
        view = await all_.view(place.job)
        return view.state if view and view.hold is None else None

    await until(state, lambda state: state is State.VERIFIED, PATIENCE)
    return await all_.record(place.job)


def made(record: JobRecord) -> Made:
    """By a job that is verified."""
    digests = {phase: tuple(ref.digest for ref in record.versions(phase)) for phase in WORK_PHASES}
    return Made(digests, record.facts[Phase.VALIDATION].options)


def is_drafted(made: Made, place: Place) -> bool:
    """Whether the options are those of agents where agents draft them, and of none elsewhere."""
    by_model = [option.source == f"model:openai/{place.job}" for option in made.options]
    return by_model == [True] * len(OPTIONS) if place.drafts else not any(by_model)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One repository for all jobs of this module: what artifacts hold depends on its commit."""
    return shop(tmp_path_factory.mktemp("task"))


@pytest.fixture(scope="module")
def undisturbed(task: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """What jobs made whose processes all lived, by place."""
    known: dict[Place, Made] = {}

    async def run(places: Sequence[Place]) -> dict[Place, Made]:
        new = [place for place in places if place not in known]
        if new:
            async with agent_mortals(tmp_path_factory.mktemp("undisturbed"), whole_job()) as all_:
                await start(all_, task, new)
                for place in new:
                    known[place] = made(await ended(all_, place))
                    assert is_drafted(known[place], place)
                assert Counter(all_.asked()) == {place.job: place.calls for place in new}
        return {place: known[place] for place in places}

    return run


async def killed_in(
    all_: AgentMortals, task: dict[str, Any], victims: str, places: Sequence[Place]
) -> dict[Place, float]:
    """Jobs under way again after one kill that hit each in its place; seconds from the kill to that."""
    for hold in (hold for place in places for hold in place.holds):
        all_.hold(hold)
    await start(all_, task, places)
    for place in places:
        for hold in place.holds:
            await all_.reached(hold)
        if not place.holds:
            await all_.asked_slowly(place.job, len(place.agents))
        if place.drafts:
            await all_.drafted(place.job, len(OPTIONS) - len(place.drafts))
    began = time.monotonic()
    seen = Counter(all_.asked())
    await all_.kill_and_replace(victims)
    for hold in (hold for place in places for hold in place.holds):
        all_.release(hold)
    took: dict[Place, float] = {}

    async def goes_on(place: Place) -> None:
        async def moved() -> bool:
            if all_.asked().count(place.job) > seen[place.job]:
                return True
            view = await all_.view(place.job)
            return view is not None and view.state is State.VERIFIED

        for hold in place.holds:
            await all_.passed(hold)
        if not place.holds:
            await until(moved, bool, PATIENCE)
        took[place] = time.monotonic() - max(began, all_.answered_slowly(place.job))

    await asyncio.gather(*map(goes_on, places))
    return took


async def check(
    all_: AgentMortals, task: dict[str, Any], expected: dict[Place, Made], victims: str, note: Note
) -> None:
    """Same artifacts, no gap in the ledger, and no request that had been answered is sent again."""
    places = tuple(expected)
    seconds = await killed_in(all_, task, victims, places)
    records = {place: await ended(all_, place) for place in places}
    for place, record in records.items():
        same = made(record) == expected[place]
        cell = Cell("agents'", f"{place.name}, {place.moment}", victims, seconds[place], same)
        note(PROPERTY, astuple(cell))
    for place, record in records.items():
        assert made(record) == expected[place], place
        assert [entry.n for entry in record.ledger] == list(range(1, record.ledger_count + 1))
        assert {agent.end for agent in record.agents} == {AgentEnd.SUBMITTED}
        # Who was killed while a model replied may get a bill for that as well.
        lost = len(place.agents) * (place.moment is Moment.DURING_CALL and victims != "server")
        used = record.spent()
        assert (used.calls, used.estimated_calls) == (place.calls + lost, lost), place
        assert used.calls == all_.asked().count(place.job), "what is booked is what was asked"
    assert all_.models.asked_twice() == []
    paid = Counter(request.json["model"] for request in all_.models.answered())
    assert paid == {place.job: place.calls for place in places}


@pytest.mark.timeout(2 * PATIENCE)
async def test_agents_survive(
    task: dict[str, Any], undisturbed: Callable[..., Any], tmp_path: Path, record_property: Note
) -> None:
    expected = await undisturbed(FAST)
    async with agent_mortals(tmp_path, script_for(FAST)) as all_:
        await check(all_, task, expected, "worker", record_property)


@pytest.mark.slow
@pytest.mark.timeout(4 * PATIENCE)
@pytest.mark.parametrize("victims", VICTIMS)
@pytest.mark.parametrize("moment", Moment)
async def test_agents_survive_wherever_whoever_dies(
    task: dict[str, Any],
    undisturbed: Callable[..., Any],
    tmp_path: Path,
    record_property: Note,
    moment: Moment,
    victims: str,
) -> None:
    expected = await undisturbed(places_of(moment))
    async with agent_mortals(tmp_path, script_for(tuple(expected))) as all_:
        await check(all_, task, expected, victims, record_property)
