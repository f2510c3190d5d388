"""Which fields of an artifact the machine fills itself, and what a model gives in place of others.

What can be read or counted is never taken from a model: code, lines, signatures, who answered, coverage.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, StringConstraints

from activities.desks.places import code_places, edit_places, helper_places, symbol_places
from states.artifacts.base import Artifact, ModelDefinition
from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity, TaskRequirements
from states.artifacts.contracts import MethodContract
from states.artifacts.discovery import (
    Ambiguity,
    CodebaseUnderstanding,
    ContextDiscoveryArtifact,
    Estimate,
    ExtractedContext,
    IntegrationPoint,
    RankedFile,
)
from states.artifacts.implementation import (
    ContextBundle,
    FileOperation,
    ImplementationPlanArtifact,
    Subtask,
    TestSpecification,
)
from states.artifacts.plan import Plan, PlanOption
from states.artifacts.validation import PlanSummary, RequirementCoverage, ValidationArtifact

Short = Annotated[str, StringConstraints(max_length=400)]


@dataclass(frozen=True)
class Instead:
    """What a model gives for a field. `back` turns the filled field into that again, for the next prompt."""

    said: str
    back: Callable[[Any], list[str]]
    most: int

    @property
    def type(self) -> Any:
        """A list of short texts."""
        return tuple[Short, ...]


_CODE = "Places `path:first-last`, lines counted from 1; their code is read from the repository."
_NAMES = "Names `path::Class.name`, or without the path where only one file defines it."
_SNIPPETS = Instead(_CODE, code_places, 40)

OWNED: Mapping[type[BaseModel], Mapping[str, Instead | None]] = {
    Artifact: {"made_by": None, "feedback_answered": None},
    ModelDefinition: {"line": None},
    # DISCOVERY
    ContextDiscoveryArtifact: {"commit": None, "source": None, "files_total": None, "languages": None},
    CodebaseUnderstanding: {"relevant_files": None, "dependencies": None},
    RankedFile: {"role": None, "language": None, "tests": None},
    IntegrationPoint: {"line": None},
    Ambiguity: {"id": None},
    ExtractedContext: {
        "code_snippets": _SNIPPETS,
        "existing_methods": Instead(f"Functions and methods that matter. {_NAMES}", symbol_places, 80),
        "data_models": Instead(f"Classes and structs that matter. {_NAMES}", symbol_places, 30),
    },
    # CLARIFICATION
    ResolvedAmbiguity: {"original_question": None, "human_response": None, "answered_by": None},
    TaskRequirements: {"task": None},
    # CONTRACTS
    MethodContract: {"line": None, "current": None, "callers": None},
    # IMPLEMENTATION_PLAN
    ImplementationPlanArtifact: {"options": None},
    FileOperation: {"existing_code_context": None},
    TestSpecification: {"extends": None},
    ContextBundle: {
        "existing_code": None,
        "related_code_snippets": _SNIPPETS,
        "data_models": Instead(f"Data models that the work uses. {_NAMES}", symbol_places, 20),
        "utility_functions": Instead(f"Functions at hand that the work uses. {_NAMES}", helper_places, 30),
        "testing_patterns": None,
        "error_handling_patterns": None,
    },
    Subtask: {
        "edits": Instead(
            "Lines of files as they are today that this subtask replaces, `path:first-last`, or `path:12+` "
            "for text that goes in after line 12, `path` alone for a new file. Subtasks must not touch the "
            "same lines.",
            edit_places,
            60,
        )
    },
    # options
    PlanOption: {"id": None, "source": None},
    Plan: {"version": None},
    # VALIDATION
    ValidationArtifact: {"plan_digest": None, "subtask_independence_check": None, "options": None},
    PlanSummary: {
        "files_affected": None,
        "methods_created": None,
        "methods_modified": None,
        "tests_planned": None,
    },
}
"""class -> its fields that no model writes: None, or what it gives instead"""

SAID: Mapping[type[BaseModel], str] = {
    ContextDiscoveryArtifact: "What the repository holds for the task, at one fixed commit.",
    CodebaseUnderstanding: "What was read. `ranking` lists the files that matter, best first, each with why.",
    RankedFile: "A file that matters to the task. `reasons` say why, each in one sentence.",
    IntegrationPoint: "A place that connects to what will change: the file `path` uses the symbol or file "
    "`target`.",
    Ambiguity: "Two or more readings of the task that fit about equally well. `context` says what in the "
    "code makes them so; `recommended` is the label of one candidate; `critical` is whether a wrong guess "
    "would make the plan worthless.",
    ExtractedContext: "Where the code is that later phases need.",
    Estimate: "`files_affected` counts the files that will be created, modified or deleted, tests included; "
    "`new_api` is whether anything callable from outside is added; `existing_pattern` is whether the "
    "repository already shows how to do it.",
    ClarificationArtifact: "The task, refined by dialogue.",
    ResolvedAmbiguity: "What one question means for the task now. `clarification` is one sentence.",
    TaskRequirements: "`requirements` is what the plan must cover, each in one sentence that can be checked; "
    "`constraints` is what must stay as it is. What people gave explicitly is kept, whether repeated or not.",
    MethodContract: "One callable. `change` is new, modify or keep; `signature` is what it will be, with its "
    "return type.",
    FileOperation: "What happens to one file. `affected_methods` are names that change, existing or new in "
    "the contracts.",
    ContextBundle: "Everything a subtask needs, so that nothing is rediscovered. The current text of its own "
    "file is added by itself.",
    Subtask: "A self-contained unit of work. `location` is the one file it works on; `covers` repeats "
    "requirements word for word; `dependencies` is empty, as subtasks are done side by side.",
    TestSpecification: "One test to write; `path` is its file, `proves` the requirement word for word.",
    PlanSummary: "Your judgement of the whole; the rest is counted.",
    RequirementCoverage: "How one requirement, repeated word for word, is met; confidence 0 means that "
    "nothing covers it.",
    ValidationArtifact: "The coherence check of one exact plan. `warnings` are remarks for the person who "
    "decides, `open_points` what only a person can decide.",
}
"""what a model is told about a class where its docstring speaks of fields that it does not give"""


def owned(kind: type[BaseModel]) -> Mapping[str, Instead | None]:
    """The fields of a class that no model writes, with those of its bases."""
    found: dict[str, Instead | None] = {}
    for base in reversed(kind.__mro__):
        found.update(OWNED.get(base, {}))
    return found
