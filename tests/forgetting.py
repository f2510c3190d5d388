"""Have the server forget a workflow that has ended, as retention does."""

import asyncio

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode


async def forget(client: Client, workflow: str) -> None:
    """Delete a closed workflow and wait until it is gone. Fails after a minute."""
    async with asyncio.timeout(60):
        await client.workflow_service.delete_workflow_execution(
            DeleteWorkflowExecutionRequest(
                namespace=client.namespace, workflow_execution=WorkflowExecution(workflow_id=workflow)
            )
        )
        while not await _is_gone(client, workflow):
            await asyncio.sleep(0.1)


async def _is_gone(client: Client, workflow: str) -> bool:
    try:
        await client.get_workflow_handle(workflow).describe()
    except RPCError as error:
        return error.status is RPCStatusCode.NOT_FOUND
    return False
