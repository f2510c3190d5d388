"""Plain folders, and trees of any size."""

import asyncio
import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from activities.repository import RepositoryUnusable
from activities.snapshot import MAX_FILE, MAX_TOTAL, Copied, measure
from activities.workspace import Workspaces, check_repository
from states.workspace import WorkspaceSource
from tests.activities.workspace.repos import code_of, contents, git


async def test_a_plain_folder_gets_a_snapshot(workspaces: Workspaces, folder: Path) -> None:
    before = contents(folder)
    opened = await workspaces.open("job-1", str(folder))
    assert (opened.ref.source, opened.ref.files, opened.ref.skipped) == (WorkspaceSource.FOLDER, 2, 0)
    assert code_of(opened.path) == {"README": "plain\n", "src/a.py": "a = 1\n"}
    assert contents(folder) == before
    (folder / "README").write_text("changed\n")
    assert await workspaces.open("job-1", str(folder)) == opened
    refreshed = await workspaces.open("job-1", str(folder), refresh=True)
    assert refreshed.ref.commit != opened.ref.commit
    assert (refreshed.path / "README").read_text() == "changed\n"
    assert (await workspaces.checkout("job-1", opened.ref) / "README").read_text() == "plain\n"


async def test_equal_folders_give_equal_commits_anywhere(
    workspaces: Workspaces, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    first = await workspaces.open("job-1", str(folder))
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "ignore").write_text("*.py\n")
    (tmp_path / "config" / "git" / "config").write_text("[core]\nautocrlf = true\nfileMode = false\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    second = await Workspaces(tmp_path / "other").open("job-1", str(tmp_path / "copy"))
    assert second.ref.commit == first.ref.commit


async def test_another_worker_takes_the_same_snapshot_or_says_that_it_cannot(
    workspaces: Workspaces, folder: Path, tmp_path: Path
) -> None:
    opened = await workspaces.open("job-1", str(folder))
    other = Workspaces(tmp_path / "other")
    assert code_of(await other.checkout("job-1", opened.ref)) == code_of(opened.path)
    (folder / "README").write_text("changed\n")
    with pytest.raises(RepositoryUnusable, match="has changed since the job started"):
        await Workspaces(tmp_path / "third").checkout("job-1", opened.ref)


async def test_a_snapshot_takes_code_and_leaves_the_rest(workspaces: Workspaces, folder: Path) -> None:
    (folder / ".gitignore").write_text("*.log\nbuild/\n")
    for name in ("x.log", "build/out.o", "node_modules/m/i.js", "src/__pycache__/a.pyc", ".hidden/h.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    with (folder / "data.bin").open("wb") as file:
        file.truncate(33 << 20)
    opened = await workspaces.open("job-1", str(folder))
    assert set(code_of(opened.path)) == {".gitignore", ".hidden/h.txt", "README", "src/a.py"}
    assert opened.ref.skipped == 1


async def test_repositories_inside_a_folder_are_read_as_its_files(
    workspaces: Workspaces, folder: Path
) -> None:
    for name in ("with", "without"):
        (folder / name / "deep").mkdir(parents=True)
        git(folder / name, "init", "-q")
        (folder / name / "deep" / "n.py").write_text(f"n = {name!r}\n")
    git(folder / "with", "add", "-A")
    git(folder / "with", "commit", "-qm", "n")
    (folder / "broken" / ".git").mkdir(parents=True)
    (folder / "broken" / "b.py").write_text("b = 1\n")
    opened = await workspaces.open("job-1", str(folder))
    assert {"with/deep/n.py", "without/deep/n.py", "broken/b.py"} < set(code_of(opened.path))
    assert opened.ref.files == 5


async def test_odd_things_in_a_folder_are_handled(workspaces: Workspaces, folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("..")
    (folder / "dangling").symlink_to("/nosuch")
    os.mkfifo(folder / "fifo")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    (folder / "empty").mkdir()
    (folder / "new\nline \"'$(x)").write_text("odd")
    with open(os.path.join(os.fsencode(folder), b"caf\xe9.py"), "wb") as file:
        file.write(b"\xff\x00")
    opened = await workspaces.open("job-1", str(folder))
    listening.close()
    names = {os.fsencode(name) for name in os.listdir(opened.path)}
    assert names == {
        *(b".git", b"src", b"README", b"loop", b"up", b"dangling", b"new\nline \"'$(x)", b"caf\xe9.py"),
    }
    assert opened.ref.files == 7


async def test_a_state_folder_inside_the_folder_is_not_its_code(folder: Path) -> None:
    workspaces = Workspaces(folder / "state" / "workspaces")
    first = await workspaces.open("job-1", str(folder))
    second = await workspaces.open("job-2", str(folder))
    assert first.ref.files == 2
    assert second.ref.commit == first.ref.commit


async def test_what_will_be_copied_is_known_before_and_leaves_nothing(
    workspaces: Workspaces, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "left_out.js").write_text("x")
    with (folder / "data.bin").open("wb") as file:
        file.truncate(33 << 20)
    before = contents(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    copied = await check_repository(str(folder))
    opened = await workspaces.open("job-1", str(folder))
    assert copied == Copied(files=2, bytes=len("plain\na = 1\n"), skipped=1)
    assert (opened.ref.files, opened.ref.skipped) == (copied.files, copied.skipped)
    assert (contents(folder), os.listdir(tmp_path / "temporary")) == (before, [])


async def test_the_state_folder_is_not_counted(folder: Path) -> None:
    inside = Workspaces(folder / "state" / "workspaces")
    await inside.open("job-1", str(folder))
    copied = await check_repository(str(folder), not_below=inside.root)
    assert copied
    assert copied.files == 2


async def test_a_repository_is_not_said_to_be_copied(repository: Path) -> None:
    assert await check_repository(str(repository)) is None


async def test_a_folder_of_many_things_is_refused_before_anything_is_copied(
    workspaces: Workspaces, folder: Path
) -> None:
    each = MAX_FILE
    for number in range(MAX_TOTAL // each + 1):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(each)
    for attempt in (check_repository(str(folder)), workspaces.open("job-1", str(folder))):
        with pytest.raises(RepositoryUnusable, match="50,000 files or 1 GiB; name the project's own folder"):
            await attempt


async def test_a_folder_that_takes_too_long_to_look_at_is_refused(folder: Path) -> None:
    with pytest.raises(RepositoryUnusable, match="takes more than 0 seconds to list; name the project's own"):
        await measure(folder, Path(os.devnull), seconds=0)


@pytest.mark.slow
async def test_fifty_thousand_files(workspaces: Workspaces, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.mkdir()
    git(large, "init", "-q")
    rows = (f"M 644 inline d{n % 250}/f{n}.py\ndata <<E\nx = {n}\nE\n" for n in range(50_000))
    head = "commit refs/heads/main\ncommitter A <a@example.org> 1 +0000\ndata <<E\nlarge\nE\n"
    git(large, "fast-import", "--quiet", stdin=(head + "".join(rows)).encode())
    git(large, "symbolic-ref", "HEAD", "refs/heads/main")
    opened = await workspaces.open("job-1", str(large))
    assert opened.ref.files == 50_000
    started = asyncio.get_running_loop().time()
    await workspaces.checkout("job-1", opened.ref)
    assert asyncio.get_running_loop().time() - started < 5
    await workspaces.close("job-1")
