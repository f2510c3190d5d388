"""What the documents name exists: links, paths, commands, messages, policy settings."""

import re
import tomllib
from pathlib import Path

import pytest

from states.messages import REQUESTS
from states.policy import Policy

ROOT = Path(__file__).parent.parent
OURS = [ROOT / f"{name}.md" for name in ("README", "AGENTS", "CHANGELOG", "CONTRIBUTING")]
"""by name: `make demo` writes a plan beside them"""
PAGES = sorted([*OURS, *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
PATH = re.compile(
    r"`((?:states|workflows|activities|phasegate|tests|docs|benchmarks|deploy)/[\w./-]*|worker\.py)`"
)
COMMAND = re.compile(r"(?:^|`)phasegate ([a-z]+)", re.M)
SIGNAL = re.compile(r"--name (\w+)")
QUERIES = {"view", "ledger", "diagram"}


def ids(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not broken


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "add-a-phase.md"], ids=ids)
def test_paths_exist(page: Path) -> None:
    missing = [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_commands_exist(page: Path) -> None:
    from typer.main import get_command

    from phasegate.cli import app

    known = set(get_command(app).commands)  # type: ignore[attr-defined]
    assert set(COMMAND.findall(page.read_text())) - known == set()


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_messages_exist(page: Path) -> None:
    known = {message.value for message in REQUESTS} | QUERIES
    assert set(SIGNAL.findall(page.read_text())) - known == set()


def test_the_policy_page_names_every_setting_with_its_default() -> None:
    text = (ROOT / "docs/howto/policies.md").read_text()
    block = text.split("```toml")[1].split("```")[0]
    named = Policy.model_validate(tomllib.loads(block)["policy"])
    assert named == Policy()
    unnamed = set(Policy.model_fields) - set(tomllib.loads(block)["policy"])
    assert unnamed == {"budget_usd", "budget_tokens"}
