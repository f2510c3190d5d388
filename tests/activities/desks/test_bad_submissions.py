"""What is wrong with a submission is told by field, value and rule, and nothing is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from activities.desks.arguments import MOST_BYTES
from states.words import Phase
from tests.activities.desks.good import SUBMISSIONS, TESTS
from tests.activities.desks.offices import Office, changed, without
from tests.activities.deterministic.small_repos import SHOP

D, C, P = Phase.DISCOVERY, Phase.CLARIFICATION, Phase.IMPLEMENTATION_PLAN
CASES = json.loads((Path(__file__).parents[2] / "data" / "refused_submissions.json").read_text())
"""phase, path in the good submission, value put there, part of what the model is told"""


@pytest.mark.parametrize(("phase", "path", "value", "told"), CASES)
async def test_a_bad_value_is_named(
    office: Office, phase: str, path: list[str | int], value: Any, told: str
) -> None:
    order = await office.plan(Phase(phase))
    given = await office.submit(order, changed(Phase(phase), *path, to=value))
    assert told in given.error
    assert given.error.startswith("not accepted; mend this and submit the whole of it again:\n1. ")
    assert given.answer["refused"] is True
    assert "end" not in given.answer
    assert "handover" not in given.answer
    assert "pydantic" not in given.error
    assert len(given.error) < 6_000


async def test_a_missing_field_is_named(office: Office) -> None:
    given = await office.submit(await office.plan(P), without(P, "subtasks", 1, "title"))
    assert "1. subtasks[1].title: is required" in given.error.splitlines()


async def test_all_problems_are_told_at_once_and_numbered(office: Office) -> None:
    body = changed(D, "codebase_understanding", "ranking", to=[{"path": f"no{n}.py"} for n in range(30)])
    rows = (await office.submit(await office.plan(D), body)).error.splitlines()[1:]
    assert [row.split(".")[0] for row in rows[:20]] == [str(n) for n in range(1, 21)]
    assert rows[20:] == ["and 10 more"]


async def test_a_name_of_two_files_needs_its_path(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"a/one.py": "def run() -> None: ...\n", "b/two.py": "def run() -> None: ...\n"}
    office = Office(tmp_path_factory.mktemp("twins"), files)
    body = {"codebase_understanding": {"ranking": [{"path": "a/one.py"}]}, "estimate": {"files_affected": 1}}
    given = await office.submit(
        await office.plan(D), {**body, "extracted_context": {"existing_methods": ["run"]}}
    )
    assert "defined in more than one file; name one of a/one.py::run, b/two.py::run" in given.error
    named = {"existing_methods": ["b/two.py::run"]}
    assert not (await office.submit(await office.plan(D), {**body, "extracted_context": named})).error


async def test_a_submission_of_five_megabytes_is_refused(office: Office) -> None:
    body = changed(P, "implementation_notes", to=["x" * 5_000_000])
    given = await office.submit(await office.plan(P), body)
    assert "bytes, at most 1,000,000 are taken; point at code by place" in given.error
    assert len(given.error) < 300
    assert len(json.dumps(body)) > MOST_BYTES


async def test_code_that_is_pointed_at_is_bounded_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"f{n}.py": f"x{n} = '{'y' * 1_900}'\n" * 200 for n in range(3)}
    office = Office(tmp_path_factory.mktemp("large"), files)
    body = {
        "codebase_understanding": {"ranking": [{"path": "f0.py"}]},
        "extracted_context": {"code_snippets": ["f0.py:1-60", "f1.py:1-60", "f2.py:1-60"]},
    }
    given = await office.submit(await office.plan(D), body)
    assert (
        "extracted_context.code_snippets: more than 120,000 characters of code; point at less" in given.error
    )


async def test_the_machines_own_fields_are_not_taken_from_a_model(office: Office) -> None:
    body = {
        **SUBMISSIONS[D],
        "made_by": "person:mia",
        "commit": "f" * 40,
        "files_total": 1,
        "feedback_answered": ["all of it"],
    }
    found = await office.artifact(await office.submit(await office.plan(D), body))
    plain = await office.artifact(await office.submit(await office.plan(D), SUBMISSIONS[D]))
    assert found == plain


async def test_who_answered_is_not_taken_from_a_model(office: Office) -> None:
    entry = {**SUBMISSIONS[C]["resolved_ambiguities"][0], "answered_by": "mia", "human_response": "yes, all"}
    body = changed(C, "resolved_ambiguities", to=[entry])
    clarified = await office.artifact(await office.submit(await office.plan(C), body))
    assert clarified == await office.artifact(await office.submit(await office.plan(C), SUBMISSIONS[C]))
    assert '"answered_by":"best guess"' in clarified.model_dump_json()


async def test_control_characters_do_not_reach_an_artifact(office: Office) -> None:
    body = changed(D, "conventions", to=["safe\x1b[2J\u202e\x00 text"])
    found = await office.artifact(await office.submit(await office.plan(D), body))
    assert '"conventions":["safe[2J text"]' in found.model_dump_json()
    assert TESTS in found.model_dump_json()


async def test_null_means_not_given_and_numbers_are_taken_for_texts(office: Office) -> None:
    body = changed(P, "subtasks", 0, "subtask_id", to=7)
    body["implementation_notes"] = body["subtasks"][1]["dependencies"] = None
    plan = await office.artifact(await office.submit(await office.plan(P), body))
    assert '"subtask_id":"7"' in plan.model_dump_json()


async def test_a_file_that_was_not_read_is_not_read_now(tmp_path_factory: pytest.TempPathFactory) -> None:
    office = Office(tmp_path_factory.mktemp("binary"), {**SHOP, "logo.png": "\0PNG" * 1_000})
    snippet = changed(D, "extracted_context", "code_snippets", to=["logo.png:1-1"])
    assert "this file was not read (" in (await office.submit(await office.plan(D), snippet)).error
    body = changed(P, "file_operations", 1, "file_path", to="logo.png")
    body["subtasks"][1] |= {"location": "logo.png", "edits": ["logo.png:1-1"]}
    given = await office.submit(await office.plan(P), body)
    assert "its context bundle has no code" in given.error
