"""Bubblewrap around a command: no network, no other process, nothing to write to but its folder."""

import asyncio
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from activities.execution_orders import CommandRules

TEMPORARY = 1 << 30
"""bytes of the private /tmp"""
HOME = "/tmp/home"
# Homes hold keys and tokens; /run holds the sockets of daemons that would do what a command may not.
_HIDDEN = ("/root", "/home", "/run", "/var/run", "/mnt", "/media", "/srv")
# What programs need of the rest. Whatever else lies on the disk is somebody's: checkouts, data, systems.
_SYSTEM = frozenset(
    {
        *("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "gnu", "snap"),
        *("dev", "proc", "sys", "tmp", "var"),
    }
)
_OF_OTHERS = ("/var/backups", "/var/log", "/var/mail", "/var/spool", "/var/tmp", "/var/www")
_TOKENS = ("credentials", "credentials.toml", ".netrc", ".npmrc", ".pypirc", "auth.json", "auth.toml")
# The ids that systemd gives to services which have no user of their own.
_FIRST_ID, _IDS = 61_184, 4_336
_PROBE_SECONDS = 10


@dataclass(frozen=True)
class Sandbox:
    """How to confine a command on this machine. `hidden` are folders of ours; `program` is bwrap."""

    program: str
    hidden: tuple[str, ...] = ()

    def around(
        self, inside: Sequence[str], tree: Path, shown: Iterable[Path], rules: CommandRules
    ) -> list[str]:
        """The arguments that run `inside` in `tree`; `shown` may be read besides the system's own files."""
        covered = self._covered()
        visible, tools = [*map(str, shown), *rules.visible], _tools()
        # Made here, as bwrap makes what leads to a mount for its own user only.
        above = sorted(
            {str(each) for path in (tree, *map(Path, (*visible, *tools))) for each in path.parents} - {"/"}
        )
        return [
            *(self.program, "--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--unshare-uts", "--unshare-cgroup-try", *_as_user()),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *("--perms", "1777", "--size", str(TEMPORARY), "--tmpfs", "/tmp"),
            *("--perms", "1777", "--size", str(TEMPORARY), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
            *(each for folder in covered for each in ("--perms", "0755", "--tmpfs", folder)),
            *(each for folder in above for each in _made(folder, ("/tmp", *covered))),
            *(each for path in tools for each in ("--ro-bind-try", path, path)),
            *(each for path in _secrets(tools) for each in ("--ro-bind", os.devnull, path)),
            *(each for path in visible for each in ("--ro-bind-try", path, path)),
            *("--bind", str(tree), str(tree), "--perms", "1777", "--dir", HOME, "--chdir", str(tree)),
            # Whoever owns them could fill the memory of the machine through them.
            *(each for folder in covered for each in ("--remount-ro", folder)),
            *_bounded(tree, rules),
            *inside,
        ]

    def _covered(self) -> list[str]:
        """Folders to cover, outer ones first; links lead to what is covered elsewhere."""
        wanted = {*_private(), *self.hidden}
        real = {os.path.realpath(path) for path in wanted if os.path.isdir(path)}
        return sorted(path for path in real if path not in ("/", "/tmp", "/dev", "/proc"))


def _private() -> tuple[str, ...]:
    """Folders of people, services and whoever else keeps something on this disk; programs need none of it."""
    with os.scandir("/") as entries:
        others = [e.path for e in entries if e.name not in _SYSTEM and e.is_dir(follow_symlinks=False)]
    return (*_HIDDEN, *_OF_OTHERS, os.path.realpath(os.path.expanduser("~")), *others)


@functools.cache
def _bwrap() -> tuple[str, str]:
    """The program and why it cannot be used, one of them blank."""
    program = shutil.which("bwrap")
    if not program:
        return "", "bwrap is not installed (Debian and Ubuntu: apt-get install bubblewrap)"
    try:
        with tempfile.TemporaryDirectory() as tree:
            tried = Sandbox(program).around(["/bin/sh", "-c", "true"], Path(tree), (), CommandRules())
            ended = subprocess.run(tried, capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"bwrap does not work here ({error})"
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        return "", f"bwrap does not work here ({said[-1]})"
    return program, ""


async def sandbox_offered() -> tuple[str, str]:
    """What confines commands on this machine, and else why nothing does: one of them is blank."""
    program, why = await asyncio.to_thread(_bwrap)
    return (f"bwrap at {program}" if program else ""), why


async def find_sandbox(hidden: Iterable[Path]) -> Sandbox | None:
    """The sandbox of this machine, which hides these folders as well; None where there is none."""
    program, _ = await asyncio.to_thread(_bwrap)
    return Sandbox(program, tuple(map(str, hidden))) if program else None


def owner_of(tree: Path) -> int | None:
    """The user id that commands in a tree run with when we are root: one for each tree. None otherwise.

    Limits on processes do not bind root, and root reads every file.
    """
    if os.geteuid() != 0:
        return None
    return _FIRST_ID + int(hashlib.sha256(os.fsencode(tree)).hexdigest(), 16) % _IDS


def give_back(tree: Path) -> None:
    """Git trusts a folder of its own user only, and people look at the worktree with it."""
    if owner_of(tree) is None:
        return
    for path in (tree, tree / ".git"):
        if os.path.lexists(path) and os.lstat(path).st_uid != os.geteuid():
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)


def _made(folder: str, covered: Sequence[str]) -> tuple[str, ...]:
    """Make a folder where what is on the disk is covered."""
    if any(folder.startswith(f"{each}/") for each in covered) and folder not in covered:
        return "--perms", "0755", "--dir", folder
    return ()


def _as_user() -> tuple[str, ...]:
    if os.geteuid() == 0:
        return ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    return ("--unshare-user",)


def _bounded(tree: Path, rules: CommandRules) -> list[str]:
    """Within: another user where we are root, and the kernel's own limits, counted within the sandbox."""
    user = owner_of(tree)
    dropped = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
    return [
        *dropped,
        "prlimit",
        f"--nproc={rules.processes}",
        f"--data={rules.memory_bytes}",
        "--core=0",
        "--",
    ]


def _secrets(folders: Iterable[str]) -> list[str]:
    """Files with tokens that package managers keep beside their programs."""
    kept = (os.path.join(folder, name) for folder in folders for name in _TOKENS)
    return [path for path in kept if os.path.isfile(path) and not os.path.islink(path)]


def _tools() -> list[str]:
    """Where the programs on PATH live, if that is hidden: folders of tools below homes, never a home."""
    home, private = os.path.realpath(os.path.expanduser("~")), _private()
    own = {sys.prefix, sys.base_prefix}
    found = set(own)
    for entry in os.get_exec_path():
        path = Path(entry)
        # What lies beside `/usr` may hold anything besides.
        of_tools = path.name in ("bin", "shims") and path.parent.name != ".local"
        more = path.parent.parent == Path("/") or _holds_more(path.parent, home)
        found.add(str(path.parent if of_tools and not more else path))
    return sorted(
        path
        for path in found
        if not _holds_more(Path(path), home)
        and (any(path.startswith(f"{each}/") for each in private) or (path in own and path in private))
    )


def _holds_more(path: Path, home: str) -> bool:
    """Whether a folder is more than one of tools: a home, what holds homes or disks, a daemon's socket."""
    return str(path) in (home, *_HIDDEN) or str(path.parent) == "/home" or path.name == ".docker"
