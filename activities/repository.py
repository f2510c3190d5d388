"""What a person named as the repository, looked at without changing or creating anything."""

import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from activities.git import Git, GitError, GitMissing, GitTimeout
from states.workspace import WorkspaceSource

ASK_TIME = 20.0  # seconds for a server to answer what it has

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")
_SCP = re.compile(r"^(?:[A-Za-z0-9_][\w.+-]*@)?[A-Za-z0-9][\w.-]*:(?![/\\]{2})[^:\s].*$")
_SCHEMES = ("https", "http", "ssh", "git", "file")

# What git says when trying again later may help, and when only a person can help.
_PASSING = re.compile(
    r"could not resolve|couldn't resolve|timed out|connection (refused|reset|closed)|unreachable"
    r"|early eof|rpc failed|remote end hung up|failed to connect|couldn't connect|error: 5\d\d"
    r"|temporary failure",
    re.I,
)
_NO_ACCESS = re.compile(
    r"authentication failed|could not read (username|password)|permission denied|error: 40[13]|access denied"
    r"|host key verification|terminal prompts disabled",
    re.I,
)
# A password, or what looks like a token in place of the user's name.
_LOGIN = re.compile(
    r"^[^/]*://(?:[^/@]*:[^/@]+|(?:gh[a-z]|github|glpat|gl[a-z]+)[_-][^/@]+|[^/@]{32,})@", re.I
)
_DUBIOUS = "dubious ownership"
_FULL = "No space left on device"
_AS_YOU = Git(private=False)  # the person's own git configuration: how to reach servers, whom to trust
# The same within a repository on this machine, whose own configuration must not make git reach anything.
_HERE = Git(private=False, extra={"GIT_ALLOW_PROTOCOL": ""})


class RepositoryUnusable(Exception):
    """One sentence: what is wrong with the repository and what to do. Trying again cannot help."""


class RepositoryUnavailable(RepositoryUnusable):
    """The same for what may pass: a network that fails, a full disk. Trying again later can help."""


@dataclass(frozen=True)
class Origin:
    """Where code comes from. `repository` as in WorkspaceRef; `location` is what git fetches from."""

    repository: str
    location: str
    source: WorkspaceSource = WorkspaceSource.GIT
    subfolder: str = ""

    @property
    def remote(self) -> bool:
        """Whether the repository is behind a URL."""
        return is_url(self.repository)


def is_url(repository: str) -> bool:
    """Whether this is an address (also `host:path`) and not a path on this machine."""
    if _URL.match(repository):
        return True
    return bool(_SCP.match(repository)) and not os.path.lexists(repository)


async def find_origin(repository: str) -> Origin:
    """Look at what was named: a repository, a part of one, a plain folder or a URL (not contacted here).

    Raises RepositoryUnusable.
    """
    named = repository.strip()
    if not named or not _plain(named):
        raise RepositoryUnusable(f"{named[:80]!r} is no repository; name a folder or a URL")
    if is_url(named):
        return _remote(named)
    path = _readable_folder(named)
    try:
        return await _local(path)
    except (GitError, OSError) as error:
        raise explained(error, str(path)) from error


async def find_commit(origin: Origin, ref: str) -> str:
    """The commit that a ref of a local git repository means now. Raises RepositoryUnusable."""
    found = await _commit(origin.location, ref, Path(origin.repository))
    if found:
        return found
    if not await _commit(origin.location, "HEAD", Path(origin.repository)) and not await _any_ref(origin):
        raise RepositoryUnusable(f"{origin.repository} has no commits yet; commit something to plan on first")
    raise unknown_ref(origin.repository, ref)


async def ask_server(origin: Origin) -> None:
    """Whether a URL answers and has commits. Raises RepositoryUnusable, RepositoryUnavailable."""
    try:
        found = await _AS_YOU.run("ls-remote", "--quiet", "--", origin.location, timeout=ASK_TIME)
    except GitError as error:
        raise explained(error, origin.repository) from error
    if not found.strip():
        raise RepositoryUnusable(f"{origin.repository} has no commits yet; push something to plan on first")


def unknown_ref(repository: str, ref: str) -> RepositoryUnusable:
    """The refusal of a ref that names nothing."""
    return RepositoryUnusable(f"{repository} has no {ref[:80]!r}; name one of its branches, tags or commits")


