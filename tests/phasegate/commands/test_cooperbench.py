"""`cooperbench plan` as people type it: a worker process, a dataset, a scripted model over HTTP."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from phasegate.cooperbench import BenchSetting, FileInterface, create_plan
from phasegate.search_attributes import ensure_search_attributes
from tests.conftest import TemporalServer
from tests.e2e.bench_stage import AGENT1, AGENT2, FIRST, SECOND, plan_for, small_repository
from tests.model_server.script import FaultKind, Script, fault
from tests.model_server.server import ModelServer
from tests.phasegate.commands.driving import Commands
from tests.phasegate.commands.hub import Hub
from workflows.attributes import REGISTERED

AGREE, LOOK = "agreement_reached", ("list_files", {"explanation": "look", "path": "src"})
MODEL = "anthropic/claude-sonnet-4-5-20250929"


@dataclass
class Town:
    """A worker process, the models that it asks, and the variables that lead commands to it."""

    models: ModelServer
    variables: dict[str, str]
    home: Path
    commit: str


@pytest.fixture(scope="module")
async def bench_town(
    temporal_server: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Town]:
    """One worker for all tests of this module."""
    await ensure_search_attributes(await temporal_server.client(), REGISTERED, fix=True)
    home = tmp_path_factory.mktemp("bench")
    repository, commit = small_repository(home)
    _write_dataset(home / "dataset", repository, commit)
    with ModelServer(Script()) as models, (home / "worker.log").open("wb") as log:
        variables = {
            "TEMPORAL_ADDRESS": temporal_server.address,
            "PHASEGATE_STATE_DIR": str(home / "state"),
            "PHASEGATE_TASK_QUEUE": "cooperbench",
            **models.environment,
        }
        command = [sys.executable, "-m", "phasegate.cli", "worker"]
        with subprocess.Popen(command, env={**os.environ, **variables}, stderr=log) as worker:
            yield Town(models, variables, home, commit)
            worker.terminate()
            assert worker.wait(40) == 0, (home / "worker.log").read_text()


def _write_dataset(dataset: Path, repository: Path, commit: str) -> None:
    """As the public one: a task folder with setup.sh, and feature.md in a folder for each feature."""
    folder = dataset / "my_repo" / "task123"
    for number, text in ((1, FIRST), (2, SECOND)):
        (folder / f"feature{number}").mkdir(parents=True)
        (folder / f"feature{number}" / "feature.md").write_text(text)
    (folder / "setup.sh").write_text(
        f'#!/bin/bash\nREPO_NAME="x"\nBASE_COMMIT="{commit}"\ngit clone file://{repository} "$REPO_NAME"\n'
        'git checkout "$BASE_COMMIT"\n'
    )


@pytest.fixture
def bench(
    bench_town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Commands:
    """Commands that find the town, in an empty folder beside the dataset; models that agree at once."""
    for name, value in bench_town.variables.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "dataset").symlink_to(bench_town.home / "dataset")
    monkeypatch.chdir(tmp_path)
    bench_town.models.script = agreeing()
    bench_town.models.requests.clear()
    return Commands(monkeypatch, capsys)


def agreeing() -> Script:
    """The first agent says hello; the second one looks until it has heard it; both plan."""
    script = Script()
    hello = ("communicate_with_agent", {"message": "hello", "message_type": "question"})
    script.when(system=AGENT1).calls(hello, LOOK).call(AGREE, {"plan": plan_for("Lines 4-9")})
    script.when(system=AGENT2, contains="] hello").call(AGREE, {"plan": plan_for("Lines 40-49")})
    script.when(system=AGENT2).calls(LOOK, delay=0.2)
    script.when().calls(LOOK).call(AGREE, {"plan": plan_for("Line 1")})
    return script


TASK = ("cooperbench", "plan", "--repo-name", "my_repo", "--task-id", "123")
SEED_SINGLE = f"""cooperbench plan --setting single --repo-name my_repo --task-id 123 --feature1-id 1
 --model1 {MODEL}"""
SEED_COOP = f"""cooperbench plan --setting coop --repo-name my_repo --task-id 123
 --feature1-id 1 --feature2-id 2 --model1 {MODEL} --model2 {MODEL}"""


def trajectory(folder: Path) -> dict[str, Any]:
    """The one trajectory in a folder."""
    [path] = folder.rglob("planning_traj_*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_seeds_two_examples(bench: Commands, bench_town: Town, tmp_path: Path) -> None:
    single = bench(*SEED_SINGLE.split())
    assert single.code == 0, single.err
    folder = tmp_path / "logs" / "single" / "my_repo" / "task123" / "feature1"
    assert sorted(path.name for path in folder.iterdir()) == [
        "plan_claude_k1_feature1.md",
        "planning_traj_claude_k1_feature1.json",
    ]
    assert (folder / "plan_claude_k1_feature1.md").read_text() == f"## Plan\n\n{plan_for('Line 1')}"
    assert "not uploaded: set PHASEGATE_HF_REPO and HF_TOKEN" in single.out

    coop = bench(*SEED_COOP.split())
    assert coop.code == 0, coop.err
    folder = tmp_path / "logs" / "coop" / "my_repo" / "task123" / "feature1_feature2"
    assert sorted(path.name for path in folder.iterdir()) == [
        "plan_claude_k1_feature1.md",
        "plan_claude_k1_feature2.md",
        "planning_traj_model1claude_model2claude_k1_feature1_feature2.json",
    ]
    assert "no predicted merge conflict" in coop.out
    assert f"coop: {len(bench_town.models.answered()) - 2} calls" in coop.out
    assert (
        "solo, one agent doing both: not planned yet: phasegate cooperbench plan --setting solo" in coop.out
    )
    assert bench_town.models.asked_twice() == []


def test_a_trajectory_in_the_seeds_format(bench: Commands, bench_town: Town, tmp_path: Path) -> None:
    words = (
        "cooperbench plan -s coop --repo-name my_repo --task-id 123 -i 1 -j 2 -m1 openai/one -m2 openai/two"
    )
    ran = bench(*words.split(), "--k", "2", "--no-save-to-hf", "--json")
    assert ran.code == 0, ran.err
    found = trajectory(tmp_path / "logs")
    metadata = found["metadata"]
    assert metadata["planning_mode"] == "coop"
    assert metadata["agents"] == [
        {"id": "agent1", "model": "openai/one", "role": "feature1"},
        {"id": "agent2", "model": "openai/two", "role": "feature2"},
    ]
    stamps = [
        metadata["start_time"],
        *(event["timestamp"] for event in found["trajectory"]),
        metadata["end_time"],
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp) for stamp in stamps)
    assert stamps == sorted(stamps)
    assert datetime.fromisoformat(stamps[0])
    assert Path(metadata["agent_workspace_path"]).is_dir()
    assert found["final_plans"] == {"plan1": plan_for("Lines 4-9"), "plan2": plan_for("Lines 40-49")}

    calls = [e for e in found["trajectory"] if e["type"] == "llm_call"]
    paid = len(bench_town.models.answered())
    assert sorted(e["agent_id"] for e in calls) == ["agent1"] * 2 + ["agent2"] * (paid - 2)
    first, *_, second = (e["data"] for e in calls if e["agent_id"] == "agent2")
    assert [m["role"] for m in first["input"]["messages"]] == ["system", "user"]
    assert [m["role"] for m in second["input"]["messages"]][-3:] == ["assistant", "tool", "user"]
    assert len(second["input"]["messages"]) == 2 + 2 * (paid - 3) + 1
    assert re.fullmatch(
        r"## CONVERSATION HISTORY\n\n<data-(\w+) mail>\n\*\*Agent 1\*\*: \[QUESTION\] hello\n</data-\1>",
        second["input"]["messages"][-1]["content"],
    )
    assert [tool["name"] for tool in second["input"]["tools"]][-2:] == ["communicate_with_agent", AGREE]
    assert second["output"]["tool_calls"][0]["function"]["name"] == AGREE
    looked = next(
        e["data"]
        for e in found["trajectory"]
        if e["type"] == "tool_execution" and e["data"]["tool_name"] == "list_files"
    )
    assert looked["arguments"] == {"explanation": "look", "path": "src"}
    assert looked["result"] == {"success": True, "content": "Found 1 items:\n\napp.py", "error": ""}
    spoken = [e for e in found["trajectory"] if e["type"] == "coordination"]
    received = [e for e in spoken if e["data"]["action"] == "communication_received"]
    assert [(e["agent_id"], e["data"]["from"], e["data"]["message"]) for e in received] == [
        ("agent2", "agent1", "[QUESTION] hello")
    ]
    assert {"action": "agent_switch", "from": "agent1", "to": "agent2"} in [e["data"] for e in spoken]
    assert {e["type"] for e in found["trajectory"]} == {"llm_call", "tool_execution", "coordination"}
    assert ran.json["usage"]["calls"] == paid
    assert metadata["usage"]["total"]["calls"] == paid
    assert ran.json["upload"] == ""


def test_solo_beside_coop(bench: Commands, tmp_path: Path) -> None:
    model = ("-m1", "openai/gpt-4o-mini", "--k", "3")
    ran = bench(*TASK, "-i", "2", "-j", "1", *model, "--with-solo", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["setting"] == "coop"
    assert ran.json["solo"]["usage"]["calls"] == 2
    assert ran.json["solo"]["usage"]["cost_usd"] > 0
    assert (tmp_path / "logs" / "solo" / "my_repo" / "task123" / "feature1_feature2").is_dir()
    # Found in its files from now on, whichever feature comes first.
    again = bench(*TASK, "-i", "1", "-j", "2", *model)
    assert re.search(r"^solo, one agent doing both: 2 calls, .*\$", again.out, re.M), again.out
    assert "started bench-coop-" in again.err


def test_the_same_words_again_pay_nothing(bench: Commands, bench_town: Town, tmp_path: Path) -> None:
    words = [*SEED_SINGLE.split(), "--k", "4"]
    assert bench(*words).code == 0
    paid = len(bench_town.models.requests)
    files = {path: path.read_bytes() for path in (tmp_path / "logs").rglob("*.*")}
    again = bench(*words)
    assert again.code == 0
    assert "nothing is paid again" in again.err
    assert len(bench_town.models.requests) == paid
    assert {path: path.read_bytes() for path in (tmp_path / "logs").rglob("*.*")} == files
    other = bench(*words, "--max-iterations", "9")
    assert "the files of another run with this k are replaced" in other.err
    assert len(bench_town.models.requests) == 2 * paid


def test_a_failure_is_said_and_gone_on_with(bench: Commands, bench_town: Town, tmp_path: Path) -> None:
    script = Script()
    script.when(replies=1).fail(fault(FaultKind.BAD_KEY)).call(AGREE, {"plan": "P"})
    script.when().calls(LOOK)
    bench_town.models.script = script
    words = [*SEED_SINGLE.split(), "--k", "5"]
    ran = bench(*words, "--json")
    assert ran.code == 1
    assert ran.json["settled"] is False
    assert "the same command goes on with it" in ran.json["problem"]
    # What there is is there: the call that was answered.
    found = trajectory(tmp_path / "logs")
    assert [event["type"] for event in found["trajectory"]] == ["llm_call", "tool_execution"]
    assert found["final_plans"] == {}
    again = bench(*words)
    assert (again.code, len(bench_town.models.answered())) == (0, 2)
    assert "stopped before its end; goes on with bench-single-my_repo-task123-f1-k5-" in again.err


def test_a_budget(bench: Commands) -> None:
    words = [*SEED_SINGLE.split(), "--k", "6", "--max-tokens", "10"]
    ran = bench(*words, "--json")
    assert ran.code == 5
    assert "with a larger budget goes on" in ran.json["problem"]
    assert bench(*words[:-1], "1000000").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-s solo -i 1", "solo plans two features; name the second one with --feature2-id"),
        ("-s coop -i 1 -j 1", "both features are 1; name two different ones"),
        ("-s single -i 1 -j 2", "single plans one feature; leave --feature2-id out"),
        ("-s solo -i 1 -j 2 -m2 x", "solo has one agent; leave --model2 out"),
        ("-s coop -i 1 -j 9", "the task has the features 1, 2"),
        ("-s duo -i 1", "unknown setting 'duo'; settings are single, solo, coop, coop_ablation"),
        ("-s single -i 1 --with-solo", "--with-solo is for two agents"),
        ("-s single -i 1 --max-budget-usd nan", "--max-budget-usd: must be a finite number"),
        ("-s single -i 1 --max-budget-usd=-inf", "--max-budget-usd: must be a finite number"),
        (
            "-s single -i 1 --max-budget-usd=-1",
            "--max-budget-usd: must be 0 or more",
        ),
        ("-s single -i 1 --max-tokens=-1", "--max-tokens: must be 0 or more"),
    ],
)
def test_wrong_words(bench: Commands, words: str, told: str) -> None:
    ran = bench(*TASK, "-m1", "x", *words.split())
    assert ran.code == 2
    assert told in ran.sentence


@pytest.mark.slow
def test_a_client_that_dies_leaves_what_there_is_and_another_attaches(
    bench: Commands, bench_town: Town, tmp_path: Path
) -> None:
    script = agreeing()
    script.rules[-1].answers[1].delay = 12
    bench_town.models.script = script
    words = [*SEED_SINGLE.split(), "--k", "7"]
    for number in (signal.SIGINT, signal.SIGKILL):
        shutil.rmtree(tmp_path / "logs", ignore_errors=True)
        command = [sys.executable, "-m", "phasegate.cli", *words]
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as client:
            _wait(
                lambda: any("llm_call" in f.read_text() for f in (tmp_path / "logs").rglob("planning_*.json"))
            )
            client.send_signal(number)
            _, told = client.communicate(timeout=30)
        if number == signal.SIGINT:
            assert client.returncode == 130
            assert "the run goes on, and the same command attaches to it again" in told
            assert "temporal workflow signal --workflow-id bench-single-" in told
            [event, *_] = trajectory(tmp_path / "logs")["trajectory"]
            assert event["type"] == "llm_call"
            assert trajectory(tmp_path / "logs")["metadata"]["end_time"] is None
    ran = bench(*words)
    assert ran.code == 0, ran.err
    assert "runs already; attached to" in ran.err
    assert len(bench_town.models.answered()) == 2
    assert not list((tmp_path / "logs").rglob(".*"))


def _wait(holds: Any) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


def test_python_api(bench: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench
    interface = FileInterface(
        setting=BenchSetting.COOP,
        repo_name="my_repo",
        task_id=123,
        k=8,
        feature1_id=1,
        feature2_id=2,
        model1=MODEL,
        model2=MODEL,
        save_to_hf=False,
    )
    reports: list[Any] = []
    thread = Thread(target=lambda: reports.append(asyncio.run(create_plan(interface, max_iterations=25))))
    thread.start()
    thread.join(60)
    assert reports[0].settled
    assert (tmp_path / interface.path("plan2")).read_text().startswith("## Plan\n\n# FEATURE")
    assert f"coop: {reports[0].usage.calls} calls" in capsys.readouterr().out


# --- upload -----------------------------------------------------------------------------------------------


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub in a thread."""
    with Hub() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_upload(bench: Commands, hub: Hub, tmp_path: Path) -> None:
    assert bench(*SEED_SINGLE.split(), "--k", "9").code == 0

    def again(*words: str) -> str:
        # A process of its own: the library reads where its hub is when it is imported.
        settings = {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "HF_HUB_OFFLINE": "0"}
        settings |= {"PHASEGATE_HF_REPO": "me/experiments", "HF_TOKEN": "hf_secret"}
        command = [sys.executable, "-m", "phasegate.cli", *SEED_SINGLE.split(), "--k", "9", *words]
        ran = subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=60
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    folder = "single/my_repo/task123/feature1"
    address = f"http://127.0.0.1:{hub.server_port}/datasets/me/experiments"
    assert f"uploaded 2 files to me/experiments as {address}/commit/1" in again()
    [(path, lines)] = hub.commits
    assert path.startswith("/api/datasets/me/experiments/commit/main")
    assert [line["value"]["path"] for line in lines if line["key"] == "file"] == [
        f"{folder}/plan_claude_k9_feature1.md",
        f"{folder}/planning_traj_claude_k9_feature1.json",
    ]
    assert hub.tokens == {"Bearer hf_secret"}
    assert f"as pull request {address}/discussions/1" in again("--create-pr")
    assert len(hub.commits) == 2
    assert "upload" not in again("--no-save-to-hf")
    hub.refuses = True
    told = again()
    assert "not uploaded to me/experiments: " in told
    assert "hf_secret" not in told
    assert len(hub.commits) == 2
    assert (tmp_path / "logs" / folder / "plan_claude_k9_feature1.md").is_file()
