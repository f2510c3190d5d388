"""Imports point one way: states <- activities <- workflows <- phasegate.client <- faces; worker.py wires."""

import ast
import importlib.metadata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"states", "activities", "workflows", "worker", "phasegate"}

LAYERS = {
    "states": ["states"],
    "activities": ["activities"],
    "workflows": ["workflows"],
    "worker": ["worker"],
    "client": [
        *("phasegate.client", "phasegate.bench_client", "phasegate.stored_jobs"),
        *("phasegate.executions", "phasegate.job_lines"),
    ],
    "ground": [
        *("phasegate.places", "phasegate.settings", "phasegate.problems", "phasegate.dev_record"),
        *("phasegate.connection", "phasegate.history", "phasegate.attendance", "phasegate.search_attributes"),
        *("phasegate.server", "phasegate.server_options", "phasegate.server_resources"),
        *("phasegate.logs", "phasegate.log_processors"),
    ],
    "screen": ["phasegate.screen"],
    "faces": ["phasegate"],
}
"""layer -> its modules and all below them; the longest name wins, so `faces` is the rest of phasegate"""

MAY_IMPORT = {
    "states": {"states"},
    "activities": {"states", "activities", "temporalio"},
    "workflows": {"states", "activities", "workflows", "temporalio"},
    "ground": {"ground", "temporalio"},
    "client": {"states", "activities", "workflows", "ground", "client", "temporalio"},
    "screen": {"states", "client", "screen"},
    "faces": {"states", "ground", "client", "screen", "faces"},
    "worker": {"states", "activities", "workflows", "ground", "client", "temporalio"},
}
"""layer -> the layers that it may import; `temporalio` stands for the library"""

EXCEPTIONS = {
    "phasegate.actions.dev": {
        "worker",
        "activities",
        "workflows",
        "temporalio",
    },  # is server and worker at once
    "phasegate.actions.doctor": {"activities", "workflows", "temporalio"},  # looks at the parts, not at a job
    "phasegate.actions.planning": {"activities"},  # refuses a repository before a job is started with it
    "phasegate.demo.stage": {"activities", "workflows", "temporalio"},  # is server, worker and user at once
    "phasegate.demo.middle": {"temporalio"},  # shows that a history holds no work twice
    "phasegate.settings": {"states"},  # what is wrong with a setting, in the words of `states.wrong_input`
    "phasegate.failures": {"activities", "temporalio"},  # knows every error, to say it in one sentence
}


def layer_of(module: str) -> str | None:
    """The layer of a module, ours or temporalio; None for any other."""
    if module.split(".")[0] == "temporalio":
        return "temporalio"
    homes = [
        (len(home), layer)
        for layer, names in LAYERS.items()
        for home in names
        if module == home or module.startswith(f"{home}.")
    ]
    return max(homes)[1] if homes else None


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """Every module of ours; the sample repository that ships with phasegate is none."""
    files = [
        root / "worker.py",
        *(f for name in sorted(TOP_LEVEL) for f in sorted((root / name).rglob("*.py"))),
    ]
    for file in files:
        path = file.relative_to(root)
        if file.exists() and path.parts[:2] != ("phasegate", "sample"):
            parts = path.with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a file imports, inside functions and for typing too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def wrong_turns(root: Path) -> list[str]:
    """Every import against the map, in a sentence that says what to do."""
    wrong = []
    for module, file in modules(root):
        layer = layer_of(module)
        assert layer is not None
        allowed = MAY_IMPORT[layer] | EXCEPTIONS.get(module, set())
        for line, name in imports(file):
            where = f"{file.relative_to(root)}:{line}"
            if name.startswith("."):
                wrong.append(f"{where} imports {name}: write the full name of the module")
            elif (target := layer_of(name)) and target not in allowed:
                wrong.append(
                    f"{where} imports {name}: {layer} may import {', '.join(sorted(allowed))}, not {target}; "
                    "turn the dependency round, or pass what is needed in"
                )
    return wrong


