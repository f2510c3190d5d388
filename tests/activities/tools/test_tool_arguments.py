"""What models send, valid or not, and what they are offered."""

import json
from pathlib import Path

import pytest

from activities.tools.toolbox import ALL_TOOLS, SEED_TOOLS, Toolbox
from tests.activities.tools.boxes import call, content, make_box, no_index, refusal


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return make_box(tmp_path, {"a.py": "one\ntwo\nThree\n", "3": "a name\n"})


@pytest.mark.parametrize(
    "raw", ["{", '{"filename": "a.py"', "filename=a.py", "'", '{"filename": \x00}', "[" * 9999]
)
def test_malformed_json_is_an_error_that_the_model_sees(raw: str, box: Toolbox) -> None:
    error = box.run("read_file", raw).error
    assert error.startswith("Tool call error: The arguments are not valid JSON: ")
    assert len(error) < 400


@pytest.mark.parametrize("raw", ["[]", "null", "3", '"a.py"', "true"])
def test_arguments_are_an_object(raw: str, box: Toolbox) -> None:
    assert box.run("read_file", raw).error == "Tool call error: The arguments must be a JSON object."


@pytest.mark.parametrize(
    ("name", "raw", "missing"),
    [
        ("read_file", "{}", "filename"),
        ("read_file", "", "filename"),
        ("read_file", '{"filename": null}', "filename"),
        ("read_file", '{"filename": ""}', "filename"),
        ("grep_search", '{"explanation": "why"}', "query"),
        ("grep_search", '{"query": ""}', "query"),
        ("find_symbol", "{}", "name"),
        ("find_callers", "{}", "name"),
        ("find_importers", "{}", "path"),
        ("find_tests", "{}", "path"),
        ("find_similar", "{}", "description"),
    ],
)
def test_what_is_missing_is_named(name: str, raw: str, missing: str, box: Toolbox) -> None:
    assert box.run(name, raw).error == f"Tool call error: Missing required parameter '{missing}'."


def test_no_arguments_at_all_mean_the_defaults(box: Toolbox) -> None:
    assert box.run("list_files", "").content == box.run("list_files", '{"path": "."}').content


def test_a_call_without_an_explanation_is_answered(box: Toolbox) -> None:
    assert box.run("read_file", '{"filename": "a.py"}').content
    assert box.run("read_file", '{"filename": "a.py", "explanation": ["odd"]}').content


@pytest.mark.parametrize(
    "sent",
    [
        {"start_line": "2", "end_line": "3"},
        {"start_line": 2.0, "end_line": 3},
        {"end_line": 3, "start_line": 2},
    ],
)
def test_harmless_types_are_taken_as_meant(sent: dict[str, object], box: Toolbox) -> None:
    assert "lines 2-3 of 4 total" in content(box, "read_file", filename="a.py", **sent)


def test_harmless_types_of_other_parameters(box: Toolbox) -> None:
    assert "a name" in content(box, "read_file", filename=3)
    assert "No matches" in content(box, "grep_search", query="three", case_sensitive="true")
    assert "Found 1" in content(box, "grep_search", query="three", case_sensitive=0, context_lines="0")
    assert "Found 1" in content(
        box, "grep_search", query="three", context_lines=None, file_pattern=None, odd=1
    )


@pytest.mark.parametrize(
    ("name", "sent", "parameter"),
    [
        ("read_file", {"filename": ["a.py"]}, "filename"),
        ("read_file", {"filename": "a.py", "start_line": "two"}, "start_line"),
        ("read_file", {"filename": "a.py", "start_line": 1.5}, "start_line"),
        ("read_file", {"filename": "a.py", "start_line": 0}, "start_line"),
        ("read_file", {"filename": "a.py", "end_line": -1}, "end_line"),
        ("grep_search", {"query": "x", "case_sensitive": "perhaps"}, "case_sensitive"),
        ("grep_search", {"query": "x", "context_lines": -1}, "context_lines"),
        ("grep_search", {"query": "x" * 1_001}, "query"),
        ("list_files", {"path": {"a": 1}}, "path"),
    ],
)
def test_other_types_are_a_clear_error(
    name: str, sent: dict[str, object], parameter: str, box: Toolbox
) -> None:
    assert refusal(box, name, **sent).startswith(f"Tool call error: Parameter '{parameter}': ")


@pytest.mark.parametrize("name", ["rm", "", "List_files", "run", "list_files ", "\x1b[31mred"])
def test_an_unknown_tool(name: str, box: Toolbox) -> None:
    assert call(box, name).error == f"Tool {name.replace(chr(27), '')} not found"


def test_the_schemas_are_the_same_bytes_every_time(box: Toolbox, tmp_path: Path) -> None:
    first = json.dumps(box.schemas())
    assert json.dumps(Toolbox(tmp_path, no_index).schemas(tuple(reversed(ALL_TOOLS)))) == first
    offered = box.schemas(SEED_TOOLS)
    offered[0]["function"]["name"] = "changed by a provider"
    assert json.dumps(box.schemas()) == first


def test_the_schemas_have_the_parameters_of_the_seed(box: Toolbox) -> None:
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in box.schemas(SEED_TOOLS)}
    assert {name: (list(p["properties"]), p["required"]) for name, p in offered.items()} == {
        "list_files": (["explanation", "path"], ["explanation"]),
        "read_file": (["explanation", "filename", "start_line", "end_line"], ["explanation", "filename"]),
        "grep_search": (
            ["explanation", "query", "file_pattern", "case_sensitive", "context_lines"],
            ["explanation", "query"],
        ),
    }


def test_every_schema_is_plain_enough_for_every_provider(box: Toolbox) -> None:
    for tool in box.schemas():
        assert tool["type"] == "function"
        assert tool["function"]["description"]
        for drawn in tool["function"]["parameters"]["properties"].values():
            assert set(drawn) <= {"type", "description", "default"}
            assert drawn["type"] in ("string", "integer", "boolean")
            assert drawn["description"]


def test_a_tool_that_is_not_there_cannot_be_offered(box: Toolbox) -> None:
    with pytest.raises(KeyError):
        box.schemas(("list_files", "rm"))
