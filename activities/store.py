"""The artifact store: content-addressed, write-once blobs and one manifest per job.

A local folder, S3, Google Cloud Storage, Azure or memory, by URL: the same code over `obstore`.
"""

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from states.artifacts.base import canonical_json
from states.artifacts.kinds import StoredArtifact
from states.record import JobRecord
from states.words import JOB_ID

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_DIGEST = re.compile(r"[0-9a-f]{64}")
_MANIFEST = ".json"
_AT_ONCE, _PIECE = 16 << 20, 1 << 20  # bytes of a file that is read into memory whole, and of others in turn


class StoreError(Exception):
    """The store at {where} failed."""

    def __init__(self, **said: str) -> None:
        super().__init__((type(self).__doc__ or type(self).__name__).format(**said))
        self.said = said


class StoreUnusable(StoreError):
    """The store at {where} cannot be used: {why}; check the store setting and its access rights."""


class BlobMissing(StoreError):
    """Blob {digest} is not in the store at {where}; restore it or redo the work that made it."""


class BlobCorrupt(StoreError):
    """Blob {digest} in the store at {where} is damaged ({why}); restore it or redo the work that made it."""


class BadName(StoreError):
    """{name} is not {what}, so the store at {where} was not asked for it."""


def open_store(url_or_path: str) -> "Store":
    """A store at a folder's path or a URL (file://, s3://, gs://, az://, memory://). Nothing is created yet.

    Credentials come from the environment, as each cloud's own tools read them. Raises StoreUnusable.
    """
    if "://" not in url_or_path:
        return Store(str(Path(url_or_path).expanduser().absolute()))
    parts = urlsplit(url_or_path)
    if parts.scheme == "file":
        return Store(unquote(parts.path))
    # Imported here: obstore's native library is 40 ms that `phasegate --help` does not need.
    from obstore.exceptions import BaseError
    from obstore.store import HTTPStore, from_url

    try:
        backend = from_url(url_or_path)
    except (BaseError, ValueError) as error:
        raise StoreUnusable(where=url_or_path, why=_first_line(error)) from error
    if isinstance(backend, HTTPStore):
        raise StoreUnusable(where=url_or_path, why="a plain web server keeps no blobs")
    return Store(url_or_path, backend)


