"""What a worker stored or read lately, in memory: the phases and reviews of a job use the same few blobs."""

import json
from collections import OrderedDict
from typing import Any

from activities.store import Store
from states.artifacts.base import Artifact, canonical_json
from states.artifacts.kinds import StoredArtifact
from states.artifacts.plan import PlanOption

ROOM = 32 * 1024 * 1024
"""bytes of stored JSON; the objects made of it take a few times as much"""


class BlobShelf:
    """Artifacts and tasks by digest, each read and validated once. For one event loop.

    What it gives is shared: nobody may change it. A blob that is damaged on disk later is found by the next
    reader who has not got it here.
    """

    def __init__(self, store: Store, room: int = ROOM) -> None:
        self._store = store
        self._room = room
        self._kept: OrderedDict[str, tuple[Any, int]] = OrderedDict()

    async def put_artifact(self, stored: StoredArtifact) -> tuple[str, int]:
        """Store an artifact; gives its digest and its size in bytes."""
        digest, size = await self._store.put_artifact(stored)
        # Made from the stored form, as any other worker has it, and not the planner's own object.
        self._keep(digest, stored.artifact(), size)
        return digest, size

    async def artifact(self, digest: str) -> Artifact:
        """A stored artifact. Raises as `Store.get_artifact`, and pydantic.ValidationError."""
        if digest not in self._kept:
            stored = await self._store.get_artifact(digest)
            self._keep(digest, stored.artifact(), len(stored.canonical()))
        artifact: Artifact = self._take(digest)
        return artifact

    async def put_task(self, task: dict[str, Any]) -> str:
        """Store a task with its requirements and constraints; gives the digest."""
        data = canonical_json(task)
        digest = await self._store.put(data)
        self._keep(digest, json.loads(data), len(data))
        return digest

    async def task(self, digest: str) -> dict[str, Any]:
        """A stored task. Raises as `Store.get`."""
        if digest not in self._kept:
            data = await self._store.get(digest)
            self._keep(digest, json.loads(data), len(data))
        task: dict[str, Any] = self._take(digest)
        return task

    async def option(self, digest: str) -> PlanOption:
        """An option that was brought along. Raises as `Store.get`, and pydantic.ValidationError."""
        if digest not in self._kept:
            data = await self._store.get(digest)
            self._keep(digest, PlanOption.model_validate_json(data), len(data))
        option: PlanOption = self._take(digest)
        return option

    def _take(self, digest: str) -> Any:
        self._kept.move_to_end(digest)
        return self._kept[digest][0]

    def _keep(self, digest: str, read: Any, size: int) -> None:
        """Keep one more, at the cost of those used longest ago. The newest stays, however large."""
        _, replaced = self._kept.pop(digest, (None, 0))
        self._kept[digest] = (read, size)
        self._room += replaced - size
        while self._room < 0 and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._room += freed
