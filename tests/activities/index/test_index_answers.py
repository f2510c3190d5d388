"""What the index answers: definitions, signatures, callers, importers, tests, and what is made alike."""

import pytest

from activities.index.model import Index
from activities.index.records import Use
from tests.activities.conftest import MakeIndex

FILES = {
    "shop/base.py": "class Command:\n    def run(self) -> int: ...\n",
    "shop/add.py": (
        "from shop.base import Command\n\n\n@registered('add')\nclass AddCommand(Command):\n"
        "    def run(self) -> int:\n        return 1\n"
    ),
    "shop/drop.py": (
        "from shop.base import Command\n\n\n@registered('drop')\nclass DropCommand(Command):\n"
        "    def run(self) -> int:\n        return helper(2)\n\n\ndef helper(a: int, b: str = '') -> int:\n"
        "    return a\n"
    ),
    "shop/other.py": "class Unlike:\n    pass\n",
    "tests/test_drop.py": "from shop.drop import helper\n\n\ndef test_helper():\n    assert helper(1) == 1\n",
    "web/command.ts": "export class ShowCommand extends Command {}\n",
}


@pytest.fixture
def index(make_index: MakeIndex) -> Index:
    """A small shop."""
    return make_index(FILES)


def test_where_a_symbol_is_defined(index: Index) -> None:
    assert [s.place for s in index.find("DropCommand")] == ["shop/drop.py:5"]
    assert [s.place for s in index.find("DropCommand.run")] == ["shop/drop.py:6"]
    assert len(index.find("run")) == 3
    assert index.find("nothing") == ()


def test_how_it_is_called(index: Index) -> None:
    assert index.signatures("helper") == ("shop/drop.py:10: def helper(a: int, b: str = '') -> int",)
    assert index.signatures("run", limit=1) == ("shop/add.py:6: def run(self) -> int",)
    assert index.signatures("nothing") == ()


def test_who_calls_it(index: Index) -> None:
    (helper,) = index.find("helper")
    assert index.callers(helper) == (
        Use("shop/drop.py", 7, "DropCommand.run"),
        Use("tests/test_drop.py", 5, "test_helper"),
    )


def test_who_imports_it_and_which_tests_cover_it(index: Index) -> None:
    assert index.importers("shop/base.py") == ("shop/add.py", "shop/drop.py")
    assert index.tests_of("shop/drop.py") == ("tests/test_drop.py",)


def test_what_is_made_alike(index: Index) -> None:
    (add,) = index.find("AddCommand")
    assert [s.name for s in index.similar(add)] == ["DropCommand", "Command"]
    assert [s.name for s in index.similar(add, limit=1)] == ["DropCommand"]
    (unlike,) = index.find("Unlike")
    assert index.similar(unlike) == ()


def test_what_stands_anywhere(index: Index) -> None:
    assert index.written("registered")
    assert index.written("DROPCOMMAND")
    assert not index.written("unheard")
    assert not index.mentions("unheard")
