"""What a model is told that writes the code of a step, as it comes over the wire."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from activities.desks.coding import SUBMIT_CHANGES
from activities.models.provider import LiteLlmProvider
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepType
from states.execution import ExecutionStatus
from states.words import Message, Mode, Phase
from tests.activities.deterministic.small_repos import LINKS
from tests.e2e.acting_stage import WITHOUT_PEOPLE, acting_stage
from tests.e2e.executions import a_step, repository
from tests.e2e.stage import until
from tests.e2e.whole_job import MODEL, shop, whole_stage
from tests.model_server.script import Script
from tests.model_server.server import ModelServer, Recorded

FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "test_app.py": "from app import plus\n\n\ndef test_plus():\n    assert plus(1, 2) == 3\n",
}
RENAME = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="add", new="plus"),))
TESTS = "python3 -m pytest -q -p no:cacheprovider --junitxml=report.xml"
STEPS = (
    a_step("rename", type=StepType.FILE_OPERATION, files=(RENAME,)),
    a_step("code", "rename", type=StepType.CODE_GENERATION, description="The sign is wrong: mend it."),
    a_step("test", "code", type=StepType.TESTING, command=TESTS, report="report.xml"),
)
LOOK = ("read_file", {"explanation": "the code", "filename": "app.py"})


def edit(new: str) -> dict[str, Any]:
    """One edit of the sum."""
    edits = [{"old": "a - b", "new": new}]
    return {"files": [{"path": "app.py", "kind": "modify", "edits": edits}]}


def texts(request: Recorded) -> list[str]:
    """What each message of a request says."""
    return [str(message.get("content")) for message in request.json["messages"]]


async def environ(models: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let models be found at the scripted server."""
    for name, value in models.environment.items():
        monkeypatch.setenv(name, value)
    await LiteLlmProvider().warm()


async def test_code_that_fails_its_tests_is_written_anew_after_a_rollback(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one who is told the step and what went wrong, and reads the tree as it is now."""
    project, script = repository(tmp_path / "project", FILES), Script()
    script.when(tool=SUBMIT_CHANGES, first="went wrong").calls(LOOK).call(SUBMIT_CHANGES, edit("a + b"))
    script.when(tool=SUBMIT_CHANGES).calls(LOOK).call(SUBMIT_CHANGES, edit("a * b"))
    with ModelServer(script) as models:
        await environ(models, monkeypatch)
        async with acting_stage(address, tmp_path, project, *STEPS) as stage:
            job = await stage.act(models={"code": MODEL}, requirements=["no new names"])
            failed = await stage.until(job, lambda v: v.hold)
            assert failed.hold
            assert failed.hold.reason.startswith("steps failed: test")
            await stage.jobs.send(job, Message.ROLLBACK, {"to": "rename", "by": "ann"})
            await stage.until(job, lambda v: v.hold and v.hold.reason.startswith("rolled back"))
            await stage.jobs.send(job, Message.RESUME, {"by": "ann"})
            done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
            assert done.act
            assert done.act.status is ExecutionStatus.COMPLETED
    first, seen, again, seen_again = map(texts, models.answered())
    for system, opening in (first, again):
        assert "You write the code of one step of a plan that people have approved" in system
        assert "carry it out" in opening, "the task"
        assert "no new names" in opening
        assert '"id":"code"' in opening
        assert '"title":"Step code"' in opening
        assert "The sign is wrong: mend it." in opening
        assert TESTS not in opening, "other steps are nobody's business here"
        assert str(tmp_path) not in system + opening, "nor is where this is on the machine"
    for request in (seen, seen_again):
        assert "def plus(a, b):" in request[-1], "as the step before has left it"
        assert "return a - b" in request[-1], "and not as the code before had it, which was rolled back"
    assert "went wrong" not in first[1]
    assert "step test (Step test): command failed: exit status 1" in again[1]
    assert first[1] == again[1][: again[1].index("\n\nThe plan was carried out before")] + (
        "\n\nNow read the files as they are, then call `submit_changes`."
    )


async def test_the_subtask_comes_with_all_that_was_found_for_it(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.when(tool=SUBMIT_CHANGES).call(SUBMIT_CHANGES, edit("a + b"))
    with ModelServer(script) as models:
        await environ(models, monkeypatch)
        async with whole_stage(address, tmp_path, LiteLlmProvider()) as stage:
            policy = {**WITHOUT_PEOPLE, "question_handling": "best_guess"}
            given = {**shop(tmp_path), "model": "", "models": {"code": MODEL}, "policy": policy, "act": True}
            await stage.cli.start("bundle", given)

            async def asked() -> int:
                return len(models.answered())

            await until(asked, bool)
            _, planned = await stage.jobs.artifact("bundle", Phase.IMPLEMENTATION_PLAN)
            await stage.jobs.send("bundle", Message.CANCEL, {"by": "ann"})
            await stage.temporal.get_workflow_handle("bundle").result()
    opening = texts(models.answered()[0])[1]
    [told] = re.findall(r"<data-(\w+) subtask>\n(.*)\n</data-\1>", opening, re.S)
    [subtask] = ImplementationPlanArtifact.model_validate(planned.body).subtasks
    assert json.loads(told[1]) == subtask.model_dump(mode="json", exclude_defaults=True), (
        "all of it, as it is"
    )
    bundle = subtask.context_bundle
    assert bundle.existing_code in LINKS
    assert "def post_link" in bundle.related_code_snippets["src/shop/api.py:8-16"], "who calls it"
    assert "def test_create_link" in bundle.testing_patterns
    assert "LinkError" in bundle.error_handling_patterns
    assert subtask.acceptance_criteria
    assert (
        opening.index(" step>") < opening.index(" subtask>") < opening.index("Now read the files as they are")
    )
