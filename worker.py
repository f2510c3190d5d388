"""Wires everything, registers it, runs, and drains on SIGTERM."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from importlib.metadata import version
from typing import Any

import structlog
from temporalio.client import Client
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxRestrictions

from activities.agent_ports import Desk, Provider
from activities.agents import AgentActivities
from activities.cooperation import CooperationActivities
from activities.desks.bench import BenchDesk
from activities.desks.coding import CodingDesk
from activities.desks.options import OptionDesk
from activities.desks.planning import PlanningDesk
from activities.deterministic.planner import DeterministicPlanner
from activities.deterministic.reviewer import MechanicalReviewer
from activities.events import ActivityEvents
from activities.execution.activities import ExecutionActivities
from activities.execution.executor import WorktreeExecutor
from activities.execution.folders import Acts
from activities.index.shelf import IndexShelf
from activities.models.provider import LiteLlmProvider
from activities.planning import PlanningActivities
from activities.store import open_store
from activities.workspace import Workspaces
from phasegate.client import JobClient
from phasegate.logs import configure_logs, temporal_runtime
from phasegate.problems import Problem
from phasegate.search_attributes import missing_search_attributes
from phasegate.settings import Settings
from states.agents import AgentKind
from workflows.agent import AgentWorkflow
from workflows.attributes import REGISTERED
from workflows.cooperation import CooperationWorkflow
from workflows.execution import ExecutionWorkflow
from workflows.planning import PlanningWorkflow
from workflows.sandbox import Sandbox

PASSED_THROUGH = (
    "states",
    "activities",
    "workflows.attributes",
    "workflows.log",
    "workflows.orders",
    "workflows.patience",
    "pydantic",
    "pydantic_core",
    "transitions",
    "structlog",
    "rich",
)
"""modules that workflows share with the worker: pure, or kept away from workflow code by their own rules"""

BUILD = f"phasegate-{version('phasegate')}"
"""what the server shows as the build of a worker"""

HEARTBEATS = timedelta(milliseconds=400)
"""between two heartbeats of an activity on their way to the server"""

log = structlog.get_logger("phasegate.worker")


class MissingAttributes(Problem):
    """The server does not know the search attributes that every job sets."""


def workflow_runner() -> Sandbox:
    """The sandbox in which workflows run, also for replays."""
    return Sandbox(restrictions=SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH))


def wired(settings: Settings, provider: Provider) -> tuple[object, ...]:
    """The activities of a worker with these settings, over one store and one set of indexes."""
    store, indexes = open_store(settings.store), IndexShelf(settings.cache, settings.index_cache_bytes)
    workspaces = Workspaces(settings.workspaces)
    planning = PlanningActivities(
        store=store,
        workspaces=workspaces,
        planner=DeterministicPlanner(indexes),
        reviewer=MechanicalReviewer(indexes),
    )
    desk, bench = PlanningDesk(store, workspaces, indexes), BenchDesk(store, workspaces)
    desks: dict[AgentKind, Desk] = {AgentKind.PLAN: desk, AgentKind.REVIEW: desk, AgentKind.EXPLAIN: desk}
    desks[AgentKind.CODE] = CodingDesk(store, workspaces, Acts(store, workspaces))
    desks[AgentKind.OPTION] = OptionDesk(store, workspaces, indexes)
    desks |= {AgentKind.SINGLE: bench, AgentKind.SOLO: bench, AgentKind.COOP: bench}
    agents = AgentActivities(store, desks, provider)
    executor = WorktreeExecutor(
        store,
        workspaces,
        indexes,
        hidden=settings.private_folders(),
        visible=settings.command_paths,
        unconfined=settings.unconfined_commands,
    )
    return planning, agents, CooperationActivities(store, workspaces), ExecutionActivities(executor)


def build_worker(client: Client, settings: Settings, *activities: object) -> Worker:
    """A worker for planning jobs, with every activity of these instances. Tests pass some of their own."""
    return Worker(
        client,
        task_queue=settings.task_queue,
        workflows=[PlanningWorkflow, AgentWorkflow, CooperationWorkflow, ExecutionWorkflow],
        activities=[each for instance in activities for each in registered(instance)],
        workflow_runner=workflow_runner(),
        interceptors=[ActivityEvents()],
        # Left out, the SDK reads the code of every loaded module to make one up: up to seconds at each start.
        build_id=BUILD,
        max_concurrent_activities=settings.max_activities,
        max_concurrent_local_activities=settings.max_local_activities,
        max_concurrent_workflow_tasks=settings.max_workflow_tasks,
        max_cached_workflows=settings.max_cached_jobs,
        graceful_shutdown_timeout=timedelta(seconds=settings.drain_seconds),
        # A request to stop comes with the answer to a heartbeat.
        max_heartbeat_throttle_interval=HEARTBEATS,
        default_heartbeat_throttle_interval=HEARTBEATS,
        # A killed worker's jobs go to another one after this long.
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
    )


def registered(activities: object) -> Sequence[Callable[..., Any]]:
    """Every activity of an instance, found by its definition, so that none is forgotten."""
    return [
        getattr(activities, name)
        for name, member in vars(type(activities)).items()
        if hasattr(member, "__temporal_activity_definition")
    ]


async def connect(settings: Settings) -> JobClient:
    """Connect with Temporal's core logging to where we log. Raises NoServer."""
    return await JobClient.connect(settings, temporal_runtime())


async def run_worker(
    settings: Settings, ready: asyncio.Event | None = None, client: JobClient | None = None
) -> None:
    """Run until SIGTERM or SIGINT, then drain. Raises NoServer and MissingAttributes before any work.

    Without a client it connects as the settings say.
    """
    configure_logs(settings.log_level, settings.log_format)
    client = client or await connect(settings)
    missing = await missing_search_attributes(client.temporal, REGISTERED)
    if missing:
        raise MissingAttributes(
            f"the server lacks the search attributes {', '.join(missing)}, without which jobs stand still; "
            "register them with `phasegate doctor --fix`"
        )
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    provider = LiteLlmProvider()
    worker = build_worker(client.temporal, settings, *wired(settings, provider))
    # Seconds and 150 MB, so only where models are what new jobs use; elsewhere the first call waits for it.
    warming = asyncio.create_task(provider.warm()) if settings.model or settings.models else None
    async with worker:
        log.info("worker started", task_queue=settings.task_queue, store=settings.store)
        if ready:
            ready.set()
        await stop.wait()
        log.info("worker drains", seconds=settings.drain_seconds)
    if warming:
        warming.cancel()
    log.info("worker stopped")
