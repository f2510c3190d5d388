"""A small project under git, and an execution on it."""

import sys
from pathlib import Path

import pytest

from activities.execution.sandbox import sandbox_offered
from tests.activities.conftest import MakeRepo
from tests.activities.execution.acting import Acting, act_on


@pytest.fixture
def project(make_repo: MakeRepo) -> Path:
    return make_repo(
        {
            "calc.py": "def add(a, b):\n    return a - b\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
            "docs/notes.md": "one\ntwo\nthree\n",
            ".gitignore": "*.log\nbuild/\n",
        }
    )


@pytest.fixture
async def acting(project: Path, tmp_path: Path) -> Acting:
    """Commands run in a sandbox where there is one, else without."""
    offered, _ = await sandbox_offered()
    return await act_on(
        project, tmp_path / "state", sandbox=bool(offered), allow=("python3 *", f"{sys.executable} *")
    )
