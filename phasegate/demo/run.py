"""Runs the demo from the first step to the last, and leaves nothing behind but the plan."""

import asyncio
import contextlib
import os
import shlex
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from phasegate.demo import beginning, ending, middle
from phasegate.demo.stage import DemoFailed, Stage
from phasegate.demo.story import JOB, Story
from phasegate.demo.telling import Telling
from phasegate.problems import Interrupted, Problem, WrongUse
from phasegate.session import Outcome, Session, person

STOPPED = "the demo was stopped; its processes have ended and its folder is removed"
PLAN_FILE = "phasegate-demo-plan.md"
STEPS: tuple[tuple[str, str, Callable[[Story], Awaitable[None]]], ...] = (
    ("set_up", "A server and a worker", beginning.set_up),
    ("start", "A task for a repository", beginning.start),
    ("discover", "DISCOVERY reads the repository", beginning.discover),
    ("answer", "It asks instead of guessing", beginning.answer),
    ("agree", "The first gate: is this what you want?", beginning.agree),
    ("refuse", "CONTRACTS: you refuse, with feedback", middle.refuse),
    ("compare", "The rework, against what you refused", middle.compare),
    ("kill", "The worker is killed, and you approve", middle.kill),
    ("go_on", "A new worker goes on", middle.go_on),
    ("restart", "Something has changed: restart from CONTRACTS", ending.restart),
    ("refuse_stale", "A late approval of the old plan", ending.refuse_stale),
    ("verify", "Two more gates, then VERIFIED", ending.verify),
    ("export", "The plan", ending.export),
    ("account", "The ledger: all that happened", ending.account),
)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def run_demo(session: Session, output: str = "", keep: bool = False) -> Outcome:
    """Tell the whole story. Raises DemoFailed at the first claim that does not hold, Interrupted on Ctrl-C.

    `keep` leaves server, worker and data; otherwise only the plan is left, whatever happens.
    """
    place = _writable(Path(output or PLAN_FILE))
    stage = Stage(Path(tempfile.mkdtemp(prefix="phasegate-demo-")))
    tell = Telling(Console(quiet=True) if session.as_json else session.out)
    story = Story(stage, tell, person() or "you", place)
    acting = asyncio.create_task(_tell(story))
    with _stopping(acting):
        try:
            steps = await acting
            data = _outcome(story, steps, keep)
        except asyncio.CancelledError:
            keep = False
            raise Interrupted(STOPPED) from None
        finally:
            if keep:
                _show_kept(story)
            elif not stage.close():
                session.err.print(f"{stage.home} could not be removed", soft_wrap=True)
    tell.gap()
    tell.say(
        f"All of this happened, {story.claims} claims were checked, and it took {story.seconds():.1f} s. "
        f"The plan is in {place}. For a job of your own:",
        "bold",
    )
    tell.type("phasegate dev", 'phasegate plan --repo PATH_OR_URL "the task"')
    return Outcome(data)


async def _tell(story: Story) -> list[dict[str, Any]]:
    story.tell.say(
        "One job on a small repository, from a task to a verified plan: a real Temporal server, a real "
        "worker process, real git, no model and no key. Lines after $ are what you would type, mostly in "
        "two forms: phasegate, and plain temporal."
    )
    done = []
    for number, (name, title, step) in enumerate(STEPS, 1):
        began = time.monotonic()
        story.tell.heading(number, len(STEPS), title, story.seconds())
        try:
            await step(story)
        except Problem as problem:
            raise DemoFailed(f"the demo stopped at step {number} ({name}): {problem}") from None
        done.append({"step": name, "title": title, "ok": True, "seconds": round(time.monotonic() - began, 2)})
    return done


def _outcome(story: Story, steps: list[dict[str, Any]], keep: bool) -> dict[str, Any]:
    stage = story.stage
    left = {
        "folder": str(stage.home),
        "processes": [stage.worker_pid, stage.server.pid],
        "environment": stage.settings(),
    }
    return {
        "job": JOB,
        "state": "verified",
        "seconds": round(story.seconds(), 2),
        "claims": story.claims,
        "steps": steps,
        "kept_digests": {phase.value: digest for phase, digest in story.kept.items()},
        "server": stage.server.pid,
        "workers": story.workers,
        "ledger": story.ledger,
        "files": [str(story.output)],
        "left_running": left if keep else None,
    }


def _writable(place: Path) -> Path:
    """Where the plan goes, looked at before anything is started. Raises WrongUse."""
    place = place.expanduser().absolute()
    if place.is_dir():
        raise WrongUse(f"{place} is a folder; name a file with --output")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise WrongUse(f"the plan cannot be written to {place}; choose another place with --output")
    return place


@contextlib.contextmanager
def _stopping(acting: "asyncio.Task[Any]") -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal cancel the story; what cleans up after it is not disturbed."""
    loop = asyncio.get_running_loop()
    listening = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in listening:
        loop.add_signal_handler(number, acting.cancel)
    try:
        yield
    finally:
        for number in listening:
            loop.remove_signal_handler(number)


def _show_kept(story: Story) -> None:
    """How to look around in what is left, and how to end it."""
    stage, tell = story.stage, story.tell
    running = [pid for pid in (stage.worker_pid, stage.server.pid if stage.server.running else 0) if pid]
    tell.gap()
    tell.say("Server, worker and data are kept. To look around:", "bold")
    tell.type(
        *stage.exports(),
        f"phasegate show {JOB}",
        "phasegate list --all",
        f"temporal workflow show --workflow-id {JOB}",
    )
    tell.say("To end it:")
    tell.type(f"kill {' '.join(map(str, running))}; rm -r {shlex.quote(str(stage.home))}")