class Store:
    """Blobs under `blobs/<2>/<62>`, manifests under `jobs/<job>.json`.

    What is guaranteed: a reader sees all of a blob or none of it (a local file is staged beside its
    place and linked or renamed into it; clouds put objects whole), and never the wrong bytes, as every
    read is hashed. A local folder is not fsynced (obstore offers no such switch): a power cut, unlike a
    killed process, may leave a damaged file, which reading names and putting the same bytes repairs.
    """

    def __init__(self, where: str, backend: "ObjectStore | None" = None) -> None:
        """Use `open_store`. Without a backend `where` is a local folder, made on the first write."""
        self.where = where
        self._backend = backend

    async def put(self, data: bytes) -> str:
        """Keep bytes; gives their sha256. Bytes already there stay untouched; putting at once is fine."""
        from obstore.exceptions import AlreadyExistsError

        digest = hashlib.sha256(data).hexdigest()
        path = self._blob(digest)
        try:
            await self._write(path, data, new=True)
        except AlreadyExistsError:
            if await self._read(path) != data:
                # Damaged on disk: only these bytes can belong here, so this is a repair, not a change.
                await self._write(path, data, new=False)
        return digest

    async def get(self, digest: str) -> bytes:
        """The bytes of a digest. Raises BlobMissing, BlobCorrupt, BadName, StoreUnusable."""
        data = await self._read(self._blob(digest))
        if data is None:
            raise BlobMissing(digest=digest, where=self.where)
        found = hashlib.sha256(data).hexdigest()
        if found != digest:
            raise BlobCorrupt(digest=digest, where=self.where, why=f"{len(data)} bytes with sha256 {found}")
        return data

    async def put_file(self, file: Path) -> str:
        """Keep what a file holds, as `put` does; a large one is never in memory as a whole."""
        if file.stat().st_size <= _AT_ONCE:
            return await self.put(file.read_bytes())
        digest = await asyncio.to_thread(_digest_of, file)
        if not await self.has(digest):
            with self._clearly():
                # In parts, which may take the place of the same bytes that another worker put meanwhile.
                await self._writable().put_async(self._blob(digest), file, mode="overwrite")
        return digest

    async def get_file(self, digest: str, into: Path) -> None:
        """Write the bytes of a digest to a file. Raises as `get`, and OSError."""
        path, backend = self._blob(digest), self._readable()
        if backend is None:
            raise BlobMissing(digest=digest, where=self.where)
        found, size = hashlib.sha256(), 0
        with into.open("wb") as file, self._clearly(FileNotFoundError):
            try:
                answer = await backend.get_async(path)
            except FileNotFoundError:
                raise BlobMissing(digest=digest, where=self.where) from None
            async for piece in answer.stream(min_chunk_size=_PIECE):
                size += file.write(piece)
                found.update(piece)
        if found.hexdigest() != digest:
            why = f"{size} bytes with sha256 {found.hexdigest()}"
            raise BlobCorrupt(digest=digest, where=self.where, why=why)

    async def has(self, digest: str) -> bool:
        """Whether a blob is there; it is not read, so it may still be damaged."""
        path = self._blob(digest)
        backend = self._readable()
        if backend is None:
            return False
        with self._clearly():
            try:
                await backend.head_async(path)
            except FileNotFoundError:
                return False
        return True

    async def remember(self, key: str, data: bytes) -> None:
        """Keep bytes under a key of 64 hex digits; the first ones stay. For what must not be paid twice."""
        from obstore.exceptions import AlreadyExistsError

        with contextlib.suppress(AlreadyExistsError):
            await self._write(self._replies(key), data, new=True)

    async def recall(self, key: str) -> bytes | None:
        """What is remembered under a key; None when nothing is."""
        return await self._read(self._replies(key))

    async def put_artifact(self, stored: StoredArtifact) -> tuple[str, int]:
        """Keep an artifact; gives its digest and its size in bytes."""
        data = stored.canonical()
        return await self.put(data), len(data)

    async def get_artifact(self, digest: str) -> StoredArtifact:
        """An artifact by digest. Raises as `get`, and BlobCorrupt for a blob that is no artifact."""
        data = await self.get(digest)
        try:
            return StoredArtifact.model_validate_json(data)
        except ValueError as error:
            raise BlobCorrupt(digest=digest, where=self.where, why="it is not an artifact") from error

    async def write_manifest(self, job: str, manifest: dict[str, Any]) -> None:
        """Replace a job's manifest as a whole."""
        await self._write(self._manifest(job), canonical_json(manifest), new=False)

    async def read_manifest(self, job: str) -> dict[str, Any] | None:
        """A job's manifest; None when it has none. Raises BlobCorrupt naming the job."""
        data = await self._read(self._manifest(job))
        if data is None:
            return None
        try:
            manifest = json.loads(data)
        except ValueError:
            manifest = None
        if not isinstance(manifest, dict):
            raise BlobCorrupt(digest=self._manifest(job), where=self.where, why="it is not a JSON object")
        return manifest

    async def read_record(self, job: str) -> JobRecord | None:
        """The record that a job's manifest holds; None without one. Raises BlobCorrupt."""
        manifest = await self.read_manifest(job)
        if manifest is None:
            return None
        try:
            record = JobRecord.model_validate(manifest)
        except ValueError as error:
            why = "it is not the record of a job"
            raise BlobCorrupt(digest=self._manifest(job), where=self.where, why=why) from error
        if record.job != job:
            # A copied or renamed file: going on with it would write into the other job's place.
            why = f"it is that of job {record.job[:80]!r}"
            raise BlobCorrupt(digest=self._manifest(job), where=self.where, why=why)
        return record

    async def list_manifests(self) -> tuple[str, ...]:
        """The ids of all jobs that have a manifest, sorted."""
        backend = self._readable()
        if backend is None:
            return ()
        with self._clearly():
            listing = await backend.list_with_delimiter_async("jobs")
        names = (str(each["path"]).rsplit("/", 1)[-1] for each in listing["objects"])
        return tuple(sorted(name.removesuffix(_MANIFEST) for name in names if name.endswith(_MANIFEST)))

    def _blob(self, digest: str) -> str:
        if not _DIGEST.fullmatch(digest):
            raise BadName(name=repr(digest[:80]), what="a sha256 of 64 hex digits", where=self.where)
        return f"blobs/{digest[:2]}/{digest[2:]}"

    def _replies(self, key: str) -> str:
        return self._blob(key).replace("blobs/", "replies/", 1)

    def _manifest(self, job: str) -> str:
        if not JOB_ID.fullmatch(job):
            what = "a job id (1 to 100 letters, digits, '.', '_' or '-', no leading dot)"
            raise BadName(name=repr(job[:80]), what=what, where=self.where)
        return f"jobs/{job}{_MANIFEST}"

    async def _write(self, path: str, data: bytes, new: bool) -> None:
        from obstore.exceptions import AlreadyExistsError

        with self._clearly(AlreadyExistsError):
            backend = self._writable()
            # Not multipart, whatever the size: parts are put together without the "only if new" condition.
            await backend.put_async(path, data, mode="create" if new else "overwrite", use_multipart=False)

    async def _read(self, path: str) -> bytes | None:
        backend = self._readable()
        if backend is None:
            return None
        with self._clearly():
            try:
                found = await backend.get_async(path)
                return (await found.bytes_async()).to_bytes()
            except FileNotFoundError:
                return None

    def _readable(self) -> "ObjectStore | None":
        if self._backend is None and not Path(self.where).exists():
            return None
        with self._clearly():
            return self._writable()

    def _writable(self) -> "ObjectStore":
        if self._backend is None:
            from obstore.store import LocalStore

            self._backend = LocalStore(self.where, mkdir=True)
        return self._backend

    @contextmanager
    def _clearly(self, *but: type[Exception]) -> Iterator[None]:
        """Turn obstore's errors, which are pages long, into one sentence."""
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError) as error:
            if isinstance(error, but):
                raise
            raise StoreUnusable(where=self.where, why=_first_line(error)) from error


def _digest_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".;")
