"""JSON schemas of tools as all providers take them: no references, no titles, closed objects."""

import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from activities.agent_ports import Tool

_DROPPED = ("title", "default", "$defs")


def tool(name: str, description: str, arguments: type[BaseModel]) -> Tool:
    """A function tool whose arguments are a pydantic model."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema_of(arguments)},
    }


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model without recursion. Descriptions are the docstrings, in one line."""
    schema: dict[str, Any] = json.loads(_drawn(model))
    return schema


@cache
def _drawn(model: type[BaseModel]) -> str:
    """As text: drawing takes milliseconds, and whoever gets a schema may change it."""
    schema = model.model_json_schema()
    return json.dumps(_plain(schema, schema.get("$defs", {})))


def _plain(node: Any, parts: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(each, parts) for each in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        said = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**parts[reference.rsplit("/", 1)[-1]], **said}, parts)
    found: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            # A property may be called like a keyword: only what stands in it is tidied.
            found[key] = {name: _plain(each, parts) for name, each in value.items()}
        elif key == "description":
            found[key] = " ".join(value.split())
        elif key == "const":
            found["enum"] = [value]
        elif key not in _DROPPED:
            found[key] = _plain(value, parts)
    if found.get("properties") is not None:
        found["additionalProperties"] = False
    return found
