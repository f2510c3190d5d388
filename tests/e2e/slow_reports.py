"""A worker whose workflows take their time to signal others, so that more happens before they have."""

import asyncio
from typing import Any

import temporalio.client
import temporalio.worker
from temporalio.worker import (
    SignalExternalWorkflowInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

SECONDS = 1.0
"""that each signal is late"""


class SlowReports(temporalio.client.Interceptor, temporalio.worker.Interceptor):
    """A worker takes it over from its client."""

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: ARG002 (the same for every workflow)
    ) -> type[WorkflowInboundInterceptor]:
        """Wrap each workflow."""
        return _Inbound


class _Inbound(WorkflowInboundInterceptor):
    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound))


class _Outbound(WorkflowOutboundInterceptor):
    async def signal_external_workflow(self, input: SignalExternalWorkflowInput) -> Any:
        await asyncio.sleep(SECONDS)
        return await super().signal_external_workflow(input)
