"""Artifacts and plans as markdown: every kind, both lengths, nothing lost, nothing broken."""

import re

import pytest

from states.artifacts.base import Artifact, MethodSignature, ModelDefinition, ModelField, OpenPoint
from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity, TaskRequirements
from states.artifacts.contracts import (
    ApiContract,
    ContractDesignArtifact,
    IntegrationContract,
    MethodContract,
)
from states.artifacts.discovery import (
    Ambiguity,
    Candidate,
    CodebaseUnderstanding,
    CodePattern,
    ContextDiscoveryArtifact,
    ExtractedContext,
    RankedFile,
)
from states.artifacts.implementation import (
    ContextBundle,
    FileOperation,
    ImplementationPlanArtifact,
    MethodImplementation,
    Specification,
    Subtask,
    TestingNeeds,
    TestPlan,
    TestSpecification,
)
from states.artifacts.kinds import KIND
from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType
from states.artifacts.validation import (
    IndependenceCheck,
    PlanSummary,
    RequirementCoverage,
    RiskAssessment,
    ValidationArtifact,
)
from states.plan_document import plan_document
from states.render import markdown
from states.render_parts import code, old_lines, table
from states.words import Level, Operation, Phase, State
from tests.states.job_maker import SIMPLE, job_in, verified_job

OPEN = OpenPoint(subject="a.py: f", why="decide what it returns")
CODE = "\n".join(f"line {n}" for n in range(1, 41))
MODEL = ModelDefinition(name="Link", path="a.py", line=3, fields=(ModelField(name="url", type="str | None"),))

DISCOVERY = ContextDiscoveryArtifact(
    commit="c" * 40,
    files_total=3,
    languages={"python": 2},
    codebase_understanding=CodebaseUnderstanding(
        relevant_files=("a.py",),
        ranking=(RankedFile(path="a.py", reasons=("defines f",), tests=("test_a.py",)),),
        existing_patterns=(CodePattern(name="errors", description="own classes", example="a.py:1"),),
    ),
    ambiguities_discovered=(
        Ambiguity(
            id="q1",
            question="Which of the two is meant?",
            context="```python\nclass A\n```",
            impact_if_wrong="the wrong one changes",
            candidates=(Candidate(label="A"), Candidate(label="B", summary="older")),
            recommended="A",
        ),
    ),
    extracted_context=ExtractedContext(
        code_snippets={"a.py:1-40": CODE},
        existing_methods=(MethodSignature(name="f", signature="def f() -> int", path="a.py", line=1),),
        data_models=(MODEL,),
    ),
)
CLARIFICATION = ClarificationArtifact(
    feedback_answered=("say which one",),
    resolved_ambiguities=(
        ResolvedAmbiguity(
            question_id="q1",
            original_question="Which of the two is meant?",
            human_response="A",
            clarification="`A` is meant",
            answered_by="ana",
        ),
    ),
    updated_requirements=TaskRequirements(
        task="Make f work.", requirements=("f returns 1",), constraints=("no new packages",)
    ),
)
CONTRACTS = ContractDesignArtifact(
    open_points=(OPEN,),
    method_contracts=(
        MethodContract(
            method_name="f",
            signature="def f(x: int) -> int",
            current="def f() -> int",
            purpose="to work",
            path="a.py",
            line=1,
            callers=tuple(f"b.py:{n}" for n in range(1, 10)),
            error_handling=("a.py:2: raise ValueError",),
        ),
    ),
    data_models=(MODEL,),
    api_contracts=(
        ApiContract(endpoint="/f", request_schema={"x": "int"}, response_schema={"returns": "int"}),
    ),
    integration_contracts=(IntegrationContract(component="a.py", interface="f", dependencies=("b.py",)),),
)
PLAN = ImplementationPlanArtifact(
    open_points=(OPEN,),
    file_operations=(
        FileOperation(
            file_path="a.py",
            operation=Operation.MODIFY,
            existing_code_context=CODE,
            changes_description="Change f",
            affected_methods=("f",),
        ),
        FileOperation(file_path="test_a.py", operation=Operation.CREATE, changes_description="Create tests"),
    ),
    subtasks=(
        Subtask(
            subtask_id="S1",
            title="Change f in a.py",
            location="a.py",
            context_bundle=ContextBundle(
                existing_code=CODE, related_code_snippets={"b.py:1-2": "f()"}, data_models=(MODEL,)
            ),
            specification=Specification(
                exact_changes=("Change f",),
                method_implementations=(
                    MethodImplementation(
                        method_name="f",
                        signature="def f(x: int) -> int",
                        implementation_approach="rework it",
                        edge_cases=("x is 0",),
                    ),
                ),
            ),
            testing=TestingNeeds(
                unit_tests_to_create=("test_a.py: test_f",), verification_steps=("Run `pytest`",)
            ),
            acceptance_criteria=("f returns 1",),
            covers=("f returns 1",),
            edits={"a.py": ((3, 4), (10, 11)), "test_a.py": ()},
        ),
    ),
    test_plan=TestPlan(
        unit_tests=(TestSpecification(path="test_a.py", name="test_f", proves="f returns 1"),)
    ),
    implementation_notes=("made by hand",),
)
VALIDATION = ValidationArtifact(
    plan_digest="d" * 64,
    plan_summary=PlanSummary(files_affected=2, methods_modified=1, tests_planned=1),
    requirement_coverage=(
        RequirementCoverage(requirement="f returns 1", implementation_approach="S1", coverage_confidence=0.9),
    ),
    risk_assessment=(
        RiskAssessment(risk="it breaks", probability=Level.LOW, impact=Level.HIGH, mitigation="test it"),
    ),
    subtask_independence_check=(
        IndependenceCheck(subtask_id="S1", is_independent=False, dependencies_found=("S2",)),
    ),
    warnings=("watch out",),
)
ALL: dict[Phase, Artifact] = {
    Phase.DISCOVERY: DISCOVERY,
    Phase.CLARIFICATION: CLARIFICATION,
    Phase.CONTRACTS: CONTRACTS,
    Phase.IMPLEMENTATION_PLAN: PLAN,
    Phase.VALIDATION: VALIDATION,
}


