"""The only code that talks to Temporal for people: start a job, look at it, send it messages."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Iterable
from datetime import datetime, timedelta
from typing import Any, Self

import structlog
from pydantic import TypeAdapter
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.common import SearchAttributePair, TypedSearchAttributes, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.runtime import Runtime
from temporalio.service import RPCError, RPCStatusCode

from activities.conversations import Conversations
from activities.payloads import data_converter
from activities.store import Store, open_store
from phasegate.connection import connect_config
from phasegate.executions import Executions, ExecutionView, owner_of, why_not_opened, why_over
from phasegate.history import follow_events
from phasegate.job_lines import JobLine, line_of, titled
from phasegate.problems import NoServer, NoWorker, Problem, RefusedByJob, UnknownJob, WrongUse
from phasegate.settings import Settings
from states.agents import AgentNote
from states.artifacts.kinds import StoredArtifact
from states.ledger import LedgerEntry
from states.messages import Ack, Malformed, RestartFrom, parse
from states.record import ArtifactRef, JobRecord, JobSpec
from states.restart import RestartPlan, preview
from states.trace import AgentProgress
from states.view import JobView, view_of
from states.words import JOB_ID, Message, Mode, Phase, State
from workflows.attributes import values_of
from workflows.planning import PlanningWorkflow

log = structlog.get_logger("phasegate.client")

ASK = timedelta(seconds=6)
"""how long a worker may take to answer a question about a job; longer than one task of a busy one"""
LOOK = timedelta(seconds=2)
"""how long an agent may take to say what it does; the next look comes a second later"""
CLOSING_TRIES = 25
"""times that a signal is sent to a job which continues as new, 0.2 s apart"""
TASK = timedelta(seconds=5)
"""after this long the server gives a killed worker's task to another; the default is twice that"""
ANSWER = 15.0
"""seconds that a living worker may take to act on a message"""
_LEDGER = TypeAdapter(list[LedgerEntry])


