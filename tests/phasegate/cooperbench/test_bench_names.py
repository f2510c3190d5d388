"""Names of files and folders, short model names, and combinations that are wrong."""

from pathlib import Path
from typing import Any

import pytest

from activities.desks.bench import BenchDesk
from phasegate.cooperbench import BenchSetting, FileInterface
from phasegate.cooperbench.interface import WrongExperiment, short_model
from tests.e2e.stage import job_id

CLAUDE, GPT = "anthropic/claude-sonnet-4-5-20250929", "openai/gpt-5-mini"


def interface(setting: str, **changes: Any) -> FileInterface:
    """An experiment with whatever it needs."""
    known: dict[str, Any] = {
        "setting": setting,
        "repo_name": "my_repo",
        "task_id": 123,
        "feature1_id": 3,
        "model1": CLAUDE,
        "feature2_id": None if setting == "single" else 2,
    }
    return FileInterface(**(known | changes))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (
            interface("single", k=2),
            [
                "single/my_repo/task123/feature3/plan_claude_k2_feature3.md",
                "single/my_repo/task123/feature3/planning_traj_claude_k2_feature3.json",
            ],
        ),
        (
            interface("solo"),
            [
                "solo/my_repo/task123/feature2_feature3/plan_claude_k1_feature3.md",
                "solo/my_repo/task123/feature2_feature3/planning_traj_claude_k1_feature3_feature2.json",
            ],
        ),
        (
            interface("coop", model2=GPT),
            [
                "coop/my_repo/task123/feature2_feature3/plan_claude_k1_feature3.md",
                "coop/my_repo/task123/feature2_feature3/plan_gpt5_k1_feature2.md",
                "coop/my_repo/task123/feature2_feature3/"
                "planning_traj_model1claude_model2gpt5_k1_feature3_feature2.json",
            ],
        ),
        (
            interface("coop_ablation"),
            [
                "coop_ablation/my_repo/task123/feature2_feature3/plan_claude_k1_feature3.md",
                "coop_ablation/my_repo/task123/feature2_feature3/plan_claude_k1_feature2.md",
                "coop_ablation/my_repo/task123/feature2_feature3/"
                "planning_traj_model1claude_model2claude_k1_feature3_feature2.json",
            ],
        ),
    ],
)
def test_files(given: FileInterface, names: list[str]) -> None:
    assert [path.as_posix() for path in given.file_paths.values()] == names
    assert given.path("plan1") == Path("logs") / names[0]


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("minimax/MiniMax-M2", "minimax"),
        (CLAUDE, "claude"),
        ("gemini/gemini-2.5-pro", "gemini"),
        ("together/Qwen3-Coder-480B", "qwen_coder"),
        ("qwen/qwen-max", "qwen"),
        (GPT, "gpt5"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_short_names(model: str, short: str) -> None:
    assert short_model(model) == short


def test_other_models_keep_apart_and_are_safe_in_file_names() -> None:
    models = ("openai/gpt-4o", "openai_gpt-4o", "openai gpt-4o", "../../x", "..", "a" * 300, "a" * 301, "ä/ö")
    names = [short_model(model) for model in models]
    assert len(set(names)) == len(models)
    assert all(name.isascii() and "/" not in name and not name.startswith(".") for name in names)
    assert max(map(len, names)) < 80


@pytest.mark.parametrize(
    ("setting", "changes", "told"),
    [
        ("solo", {"feature2_id": None}, "solo plans two features; name the second one with --feature2-id"),
        ("coop", {"feature2_id": None}, "coop plans two features"),
        ("coop_ablation", {"feature2_id": None}, "coop_ablation plans two features"),
        ("coop", {"feature2_id": 3}, "both features are 3; name two different ones"),
        ("single", {"feature2_id": 2}, "single plans one feature; leave --feature2-id out"),
        ("solo", {"model2": GPT}, "solo has one agent; leave --model2 out"),
        ("duo", {}, "unknown setting 'duo'; settings are single, solo, coop, coop_ablation"),
        ("single", {"repo_name": "../x"}, "is no repository of a dataset"),
        ("single", {"model1": " "}, "no model is named"),
        ("single", {"k": -1}, "k is -1"),
    ],
)
def test_wrong_combinations(setting: str, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(WrongExperiment, match=told) as raised:
        interface(setting, **changes)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize("setting", BenchSetting)
def test_trajectories_name_the_tools_that_the_desk_offers(setting: BenchSetting) -> None:
    from activities.agent_orders import AgentOrder, Feature
    from activities.store import open_store
    from activities.workspace import Workspaces
    from states.workspace import WorkspaceRef

    order = AgentOrder(
        job=job_id("x"),
        agent=setting.seats[0].id,
        session="s",
        kind=setting.kind,
        workspace=WorkspaceRef(repository="/r", commit="0" * 40),
        models=("m",),
        features=(Feature(id=1, text="0" * 64),),
    )
    desk = BenchDesk(open_store("memory://"), Workspaces(Path()))
    assert tuple(tool["function"]["name"] for tool in desk.tools(order)) == setting.tools
