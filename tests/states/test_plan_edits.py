"""Edits of a plan's text: the seed's format, other spellings, the benchmark's own edits written as plans."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from states.overlap import conflicts
from states.plan_edits import END, plan_edits

CASES = Path(__file__).parents[1] / "data" / "cases" / "overlap.json"

SEED = """# FEATURE IMPLEMENTATION PLAN

## CONTEXT
Problem: users cannot log in
File layout: see below

## STEP-BY-STEP IMPLEMENTATION

### Step 1: Add authentication middleware
File: `src/app.py`
Location: Line 15 (after imports)
Action: Add
Before Code: [none - new addition]
After Code:
```python
File: `not/a/path.py`
def authenticate_user(request):
    return validate_token(request.headers.get('auth'))
```
Critical Details: Leave line 16-17 blank, add import at top

### Step 2: Use it
File: src/app.py
Location: Lines 40-52
Action: Modify
Before Code:
```python
old
```
"""


def test_the_seeds_own_plan() -> None:
    found = plan_edits(SEED)
    assert found.edits == {"src/app.py": ((14.5, 14.5), (40.0, 52.0))}
    assert found.unplaced == 0


@pytest.mark.parametrize(
    ("action", "location", "ranges"),
    [
        ("Add", "after line 15", ((15.5, 15.5),)),
        ("Insert", "Before line 15, below the imports", ((14.5, 14.5),)),
        ("Add", "Line 1", ((0.5, 0.5),)),
        ("Add", "Lines 20-35", ((19.5, 19.5),)),
        ("Modify", "lines 20 to 35", ((20.0, 35.0),)),
        ("Replace", "L20-L35", ((20.0, 35.0),)),
        ("Replace", "20–35", ((20.0, 35.0),)),
        ("Remove", "Line 9", ((9.0, 9.0),)),
        ("Modify", "lines 3, 7-8 and 12", ((3.0, 3.0), (7.0, 8.0), (12.0, 12.0))),
        ("Add", "between lines 14 and 15", ((14.5, 14.5),)),
        ("Modify", "between lines 14 and 18", ((14.5, 17.5),)),
        ("Create", "new file", ((0.5, 0.5),)),
        ("Create new file", "", ((0.5, 0.5),)),
        ("Append", "end of file", ((END, END),)),
        ("Add", "at the top of the file", ((0.5, 0.5),)),
        ("Add/Modify", "Line 42 or after the class", ((42.0, 42.0),)),
    ],
)
def test_spellings(action: str, location: str, ranges: tuple[tuple[float, float], ...]) -> None:
    plan = f"### Step 1: x\n- **File**: `./a/b.py`\n- **Location:** {location}\n- **Action**: {action}\n"
    assert plan_edits(plan).edits == {"a/b.py": ranges}


def test_what_names_no_lines_is_counted() -> None:
    found = plan_edits("File: `a.py`, `b.py`\nLocation: in the class\nAction: Modify\n")
    assert (found.edits, found.unplaced) == ({}, 2)


def test_many_edits_are_bounded() -> None:
    found = plan_edits("File: a\nLocation: Line 1\n" * 700)
    assert len(found.edits["a"]) + found.unplaced == 700
    assert found.unplaced == 200


@given(st.text())
def test_no_text_raises(text: str) -> None:
    plan_edits(text)
    plan_edits(f"File: `x`\nLocation: Line {text}\nAction: {text}")


def _as_plan(edits: dict[str, list[list[float]]]) -> str:
    steps = []
    for path, ranges in edits.items():
        for first, last in ranges:
            whole = last == int(last)
            if first == last and not whole:
                steps.append((path, "Add", f"after line {int(first)}"))
                continue
            steps.append((path, "Modify", f"Lines {int(first)}-{int(last)}"))
            if not whole:
                steps.append((path, "Add", f"after line {int(last)}"))
    random.Random(7).shuffle(steps)
    return "\n".join(
        f"### Step {n}: change\nFile: `{path}`\nLocation: {where}\nAction: {action}\nBefore Code: x\n"
        for n, (path, action, where) in enumerate(steps, 1)
    )


def test_the_benchmarks_edits_written_as_plans_conflict_as_they_do() -> None:
    cases = json.loads(CASES.read_text())
    edits = cases["edits"]
    pairs = [
        (a, b) for a in sorted(edits) for b in sorted(edits) if a < b and a.split("/f")[0] == b.split("/f")[0]
    ]
    assert len(pairs) > 300
    read = {name: plan_edits(_as_plan(edits[name])).edits for name in edits}
    for a, b in pairs:
        assert bool(conflicts(read[a], read[b])) == bool(conflicts(edits[a], edits[b])), (a, b)
