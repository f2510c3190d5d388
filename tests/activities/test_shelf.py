"""The shelf: what it gives is what the store has, it reads each blob once, and it stays within its room."""

from pathlib import Path

import pytest

from activities.shelf import BlobShelf
from activities.store import BlobMissing, Store, open_store
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.kinds import StoredArtifact
from states.words import Phase


def stored(notes: str) -> StoredArtifact:
    """An artifact that differs with `notes`."""
    artifact = ContextDiscoveryArtifact(commit="0" * 40, conventions=(notes,))
    return StoredArtifact.wrap(Phase.DISCOVERY, artifact, {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store in a folder."""
    return open_store(str(tmp_path / "store"))


async def test_an_artifact_is_the_same_from_the_shelf_that_stored_it_and_from_one_that_reads_it(
    store: Store,
) -> None:
    shelf = BlobShelf(store)
    digest, size = await shelf.put_artifact(stored("one"))
    assert size == len(await store.get(digest))
    assert await shelf.artifact(digest) == await BlobShelf(store).artifact(digest)
    assert await shelf.artifact(digest) == stored("one").artifact()


async def test_a_blob_is_read_once(store: Store, tmp_path: Path) -> None:
    digest, _ = await BlobShelf(store).put_artifact(stored("one"))
    shelf = BlobShelf(store)
    first = await shelf.artifact(digest)
    (tmp_path / "store" / "blobs" / digest[:2] / digest[2:]).unlink()
    assert await shelf.artifact(digest) is first
    with pytest.raises(BlobMissing):
        await BlobShelf(store).artifact(digest)


async def test_a_task_comes_back(store: Store) -> None:
    task = {"task": "add a field", "requirements": ["r"], "constraints": []}
    shelf = BlobShelf(store)
    digest = await shelf.put_task(task)
    assert await shelf.task(digest) == task
    assert await BlobShelf(store).task(digest) == task


async def test_what_was_used_longest_ago_makes_room(store: Store, tmp_path: Path) -> None:
    _, size = await store.put_artifact(stored("a"))
    shelf = BlobShelf(store, room=2 * size)
    digests = [(await shelf.put_artifact(stored(name)))[0] for name in "ab"]
    await shelf.artifact(digests[0])
    digests.append((await shelf.put_artifact(stored("c")))[0])
    for blob in (tmp_path / "store" / "blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    assert await shelf.artifact(digests[0])
    assert await shelf.artifact(digests[2])
    with pytest.raises(BlobMissing):
        await shelf.artifact(digests[1])


async def test_a_blob_larger_than_the_room_is_still_given(store: Store) -> None:
    shelf = BlobShelf(store, room=10)
    digest, _ = await shelf.put_artifact(stored("one"))
    assert await shelf.artifact(digest)