def test_imports_point_one_way() -> None:
    assert {layer_of(module) for module, _ in modules(ROOT)} == set(LAYERS)
    wrong = wrong_turns(ROOT)
    assert not wrong, "\n".join(["imports against the map in tests/test_import_map.py:", *wrong])


def test_no_two_layers_import_each_other() -> None:
    """The map itself points one way; only within a layer may modules know each other both ways."""
    for layer, targets in MAY_IMPORT.items():
        both = [t for t in targets - {layer, "temporalio"} if layer in MAY_IMPORT[t]]
        assert not both, f"{layer} and {both} may import each other"


def test_every_exception_is_still_needed() -> None:
    files = dict(modules(ROOT))
    for module, excused in EXCEPTIONS.items():
        used = {layer_of(name) for _, name in imports(files[module])}
        assert excused <= used, (
            f"{module} no longer imports {sorted(excused - used)}: drop it from EXCEPTIONS"
        )


PLANTED = {
    ("states/bad.py", "from activities.store import Store"): "not activities",
    ("states/bad.py", "def f() -> None:\n    import temporalio.workflow"): "not temporalio",
    ("states/artifacts/bad.py", "import phasegate"): "not faces",
    ("activities/bad.py", "from workflows.planning import PlanningWorkflow"): "not workflows",
    ("activities/bad.py", "from phasegate.settings import Settings"): "not ground",
    ("workflows/bad.py", "import phasegate.client as c"): "not client",
    ("workflows/bad.py", "from worker import main"): "not worker",
    ("phasegate/client.py", "from phasegate.cli import main"): "not faces",
    ("phasegate/settings.py", "from phasegate import client"): "not client",
    ("phasegate/screen/bad.py", "from phasegate.actions.jobs import open_job"): "not faces",
    ("phasegate/web/page.py", "from workflows.planning import PlanningWorkflow"): "not workflows",
    ("phasegate/commands/bad.py", "from temporalio.client import Client"): "not temporalio",
    ("phasegate/bad.py", "from .client import JobClient"): "write the full name",
    ("worker.py", "from phasegate import cli"): "not faces",
}


@pytest.mark.parametrize(("path", "source"), PLANTED)
def test_an_import_against_the_map_is_found(path: str, source: str, tmp_path: Path) -> None:
    planted = tmp_path / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(source, encoding="utf-8")
    (problem,) = wrong_turns(tmp_path)
    assert PLANTED[path, source] in problem
    assert problem.startswith(f"{path}:")


# --- our names in a shared environment ---


def name_clashes(distributions: Iterable[importlib.metadata.Distribution]) -> list[str]:
    """Installed distributions other than phasegate that bring a module or package with one of our names."""
    wrong = []
    for each in distributions:
        name = each.metadata["Name"]
        declared = set((each.read_text("top_level.txt") or "").split())
        brought = {file.parts[0].removesuffix(".py") for file in each.files or ()}
        if name != "phasegate" and (clash := sorted((declared | brought) & TOP_LEVEL)):
            wrong.append(f"{name} brings {', '.join(clash)}: phasegate needs these names for itself")
    return wrong


def test_no_dependency_brings_a_name_of_ours() -> None:
    assert len(list(importlib.metadata.distributions())) > 20
    assert name_clashes(importlib.metadata.distributions()) == []


@pytest.mark.parametrize("brings", ["worker.py", "states/__init__.py", "workflows/flow.py"])
def test_a_dependency_that_does_is_found(brings: str, tmp_path: Path) -> None:
    info = tmp_path / "rival-1.0.dist-info"
    info.mkdir()
    (tmp_path / brings).parent.mkdir(exist_ok=True)
    (tmp_path / brings).touch()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n", encoding="utf-8")
    (info / "RECORD").write_text(f"{brings},,\nrival-1.0.dist-info/METADATA,,\n", encoding="utf-8")
    (problem,) = name_clashes(importlib.metadata.distributions(path=[str(tmp_path)]))
    assert problem.startswith(f"rival brings {brings.split('/')[0].removesuffix('.py')}:")