class JobClient:
    """A connection for one person or program."""

    def __init__(self, client: Client, store: Store, task_queue: str) -> None:
        self.temporal = client
        self.store = store
        self.task_queue = task_queue
        self.executions = Executions(client, store)

    @classmethod
    async def connect(cls, settings: Settings, runtime: Runtime | None = None) -> Self:
        """Connect as the settings say. Raises NoServer."""
        store = open_store(settings.store)
        config = connect_config(settings)
        address = config.get("target_host", "")
        try:
            client = await asyncio.wait_for(
                Client.connect(**config, data_converter=data_converter(store), runtime=runtime), timeout=10
            )
        except (RuntimeError, TimeoutError, RPCError):
            raise NoServer(
                f"no Temporal server answers at {address}; "
                "start one with `phasegate dev` or set TEMPORAL_ADDRESS"
            ) from None
        return cls(client, store, settings.task_queue)

    # --- starting and finding -------------------------------------------------------------------------

    async def start(self, spec: JobSpec, job: str = "") -> str:
        """Start a job; gives its id. Raises WrongUse when the id is taken or malformed."""
        job = job or new_job_id(spec.headline())
        if not JOB_ID.fullmatch(job):
            raise WrongUse(f"{job!r} is no job id: letters, digits, '.', '_', '-', at most 100 characters")
        if await self.store.read_manifest(job):
            raise WrongUse(f"job {job} exists; `phasegate restart {job} PHASE` plans it again")
        given = spec.model_dump(mode="json", exclude_defaults=True)
        try:
            await self._start(job, given, spec, WorkflowIDReusePolicy.REJECT_DUPLICATE)
        except WorkflowAlreadyStartedError:
            raise WrongUse(f"job {job} exists; choose another --id") from None
        log.info("job started", job=job)
        return job

    async def resolve(self, prefix: str) -> str:
        """The one job whose id starts with `prefix`, or that an execution belongs to. Raises UnknownJob."""
        if not JOB_ID.fullmatch(prefix):
            raise UnknownJob(f"{prefix[:80]!r} is no job id")
        if await self.store.read_manifest(prefix):
            return prefix
        if owner := owner_of(prefix):
            return await self._owner(prefix, owner)
        if await self._execution(prefix):
            return prefix
        found = {job for job in await self.store.list_manifests() if job.startswith(prefix)}
        query = f"WorkflowType = 'PlanningWorkflow' AND WorkflowId STARTS_WITH '{prefix}'"
        async for each in self.temporal.list_workflows(query, limit=10):
            found.add(each.id)
        if not found:
            raise UnknownJob(f"no job {prefix}; `phasegate list` shows all")
        if len(found) > 1:
            raise UnknownJob(f"{prefix} is ambiguous: {', '.join(sorted(found)[:5])}")
        return found.pop()

    async def _owner(self, execution: str, job: str) -> str:
        try:
            record = await self.record(job)
        except (NoWorker, UnknownJob):
            record = None
        known = [each.id for each in (record.act, *record.former) if each] if record else []
        if execution not in known:
            raise UnknownJob(f"execution not found: {execution}")
        return job

    async def list_jobs(self) -> list[JobLine]:
        """All jobs, newest first: those that Temporal shows, then those that only the store remembers."""
        lines: dict[str, JobLine] = {}
        async for each in self.temporal.list_workflows("WorkflowType = 'PlanningWorkflow'"):
            lines.setdefault(each.id, await line_of(each))
        for job in await self.store.list_manifests():
            known = lines.get(job)
            if (known is None or not known.title) and (record := await self._stored(job)):
                # Started with the plain Temporal CLI (no title), or forgotten by the server.
                lines[job] = titled(known, record)
        first = datetime.min.replace(tzinfo=datetime.now().astimezone().tzinfo)
        return sorted(lines.values(), key=lambda line: line.started or first, reverse=True)

    # --- looking --------------------------------------------------------------------------------------

    async def view(self, job: str) -> JobView:
        """The job now; from the store when nothing runs that could be asked. Raises UnknownJob, NoWorker."""
        return view_of(await self.record(job))

    async def live_view(self, job: str) -> JobView:
        """The job as its worker sees it. Raises NoWorker."""
        view: JobView = await self._ask(job, "view", JobView)
        return view

    async def record(self, job: str) -> JobRecord:
        """The whole record: from its worker, else as it was last saved."""
        try:
            live: JobRecord = await self._ask(job, "record_now", JobRecord)
            return live
        except (NoWorker, UnknownJob) as problem:
            record = await self._stored(job)
            if record is None:
                raise problem
            return record

    async def ledger(self, job: str) -> list[LedgerEntry]:
        """Every entry, oldest first; pages that moved to the store are read from there."""
        record = await self.record(job)
        entries: list[LedgerEntry] = []
        for digest in record.ledger_pages:
            entries += _LEDGER.validate_json(await self.store.get(digest))
        return [*entries, *record.ledger]

    async def diagram(self, job: str) -> str:
        """The machine with the job's state marked."""
        from states.diagram import phase_diagram

        return phase_diagram((await self.record(job)).state)

    async def artifact(self, job: str, phase: Phase, version: int = 0) -> tuple[ArtifactRef, StoredArtifact]:
        """An artifact of a job; version 0 is the newest. Raises UnknownJob when there is none."""
        versions = (await self.record(job)).versions(phase)
        wanted = [ref for ref in versions if version in (0, ref.version)]
        if not wanted:
            have = ", ".join(f"v{ref.version}" for ref in versions) or "none"
            raise UnknownJob(f"job {job} has no {phase.name} v{version}; there is {have}")
        return wanted[-1], await self.store.get_artifact(wanted[-1].digest)

    async def agent(self, job: str, agent: AgentNote, *, trace: bool = True) -> AgentProgress | None:
        """The newest run of an agent, as its workflow knows it; None when that is gone or nobody answers."""
        query = "transcript" if trace else "progress"
        try:
            progress: AgentProgress = await self._ask(f"{job}.{agent.workflow}", query, AgentProgress, LOOK)
        except Problem:
            # More than the job's record says; people who look are shown that much, and not an error.
            return None
        return progress

    async def execution(self, job: str) -> ExecutionView | None:
        """The execution of a job's plan at this moment, also while no worker runs; None without one."""
        act = (await self.record(job)).act
        return await self.executions.view(act) if act else None

    async def conversation(self, head: str, further: Iterable[str] = ()) -> list[dict[str, Any]]:
        """The messages of a stored conversation, then those named one by one. Raises StoreError."""
        kept = Conversations(self.store)
        digests = [*(await kept.list_of(head) if head else ()), *further]
        return [await kept.message(digest) for digest in digests]

    async def follow(self, job: str) -> AsyncIterator[JobView]:
        """The job each time something happened to it, until it has closed. Follows the history."""
        seen = (-1, -1)
        async for _ in follow_events(self.temporal, job):
            try:
                view = await self.live_view(job)
            except NoWorker:
                continue
            # An agent is put to work without an entry in the ledger.
            now = (view.ledger_count, sum(agent.runs for agent in view.agents))
            if now != seen:
                seen = now
                yield view

    # --- acting ---------------------------------------------------------------------------------------

    async def send(self, job: str, message: Message, payload: dict[str, Any]) -> Ack:
        """Send a message: as an update when a worker lives, else as a signal that waits for one.

        Raises RefusedByJob with the job's reason, UnknownJob, WrongUse for words that do not fit.
        """
        try:
            parse(message, [payload])
        except Malformed as problem:
            raise WrongUse(str(problem)) from None
        execution = await self._execution(job)
        if execution is None or execution.status is not WorkflowExecutionStatus.RUNNING:
            record = await self._stored(job)
            if record and message in (Message.ACT, Message.ROLLBACK):
                return await self._wake(record, message, payload)
            raise RefusedByJob(why_over(job, record, message))
        try:
            await self.live_view(job)
        except NoWorker:
            return await self._signal(job, message, payload)
        return await self._update(job, message, payload)

    async def _wake(self, record: JobRecord, message: Message, payload: dict[str, Any]) -> Ack:
        """Open a closed job as it was when it was verified, with a message that it finds first."""
        why = why_not_opened(record, message, payload)
        if why:
            raise RefusedByJob(why)
        start = {"resume_from": Phase.VERIFIED.value}
        await self._start(
            record.job, start, record.spec, WorkflowIDReusePolicy.ALLOW_DUPLICATE, (message, payload)
        )
        return Ack(message=message.value, state=State.VERIFIED, note="the job is opened again for it")

    async def preview(self, job: str, request: RestartFrom) -> RestartPlan:
        """What a restart would keep, redo and invalidate."""
        return preview(await self.record(job), request)

    async def restart(self, job: str, payload: dict[str, Any]) -> Ack:
        """Restart an open job by message, a closed one in a new run from the store."""
        execution = await self._execution(job)
        if execution and execution.status is WorkflowExecutionStatus.RUNNING:
            return await self.send(job, Message.RESTART_FROM, payload)
        request = parse(Message.RESTART_FROM, [payload])
        assert isinstance(request, RestartFrom)
        record = await self.record(job)
        plan = preview(record, request)
        if plan.refused:
            raise RefusedByJob(plan.refused)
        given = request.model_dump(mode="json", exclude_defaults=True)
        start = {"resume_from": given.pop("phase"), **given}
        await self._start(job, start, record.spec, WorkflowIDReusePolicy.ALLOW_DUPLICATE)
        return Ack(
            message=Message.RESTART_FROM,
            state=State.of(request.phase),
            note="goes on in a new run from the store",
        )

    async def _start(
        self,
        job: str,
        given: dict[str, Any],
        spec: JobSpec,
        reuse: WorkflowIDReusePolicy,
        first: tuple[Message, dict[str, Any]] | None = None,
    ) -> None:
        shown = values_of(JobRecord(job=job, spec=spec, mode=Mode.PLAN))
        try:
            await self.temporal.start_workflow(
                PlanningWorkflow.run,
                given,
                id=job,
                task_queue=self.task_queue,
                id_reuse_policy=reuse,
                search_attributes=TypedSearchAttributes(
                    [SearchAttributePair(key, value) for key, value in shown.items()]
                ),
                memo={"title": spec.headline()},
                static_summary=spec.headline(),
                task_timeout=TASK,
                start_signal=first[0].value if first else None,
                start_signal_args=[first[1]] if first else [],
            )
        except RPCError as error:
            raise _explained(error) from None

    async def _update(self, job: str, message: Message, payload: dict[str, Any]) -> Ack:
        update_id = secrets.token_hex(8)
        try:
            ack: Ack = await asyncio.wait_for(
                self._handle(job).execute_update(message.value, payload, id=update_id, result_type=Ack),
                timeout=ANSWER,
            )
        except WorkflowUpdateFailedError as failed:
            cause = failed.cause
            why = cause.message if isinstance(cause, ApplicationError) else str(cause)
            log.info("message refused", job=job, message=message.value, why=why)
            raise RefusedByJob(why) from None
        except TimeoutError:
            raise NoWorker(
                f"the worker did not answer within {ANSWER:.0f} s; it may still act on {message}: "
                f"look with `phasegate show {job}`"
            ) from None
        except RPCError as error:
            raise _explained(error) from None
        log.info("message taken", job=job, message=message.value, by="update")
        return ack

    async def _signal(self, job: str, message: Message, payload: dict[str, Any]) -> Ack:
        for _ in range(CLOSING_TRIES):
            try:
                await self._handle(job).signal(message.value, payload)
                break
            except RPCError as error:
                # The job is just moving to a fresh history; it takes messages again at once.
                if "closing" not in error.message:
                    raise _explained(error) from None
                await asyncio.sleep(0.2)
        else:
            raise NoServer(f"the server took no {message} for {job} while the job moves on; send it again")
        log.info("message sent", job=job, message=message.value, by="signal")
        note = "no worker answers; the message is kept and acted on as soon as one runs"
        return Ack(message=message.value, state="", note=note)

    def _handle(self, job: str) -> WorkflowHandle[Any, Any]:
        return self.temporal.get_workflow_handle(job)

    async def _execution(self, job: str) -> WorkflowExecution | None:
        try:
            return await self._handle(job).describe()
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return None
            raise _explained(error) from None

    async def _ask(self, job: str, query: str, kind: type[Any], patience: timedelta = ASK) -> Any:
        try:
            return await self._handle(job).query(query, result_type=kind, rpc_timeout=patience)
        except WorkflowQueryFailedError as failed:
            raise NoWorker(f"job {job} cannot be asked: {failed}") from None
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise UnknownJob(f"no job {job}; `phasegate list` shows all") from None
            if error.status in (RPCStatusCode.UNAVAILABLE,):
                raise _explained(error) from None
            raise NoWorker(
                f"no worker answers for job {job}: none runs (`phasegate worker`, `phasegate dev`), "
                "or it is busy"
            ) from None

    async def _stored(self, job: str) -> JobRecord | None:
        return await self.store.read_record(job)


def new_job_id(headline: str) -> str:
    """A readable id that is unique enough: words of the task and six hex digits."""
    words = re.findall(r"[a-z0-9]+", headline.lower())[:4]
    return "-".join([*(word[:12] for word in words), secrets.token_hex(3)])


def _explained(error: RPCError) -> NoServer:
    return NoServer(f"the Temporal server refused: {error.message}")
