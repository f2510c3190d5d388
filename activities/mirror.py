"""Our own bare copy of a repository, from which the worktrees of all jobs on this machine are made.

A copy, although git could make a worktree of the person's own repository, or borrow its objects: both
write into or depend on it, and its next `git gc` could take away a commit that a job stands on for
weeks. A local copy costs neither time nor space: git makes hard links to the (immutable) object files.
"""

import asyncio
import contextlib
import hashlib
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from activities.git import Git, GitError
from activities.locks import locked
from activities.repository import Origin, RepositoryUnusable, ask_server, find_commit, unknown_ref
from activities.snapshot import LEFT_OUT, take_snapshot
from states.workspace import WorkspaceSource

NETWORK_TIME = 3600.0  # seconds for the first copy of a large repository over a slow network

_PINS = "refs/phasegate"  # keeps commits that jobs stand on from git's garbage collection
_HEAD = f"{_PINS}/HEAD"  # what the server's HEAD was at the last fetch
_ALL = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")

# Checkouts hold exactly the committed bytes on every machine: no line ending is converted, no filter (such
# as git-lfs, which would download) runs, and so no file ever looks modified that is not.
ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"


@dataclass(frozen=True)
class Commit:
    """What a commit is called and how many files it has."""

    id: str
    subject: str
    files: int


