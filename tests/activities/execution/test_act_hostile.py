"""What steps leave behind to harm the worker that looks at it: each ends and harms no later step."""

import asyncio
import itertools
from pathlib import Path

import pytest

from activities.execution import sandbox
from activities.execution.junit import MOST_BYTES, MOST_ELEMENTS, ReportUnreadable, read_report
from activities.execution.sandbox import Sandbox
from activities.execution_orders import CommandRules
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepType
from states.execution import StepResult
from tests.activities.execution.acting import Acting, completed, failed, shell, step
from tests.activities.execution.test_act_abuse import needs_sandbox
from tests.activities.execution.test_act_trees import allow

SOON = 15
"""seconds; what hangs, hangs for ever"""


async def does(acting: Acting, command: str, id: str = "1") -> StepResult:
    """Run a command that a person has allowed; it ends soon."""
    allow(acting, command)
    return await asyncio.wait_for(acting.step(shell(command, id)), SOON)


@pytest.mark.parametrize(
    "name", [".gitattributes", ".gitignore", "docs/.gitattributes", "new/.gitignore", ".gitmodules"]
)
async def test_git_waits_for_no_pipe(acting: Acting, name: str) -> None:
    made = await does(acting, f"mkdir -p new; rm -f {name}; mkfifo {name}; echo 1 > new/file; echo 2 > added")
    assert f"{name} is no file: not kept" in completed(made).notes
    assert {"new/file", "added"} <= set(made.files)


@pytest.mark.parametrize("name", [".GIT", ".Git", "docs/.gIT"])
async def test_what_looks_like_gits_own_folder_stays_off_the_branch(acting: Acting, name: str) -> None:
    made = completed(
        await does(acting, f"mkdir {name}; echo 1 > {name}/p; echo '*.tmp' > .gitignore; touch a.b")
    )
    assert set(made.files) == {".gitignore", "a.b"}


@pytest.mark.parametrize("instead", ["mkfifo .git", "truncate -s 60G .git", "ln -s /dev/zero .git", "true"])
async def test_whatever_stands_for_dot_git_is_replaced(acting: Acting, instead: str) -> None:
    completed(await does(acting, f"rm -f .git; {instead}; echo 1 > added"))
    assert (acting.tree / ".git").read_text().startswith("gitdir: ")
    completed(await does(acting, "git status", "2"))


async def test_folders_deeper_than_any_path_can_name_fail_the_step(acting: Acting) -> None:
    await needs_sandbox()  # nothing but this would remove them again
    deep = "i=0; while [ $i -lt 500 ]; do mkdir abcdefghij && cd -P abcdefghij || exit 0; i=$((i+1)); done"
    failed(await does(acting, f"{deep}; echo 1 > f"), "folders lie in each other beyond the 3,000 bytes")
    completed(await does(acting, "test ! -e abcdefghij && echo 1 > added", "2"))
    await acting.prepare()
    await acting.leave()
    assert not acting.tree.exists()


@pytest.mark.parametrize("command", ["echo " + "a" * 200_000, "echo a\0b"])
async def test_what_no_system_can_run_fails_and_asks_nobody(acting: Acting, command: str) -> None:
    failed(await acting.step(shell(command)), "at most 100,000 bytes; put what it does into a file")


async def test_edits_do_not_grow_without_end(acting: Acting) -> None:
    edits = tuple(ExactEdit(old="z", new="z" * 1_000, count=1_000**number) for number in range(4))
    changes = (
        FileChange(path="z", kind=FileChangeKind.CREATE, content="z"),
        FileChange(path="z", kind=FileChangeKind.MODIFY, edits=edits),
    )
    grown = await acting.step(step(StepType.FILE_OPERATION, files=changes))
    failed(grown, "cannot modify z: edit 3 makes it larger than 33,554,432 bytes")


async def test_an_edit_touches_no_other_file_and_takes_long_names(acting: Acting) -> None:
    long = "n" * 250
    completed(await does(acting, f"echo mine > .calc.py.phasegate; echo old > {long}"))
    fix = (ExactEdit(old="a - b", new="a + b"),)
    changes = (
        FileChange(path="calc.py", kind=FileChangeKind.MODIFY, edits=fix),
        FileChange(path=long, kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="old", new="new"),)),
    )
    edited = completed(await acting.step(step(StepType.FILE_OPERATION, "2", files=changes)))
    assert edited.files == ("calc.py", long)
    assert (acting.tree / ".calc.py.phasegate").read_text() == "mine\n"


def test_tools_below_homes_show_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    entries = (
        "/home/ann/bin",
        "/home/ann/.cargo/bin",
        "/srv/bin",
        f"{tmp_path}/bin",
        f"{tmp_path}/.docker/bin",
        "/data/bin",
        "/data/tools/bin",
        "/data",
    )
    monkeypatch.setenv("PATH", ":".join(entries))
    monkeypatch.setattr(sandbox, "_private", lambda: ("/home", "/srv", "/data", str(tmp_path)))
    asked = Sandbox("bwrap").around(["true"], Path("/tmp/tree"), (), CommandRules())
    shown = {path for option, path in itertools.pairwise(asked) if option == "--ro-bind-try"}
    assert {
        "/home/ann/bin",
        "/home/ann/.cargo",
        "/srv/bin",
        f"{tmp_path}/bin",
        f"{tmp_path}/.docker/bin",
        "/data/bin",
        "/data/tools",
    } <= shown
    assert not shown & {"/home/ann", "/srv", "/data", str(tmp_path), f"{tmp_path}/.docker"}


@pytest.mark.parametrize(
    "data",
    [b"<a>" + b"<a/>" * (MOST_ELEMENTS + 1) + b"</a>", b"<a>" * 200 + b"</a>" * 200],
    ids=["wide", "deep"],
)
def test_reports_that_fill_the_memory_are_not_read(data: bytes) -> None:
    assert len(data) < MOST_BYTES
    with pytest.raises(ReportUnreadable, match="500,000 elements, or more than 100 in each other"):
        read_report(data)


async def test_the_worker_beats_while_a_report_is_read(acting: Acting) -> None:
    longest, last = 0.0, asyncio.get_running_loop().time()

    async def beat() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.01)
            now = asyncio.get_running_loop().time()
            longest, last = max(longest, now - last), now

    beating = asyncio.create_task(beat())
    code = "open('r.xml','w').write('<testsuite>' + '<testcase/>' * 200000 + '</testsuite>')"
    command = f'python3 -c "{code}"'
    allow(acting, command)
    tested = await acting.step(step(StepType.TESTING, command=command, report="r.xml"))
    beating.cancel()
    assert completed(tested).metrics.tests_passed == 200_000
    assert longest < 1
