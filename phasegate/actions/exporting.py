"""`export`: the plan as a document, everything as JSON, or what an execution changed as a patch."""

import json
import sys
from pathlib import Path
from typing import Any

from rich.text import Text

from phasegate.actions.jobs import find_job
from phasegate.actions.reading import NothingYet
from phasegate.client import JobClient
from phasegate.problems import Problem
from phasegate.screen.tame import tame
from phasegate.session import Outcome, Session
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.checks.words import maybe
from states.execution_document import execution_document, former_document
from states.plan_document import plan_document
from states.record import JobRecord
from states.words import WORK_PHASES, Phase


async def export_job(session: Session, prefix: str, form: str, output: str) -> Outcome:
    """The plan as a document, or everything as JSON; to stdout or a file."""
    client, job = await find_job(session, prefix)
    record = await client.record(job)
    if form == "json" or (session.as_json and not output):
        everything = await _everything(client, record)
        if not output:
            return Outcome(everything, (json.dumps(everything, indent=2),))
        document = json.dumps(everything, ensure_ascii=False, indent=2) + "\n"
    else:
        document = await _document(client, record)
    if not output:
        return Outcome(None, (document.rstrip(),))
    place = _write(output, document.encode("utf-8", "replace"))
    data = {"job": job, "format": form, "output": str(place)}
    return Outcome(data, (Text(f"written to {place}"),))


async def export_patch(session: Session, prefix: str, output: str) -> Outcome:
    """What the execution changed in all, byte for byte as `git apply` takes it."""
    client, job = await find_job(session, prefix)
    digest, branch, head = _patch_of(await client.record(job), prefix)
    patch = await client.store.get(digest)
    if not patch:
        raise NothingYet(f"what was carried out of job {job} has changed nothing, so there is no patch")
    data = {"job": job, "branch": branch, "head": head, "bytes": len(patch)}
    if output:
        place = _write(output, patch)
        return Outcome({**data, "output": str(place)}, (Text(f"written to {place}"),))
    if session.as_json or session.out.is_terminal:
        text = patch.decode("utf-8", "replace")
        return Outcome({**data, "patch": text}, (tame(text).rstrip(),))
    sys.stdout.flush()
    sys.stdout.buffer.write(patch)
    return Outcome(None)


def _patch_of(record: JobRecord, name: str) -> tuple[str, str, str]:
    """Digest of a patch, branch and commit: of the former execution of that name, else of the present one.

    Raises NothingYet.
    """
    act, former = record.act, {each.id: each for each in record.former}
    if left := former.get(name):
        if not left.patch:
            raise NothingYet(f"execution {name} came to no end, so that it has no patch; {left.where}")
        return left.patch, left.branch, left.head
    if act is None:
        more = "; those before the restart are told by `phasegate show`" if former else ""
        raise NothingYet(f"nothing of job {record.job} was carried out, so there is no patch{more}")
    if not act.running and act.last.diffstat and not act.last.patch:
        raise NothingYet(f"job {record.job} has changed too much for a patch; take its branch {act.branch}")
    if act.running or not act.last.patch:
        raise NothingYet(
            f"the patch of job {record.job} is made when its execution ends; it is {act.status} now"
        )
    return act.last.patch, act.branch, act.last.head


def _write(output: str, content: bytes) -> Path:
    place = Path(output).expanduser().absolute()
    try:
        place.write_bytes(content)
    except OSError as error:
        raise Problem(f"cannot write {place}: {error.strerror}; choose another file") from None
    return place


async def _everything(client: JobClient, record: JobRecord) -> dict[str, Any]:
    artifacts = []
    for ref in record.artifacts:
        stored = await client.store.get_artifact(ref.digest)
        artifacts.append({"ref": ref.model_dump(mode="json"), "artifact": stored.model_dump(mode="json")})
    entries = await client.ledger(record.job)
    execution = await client.executions.view(record.act) if record.act else None
    return {
        "job": record.job,
        "artifacts": artifacts,
        "execution": execution.act.model_dump(mode="json") if execution else None,
        "former_executions": [each.model_dump(mode="json") for each in record.former],
        "ledger": [entry.model_dump(mode="json") for entry in entries],
        "record": record.model_dump(mode="json", exclude={"ledger"}),
    }


async def _document(client: JobClient, record: JobRecord) -> str:
    current = {
        phase: (await client.store.get_artifact(ref.digest)).artifact()
        for phase in WORK_PHASES
        if (ref := record.current(phase))
    }
    clarified = maybe(current, Phase.CLARIFICATION, ClarificationArtifact)
    plan = maybe(current, Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact)
    if clarified is None or plan is None:
        raise NothingYet(
            f"job {record.job} is in {record.state} and has no plan yet; --format json exports what there is"
        )
    document = plan_document(
        clarified,
        maybe(current, Phase.CONTRACTS, ContractDesignArtifact),
        plan,
        maybe(current, Phase.VALIDATION, ValidationArtifact),
        record,
    )
    execution = await client.executions.view(record.act) if record.act else None
    carried_out = execution_document(execution.act) if execution else ""
    return tame(document + carried_out + former_document(record.former))
