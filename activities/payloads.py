"""Big Temporal payloads go to the artifact store; histories keep a reference of some 200 bytes.

The safety net below Temporal's 2 MiB limit, beyond which jobs are wedged or terminated. Every client,
worker and replayer of a namespace must use the same converter over the same store.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from activities.store import Store
from states.wrong_input import told

THRESHOLD = 128 * 1024  # bytes; far below the 512 KiB at which Temporal warns, far above any reference

_CLAIM = "sha256"


class StorePayloads(StorageDriver):
    """Keeps payloads as blobs of the store; a claim is the blob's digest."""

    def __init__(self, store: Store) -> None:
        """Payloads are kept in `store`, among the artifacts."""
        self._store = store

    def name(self) -> str:
        """Written into histories: changing it makes running jobs unreadable."""
        return "phasegate-store"

    def type(self) -> str:
        """The same name for any implementation in any language."""
        return "phasegate.store"

    async def store(
        self, _context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Keep each payload; equal payloads share one blob."""
        blobs = (payload.SerializeToString(deterministic=True) for payload in payloads)
        digests = await asyncio.gather(*(self._store.put(blob) for blob in blobs))
        return [StorageDriverClaim(claim_data={_CLAIM: digest}) for digest in digests]

    async def retrieve(
        self, _context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Payloads by claim. Raises BlobMissing or BlobCorrupt, each naming the digest and the store."""
        blobs = await asyncio.gather(*(self._store.get(claim.claim_data[_CLAIM]) for claim in claims))
        return [Payload.FromString(blob) for blob in blobs]


@dataclass(frozen=True)
class Unreadable:
    """What stands for a payload that cannot be decoded, where no type was asked for."""

    why: str


class PatientPayloadConverter(PydanticPayloadConverter):
    """Pydantic models as JSON. Undecodable bytes raise only where a type was asked for.

    Anybody may start a job with any bytes; an error here would fail its first task for ever, where a
    workflow that takes whatever comes can say what is wrong.
    """

    def from_payloads(self, payloads: Sequence[Payload], type_hints: list[type] | None = None) -> list[Any]:
        """As Temporal's, with `Unreadable` in place of errors where there are no types."""
        if type_hints:
            return super().from_payloads(payloads, type_hints)
        return [self._patiently(payload) for payload in payloads]

    def _patiently(self, payload: Payload) -> Any:
        try:
            return super().from_payloads([payload])[0]
        except ValidationError as error:
            return Unreadable(f"it {told(error)}")
        except Exception as error:  # each encoding fails in its own way
            return Unreadable(" ".join(str(error.args[0] if error.args else error).split())[:200])


def data_converter(store: Store) -> DataConverter:
    """Pydantic models as JSON, with payloads of 128 KiB and more kept in `store`."""
    storage = ExternalStorage(drivers=[StorePayloads(store)], payload_size_threshold=THRESHOLD)
    return DataConverter(payload_converter_class=PatientPayloadConverter, external_storage=storage)
