"""`doctor`: each thing that phasegate needs, whether it is there, and what to do when it is not."""

import platform
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from rich.text import Text
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.service import RPCError

from activities.execution.merging import OLDEST_GIT, merges
from activities.execution.sandbox import sandbox_offered
from activities.store import StoreError, open_store
from phasegate.attendance import workers_of
from phasegate.client import JobClient
from phasegate.connection import connect_config
from phasegate.places import find_config
from phasegate.problems import Exit, NoServer
from phasegate.screen.tame import tame_line
from phasegate.search_attributes import SearchAttributeError, ensure_search_attributes
from phasegate.server_options import ServerError, find_binary
from phasegate.session import Outcome, Session
from phasegate.settings import Settings
from workflows.attributes import REGISTERED

LEAST_PYTHON = (3, 11)


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    WRONG = "wrong"
    LESS = "less"
    """all works, and something would work better"""
    SKIPPED = "skipped"


_COLOURS = {Verdict.OK: "green", Verdict.WRONG: "red", Verdict.LESS: "yellow", Verdict.SKIPPED: "dim"}


@dataclass(frozen=True)
class Check:
    """One line of the report. `todo` is what a person can do about it."""

    name: str
    verdict: Verdict
    found: str
    todo: str = ""


async def examine(session: Session, fix: bool) -> Outcome:
    """Every check; exit code 1 when something is wrong."""
    checks = [_python(), _git(), await _sandbox(session.settings), _temporal()]
    checks += [_settings(session.settings), await _store(session.settings)]
    checks += [check async for check in _server(session, fix)]
    well = all(check.verdict is not Verdict.WRONG for check in checks)
    data = {"ok": well, "checks": [asdict(check) for check in checks]}
    return Outcome(data, tuple(_line(check) for check in checks), Exit.DONE if well else Exit.ERROR)


def _python() -> Check:
    right = sys.version_info >= LEAST_PYTHON
    todo = "" if right else f"use Python {'.'.join(map(str, LEAST_PYTHON))} or newer"
    return Check("python", _verdict(right), platform.python_version(), todo)


def _git() -> Check:
    found = shutil.which("git")
    if found is None:
        return Check("git", Verdict.WRONG, "not on PATH", "install git")
    version = _version_of(found)
    if merges(version):
        return Check("git", Verdict.OK, version)
    oldest = ".".join(map(str, OLDEST_GIT))
    todo = f"steps of a plan run one after another; with git {oldest} or newer they run side by side"
    return Check("git", Verdict.LESS, version, todo)


async def _sandbox(settings: Settings) -> Check:
    """What confines the commands of plans here; a worker elsewhere may have what this machine has not."""
    confined, why = await sandbox_offered()
    if confined:
        return Check("sandbox", Verdict.OK, f"commands of plans are confined by {confined}")
    if settings.unconfined_commands:
        return Check("sandbox", Verdict.LESS, "none; commands run without asking (unconfined_commands)", why)
    return Check("sandbox", Verdict.LESS, "none; every command of a plan waits for a person", why)


def _temporal() -> Check:
    try:
        found = str(find_binary())
    except ServerError as missing:
        return Check("temporal program", Verdict.WRONG, "not found", str(missing))
    return Check("temporal program", Verdict.OK, f"{_version_of(found)} at {found}")


def _settings(settings: Settings) -> Check:
    config = find_config()
    source = str(config) if config else "no phasegate.toml; variables and defaults"
    return Check("settings", Verdict.OK, f"{source}; state in {settings.state_dir}")


async def _store(settings: Settings) -> Check:
    try:
        store = open_store(settings.store)
        digest = await store.put(b"phasegate doctor\n")
        await store.get(digest)
    except StoreError as error:
        return Check("store", Verdict.WRONG, settings.store, str(error))
    return Check("store", Verdict.OK, f"{settings.store} can be written and read")


async def _server(session: Session, fix: bool) -> AsyncIterator[Check]:
    """The server, and what only it can tell."""
    address = str(connect_config(session.settings)["target_host"])
    try:
        client = await session.client()
    except NoServer as problem:
        yield Check("server", Verdict.WRONG, address, str(problem))
        for name in ("namespace", "search attributes", "worker"):
            yield Check(name, Verdict.SKIPPED, "needs the server")
        return
    yield Check("server", Verdict.OK, f"{address} answers")
    yield await _namespace(client)
    yield await _attributes(client, fix)
    yield await _worker(client)


async def _namespace(client: JobClient) -> Check:
    name = client.temporal.namespace
    try:
        told = await client.temporal.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=name)
        )
    except RPCError as error:
        todo = f"create it: temporal operator namespace create --namespace {name}"
        return Check("namespace", Verdict.WRONG, f"{name}: {error.message}", todo)
    days = told.config.workflow_execution_retention_ttl.seconds // 86_400
    return Check("namespace", Verdict.OK, f"{name}, keeps ended jobs in its list for {days} days")


async def _attributes(client: JobClient, fix: bool) -> Check:
    name = "search attributes"
    try:
        missing = await ensure_search_attributes(client.temporal, REGISTERED, fix)
    except (SearchAttributeError, RPCError) as error:
        return Check(name, Verdict.WRONG, "cannot be looked at or registered", str(error))
    if not missing:
        return Check(name, Verdict.OK, f"all {len(REGISTERED)} are registered")
    if fix:
        return Check(name, Verdict.OK, f"registered now: {', '.join(missing)}")
    return Check(name, Verdict.WRONG, f"missing: {', '.join(missing)}", "run: phasegate doctor --fix")


async def _worker(client: JobClient) -> Check:
    try:
        found = await workers_of(client.temporal, client.task_queue)
    except RPCError as error:
        return Check("worker", Verdict.WRONG, f"task queue {client.task_queue}", error.message)
    if not found:
        todo = "start one: phasegate worker, or phasegate dev"
        return Check("worker", Verdict.WRONG, f"nobody takes jobs from {client.task_queue}", todo)
    return Check("worker", Verdict.OK, f"{len(found)} on task queue {client.task_queue}: {', '.join(found)}")


def _version_of(program: str) -> str:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return tame_line(told.stdout or told.stderr, 80)


def _verdict(right: bool) -> Verdict:
    return Verdict.OK if right else Verdict.WRONG


def _line(check: Check) -> Text:
    colour = {Verdict.OK: "green", Verdict.WRONG: "red", Verdict.SKIPPED: "dim", Verdict.LESS: "yellow"}[
        check.verdict
    ]
    line = Text.assemble((f"{check.verdict:<8}", colour), f"{check.name:<18}", tame_line(check.found))
    if check.todo:
        line.append(f"\n{'':<8}-> {tame_line(check.todo)}", "yellow")
    return line
