"""Large files that steps leave: stored and brought back beside the worker, which goes on meanwhile."""

import asyncio
import hashlib
import time
from pathlib import Path

from activities.execution.large import LARGE
from activities.execution.summing import MOST_BYTES
from activities.execution.worktree import AT_ONCE
from states.execution import StepResult
from tests.activities.execution.acting import Acting, completed, shell

SIZE = 64_000_000
WRITE = f"head -c {SIZE} /dev/urandom > large.bin"


def digest(file: Path) -> str:
    """Of what a file holds."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


async def longest_wait(until: "asyncio.Future[StepResult]") -> float:
    """Seconds that the loop once needed to come back to whoever asked for a moment."""
    longest = 0.0
    while not until.done():
        before = time.monotonic()
        await asyncio.sleep(0.01)
        longest = max(longest, time.monotonic() - before)
    return longest


async def test_others_go_on_while_a_large_file_is_kept(acting: Acting) -> None:
    assert SIZE > LARGE
    acting.rules = acting.rules.model_copy(update={"approved": (WRITE,)})
    start = acting.at
    began = time.monotonic()
    running = asyncio.ensure_future(acting.step(shell(WRITE, "write")))
    waited = await longest_wait(running)
    result = completed(await running)
    assert waited < 0.3 * (time.monotonic() - began), "a worker that answers nobody loses what it works on"
    assert (result.files, result.metrics.lines_changed) == (("large.bin",), 0)
    file, done = acting.tree / "large.bin", acting.at
    before = digest(file)
    await acting.roll_back(start)
    assert not file.exists()
    acting.at = acting.at.model_copy(update={"bundles": done.bundles})
    await acting.roll_back(done)
    assert digest(file) == before
    await asyncio.sleep(AT_ONCE)
    file.write_bytes(b"a person was here")
    await acting.prepare()
    assert digest(file) == before


async def test_a_large_file_that_is_right_is_left_as_it_is(acting: Acting) -> None:
    acting.rules = acting.rules.model_copy(update={"approved": (WRITE,)})
    completed(await acting.step(shell(WRITE, "write")))
    file = acting.tree / "large.bin"
    before = file.stat().st_mtime_ns
    await asyncio.sleep(AT_ONCE)
    (acting.tree / "calc.py").write_text("a person was here\n")
    (acting.tree / "large.bin").touch()
    touched = file.stat().st_mtime_ns
    await acting.prepare()
    assert before < file.stat().st_mtime_ns == touched


async def test_no_patch_is_made_of_more_than_a_memory_should_hold(acting: Acting) -> None:
    fill = f"head -c {MOST_BYTES + 1} /dev/zero > zeros.bin"
    acting.rules = acting.rules.model_copy(update={"approved": (fill,)})
    completed(await acting.step(shell(fill, "fill")))
    summary = await acting.summary()
    assert (summary.patch, summary.files) == ("", ("zeros.bin",))
    assert summary.diffstat.splitlines()[-1] == " no patch is made of 200,000,001 bytes"