def test_every_kind_of_artifact_is_tried_here() -> None:
    assert set(ALL) == set(KIND)


@pytest.mark.parametrize("phase", list(ALL))
@pytest.mark.parametrize("full", [False, True])
def test_every_kind_reads_as_markdown(phase: Phase, full: bool) -> None:
    text = markdown(ALL[phase], full)
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert text.count("\n````") % 2 == 0
    assert markdown(ALL[phase], full) == text


@pytest.mark.parametrize("kind", list(KIND.values()))
def test_an_artifact_with_nothing_in_it_has_no_empty_sections(kind: type[Artifact]) -> None:
    needed = {
        "commit": "c",
        "plan_digest": "d",
        "updated_requirements": {"task": "t"},
    }
    text = markdown(kind.model_validate({k: v for k, v in needed.items() if k in kind.model_fields}))
    lines = [line for line in text.splitlines() if line.strip()]
    for heading, after in zip(lines, [*lines[1:], "## end"], strict=True):
        assert not (heading.startswith("## ") and after.startswith("## "))


def test_what_needs_a_person_comes_first() -> None:
    text = markdown(CLARIFICATION)
    assert text.index("> say which one") < text.index("## Requirements")
    text = markdown(CONTRACTS)
    assert text.index("decide what it returns") < text.index("## Methods")


def test_a_changed_signature_is_shown_as_a_change() -> None:
    text = markdown(CONTRACTS)
    assert "- def f() -> int\n+ def f(x: int) -> int" in text
    assert "and 3 more" in text
    assert "b.py:9" in markdown(CONTRACTS, full=True)


def test_long_code_is_folded_unless_all_is_wanted() -> None:
    assert "32 more lines" in markdown(DISCOVERY)
    assert "line 40" not in markdown(DISCOVERY)
    assert "line 40" in markdown(DISCOVERY, full=True)
    assert "line 40" in markdown(PLAN, full=True)


def test_an_unknown_kind_says_where_to_add_it() -> None:
    with pytest.raises(TypeError, match=r"states/render\.py"):
        markdown(Artifact())


def test_a_fence_is_longer_than_those_inside() -> None:
    lines = code("```\nx\n```")
    assert lines[0] == lines[-1] == "````"


def test_tables_line_up_and_escape_bars() -> None:
    lines = table(("a", "b"), [("x|y", "long cell")])
    assert len({len(line) for line in lines}) == 1
    assert "x\\|y" in lines[2]


