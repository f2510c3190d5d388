"""The office of most tests: a desk over the shop."""

from pathlib import Path

import pytest

from tests.activities.desks.offices import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """A desk over a new repository of the shop."""
    return Office(tmp_path / "shop", constraints=("Keep the public API",))
