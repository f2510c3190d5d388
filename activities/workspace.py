"""Gives each job a checkout of one commit, which nothing that happens to the repository can change."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from activities.flights import Flights
from activities.git import Git, GitError
from activities.locks import locked
from activities.mirror import Mirror
from activities.repository import RepositoryUnusable, ask_server, explained, find_commit, find_origin
from activities.snapshot import Copied, measure
from states.artifacts.base import Piece
from states.words import JOB_ID
from states.workspace import WorkspaceRef, WorkspaceSource

_GIT = Git()


@dataclass(frozen=True)
class Workspace:
    """A checkout on this machine; read it, do not write to it."""

    ref: WorkspaceRef
    path: Path


class _Memory(Piece):
    """workspace.json: what was asked for, and what it was."""

    repository: str
    ref: str
    workspace: WorkspaceRef


async def check_repository(
    repository: str, ref: str = "HEAD", not_below: Path | None = None
) -> Copied | None:
    """Whether `open` would work, as far as can be told in seconds and without leaving anything.

    A URL is asked whether it answers; of a plain folder it gives what would be copied, without what lies
    below `not_below`. Raises RepositoryUnusable, RepositoryUnavailable.
    """
    origin = await find_origin(repository)
    if origin.remote:
        await ask_server(origin)
    elif origin.source is WorkspaceSource.GIT:
        with _explaining(repository):
            await find_commit(origin, ref)
    else:
        with _explaining(repository):
            return await measure(Path(origin.location), not_below or Path(os.devnull))
    return None


class Workspaces:
    """The checkouts below one folder: `<job>/checkout`, made from mirrors that jobs share.

    Safe for several workers on the same folder. `.mirrors` is a cache: all of it can be deleted while
    no worker runs, and what is needed comes back as long as the repositories are there.
    """

    def __init__(self, root: Path) -> None:
        """Creates nothing yet."""
        self.root = root.absolute()
        self._looks: Flights[Path] = Flights()

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """A checkout of what `ref` means now; asked again, of what it meant then, unless `refresh`.

        Raises RepositoryUnusable, RepositoryUnavailable; a job's earlier checkout then stays as it was.
        """
        home = self.home(job)
        with _explaining(repository):
            async with self._held(job):
                remembered = None if refresh else _remembered(home, repository, ref)
                if remembered:
                    return Workspace(remembered, await self._make(home, remembered))
                try:
                    found = await self._resolve(repository, ref)
                    path = await self._make(home, found)
                    _remember(home, _Memory(repository=repository, ref=ref, workspace=found))
                    return Workspace(found, path)
                finally:
                    if not (home / "workspace.json").exists():
                        await self._discard(home)

    async def checkout(self, job: str, workspace: WorkspaceRef) -> Path:
        """The checkout of exactly this commit, made again if it is missing or no longer as committed.

        Raises RepositoryUnusable, RepositoryUnavailable. Those who ask at once, as the tools of one reply do,
        share one look.
        """
        home = self.home(job)

        async def look() -> Path:
            with _explaining(workspace.repository):
                async with self._held(job):
                    return await self._make(home, workspace)

        return await self._looks.join(f"{job} {workspace.commit}", look)

    async def close(self, job: str) -> None:
        """Remove what the job has here. Does nothing when there is nothing."""
        home = self.home(job)
        with _explaining(str(home)):
            async with self._held(job):
                await self._discard(home)

    def home(self, job: str) -> Path:
        """The folder of a job. Raises ValueError for what is no job id."""
        if not JOB_ID.fullmatch(job):
            raise ValueError(f"{job[:80]!r} is no job id: 1 to 100 letters, digits, '.', '_' or '-'")
        return self.root / job

    @asynccontextmanager
    async def _held(self, job: str) -> AsyncIterator[None]:
        # 256 locks for all jobs, so that lock files, which must never be removed, do not pile up.
        bucket = hashlib.sha256(job.encode()).hexdigest()[:2]
        async with locked(self.root / ".locks" / f"jobs-{bucket}"):
            yield

    async def _resolve(self, repository: str, ref: str) -> WorkspaceRef:
        origin = await find_origin(repository)
        mirror = Mirror(self.root, origin.repository, origin.source)
        async with mirror.hold():
            commit, skipped = await mirror.newest(origin, ref)
            known = await mirror.describe(commit)
        if not known.files:
            raise RepositoryUnusable(f"{repository} has no files at {ref}; there is nothing to plan on")
        return WorkspaceRef(
            repository=origin.repository,
            ref=ref,
            commit=commit,
            source=origin.source,
            files=known.files,
            subject=known.subject,
            subfolder=origin.subfolder,
            skipped=skipped,
        )

    async def _make(self, home: Path, workspace: WorkspaceRef) -> Path:
        path = home / "checkout"
        if await _intact(path, workspace.commit):
            return path
        mirror = Mirror(self.root, workspace.repository, workspace.source)
        async with mirror.hold():
            if not await mirror.has(workspace.commit):
                await mirror.bring(await find_origin(workspace.repository), workspace.commit)
            await self._discard(path)
            await mirror.check_out(workspace.commit, path)
        return path

    async def _discard(self, path: Path) -> None:
        """Remove a folder below the root, first from sight, then from the disk."""
        if path.is_symlink():
            path.unlink()
        if not path.exists():
            return
        gone = self.root / ".tmp" / f"gone-{'-'.join(path.relative_to(self.root).parts)}"
        await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)
        gone.parent.mkdir(exist_ok=True)
        path.rename(gone)
        await asyncio.to_thread(shutil.rmtree, gone)


async def _intact(path: Path, commit: str) -> bool:
    """Whether a checkout is still exactly its commit; a tenth of a second for 50,000 files."""
    if not (path / ".git").is_file():
        return False
    try:
        # The .git file is named, as looking for it would find a repository around a broken one.
        status = await _GIT.run(
            *("--git-dir", path / ".git", "--work-tree", path),
            *("status", "--porcelain=v2", "--branch", "-z"),
        )
    except GitError:
        return False
    head, *changes = (line for line in status.split(b"\0") if line and not line.startswith(b"# branch.head"))
    return head == b"# branch.oid " + commit.encode() and not changes


def _remembered(home: Path, repository: str, ref: str) -> WorkspaceRef | None:
    try:
        memory = _Memory.model_validate_json((home / "workspace.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        return None  # cut off by a full disk or a power failure: as if it had not been written
    same = memory.ref == ref and repository in (memory.repository, memory.workspace.repository)
    return memory.workspace if same else None


def _remember(home: Path, memory: _Memory) -> None:
    staged = home / "workspace.json.new"
    with staged.open("w") as file:
        file.write(memory.model_dump_json())
        file.flush()
        os.fsync(file.fileno())
    staged.replace(home / "workspace.json")


@contextmanager
def _explaining(repository: str) -> Iterator[None]:
    """One sentence for whatever goes wrong with git or the disk."""
    try:
        yield
    except (GitError, OSError) as error:
        raise explained(error, repository) from error
