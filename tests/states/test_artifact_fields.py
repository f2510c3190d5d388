"""What an artifact's fields take: the validators of `states/artifacts`, from either side."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from states.artifacts.base import MethodSignature, ModelDefinition, OpenPoint, has_return_type
from states.artifacts.contracts import MethodContract
from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.artifacts.implementation import FileOperation
from states.artifacts.validation import IndependenceCheck, RequirementCoverage
from states.words import MethodChange, ModelStatus, Operation
from states.workspace import WorkspaceSource

METHOD = {"method_name": "run", "signature": "def run(self) -> int", "purpose": "runs", "path": "a.py"}
ASKED = {"id": "q1", "question": "Which service is meant?", "context": "", "impact_if_wrong": ""}
EDITED = {"file_path": "a.py", "operation": "MODIFY", "changes_description": "faster"}
COVERED = {"requirement": "faster", "implementation_approach": "a cache", "coverage_confidence": 1}
Shape = type[BaseModel]

REFUSED: dict[str, tuple[Shape, dict[str, Any], str]] = {
    "short question": (Ambiguity, {**ASKED, "question": "Which?"}, "at least 10 characters"),
    "no question mark": (Ambiguity, {**ASKED, "question": "Say which one it is."}, "ends in '?'"),
    "blank finding": (OpenPoint, {"subject": " ", "why": "x"}, "must not be blank"),
    "no return type": (MethodContract, {**METHOD, "signature": "def run(self)"}, "must say its return type"),
    "unknown change": (MethodContract, {**METHOD, "change": "rewrite"}, "'modify', 'new' or 'keep'"),
    "unknown status": (ModelDefinition, {"name": "M", "status": "gone"}, "'existing', 'modified' or 'new'"),
    "unknown operation": (FileOperation, {**EDITED, "operation": "MOVE"}, "'CREATE', 'MODIFY' or 'DELETE'"),
    "blank path": (FileOperation, {**EDITED, "file_path": " "}, "must not be blank"),
    "absolute path": (FileOperation, {**EDITED, "file_path": "/etc/passwd"}, "must be relative"),
    "drive": (FileOperation, {**EDITED, "file_path": "C:\\x.py"}, "must be relative"),
    "home": (FileOperation, {**EDITED, "file_path": "~/x.py"}, "must be relative"),
    "way out": (FileOperation, {**EDITED, "file_path": "a\\..\\..\\x.py"}, "must stay inside"),
    "too sure": (RequirementCoverage, {**COVERED, "coverage_confidence": 1.01}, "less than or equal to 1"),
    "less than unsure": (RequirementCoverage, {**COVERED, "coverage_confidence": -0.01}, "greater than or"),
    "line 0": (MethodSignature, {"name": "f", "signature": "f()", "path": "a.py", "line": 0}, "greater than"),
    "unknown source": (ContextDiscoveryArtifact, {"commit": "c", "source": "svn"}, "'git' or 'folder'"),
    "independent of something": (
        IndependenceCheck,
        {"subtask_id": "S1", "is_independent": True, "dependencies_found": ["S2"]},
        "disagrees with dependencies_found",
    ),
    "dependent on nothing": (
        IndependenceCheck,
        {"subtask_id": "S1", "is_independent": False},
        "disagrees with dependencies_found",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_told(name: str) -> None:
    shape, given, told = REFUSED[name]
    with pytest.raises(ValidationError) as refused:
        shape.model_validate(given)
    [error] = refused.value.errors()
    assert told in error["msg"]


def test_words_are_taken_in_any_case() -> None:
    assert MethodContract.model_validate({**METHOD, "change": " Keep "}).change is MethodChange.KEEP
    assert ModelDefinition.model_validate({"name": "M", "status": "NEW"}).status is ModelStatus.NEW
    assert FileOperation.model_validate({**EDITED, "operation": "create"}).operation is Operation.CREATE
    assert ContextDiscoveryArtifact(commit="c").source is WorkspaceSource.GIT


def test_a_path_is_written_in_one_way() -> None:
    assert FileOperation.model_validate({**EDITED, "file_path": " ./src\\a.py "}).file_path == "src/a.py"


@pytest.mark.parametrize(
    ("signature", "says"),
    [
        ("def run(self) -> int", True),
        ("run(): Promise<void>", True),
        ("func Run(a int) error", True),
        ("public static int run(String[] words)", True),
        ("fn run()", False),
        ("async def run(self, a: int)", False),
        ("function run()", False),
    ],
)
def test_a_signature_says_what_comes_back(signature: str, says: bool) -> None:
    assert has_return_type(signature) is says


def test_unknown_fields_of_a_later_release_are_ignored() -> None:
    assert OpenPoint.model_validate({"subject": "a", "why": "b", "since": "2.0"}).subject == "a"