def test_the_document_follows_the_format() -> None:
    text = plan_document(CLARIFICATION, CONTRACTS, PLAN, VALIDATION, verified_job(gates="all"))
    order = [
        "# FEATURE IMPLEMENTATION PLAN",
        "## CONTEXT",
        "Problem: Make f work.",
        "Goal:",
        "Requirements:",
        "1. f returns 1",
        "## TECHNICAL DETAILS",
        "Architecture:",
        "Critical Notes:",
        "- Constraint: no new packages",
        "- OPEN a.py: f: decide what it returns",
        "- RISK (LOW x HIGH) it breaks: test it",
        "## STEP-BY-STEP IMPLEMENTATION",
        "### Step 1: Change f in a.py",
        "File: `a.py`",
        "Location: Lines 3-4, Lines 10-11",
        "Action: Modify",
        "Before Code:",
        "line 3\nline 4",
        "line 10\nline 11",
        "After Code: [to be written: `def f(x: int) -> int`, so that: f returns 1]",
        "Critical Details:",
        "- f: x is 0",
        "### Step 2: Create test_a.py",
        "Location: the whole file",
        "Action: Create",
        "Before Code: [none - new addition]",
        "After Code: [to be written: test_f]",
        "## APPROVALS",
        "- CONTRACTS v1",
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


def test_the_document_does_without_contracts_and_validation() -> None:
    text = plan_document(CLARIFICATION, None, PLAN, None, verified_job())
    assert "Contracts were skipped" in text
    assert "RISK" not in text


def test_the_document_says_that_a_plan_was_brought_along() -> None:
    step = PlanStep(id="s", title="look", type=StepType.SHELL_COMMAND, action="look", command="ls")
    mine = PlanOption(id="mine", title="Mine", plan=Plan(title="Mine", steps=(step,)), source="person:ann")
    brought = VALIDATION.model_copy(update={"options": (mine,)})
    told = "> A person brought the plan along: what is carried out are its steps, under OPTIONS."
    assert told in plan_document(CLARIFICATION, None, PLAN, brought, verified_job())
    assert told not in plan_document(CLARIFICATION, None, PLAN, VALIDATION, verified_job())


def test_an_insertion_has_no_code_before_it() -> None:
    subtask = PLAN.subtasks[0].model_copy(update={"edits": {"a.py": ((40.5, 40.5),)}})
    plan = PLAN.model_copy(update={"subtasks": (subtask,)})
    text = plan_document(CLARIFICATION, None, plan, None, verified_job())
    assert "Location: after line 40\nAction: Add\nBefore Code: [none - new addition]" in text


def test_a_deletion_has_no_code_after_it() -> None:
    gone = PLAN.file_operations[0].model_copy(update={"operation": Operation.DELETE})
    subtask = PLAN.subtasks[0].model_copy(
        update={"operation": Operation.DELETE, "edits": {"a.py": ((1, 40),)}}
    )
    plan = PLAN.model_copy(update={"file_operations": (gone,), "subtasks": (subtask,)})
    text = plan_document(CLARIFICATION, None, plan, None, verified_job())
    assert "Action: Delete" in text
    assert "After Code: [none - the file is deleted]" in text


def test_a_plan_without_steps_says_what_is_missing() -> None:
    nothing = ImplementationPlanArtifact()
    assert "No step is planned" in plan_document(CLARIFICATION, None, nothing, None, verified_job())


def test_the_document_says_who_let_it_pass() -> None:
    record = verified_job(SIMPLE, gates="clarification,validation", skip_human_reviews=True)
    record.replace(record.versions(Phase.VALIDATION)[0], accepted_by=("ann", "bob"))
    text = plan_document(CLARIFICATION, None, PLAN, None, record)
    assert "Not verified" not in text
    for passed in (
        r"DISCOVERY v1 \([0-9a-f]{12}\): no gate",
        r"CLARIFICATION v1 \(\w+\): waived by policy:skip_human_reviews, not reviewed by a person",
        r"CONTRACTS: skipped, the task is simple",
        r"VALIDATION v1 \(\w+\): approved by ann, bob",
    ):
        assert re.search(f"^- {passed}$", text, re.M), text


def test_a_plan_that_is_not_verified_says_so_first() -> None:
    record = job_in(State.VALIDATION_HUMAN_REVIEW)
    text = plan_document(CLARIFICATION, CONTRACTS, PLAN, None, record)
    assert text.splitlines()[2] == (
        "> Not verified: the job is in validation_awaiting_human_review, and this plan may still change."
    )
    assert re.search(r"^- VALIDATION v1 \(\w+\): not decided yet$", text, re.M)


@pytest.mark.parametrize(
    ("first", "last", "lines"),
    [(101, 102, "b\nc"), (100, 100, "a"), (5, 6, "y\nz"), (50, 51, "")],
)
def test_old_lines_come_out_of_excerpts(first: int, last: int, lines: str) -> None:
    context = (
        "--- lines 4-6 of 300 ---\nx\ny\nz\n--- lines 100-102 of 300 ---\na\nb\nc\n--- everything ---\n1: f"
    )
    assert old_lines(context, first, last) == lines
