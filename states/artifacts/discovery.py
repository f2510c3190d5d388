"""ContextDiscoveryArtifact: what DISCOVERY found in the repository (Alfred seed, section 1)."""

from pydantic import Field

from states.artifacts.base import (
    Artifact,
    MethodSignature,
    ModelDefinition,
    Piece,
    Question,
    RepoPath,
    Text,
)
from states.workspace import WorkspaceSource


class RankedFile(Piece):
    """A file that matters to the task, with why. `role`: source, test, docs, example, config or generated.
    `further` files rank well below the others: shown so that none is overlooked, planned on by nobody."""

    path: RepoPath
    role: str = "source"
    language: str = ""
    reasons: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    further: bool = False


class CodePattern(Piece):
    """A convention or recurring shape, with a place where it can be seen."""

    name: Text
    description: Text
    example: str = ""


class IntegrationPoint(Piece):
    """A place that connects to what will change: `path` uses `target`."""

    path: RepoPath
    target: Text
    kind: str = "import"
    line: int = 0


class Dependency(Piece):
    """`source` depends on `target`: a file of the repository, or a package outside of it."""

    source: RepoPath
    target: Text
    external: bool = False


class CodebaseUnderstanding(Piece):
    """What was read. `relevant_files` is ordered, best first; `ranking` says why for the same files."""

    relevant_files: tuple[RepoPath, ...] = ()
    ranking: tuple[RankedFile, ...] = ()
    existing_patterns: tuple[CodePattern, ...] = ()
    integration_points: tuple[IntegrationPoint, ...] = ()
    dependencies: tuple[Dependency, ...] = ()


class Candidate(Piece):
    """One way to read an ambiguity; `label` is short enough for a numbered choice."""

    label: Text
    path: str = ""
    summary: str = ""


class Ambiguity(Piece):
    """Two or more candidates that fit about equally well, asked with the code that makes them so."""

    id: Text
    question: Question
    context: str
    impact_if_wrong: str
    candidates: tuple[Candidate, ...] = ()
    recommended: str = ""
    critical: bool = True


class ExtractedContext(Piece):
    """Code that later phases need. `code_snippets` maps `path:first-last` to text."""

    code_snippets: dict[str, str] = Field(default_factory=dict)
    existing_methods: tuple[MethodSignature, ...] = ()
    data_models: tuple[ModelDefinition, ...] = ()


class Estimate(Piece):
    """What the complexity rule needs to know (Alfred seed, Complexity Adaptation)."""

    files_affected: int = Field(default=0, ge=0)
    new_api: bool = False
    new_model: bool = False
    existing_pattern: bool = False


class ContextDiscoveryArtifact(Artifact):
    """The repository as far as the task needs it, at one fixed commit."""

    commit: Text
    source: WorkspaceSource = WorkspaceSource.GIT
    files_total: int = 0
    languages: dict[str, int] = Field(default_factory=dict)
    codebase_understanding: CodebaseUnderstanding = CodebaseUnderstanding()
    ambiguities_discovered: tuple[Ambiguity, ...] = ()
    extracted_context: ExtractedContext = ExtractedContext()
    conventions: tuple[str, ...] = ()
    estimate: Estimate = Estimate()
