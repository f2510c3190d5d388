"""Conversations in the store: every message a blob, and a list of their digests for every call."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence

from activities.agent_orders import AgentOrder
from activities.agent_ports import Message
from activities.store import Store
from states.agents import Allowance, Usage
from states.artifacts.base import canonical_json

ROOM = 16 * 1024 * 1024
"""bytes kept in memory: the next call sends what the last one did"""


class Conversations:
    """Reads and writes messages, lists and orders. For one event loop."""

    def __init__(self, store: Store, room: int = ROOM) -> None:
        self._store = store
        self._room = room
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def put(self, message: Message) -> tuple[str, int]:
        """Store a message; gives its digest and its size in bytes."""
        data = canonical_json(message)
        return await self.put_bytes(data), len(data)

    async def message(self, digest: str) -> Message:
        """A stored message. Raises as `Store.get`."""
        found: Message = json.loads(await self.bytes_of(digest))
        return found

    async def put_list(self, digests: Sequence[str]) -> str:
        """Store a conversation; gives its head."""
        return await self.put_bytes(canonical_json(list(digests)))

    async def list_of(self, head: str) -> list[str]:
        """The message digests of a conversation, oldest first."""
        found: list[str] = json.loads(await self.bytes_of(head))
        return found

    async def put_order(self, order: AgentOrder) -> str:
        """Store what an agent starts from, without what it may use: with another budget it asks the same,
        and what was paid for is found again."""
        asked = order.model_copy(update={"allowance": Allowance(), "spent": Usage(), "past": ()})
        return await self.put_bytes(canonical_json(asked.model_dump(mode="json")))

    async def order(self, digest: str) -> AgentOrder:
        """What an agent started from."""
        return AgentOrder.model_validate_json(await self.bytes_of(digest))

    async def put_bytes(self, data: bytes) -> str:
        """Store bytes; gives their digest."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._kept:
            await self._store.put(data)
            self._keep(digest, data)
        return digest

    async def bytes_of(self, digest: str) -> bytes:
        """Stored bytes. Raises as `Store.get`."""
        if digest not in self._kept:
            self._keep(digest, await self._store.get(digest))
        self._kept.move_to_end(digest)
        return self._kept[digest]

    def _keep(self, digest: str, data: bytes) -> None:
        if digest in self._kept:
            return
        self._kept[digest] = data
        self._room -= len(data)
        while self._room < 0 and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._room += len(dropped)
