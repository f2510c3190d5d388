"""The worked examples that every implementation of these tools agrees on."""

import json
from pathlib import Path
from typing import Any

import pytest

from activities.tools.toolbox import Toolbox
from tests.activities.tools.boxes import make_box

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data/cases/tools.json").read_text(encoding="utf-8")
)
FILES: dict[str, str | bytes] = {
    "src/a.py": "".join(f"line {n}\n" for n in range(1, 151)),
    "src/bin.png": b"\x89PNG\0\0",
    "src/latin.txt": b"caf\xe9\n",
    "src/long.py": "y" * 900 + "\n",
    "src/m.py": "def main(): ...\n",
    "src/nonl.txt": "no newline",
}


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return make_box(tmp_path, FILES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['tool']}: {case['given'][:30]}")
def test_case(case: dict[str, Any], box: Toolbox) -> None:
    given = box.run(case["tool"], json.dumps(case["args"]))
    assert (given.content, given.error) == (case.get("content", ""), case.get("error", ""))
