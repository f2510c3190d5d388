"""A worker of the product, whole, whose models are a scripted server over HTTP; and a small repository."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.store import open_store
from phasegate.bench_client import BenchClient
from phasegate.settings import Settings
from states.agents import Allowance
from states.bench import BenchSetting, BenchTask, FeatureText
from states.cooperation import CooperationState, MemberState
from tests.e2e.stage import job_id
from tests.model_server.script import Script
from tests.model_server.server import ModelServer, Recorded
from worker import build_worker, wired

APP = "\n".join(f"line {number}" for number in range(1, 151)) + "\n"
FIRST, SECOND = "Feature one: greet users.\n", "Feature two: log users out.\n"
AGENT1, AGENT2 = "You are agent 1 of two", "You are agent 2 of two"


@dataclass(frozen=True)
class BenchStage:
    """What a test works with."""

    runs: BenchClient
    models: ModelServer
    repository: Path
    commit: str
    settings: Settings

    def task(self, setting: BenchSetting, **changes: Any) -> BenchTask:
        """A task over the repository; its repository's name is new each time, so that its run is."""
        two = setting is not BenchSetting.SINGLE
        features = [FeatureText(id=1, text=FIRST), *([FeatureText(id=2, text=SECOND)] if two else [])]
        known: dict[str, Any] = {
            "setting": setting,
            "repo_name": job_id("repo"),
            "task_id": 7,
            "k": 1,
            "repository": str(self.repository),
            "commit": self.commit,
            "features": features,
            "models": ["openai/scripted"] * len(setting.seats),
            "max_iterations": 25,
        }
        return BenchTask.model_validate(known | changes)

    async def run(self, task: BenchTask, allowance: Allowance | None = None) -> CooperationState:
        """Begin, and wait for the end."""
        _, state = await self.runs.find(task)
        await self.runs.begin(task, allowance or Allowance(), state)
        return await self.runs.result(task.run)

    async def plan(self, member: MemberState) -> str:
        """The text of the plan that counts."""
        return await self.runs.text(member.plan)

    def asked(self, system: str = "") -> list[Recorded]:
        """Paid requests of the agents whose system prompt holds this."""
        return [r for r in self.models.answered() if system in r.json["messages"][0]["content"]]


@asynccontextmanager
async def bench_stage(
    address: str, script: Script, home: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[BenchStage]:
    """A worker with everything real but the model."""
    settings = Settings(state_dir=home / "state", task_queue=job_id("bench"), drain_seconds=0)
    store = open_store(settings.store)
    client = await Client.connect(address, data_converter=data_converter(store))
    repository, commit = small_repository(home)
    with ModelServer(script) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        async with build_worker(client, settings, *wired(settings, LiteLlmProvider())):
            runs = BenchClient(client, store, settings.task_queue)
            yield BenchStage(runs, models, repository, commit, settings)


def small_repository(home: Path) -> tuple[Path, str]:
    """A git repository with `src/app.py` of 150 lines; gives its folder and its commit."""
    root = home / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text(APP)
    (root / "README.md").write_text("# shop\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(root)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return root, head.stdout.strip()


def plan_for(*places: str, path: str = "src/app.py") -> str:
    """A plan in the seed's format that replaces these lines, each as `Lines 4-9`."""
    steps = [
        f"### Step {number}: change\nFile: `{path}`\nLocation: {place}\nAction: Modify\nBefore Code: x\n"
        for number, place in enumerate(places, 1)
    ]
    return "\n".join(["# FEATURE IMPLEMENTATION PLAN\n", "## STEP-BY-STEP IMPLEMENTATION\n", *steps])
