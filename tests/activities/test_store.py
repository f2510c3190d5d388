"""The artifact store over a real folder, over memory, and over a small S3 server."""

import asyncio
import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from activities.store import BadName, BlobCorrupt, BlobMissing, Store, StoreUnusable, open_store
from states.artifacts.clarification import ClarificationArtifact, TaskRequirements
from states.artifacts.kinds import StoredArtifact
from states.record import JobRecord, JobSpec
from states.words import Phase


class S3(BaseHTTPRequestHandler):
    """Just enough of S3: put (with If-None-Match), get, head, list."""

    objects: dict[str, bytes]
    protocol_version = "HTTP/1.1"

    def answer(self, code: int, body: bytes = b"", kind: str = "application/xml") -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("If-None-Match") == "*" and self.path in self.objects:
            return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        self.objects[self.path] = body
        return self.answer(200)

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if "list-type=2" in query:
            rows = "".join(
                f"<Contents><Key>{key.removeprefix('/bucket/')}</Key><Size>{len(data)}</Size>"
                "<LastModified>2015-10-21T07:28:00.000Z</LastModified><ETag>1</ETag></Contents>"
                for key, data in self.objects.items()
                if key.startswith("/bucket/deep/jobs/")
            )
            return self.answer(200, f"<ListBucketResult>{rows}</ListBucketResult>".encode())
        if path not in self.objects:
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        return self.answer(200, self.objects[path])

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    handler = type("Bucket", (S3,), {"objects": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    for name, value in {
        "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_REGION": "nowhere",
    }.items():
        monkeypatch.setenv(name, value)
    yield open_store("s3://bucket/deep")
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(params=["folder", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "s3":
        found: Store = request.getfixturevalue("s3")
        return found
    return open_store("memory://" if request.param == "memory" else str(tmp_path / "not yet" / "there"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


def blob_file(folder: Path, digest: str) -> Path:
    return folder / "blobs" / digest[:2] / digest[2:]


def an_artifact() -> StoredArtifact:
    body = ClarificationArtifact(updated_requirements=TaskRequirements(task="größer als zuvor ☃"))
    return StoredArtifact.wrap(Phase.CLARIFICATION, body, {Phase.DISCOVERY: "0" * 64})


async def test_bytes_come_back_under_their_sha256(store: Store) -> None:
    for data in (b"", b"x", os.urandom(6 << 20)):
        digest = await store.put(data)
        assert digest == hashlib.sha256(data).hexdigest()
        assert await store.get(digest) == data
        assert await store.has(digest)


async def test_files_are_kept_as_bytes_are(store: Store, tmp_path: Path) -> None:
    file, back = tmp_path / "file", tmp_path / "back"
    sizes = (0, 5_000, *([] if store.where.startswith("s3") else [20 << 20]))
    for size in sizes:
        file.write_bytes(data := os.urandom(size))
        for _ in range(2):
            digest = await store.put_file(file)
            assert digest == hashlib.sha256(data).hexdigest()
        assert await store.get(digest) == data
        await store.get_file(digest, back)
        assert back.read_bytes() == data
    with pytest.raises(BlobMissing, match="b" * 64):
        await store.get_file("b" * 64, back)


async def test_a_damaged_blob_makes_no_file_that_is_believed(folder: Path, tmp_path: Path) -> None:
    store = open_store(str(folder))
    digest = await store.put(b"right")
    blob_file(folder, digest).write_bytes(b"wrong")
    with pytest.raises(BlobCorrupt, match="5 bytes with sha256"):
        await store.get_file(digest, tmp_path / "back")


async def test_putting_twice_and_at_once_is_fine(store: Store) -> None:
    data = os.urandom(300_000)
    digests = await asyncio.gather(*(store.put(data) for _ in range(20)))
    assert len(set(digests)) == 1
    assert await store.get(digests[0]) == data


async def test_a_blob_that_is_not_there_is_named(store: Store) -> None:
    for _ in range(2):
        assert not await store.has("a" * 64)
        with pytest.raises(BlobMissing, match="a" * 64):
            await store.get("a" * 64)
        await store.put(b"something else")


async def test_an_artifact_keeps_its_digest(store: Store) -> None:
    stored = an_artifact()
    digest, size = await store.put_artifact(stored)
    assert (digest, size) == (stored.digest, len(stored.canonical()))
    back = await store.get_artifact(digest)
    assert back == stored
    assert back.digest == digest
    assert back.artifact() == stored.artifact()


async def test_a_blob_that_is_no_artifact_is_named(store: Store) -> None:
    digest = await store.put(b'{"phase": "lunch"}')
    with pytest.raises(BlobCorrupt, match=f"{digest}.*not an artifact"):
        await store.get_artifact(digest)


async def test_manifests_are_replaced_and_listed(store: Store) -> None:
    assert await store.list_manifests() == ()
    assert await store.read_manifest("b-2") is None
    for job in ("b-2", "a.1", "b-2", "x" * 100):
        await store.write_manifest(job, {"job": job, "n": [1, {"ä": None}]})
    await store.write_manifest("a.1", {"job": "newer"})
    assert await store.list_manifests() == ("a.1", "b-2", "x" * 100)
    assert await store.read_manifest("a.1") == {"job": "newer"}
    assert await store.read_manifest("b-2") == {"job": "b-2", "n": [1, {"ä": None}]}


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 65, "a" * 63 + "\n"])
async def test_a_digest_is_checked_before_it_becomes_a_path(store: Store, name: str) -> None:
    with pytest.raises(BadName, match="64 hex digits"):
        await store.get(name)
    with pytest.raises(BadName):
        await store.has(name)


@pytest.mark.parametrize("job", ["", ".", "..", ".hidden", "a/b", "a\\b", "x" * 101, "a b", "ä", "a\n"])
async def test_a_job_id_is_checked_before_it_becomes_a_path(store: Store, job: str) -> None:
    with pytest.raises(BadName, match="job id"):
        await store.write_manifest(job, {})
    with pytest.raises(BadName, match="job id"):
        await store.read_manifest(job)


async def test_nothing_is_created_before_the_first_write(folder: Path) -> None:
    store = open_store(str(folder))
    assert await store.read_manifest("j") is None
    assert await store.list_manifests() == ()
    assert not folder.exists()
    await store.put(b"x")
    assert folder.is_dir()


async def test_an_existing_blob_stays_untouched(folder: Path) -> None:
    store = open_store(folder.as_uri())
    digest = await store.put(b"once")
    os.utime(blob_file(folder, digest), ns=(1, 1))
    before = blob_file(folder, digest).stat()
    await open_store(str(folder)).put(b"once")
    after = blob_file(folder, digest).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"onc", b"0nce", b"once more"])
async def test_a_damaged_blob_is_named_and_healed_by_its_own_bytes(folder: Path, damage: bytes) -> None:
    store = open_store(str(folder))
    digest = await store.put(b"once")
    blob_file(folder, digest).write_bytes(damage)
    with pytest.raises(BlobCorrupt) as caught:
        await store.get(digest)
    assert digest in str(caught.value)
    assert str(folder) in str(caught.value)
    assert await store.put(b"once") == digest
    assert await store.get(digest) == b"once"


async def test_a_damaged_manifest_names_its_job(folder: Path) -> None:
    store = open_store(str(folder))
    await store.write_manifest("job-1", {"a": 1})
    (folder / "jobs" / "job-1.json").write_text('{"a"')
    with pytest.raises(BlobCorrupt, match=r"jobs/job-1\.json"):
        await store.read_manifest("job-1")


async def test_a_manifest_that_is_not_this_jobs_record_is_refused(folder: Path) -> None:
    store = open_store(str(folder))
    record = JobRecord(job="job-1", spec=JobSpec(task="t", repository="/r")).model_dump(mode="json")
    await store.write_manifest("job-1", record)
    assert (await store.read_record("job-1")) == JobRecord.model_validate(record)
    assert await store.read_record("job-0") is None
    (folder / "jobs" / "job-2.json").write_bytes((folder / "jobs" / "job-1.json").read_bytes())
    with pytest.raises(BlobCorrupt, match=r"jobs/job-2\.json.*it is that of job 'job-1'"):
        await store.read_record("job-2")
    await store.write_manifest("job-3", {"a": 1})
    with pytest.raises(BlobCorrupt, match=r"jobs/job-3\.json.*it is not the record of a job"):
        await store.read_record("job-3")


async def test_leftovers_of_a_killed_writer_are_not_jobs(folder: Path) -> None:
    store = open_store(str(folder))
    await store.write_manifest("job-1", {})
    (folder / "jobs" / "job-2.json#1").write_text("{")
    assert await store.list_manifests() == ("job-1",)


@pytest.mark.parametrize("where", ["nonsense://x", "s3://", "https://example.org/x", "az://c/p"])
def test_a_store_that_cannot_be_is_refused_in_one_sentence(where: str) -> None:
    with pytest.raises(StoreUnusable) as caught:
        open_store(where)
    assert where in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_file_in_place_of_the_folder_is_said_in_one_sentence(folder: Path) -> None:
    folder.write_text("not a folder")
    store = open_store(str(folder))
    for attempt in (store.put(b"x"), store.get("a" * 64), store.list_manifests()):
        with pytest.raises(StoreUnusable) as caught:
            await attempt
        assert str(folder) in str(caught.value)
        assert "\n" not in str(caught.value)


async def test_two_stores_in_memory_are_two_stores() -> None:
    digest = await open_store("memory://").put(b"x")
    assert not await open_store("memory://").has(digest)
