"""Tool schemas: valid, closed, plain enough for all providers, and without what the machine owns."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from pydantic import BaseModel, Field

from activities.desks.drafts import as_draft, draft_of
from activities.desks.owned import OWNED, SAID
from activities.desks.schemas import schema_of
from states.artifacts.base import Artifact
from states.artifacts.kinds import KIND
from states.words import WORK_PHASES, Phase
from tests.activities.desks.good import SUBMISSIONS
from tests.activities.desks.offices import Office


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object within a schema."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for each in node.values():
            yield from objects(each)
    if isinstance(node, list):
        for each in node:
            yield from objects(each)


async def test_every_offered_tool_is_plain(office: Office) -> None:
    plans = [await office.plan(phase, may_ask=True) for phase in WORK_PHASES]
    for order in [*plans, await office.review(Phase.DISCOVERY), await office.explain()]:
        for offered in office.desk.tools(order):
            function = offered["function"]
            jsonschema.Draft202012Validator.check_schema(function["parameters"])
            text = json.dumps(function["parameters"])
            for keyword in (
                "$ref",
                "$defs",
                "anyOf",
                "allOf",
                "oneOf",
                "prefixItems",
                '"const"',
                '"title": "',
            ):
                assert keyword not in text, (function["name"], keyword)
            assert function["parameters"]["type"] == "object"
            assert len(text) < 6_000


@pytest.mark.parametrize("phase", WORK_PHASES)
def test_a_good_submission_fits_the_schema_and_nothing_else_does(phase: Phase) -> None:
    schema = schema_of(draft_of(KIND[phase]))
    jsonschema.validate(SUBMISSIONS[phase] if phase is not Phase.IMPLEMENTATION_PLAN else _upper(), schema)
    for each in objects(schema):
        free = each.get("additionalProperties") is True
        assert free or each["additionalProperties"] is False, each
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**SUBMISSIONS[phase], "made_by": "me"}, schema)


def _upper() -> dict[str, Any]:
    """Words in any case are taken, though the schema names one."""
    text = json.dumps(SUBMISSIONS[Phase.IMPLEMENTATION_PLAN]).replace('"modify"', '"MODIFY"')
    found: dict[str, Any] = json.loads(text)
    return found


def test_every_field_of_the_table_exists() -> None:
    for kind, fields in OWNED.items():
        assert set(fields) <= set(kind.model_fields), kind
    assert all(issubclass(kind, BaseModel) for kind in SAID)


@pytest.mark.parametrize("phase", WORK_PHASES)
def test_what_the_machine_owns_is_not_asked_for(phase: Phase) -> None:
    asked = {
        name for each in objects(schema_of(draft_of(KIND[phase]))) for name in each.get("properties", {})
    }
    fields = {n for kind in OWNED for n, instead in OWNED[kind].items() if instead is None}
    # these are asked for elsewhere, under the same name
    fields -= {"task", "id", "line", "existing_code", "files_affected", "dependencies"}
    assert asked & fields == set()
    assert set(KIND[phase].model_fields) - asked <= fields


def test_descriptions_are_the_docstrings() -> None:
    plan = schema_of(draft_of(KIND[Phase.IMPLEMENTATION_PLAN]))
    subtask = plan["properties"]["subtasks"]["items"]
    assert subtask["description"] == SAID[next(k for k in SAID if k.__name__ == "Subtask")]
    method = subtask["properties"]["specification"]["properties"]["method_implementations"]["items"]
    assert method["description"] == "How one method is to be written or changed."


async def test_an_artifact_goes_back_to_what_was_submitted(office: Office) -> None:
    for phase in WORK_PHASES:
        artifact: Artifact = await office.artifact(
            await office.submit(await office.plan(phase), SUBMISSIONS[phase])
        )
        again = await office.submit(await office.plan(phase), as_draft(artifact))
        assert (await office.artifact(again)).model_dump() == artifact.model_dump()


async def test_whoever_changes_a_schema_changes_nobody_elses(office: Office) -> None:
    order = await office.plan(Phase.DISCOVERY)
    mine = office.desk.tools(order)
    for offered in mine:
        offered["function"].clear()
    assert all(offered["function"]["parameters"] for offered in office.desk.tools(order))


def test_a_property_may_be_called_like_a_keyword() -> None:
    class Titled(BaseModel):
        title: str = Field(default="x", description="a\n title")

    assert schema_of(Titled)["properties"] == {"title": {"type": "string", "description": "a title"}}
