"""`edit`: a person's own version of the artifact under review, checked before it is sent."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from rich.text import Text

from phasegate.actions.deciding import acknowledged
from phasegate.actions.jobs import find_job, named
from phasegate.client import JobClient
from phasegate.problems import Problem, RefusedByJob, WrongUse
from phasegate.screen.asking import Overtaken, ask, unmoved
from phasegate.screen.tame import tame_line
from phasegate.session import Outcome, Session
from states.artifacts.base import canonical_json
from states.artifacts.kinds import KIND, StoredArtifact
from states.messages import Ack
from states.record import Gate
from states.view import JobView
from states.words import Message, Phase, State
from states.wrong_input import told


class BadArtifact(Problem):
    """The edited artifact does not fit its phase."""


async def edit_artifact(session: Session, prefix: str, file: str, by: str) -> Outcome:
    """From a file, or from the person's editor."""
    client, job = await find_job(session, prefix)
    view = await client.view(job)
    if view.gate is None:
        raise RefusedByJob(f"no gate is open in {view.state}, so there is nothing to edit{_later(view)}")
    if file:
        body = checked(view.gate.phase, _read(file))
        return acknowledged(job, await send_version(client, job, view.gate, body, named(by)))
    if not session.interactive:
        raise WrongUse("edit needs a terminal for the editor, or your version with --file")
    stored = await client.store.get_artifact(view.gate.digest)
    ack = await edit_in_editor(session, client, job, view.gate, stored, named(by))
    return acknowledged(job, ack) if ack else Outcome(None, (Text("nothing was changed, nothing is sent"),))


def _later(view: JobView) -> str:
    """What a verified job takes instead."""
    if view.state is not State.VERIFIED:
        return ""
    return f"; `phasegate edit {view.job} --plan FILE` puts another plan in place, and opens its gate again"


async def edit_in_editor(
    session: Session, client: JobClient, job: str, gate: Gate, stored: StoredArtifact, by: str
) -> Ack | None:
    """Open the editor until the version fits or the person gives up; None when nothing was changed."""
    place = _draft(session.settings.state_dir / "edits", f"{job}-{gate.id}-", stored)
    while True:
        _open_editor(place)
        try:
            body = checked(gate.phase, place.read_text(encoding="utf-8"))
        except BadArtifact as wrong:
            session.say(Text(tame_line(wrong), "red"))
            try:
                again = ask("open the editor again? [Y/n] ").lower() not in ("n", "no")
            except Overtaken:
                session.say(Text(f"nothing was sent; your version is kept in {place}", "yellow"))
                raise
            if not again:
                raise BadArtifact(f"nothing was sent; your version is kept in {place}") from None
            continue
        break
    if body == stored.body:
        place.unlink()
        return None
    try:
        ack = await send_version(client, job, gate, body, by)
    except Problem as problem:
        raise type(problem)(f"{problem}; your version is kept in {place}") from None
    place.unlink()
    return ack


def checked(phase: Phase, text: str) -> dict[str, Any]:
    """The version as a JSON object that fits its phase. Raises BadArtifact naming the field."""
    try:
        body = json.loads(text)
    except ValueError as error:
        raise BadArtifact(f"this is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise BadArtifact("an artifact is a JSON object")
    try:
        known = KIND[phase].model_validate(body).model_dump(mode="json")
    except ValidationError as wrong:
        raise BadArtifact(told(wrong)) from None
    if unknown := _unknown(body, known):
        raise BadArtifact(f"{phase.name} has no field {unknown}; what stands there would be lost")
    return body


def _unknown(given: Any, known: Any, where: str = "") -> str:
    """The first field that the artifact's model would drop, empty when there is none."""
    if isinstance(given, dict) and isinstance(known, dict):
        pairs = [(f"{where}.{name}".lstrip("."), name, value) for name, value in given.items()]
        for path, name, value in pairs:
            found = path if name not in known else _unknown(value, known[name], path)
            if found:
                return found
    elif isinstance(given, list) and isinstance(known, list):
        for number, (one, other) in enumerate(zip(given, known, strict=False)):
            if found := _unknown(one, other, f"{where}.{number}"):
                return found
    return ""


async def send_version(client: JobClient, job: str, gate: Gate, body: dict[str, Any], by: str) -> Ack:
    """A version of the artifact under review goes to the store, its digest to the job."""
    digest = await client.store.put(canonical_json(body))
    return await client.send(job, Message.EDIT, {"artifact": digest, "base": gate.digest, "by": by})


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).expanduser().read_text(encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongUse(f"{name} is not UTF-8 text") from None


def _draft(folder: Path, prefix: str, stored: StoredArtifact) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".json", dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(stored.body, file, indent=2, ensure_ascii=False)
        file.write("\n")
    return Path(name)


def _open_editor(place: Path) -> None:
    """VISUAL, EDITOR, or the first usual one that is there. Raises WrongUse."""
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    usual = next((found for name in ("nano", "vim", "vi") if (found := shutil.which(name))), "")
    words = shlex.split(wanted or usual)
    if not words:
        raise WrongUse("no editor is known; set EDITOR, or send your version with --file")
    try:
        with unmoved():
            ended = subprocess.run([*words, str(place)], check=False)
    except OSError as error:
        raise WrongUse(f"the editor {words[0]} does not start: {error.strerror}; set EDITOR") from None
    if ended.returncode != 0:
        raise BadArtifact(f"the editor ended with {ended.returncode}; nothing was sent, {place} is kept")
