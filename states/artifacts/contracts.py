"""ContractDesignArtifact: every interface before any implementation (Alfred seed, section 3)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from states.artifacts.base import Artifact, ModelDefinition, Piece, RepoPath, Signature, Text, lower
from states.words import MethodChange


class MethodContract(Piece):
    """One callable. `current` is today's signature, blank if new."""

    class_name: str = ""
    method_name: Text
    signature: Signature
    purpose: Text
    error_handling: tuple[str, ...] = ()
    test_approach: str = ""
    path: RepoPath
    line: int = 0
    change: Annotated[MethodChange, BeforeValidator(lower)] = MethodChange.MODIFY
    current: str = ""
    callers: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the repository does not have it yet."""
        return self.change is MethodChange.NEW

    @property
    def stays(self) -> bool:
        """Whether it is named only because others rely on it."""
        return self.change is MethodChange.KEEP

    @property
    def qualified(self) -> str:
        """`Class.method`, or the bare name of a function."""
        return f"{self.class_name}.{self.method_name}" if self.class_name else self.method_name


class ApiContract(Piece):
    """An external interface."""

    endpoint: Text
    method: str = "GET"
    request_schema: dict[str, Any] = Field(default_factory=dict)
    response_schema: dict[str, Any] = Field(default_factory=dict)
    error_responses: tuple[str, ...] = ()


class IntegrationContract(Piece):
    """A component that others rely on, and what must stay true for them."""

    component: Text
    interface: Text
    dependencies: tuple[str, ...] = ()


class ContractDesignArtifact(Artifact):
    """Interfaces, data models and who relies on them."""

    method_contracts: tuple[MethodContract, ...] = ()
    data_models: tuple[ModelDefinition, ...] = ()
    api_contracts: tuple[ApiContract, ...] = ()
    integration_contracts: tuple[IntegrationContract, ...] = ()
    follows_patterns: bool = False
