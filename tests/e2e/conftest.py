"""Fixtures of the end-to-end tests: workers over scripted parts, on the one server of the test process."""

from collections.abc import AsyncIterator

import pytest

from activities.store import open_store
from phasegate.search_attributes import ensure_search_attributes
from tests.conftest import TemporalServer
from tests.e2e.kill_table import PROPERTY, Cell, order, table
from tests.e2e.stage import Stage, stage
from tests.scripted import QUESTION, SECOND, ScriptedReviewer, scripted_activities
from workflows.attributes import REGISTERED


@pytest.fixture(scope="session")
async def address(temporal_server: TemporalServer) -> str:
    """host:port of the server, ready for jobs."""
    await ensure_search_attributes(await temporal_server.client(), REGISTERED, fix=True)
    return temporal_server.address


@pytest.fixture(scope="session")
async def plain(address: str) -> AsyncIterator[Stage]:
    """A worker whose jobs ask nothing and wait at the three gates."""
    async with stage(address) as ready:
        yield ready


@pytest.fixture(scope="session")
async def asking(address: str) -> AsyncIterator[Stage]:
    """A worker whose jobs ask two questions."""
    store = open_store("memory://")
    reviewer = ScriptedReviewer(questions=(QUESTION, SECOND))
    async with stage(address, scripted_activities(store, reviewer=reviewer), store) as ready:
        yield ready


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of the kill tests."""
    reports = (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed"))
    told = (each for report in reports if report.when == "call" for each in report.user_properties)
    cells = [Cell(*fields) for name, fields in told if name == PROPERTY]
    if cells:
        terminalreporter.section("killed processes")
        for line in table(sorted(cells, key=order)):
            terminalreporter.write_line(line)
