"""Toolboxes over small folders, with something next to them that must never be read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.agent_ports import Given
from activities.index.model import Index
from activities.tools.toolbox import Toolbox
from tests.activities.conftest import write

SECRET = "hunter2-never-shown"


def no_index() -> Index:
    """For tests that must not need one."""
    raise AssertionError("this tool needs no index")


def make_box(tmp_path: Path, files: Mapping[str, str | bytes], **options: Any) -> Toolbox:
    """A toolbox over a folder of these files; `outside/secret.txt` lies beside it."""
    root = tmp_path / "workspace"
    root.mkdir()
    write(root, files)
    write(tmp_path, {"outside/secret.txt": SECRET, "workspace-twin/secret.txt": SECRET})
    return Toolbox(root, no_index, **options)


def call(box: Toolbox, tool: str, /, **arguments: Any) -> Given:
    """Run a tool as a model would."""
    return box.run(tool, json.dumps({"explanation": "to know", **arguments}))


def content(box: Toolbox, tool: str, /, **arguments: Any) -> str:
    """The content of a call that must succeed."""
    given = call(box, tool, **arguments)
    assert not given.error
    return given.content


def refusal(box: Toolbox, tool: str, /, **arguments: Any) -> str:
    """The error of a call that must fail, and says nothing else."""
    given = call(box, tool, **arguments)
    assert given.error
    assert not given.content
    return given.error
