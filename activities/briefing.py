"""From a work order to a brief, and from an artifact to the store: what every way to plan shares."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Protocol

from temporalio.exceptions import ApplicationError

from activities.brief import Answered, Brief
from activities.orders import Handover, WorkOrder
from activities.repository import RepositoryUnavailable, RepositoryUnusable
from activities.shelf import BlobShelf
from activities.store import BlobCorrupt, BlobMissing
from activities.summaries import summary_of
from activities.workspace import Workspace
from states.artifacts.base import Artifact
from states.artifacts.kinds import StoredArtifact
from states.words import Phase
from states.workspace import WorkspaceRef

LASTING = (RepositoryUnusable, BlobCorrupt, BlobMissing)
"""errors that no retry mends; the job waits for a person instead"""


class Workspaces(Protocol):
    """Where checkouts come from."""

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """Fix the commit and make the checkout. Idempotent unless `refresh`."""
        ...

    async def checkout(self, job: str, workspace: WorkspaceRef) -> Path:
        """The checkout of exactly this commit, made again where it is missing."""
        ...


class Briefing:
    """Reads what a phase starts from, and keeps what it hands over."""

    def __init__(self, shelf: BlobShelf, workspaces: Workspaces) -> None:
        self._shelf = shelf
        self._workspaces = workspaces

    async def brief(self, order: WorkOrder) -> Brief:
        """Everything that an order names, read. Raises ApplicationError for what no retry mends."""
        task = await lasting(self._shelf.task(order.task_digest))
        previous = await self.artifacts({order.phase: order.previous}) if order.previous else {}
        return Brief(
            job=order.job,
            task=task["task"],
            requirements=tuple(task["requirements"]),
            constraints=tuple(task["constraints"]),
            root=await self.checkout(order.job, order.workspace),
            commit=order.workspace.commit,
            source=order.workspace.source,
            upstream=await self.artifacts(order.built_from),
            digests=dict(order.built_from),
            answers=tuple(Answered(a.question_id, a.question, a.text, a.by) for a in order.answers),
            says=order.says,
            feedback=order.feedback,
            previous=previous.get(order.phase),
            changes=order.changes,
            invalidated=order.invalidated,
            partial=await self.artifacts(order.partial),
            option_count=order.option_count,
            ranking=order.ranking,
            brought=tuple([await lasting(self._shelf.option(digest)) for digest in order.brought]),
            refine=order.refine,
        )

    async def artifacts(self, digests: dict[Phase, str]) -> dict[Phase, Artifact]:
        """Stored artifacts. Raises ApplicationError for what no retry mends."""
        return {phase: await lasting(self._shelf.artifact(digest)) for phase, digest in digests.items()}

    async def checkout(self, job: str, workspace: WorkspaceRef) -> Path:
        """A checkout of the commit. Raises ApplicationError for what no retry mends."""
        path: Path = await lasting(self._workspaces.checkout(job, workspace))
        return path

    async def keep(self, phase: Phase, artifact: Artifact, built_from: dict[Phase, str]) -> Handover:
        """Store an artifact with what it was built from."""
        stored = StoredArtifact.wrap(phase, artifact, built_from)
        digest, size = await self._shelf.put_artifact(stored)
        return Handover(digest=digest, size=size, made_by=artifact.made_by, summary=summary_of(artifact))


async def lasting(work: Awaitable[Any]) -> Any:
    """Await; errors made for people go into the history without a stack, and say whether to retry."""
    try:
        return await work
    except LASTING as error:
        passing = isinstance(error, RepositoryUnavailable)
        raise ApplicationError(str(error), type=type(error).__name__, non_retryable=not passing) from None
