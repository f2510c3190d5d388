"""Every command against a real server and worker: exit codes, JSON and nothing but JSON, one sentence."""

import itertools
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.phasegate.commands.driving import Commands, until

SIMPLE = "Sessions in `deskly/store.py` SessionStore expire after 30 minutes."
_numbers = itertools.count(1)


@pytest.fixture
def job(phasegate: Commands, repository: Path) -> str:
    """A job that waits at its first gate."""
    name = f"cmd{next(_numbers)}-{time.time_ns() % 10**9}"
    words = ("--gates", "clarification,contracts,validation", "--question-handling", "best_guess")
    ran = phasegate("plan", SIMPLE, "--repo", str(repository), "--id", name, *words, "--json")
    assert (ran.code, ran.json["awaiting"]) == (3, "human_review"), ran
    return name


def without(gate: str) -> Callable[[dict[str, Any]], bool]:
    """Whether this gate is no longer the open one."""
    return lambda view: not view["gate"] or view["gate"]["id"] != gate


def test_plan_without_a_terminal_says_where_it_waits_and_what_to_type(
    phasegate: Commands, repository: Path
) -> None:
    ran = phasegate(
        "plan",
        "--task-file",
        "-",
        "--repo",
        str(repository),
        "--id",
        "ask-me",
        stdin="Update authentication so that sessions expire.",
    )
    assert ran.code == 3
    assert "[1/6] DISCOVERY" in ran.err
    assert "phasegate answer ask-me q1 " in ran.out
    assert "temporal workflow signal --workflow-id ask-me --name answer --input" in ran.out


def test_from_a_gate_to_the_plan(phasegate: Commands, job: str, tmp_path: Path) -> None:
    seen = []
    while (view := until(phasegate, job, lambda v: v["gate"] or v["state"] == "verified"))["gate"]:
        gate = view["gate"]
        seen.append(gate["phase"])
        ran = phasegate("approve", job, "read it", "--gate", gate["id"], "--digest", gate["digest"], "--json")
        assert (ran.code, ran.json["job"]) == (0, job)
        until(phasegate, job, without(gate["id"]))
    assert seen in (["clarification", "contracts", "validation"], ["clarification", "validation"])
    assert phasegate("show", job).code == 0
    assert "# FEATURE IMPLEMENTATION PLAN" in phasegate("export", job).out
    everything = phasegate("export", job, "--format", "json").json
    assert {"artifacts", "ledger", "record"} <= set(everything)
    place = tmp_path / "plan.md"
    assert phasegate("export", job, "--output", str(place), "--json").json["output"] == str(place)
    assert "deskly/store.py" in place.read_text()
    assert phasegate("metrics", job, "--json").json["requirement_coverage"] == 1.0
    assert phasegate("watch", job).code == 0
    lines = [json.loads(line) for line in phasegate("watch", job, "--json").out.splitlines()]
    assert lines[-1]["state"] == "verified"


def test_a_refused_gate_comes_back_with_a_diff(phasegate: Commands, job: str) -> None:
    first = until(phasegate, job, lambda v: v["gate"])["gate"]
    assert phasegate("revise", job, "-", "--gate", first["id"], stdin="Name the limit.").code == 0
    second = until(phasegate, job, lambda v: v["gate"] and v["gate"]["id"] != first["id"])["gate"]
    assert second["feedback"] == ["Name the limit."]
    assert "+> Name the limit." in phasegate("diff", job, "clarification").out
    assert phasegate("diff", job, "Clarification", "--format", "json", "--json").json["from"] == 1
    stale = phasegate("approve", job, "--gate", first["id"])
    assert (stale.code, "stale" in stale.sentence) == (4, True)
    refused = phasegate("approve", job, "--digest", first["digest"], "--json")
    assert (refused.code, refused.json["error"]["code"], refused.json["error"]["kind"]) == (
        4,
        4,
        "RefusedByJob",
    )


def test_an_edit_takes_the_place_of_what_is_under_review(
    phasegate: Commands, job: str, tmp_path: Path
) -> None:
    before = until(phasegate, job, lambda v: v["gate"])["gate"]
    body = phasegate("artifacts", job, "clarification", "--json").json["artifact"]["body"]
    body["updated_requirements"]["constraints"] = ["keep the public API"]
    place = tmp_path / "mine.json"
    place.write_text(json.dumps(body))
    assert phasegate("edit", job, "--file", str(place)).code == 0
    after = until(phasegate, job, lambda v: v["gate"] and v["gate"]["digest"] != before["digest"])
    assert [a["made_by"] for a in after["artifacts"] if a["digest"] == after["gate"]["digest"]] == [
        "person:ann"
    ]
    place.write_text(json.dumps({**body, "typo": 1}))
    assert "no field typo" in phasegate("edit", job, "--file", str(place)).sentence
    assert phasegate("edit", job).code == 2