def explained(error: GitError | OSError, what: str) -> RepositoryUnusable:
    """The sentence for a failure of git or of the file system while working on `what`."""
    if isinstance(error, GitMissing):
        return RepositoryUnusable("git is not installed or not on PATH; install git 2.31 or newer")
    if isinstance(error, GitTimeout):
        return RepositoryUnavailable(f"{what} took too long to read ({error.last_line}); try again later")
    if isinstance(error, OSError):
        return _explained_by_system(error, what)
    said = error.last_line
    if _DUBIOUS in error.stderr:
        return RepositoryUnusable(
            f"{what} belongs to another user, so git does not trust it;"
            f" if you do, run `git config --global --add safe.directory {what}`"
        )
    if _FULL in error.stderr:
        return RepositoryUnavailable(f"the disk is full, so {what} cannot be copied; free some space")
    if is_url(what) and _NO_ACCESS.search(error.stderr):
        return RepositoryUnusable(f"{what} refuses access ({said}); try `git ls-remote {what}` in a terminal")
    if is_url(what) and _PASSING.search(error.stderr):
        return RepositoryUnavailable(f"{what} cannot be reached ({said}); check the address and the network")
    if is_url(what):
        return RepositoryUnusable(f"{what} cannot be read ({said}); try `git ls-remote {what}` in a terminal")
    return RepositoryUnusable(f"{what} cannot be read ({said}); try `git status` there")


def _explained_by_system(error: OSError, what: str) -> RepositoryUnusable:
    place = error.filename or what
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RepositoryUnavailable(f"the disk is full, so {what} cannot be copied; free some space")
    if isinstance(error, PermissionError):
        return RepositoryUnusable(f"{place} may not be read or written by this user; change its permissions")
    return RepositoryUnusable(f"{place} cannot be used ({error.strerror or error}); check that it is there")


def _remote(url: str) -> Origin:
    scheme = urlsplit(url).scheme.lower() if _URL.match(url) else "ssh"
    if scheme not in _SCHEMES:
        raise RepositoryUnusable(
            f"{url[:120]} is no address that git can clone; use https://, ssh:// or file://"
        )
    if _LOGIN.match(url):
        # It would be in the history, in logs and on every screen, for as long as the job lives.
        bare = re.sub(r"//[^/]*@", "//", url)
        raise RepositoryUnusable(
            f"the address of {bare} carries a password; leave it out and let git's credential helper give it"
        )
    return Origin(repository=url, location=url)


def _readable_folder(named: str) -> Path:
    path = Path(os.path.abspath(Path(named).expanduser()))
    try:
        if not path.exists():
            raise RepositoryUnusable(f"{path} does not exist; check the path, or give a URL")
        if not path.is_dir():
            raise RepositoryUnusable(f"{path} is a file; name the folder that holds it")
        if not os.access(path, os.R_OK | os.X_OK, effective_ids=True):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return path.resolve()
    except OSError as error:
        raise explained(error, str(path)) from error


async def _local(path: Path) -> Origin:
    try:
        inside, common, own = (
            await _HERE.line(
                *("-C", path, "rev-parse", "--path-format=absolute"),
                *("--is-inside-work-tree", "--git-common-dir", "--git-dir"),
            )
        ).splitlines()
    except GitError as error:
        if "not a git repository" not in error.stderr or os.path.lexists(path / ".git"):
            raise
        return _folder(path)
    if inside != "true":
        return Origin(repository=own, location=common)
    top = await _HERE.line("-C", path, "rev-parse", "--show-toplevel")
    subfolder = "" if path == Path(top) else path.relative_to(top).as_posix()
    if subfolder and not await _tracked(top, subfolder):
        return _folder(path)
    return Origin(repository=top, location=common, subfolder=subfolder)


def _folder(path: Path) -> Origin:
    if str(path) in (path.anchor, os.path.realpath(os.path.expanduser("~"))):
        raise RepositoryUnusable(f"{path} is not one project but everything; name the project's own folder")
    if not any(name != ".git" for name in os.listdir(path)):
        raise RepositoryUnusable(f"{path} is empty; name a folder with code in it")
    return Origin(repository=str(path), location=str(path), source=WorkspaceSource.FOLDER)


async def _tracked(top: str, subfolder: str) -> bool:
    """Whether a sub-folder is part of the repository around it, and not merely lies in it."""
    try:
        return bool(await _HERE.run("-C", top, "ls-tree", "HEAD", "--", subfolder))
    except GitError:
        return True  # no commits yet, which is refused further on with a better reason


async def _commit(location: str, ref: str, worktree: Path) -> str:
    """The commit of a ref in a local repository; blank when there is none. HEAD is that of the worktree."""
    if ref.startswith("-") or not ref.strip() or not _plain(ref):
        return ""
    try:
        return await _HERE.line("-C", worktree, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    except (GitMissing, GitTimeout) as error:
        raise explained(error, location) from error
    except GitError:
        return ""  # whatever git says here is about the ref: the repository itself was readable just now


def _plain(text: str) -> bool:
    """Whether a text can be an argument of git and be shown on one line."""
    return not any(ord(each) < 32 or 0xD800 <= ord(each) < 0xE000 for each in text)


async def _any_ref(origin: Origin) -> bool:
    return bool(await _HERE.run("-C", origin.location, "for-each-ref", "--count=1"))
