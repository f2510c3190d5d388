"""`artifacts`, `diff`, `export`: what the phases handed over."""

import json
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from phasegate.actions.jobs import find_job, read_phase
from phasegate.client import JobClient
from phasegate.problems import Problem, UnknownJob
from phasegate.screen.artifact import changes, diff_text, readable
from phasegate.screen.lists import artifacts_table
from phasegate.screen.markdown import as_markdown
from phasegate.screen.tame import tame
from phasegate.session import Outcome, Session
from states.approvals import accepted
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.kinds import StoredArtifact
from states.artifacts.validation import ValidationArtifact
from states.checks.words import maybe
from states.plan_document import plan_document
from states.record import ArtifactRef, JobRecord
from states.words import WORK_PHASES, Phase


class NothingYet(Problem):
    """What was asked for does not exist yet."""


async def list_artifacts(session: Session, prefix: str) -> Outcome:
    """Every version of every artifact, in the order they were made."""
    client, job = await find_job(session, prefix)
    refs = (await client.record(job)).artifacts
    data = {"job": job, "artifacts": [ref.model_dump(mode="json") for ref in refs]}
    parts = artifacts_table(refs, session.out.width) if refs else (Text("no phase has handed over yet"),)
    return Outcome(data, parts)


async def print_artifact(session: Session, prefix: str, phase: str, version: int) -> Outcome:
    """One artifact; as it looks on a terminal, as markdown text elsewhere."""
    wanted = read_phase(phase)
    client, job = await find_job(session, prefix)
    if not (await client.record(job)).versions(wanted):
        raise NothingYet(f"job {job} has no {wanted.name} artifact; `phasegate artifacts {job}` lists them")
    ref, stored = await client.artifact(job, wanted, version)
    text = readable(stored, full=True)
    passed = accepted(ref.accepted_by)
    head = Text(f"{ref.phase.name} v{ref.version}  {ref.status}  {passed}  sha256 {ref.digest}", "dim")
    parts: tuple[RenderableType, ...] = (text.rstrip(),)
    if session.out.is_terminal:
        parts = (head, as_markdown(text))
    data = {"job": job, "ref": ref.model_dump(mode="json"), "artifact": stored.model_dump(mode="json")}
    return Outcome(data, parts)


async def compare_versions(
    session: Session, prefix: str, phase: str, old: int, new: int, form: str
) -> Outcome:
    """A unified diff; without numbers of the last two versions."""
    wanted = read_phase(phase)
    client, job = await find_job(session, prefix)
    versions = (await client.record(job)).versions(wanted)
    if len(versions) < 2 and not (old and new):
        raise NothingYet(f"{wanted.name} of {job} has {_counted(versions)}, and a diff needs two")
    before, after = _numbers(versions, old, new)
    texts = []
    for number in (before, after):
        ref, stored = await client.artifact(job, wanted, number)
        texts.append((f"{wanted} v{ref.version} {ref.digest[:12]}", _written(stored, form)))
    (old_name, old_text), (new_name, new_text) = texts
    lines = list(changes(old_text, new_text, old_name, new_name))
    parts: tuple[RenderableType, ...] = (diff_text(iter(lines)),) if lines else (Text("no difference"),)
    data = {"job": job, "phase": wanted.value, "from": before, "to": after, "diff": "\n".join(lines)}
    return Outcome(data, parts)


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
    place = Path(output).expanduser().absolute()
    try:
        place.write_text(document, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Problem(f"cannot write {place}: {error.strerror}; choose another --output") from None
    data = {"job": job, "format": form, "output": str(place)}
    return Outcome(data, (Text(f"written to {place}"),))


async def _everything(client: JobClient, record: JobRecord) -> dict[str, Any]:
    artifacts = []
    for ref in record.artifacts:
        stored = await client.store.get_artifact(ref.digest)
        artifacts.append({"ref": ref.model_dump(mode="json"), "artifact": stored.model_dump(mode="json")})
    entries = await client.ledger(record.job)
    return {
        "job": record.job,
        "artifacts": artifacts,
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
    return tame(document)


def _numbers(versions: tuple[ArtifactRef, ...], old: int, new: int) -> tuple[int, int]:
    """The two versions to compare; one number alone is compared with the newest."""
    after = new or versions[-1].version
    before = old or after - 1
    if before < 1 or before == after:
        raise UnknownJob(f"there is nothing to compare v{after} with; there is {_counted(versions)}")
    return before, after


def _counted(versions: tuple[ArtifactRef, ...]) -> str:
    return ", ".join(f"v{ref.version}" for ref in versions) or "no version"


def _written(stored: StoredArtifact, form: str) -> str:
    if form == "md":
        return readable(stored, full=True)
    return json.dumps(stored.body, indent=2, sort_keys=True, ensure_ascii=False)