def test_a_dry_run_changes_nothing_and_a_restart_does(phasegate: Commands, job: str) -> None:
    before = phasegate("show", job, "--json").json
    dry = phasegate("restart", job, "discovery", "--dry-run", "--json").json
    assert (dry["dry_run"], dry["plan"]["redone"][0]) == (True, "discovery")
    assert phasegate("show", job, "--json").json["ledger_count"] == before["ledger_count"]
    assert phasegate("rewind", job, "--from", "DISCOVERY", "--changes", "new facts").code == 0
    after = until(phasegate, job, lambda v: v["restarts"])
    assert after["restarts"][0]["changes"] == "new facts"
    too_late = phasegate("restart", job, "validation")
    assert (too_late.code, "builds on" in too_late.sentence) == (4, True)
    assert phasegate("restart", job).code == 2
    assert phasegate("restart", job, "nowhere").code == 2


def test_pause_resume_cancel(phasegate: Commands, job: str) -> None:
    assert phasegate("pause", job, "--reason", "lunch").code == 0
    assert phasegate("show", job, "--json").json["hold"]["reason"] == "lunch"
    assert phasegate("resume", job).code == 0
    assert phasegate("resume", job).code == 4
    assert phasegate("cancel", job).code == 2, "nobody can be asked here"
    assert phasegate("cancel", job, "--yes").code == 0
    assert until(phasegate, job, lambda v: v["state"] == "cancelled")["mode"] == "Normal"
    assert f"`phasegate restart {job} PHASE` takes it up again" in phasegate("show", job).out
    assert phasegate("watch", job, "--json").code == 4


def test_lists_and_prefixes(phasegate: Commands, repository: Path) -> None:
    for name in ("twin-a", "twin-b"):
        ran = phasegate("plan", SIMPLE, "--repo", str(repository), "--id", name, "--detach")
        assert (ran.code, ran.out) == (0, f"{name}\n")
    until(phasegate, "twin-a", lambda v: v["gate"] or v["questions"])
    assert "ambiguous" in phasegate("show", "twin-").sentence
    assert phasegate("show", "twin-").code == 2
    assert phasegate("show", "twin-a", "--json").json["job"] == "twin-a"
    unknown = phasegate("show", "nobody-knows-me")
    assert (unknown.code, "no job nobody-knows-me" in unknown.sentence) == (2, True)
    listed = phasegate("list", "--limit", "1", "--json").json
    assert (len(listed["jobs"]), listed["total"] >= 2) == (1, True)
    assert phasegate("list", "--state", "VERIFIED").code == 0
    assert phasegate("list", "--state", "nowhere").code == 2
    assert phasegate("list", "--awaiting", "godot").code == 2


@pytest.mark.parametrize(
    "words", [("list",), ("show",), ("ledger",), ("artifacts",), ("metrics",), ("diagram",)]
)
def test_json_is_one_object(phasegate: Commands, job: str, words: tuple[str, ...]) -> None:
    given = words if words == ("list",) else (*words, job)
    ran = phasegate(*given, "--json")
    assert (ran.code, ran.err, isinstance(ran.json, dict)) == (0, "", True)
    plain = phasegate(*given)
    assert (plain.code, plain.err, "\x1b" in plain.out) == (0, "", False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("", "--repo", "{repo}"), "task is empty"),
        (("  ", "--repo", "{repo}"), "task is empty"),
        (("x" * 100_001, "--repo", "{repo}"), "100,001 characters"),
        (("do it", "--task-file", "-", "--repo", "{repo}"), "given twice"),
        (("do it", "--repo", "{repo}", "--id", "no id"), "no job id"),
        (("do it", "--repo", "{repo}", "--keep-open", "soon"), "no time"),
    ],
)
def test_plan_refuses_what_makes_no_job(
    phasegate: Commands, repository: Path, words: tuple[str, ...], told: str
) -> None:
    ran = phasegate("plan", *(word.format(repo=repository) for word in words))
    assert (ran.code, told in ran.sentence) == (2, True)


@pytest.mark.parametrize("shape", ["missing", "empty", "no commits"])
def test_plan_refuses_a_repository_that_cannot_be_read(
    phasegate: Commands, tmp_path: Path, shape: str
) -> None:
    place = tmp_path / "repository"
    if shape != "missing":
        place.mkdir()
    if shape == "no commits":
        subprocess.run(["git", "init", "-q", str(place)], check=True)
    before = phasegate("list", "--all", "--json").json["total"]
    ran = phasegate("plan", "do it", "--repo", str(place))
    assert (ran.code, str(place) in ran.sentence) == (1, True)
    assert phasegate("list", "--all", "--json").json["total"] == before


def test_plan_says_what_it_copies_of_a_folder_that_is_no_repository(
    phasegate: Commands, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("a = 1\n")
    ran = phasegate("plan", "rename a", "--repo", str(tmp_path / "plain"))
    told = f"{tmp_path / 'plain'} is no git repository; the job plans on a copy of it: 1 file, 6 bytes"
    assert (ran.code, ran.err.splitlines()[0]) == (3, told)
    assert "a copy of 1 file, as it is no git repository" in ran.out


def test_doctor_finds_everything_in_place(phasegate: Commands) -> None:
    ran = phasegate("doctor", "--json")
    verdicts = {check["name"]: check["verdict"] for check in ran.json["checks"]}
    assert verdicts.pop("sandbox") in ("ok", "less"), "not every machine that runs the tests offers one"
    assert (ran.code, set(verdicts.values())) == (0, {"ok"}), ran.out
    assert {"python", "git", "temporal program", "store", "server", "namespace", "worker"} <= set(verdicts)