class Mirror:
    """The copy of one repository, below `root`. All methods but `hold` need it to be held."""

    def __init__(self, root: Path, repository: str, source: WorkspaceSource) -> None:
        """Creates nothing."""
        key = hashlib.sha256(f"{source}:{repository}".encode()).hexdigest()[:16]
        name = re.sub(r"[^A-Za-z0-9-]+", "-", repository.rstrip("/").rsplit("/", 1)[-1])[:40].strip("-")
        self.root = root
        self.repository = repository
        self.path = root / ".mirrors" / f"{name or 'repository'}-{key}.git"
        self._staging = root / ".tmp" / f"mirror-{key}"
        self._git = Git()
        self._as_you = Git(private=False)

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Keep other workers out while it is changed."""
        async with locked(self.root / ".locks" / self.path.stem) as held:
            # Git inherits the lock, so nothing writes here now: what is left of locks is from killed ones.
            for stale in (*self.path.glob("*.lock"), *(self.path / "refs").rglob("*.lock")):
                stale.unlink(missing_ok=True)
            self._git = Git(keep_open=(held,))
            self._as_you = Git(private=False, keep_open=(held,))
            yield

    async def newest(self, origin: Origin, ref: str) -> tuple[str, int]:
        """Bring in what a ref means now; gives the commit, pinned, and the number of files skipped."""
        skipped = 0
        if origin.source is WorkspaceSource.FOLDER:
            commit, skipped = await self._snapshot(origin)
        elif origin.remote:
            await self._update(origin)
            commit = await self._find(origin, ref)
        else:
            commit = await find_commit(origin, ref)
            await self._copy_commit(origin, commit)
        await self._pin(commit)
        return commit, skipped

    async def bring(self, origin: Origin, commit: str) -> None:
        """Bring in one commit again, on a machine that has not got it. Raises RepositoryUnusable."""
        if origin.source is WorkspaceSource.FOLDER:
            found, _ = await self._snapshot(origin)
            if found != commit:
                raise RepositoryUnusable(
                    f"{self.repository} has changed since the job started, and this machine has no copy of"
                    " how it was; restart the job from DISCOVERY"
                )
        else:
            await self._copy_commit(origin, commit)
        await self._pin(commit)

    async def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        if not self.path.exists():
            return False
        try:
            await self._here("cat-file", "-e", f"{commit}^{{commit}}")
        except GitError:
            return False
        return True

    async def describe(self, commit: str) -> Commit:
        """What is known about a commit. Submodules are not files of it."""
        listing = await self._here("ls-tree", "-r", "-z", "--full-tree", commit)
        files = sum(b" blob " in entry[:12] for entry in listing.split(b"\0"))
        subject = (await self._here("log", "-1", "--format=%s", commit)).decode("utf-8", "replace").strip()
        return Commit(commit, subject[:200], files)

    async def check_out(self, commit: str, path: Path) -> None:
        """A detached worktree of a commit at `path`, which must not exist: whole, or not there."""
        staging = self.root / ".tmp" / f"checkout-{path.parent.name}"
        await asyncio.to_thread(shutil.rmtree, staging, ignore_errors=True)
        staging.parent.mkdir(parents=True, exist_ok=True)
        await self._here("worktree", "prune", "--expire=now")
        try:
            await self._here("worktree", "add", "--quiet", "--detach", "--force", staging, commit)
            path.parent.mkdir(parents=True, exist_ok=True)
            staging.rename(path)
        finally:
            await asyncio.to_thread(shutil.rmtree, staging, ignore_errors=True)
        await self._here("worktree", "repair", path)

    async def _here(self, *arguments: str | Path) -> bytes:
        return await self._git.run("--git-dir", self.path, *arguments)

    async def _pin(self, commit: str) -> None:
        await self._here("update-ref", f"{_PINS}/{commit}", commit)

    async def _fetch(self, origin: Origin, *refspecs: str) -> None:
        await self._as_you.run(
            *("--git-dir", self.path, "-c", "protocol.version=2"),
            *("fetch", "--quiet", "--prune", "--force", "--update-shallow", "--no-write-fetch-head"),
            *("--", origin.location, *refspecs),
            timeout=NETWORK_TIME,
        )

    async def _copy_commit(self, origin: Origin, commit: str) -> None:
        """One commit with its history; the rest of the repository comes along only in the first copy."""
        if not self.path.exists():
            await self._clone(origin)
        if await self.has(commit):
            return
        # Servers may refuse single commits; then it has to be part of a branch or a tag.
        with contextlib.suppress(GitError):
            await self._fetch(origin, f"+{commit}:{_PINS}/{commit}")
            return
        await self._fetch(origin, *_ALL)
        if not await self.has(commit):
            raise RepositoryUnusable(
                f"{self.repository} no longer has commit {commit[:12]}; restart the job from DISCOVERY"
            )

    async def _update(self, origin: Origin) -> None:
        """All branches and tags as the server has them now."""
        if not self.path.exists():
            await ask_server(origin)  # fails within seconds and leaves nothing behind
            await self._clone(origin)
        try:
            await self._fetch(origin, *_ALL, f"+HEAD:{_HEAD}")
        except GitError as error:
            if "remote ref HEAD" not in error.stderr:
                raise
            # The server's HEAD names a branch that does not exist; the other branches do.
            await self._here("update-ref", "-d", _HEAD)
            await self._fetch(origin, *_ALL)

    async def _find(self, origin: Origin, ref: str) -> str:
        """The commit of a ref of a server, as of the last update."""
        if ref.startswith("-") or not ref.strip() or not ref.isprintable():
            raise unknown_ref(self.repository, ref)
        for name in (re.sub(r"^HEAD\b", _HEAD, ref), re.sub(r"^(refs/remotes/)?origin/", "", ref)):
            with contextlib.suppress(GitError):
                return await self._commit(name)
        # Neither branch nor tag: a pull request's ref, or a commit that no branch holds any more.
        wanted = f"{_PINS}/wanted"
        try:
            await self._fetch(origin, f"+{ref}:{wanted}")
            return await self._commit(wanted)
        except GitError as error:
            raise unknown_ref(self.repository, ref) from error

    async def _commit(self, name: str) -> str:
        return (await self._here("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")).decode().strip()

    async def _snapshot(self, origin: Origin) -> tuple[str, int]:
        if not self.path.exists():
            await self._make(self._git, "init", "--quiet", "--bare", "--template=")
        return await take_snapshot(self._git, self.path, Path(origin.location), self.root)

    async def _clone(self, origin: Origin) -> None:
        clone = ("clone", "--quiet", "--bare", "--template=")
        try:
            # Dissociate: a repository that borrows objects from another must not make us borrow them too.
            await self._make(self._as_you, *clone, "--dissociate", "--", origin.location)
        except GitError:
            if origin.remote:
                raise
            # Hard links fail while the person's git is packing, or when object folders are links themselves.
            await self._make(self._as_you, *clone, "--no-local", "--", origin.location)

    async def _make(self, git: Git, *command: str) -> None:
        """Run what makes a bare repository, and put it in its place when it is whole."""
        await asyncio.to_thread(shutil.rmtree, self._staging, ignore_errors=True)
        self._staging.parent.mkdir(parents=True, exist_ok=True)
        try:
            await git.run(*command, self._staging, timeout=NETWORK_TIME)
            info = self._staging / "info"
            info.mkdir(exist_ok=True)
            (info / "attributes").write_text(ATTRIBUTES)
            (info / "exclude").write_text(LEFT_OUT)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._staging.rename(self.path)
        finally:
            await asyncio.to_thread(shutil.rmtree, self._staging, ignore_errors=True)
