"""What `make docs` writes is what the tables say today."""

from pathlib import Path

from states.diagram import readme_block, states_page

ROOT = Path(__file__).resolve().parent.parent.parent
STALE = "{} does not show the tables as they are; run `make docs` and commit what it wrote"


def test_the_states_page_is_fresh() -> None:
    page = ROOT / "docs" / "states.md"
    written = page.read_text(encoding="utf-8") if page.exists() else ""
    assert written == states_page(), STALE.format("docs/states.md")


def test_the_readme_block_is_fresh() -> None:
    assert readme_block() in (ROOT / "README.md").read_text(encoding="utf-8"), STALE.format("README.md")
