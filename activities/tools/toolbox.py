"""Toolbox: everything an agent may ask about its workspace, run on what the model wrote."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from activities.agent_ports import Given, Tool
from activities.index.model import Index
from activities.plain_text import strip_control, strip_line
from activities.tools import arguments as asked
from activities.tools import code_index
from activities.tools.arguments import A, parse, schema
from activities.tools.errors import ToolError
from activities.tools.files import list_files, read_file
from activities.tools.grep import grep_search
from activities.tools.lines import CUT

SEARCH_SECONDS = 20.0
MOST_CHARACTERS = 100_000
"""of any answer: about 25,000 tokens, so that no single call fills a conversation"""


@dataclass(frozen=True)
class _Offer(Generic[A]):
    """One tool: what it takes, how the toolbox answers it, and what models are told about it."""

    takes: type[A]
    answer: Callable[["Toolbox", A], str]
    description: str

    def run(self, box: "Toolbox", sent: str) -> str:
        return self.answer(box, parse(self.takes, sent))


def _indexed(answer: Callable[[Index, A], str]) -> Callable[["Toolbox", A], str]:
    return lambda box, given: answer(box.index(), given)


_OFFERS: dict[str, _Offer[Any]] = {
    "list_files": _Offer(
        asked.ListFiles,
        lambda box, given: list_files(box.root, given),
        "List what a directory of the workspace holds, hidden files included.",
    ),
    "read_file": _Offer(
        asked.ReadFile,
        lambda box, given: read_file(box.root, given),
        "Read a file with line numbers: the first 100 lines, or the range you ask for.",
    ),
    "grep_search": _Offer(
        asked.GrepSearch,
        lambda box, given: grep_search(box.root, given, box.search_seconds),
        "Search the workspace with a regular expression; at most 20 matches with context.",
    ),
    "find_symbol": _Offer(
        asked.Named,
        _indexed(code_index.find_symbol),
        "Find where a function, class or method is defined, with its signature.",
    ),
    "find_callers": _Offer(
        asked.Named,
        _indexed(code_index.find_callers),
        "Find every place in the code that uses a function, class or method.",
    ),
    "find_importers": _Offer(
        asked.Located, _indexed(code_index.find_importers), "Find the files that import a file."
    ),
    "find_tests": _Offer(
        asked.Located, _indexed(code_index.find_tests), "Find the test files that cover a file."
    ),
    "find_similar": _Offer(
        asked.Described,
        _indexed(code_index.find_similar),
        "Find existing code that is about the same thing as a description, to follow its patterns.",
    ),
}

SEED_TOOLS = ("list_files", "read_file", "grep_search")
"""the tools of the CooperBench seed"""
ALL_TOOLS = tuple(_OFFERS)
"""those and what the index answers, in the order in which they are offered"""


class Toolbox:
    """The repository tools over one checkout. Synchronous: run it in a thread. Writes nothing.

    `index` is called when a tool first needs it, and each time: it should remember.
    """

    root: Path
    index: Callable[[], Index]
    search_seconds: float

    def __init__(
        self, root: Path, index: Callable[[], Index], search_seconds: float = SEARCH_SECONDS
    ) -> None:
        self.root = root.absolute()
        self.index = index
        self.search_seconds = search_seconds

    @staticmethod
    def schemas(names: Sequence[str] = ALL_TOOLS) -> list[Tool]:
        """The named tools in the order of ALL_TOOLS, the same bytes each time. Raises KeyError."""
        wanted = {name: _OFFERS[name] for name in names}
        return [
            schema(name, offer.description, offer.takes) for name, offer in _OFFERS.items() if name in wanted
        ]

    def run(self, name: str, arguments: str) -> Given:
        """Run a tool on the raw JSON of a model, which reads the outcome whatever it is.

        Raises only what is not the model's fault: no checkout, no index, no ripgrep.
        """
        if name not in _OFFERS:
            return Given(error=f"Tool {strip_line(name)} not found")
        try:
            return Given(content=_bounded(_OFFERS[name].run(self, arguments)))
        except ToolError as refused:
            return Given(error=_bounded(str(refused)))


def _bounded(text: str) -> str:
    plain = strip_control(text)
    return plain if len(plain) <= MOST_CHARACTERS else f"{plain[:MOST_CHARACTERS]}\n{CUT}"
