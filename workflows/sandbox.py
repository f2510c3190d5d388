"""The sandbox of workflows without what our payloads do not need.

For each payload that comes or goes the SDK asks the workflow, in its sandbox, in which context the payload is
converted and stored. Our converter and our store are the same in every context; asking took a tenth of the
processor time of a worker whose jobs talk with models.
"""

from dataclasses import dataclass

from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import Info

_ANYWHERE = StorageDriverStoreContext(target=None)


@dataclass(frozen=True)
class Sandbox(SandboxedWorkflowRunner):
    """Temporal's own, whose payloads have no context."""

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """A workflow in its sandbox."""
        return _Contextless(super().create_instance(det))


class _Contextless(WorkflowInstance):
    """A workflow that is not asked about its payloads."""

    def __init__(self, inner: WorkflowInstance) -> None:
        self._inner = inner

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        """Hand on."""
        return self._inner.activate(act)

    def get_serialization_context(self, command_info: object) -> None:
        """None: the same everywhere."""

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:  # noqa: ARG002
        """The same everywhere."""
        return _ANYWHERE

    def get_info(self) -> Info:
        """Hand on."""
        return self._inner.get_info()

    def get_thread_id(self) -> int | None:
        """Hand on."""
        return self._inner.get_thread_id()
