"""`artifacts`, `diff`, `export`: what the phases handed over."""

import json

from rich.console import RenderableType
from rich.text import Text

from phasegate.actions.jobs import find_job, read_phase
from phasegate.problems import Problem, UnknownJob
from phasegate.screen.artifact import changes, diff_text, readable
from phasegate.screen.lists import artifacts_table
from phasegate.screen.markdown import as_markdown
from phasegate.session import Outcome, Session
from states.approvals import accepted
from states.artifacts.kinds import StoredArtifact
from states.record import ArtifactRef


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
