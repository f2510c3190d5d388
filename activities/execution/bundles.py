"""Commits on their way to the store and back, as git bundles: what `git bundle unbundle` and `fetch` take."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

from activities.execution.repository import HEAD, SNAPSHOT, ActRepository
from activities.git import GitError
from activities.store import Store


class BundleUnusable(Exception):
    """One sentence: which commit cannot be made again from the store."""


async def put_bundle(
    repository: ActRepository, store: Store, new: tuple[str, str], old: tuple[str, str]
) -> str:
    """Store what leads from the `old` head and snapshot to the `new` ones; gives the bundle's digest."""
    revisions = "".join(f"{commit}\n" for commit in new) + "--not\n" + "".join(f"{c}\n" for c in old if c)
    required = "".join(f"-{commit}\n" for commit in dict.fromkeys(old) if commit)
    header = f"# v2 git bundle\n{required}{new[0]} {HEAD}\n{new[1]} {SNAPSHOT}\n\n"
    with NamedTemporaryFile(dir=repository.path, prefix="phasegate-bundle-", buffering=0) as bundle:
        bundle.write(header.encode())
        # Written here, as `git bundle create` only takes refs, and those move later, when all is stored.
        await repository.run(
            *("pack-objects", "--quiet", "--revs", "--thin", "--stdout", "--delta-base-offset"),
            stdin=revisions.encode(),
            into=bundle,
        )
        return await store.put_file(Path(bundle.name))


async def take_bundles(
    repository: ActRepository, store: Store, digests: Iterable[str], wanted: Iterable[str]
) -> None:
    """Bring in bundles, unless the wanted commits are here; by one at a time. Raises BundleUnusable and as
    the store."""
    missing = await repository.missing(*wanted)
    if not missing:
        return
    file = repository.path / "phasegate-bundle"
    for digest in digests:
        try:
            await store.get_file(digest, file)
            await repository.run("bundle", "unbundle", file)
        except GitError as error:
            raise BundleUnusable(f"bundle {digest[:12]} cannot be read ({error.last_line})") from error
        finally:
            file.unlink(missing_ok=True)
    for commit in await repository.missing(*missing):
        raise BundleUnusable(f"commit {commit[:12]} of the execution is neither here nor in its bundles")
