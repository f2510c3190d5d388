"""When a task leaves open which of several places it means, and when it does not."""

from collections.abc import Callable, Mapping

import pytest

from activities.brief import Brief
from activities.deterministic.ambiguities import about_place
from activities.deterministic.discovery import discover
from activities.index.build import open_index
from states.artifacts.discovery import Ambiguity
from tests.activities.conftest import MakeRepo

SHOP = {
    "shop/export.py": "class JsonExporter:\n    def write(self, rows): ...\n\n\n"
    "class CsvExporter:\n    def write(self, rows): ...\n",
    "shop/stock.py": "class Shelf:\n    def count(self): ...\n\n\nclass ShelfLabel: ...\n",
    "shop/legacy_api/stock.py": "class OldShelf:\n    def count(self): ...\n",
    "shop/checks.py": "def isCheckBox(x): ...\n\n\ndef readCheckbox(x): ...\n",
    "web/paths.py": "def strip(path): ...\n",
    "mail/paths.py": "def strip(path): ...\n",
    "app.py": "from shop.export import CsvExporter, JsonExporter\nfrom shop.stock import Shelf\n",
}
SHARED = {"base.py": 'class Reader:\n    """All readers."""\n\n    def read(self): ...\n'}
ABSTRACT = {
    "base.py": "from abc import ABC, abstractmethod\n\n\nclass Reader(ABC):\n    @abstractmethod\n"
    "    def read(self): ...\n"
}
HEIRS = {
    "disk.py": "from base import Reader\n\n\nclass DiskReader(Reader):\n    def read(self): ...\n",
    "web.py": "from base import Reader\n\n\nclass WebReader(Reader):\n    def read(self): ...\n",
}
Ask = Callable[..., tuple[Ambiguity, ...]]


@pytest.fixture
def asked(make_repo: MakeRepo) -> Ask:
    """The questions about a task in a small repository."""

    def run(task: str, files: Mapping[str, str] = SHOP) -> tuple[Ambiguity, ...]:
        root = make_repo(files)
        brief = Brief(job="j", task=task, root=root, commit="c")
        return discover(brief, open_index(root, "HEAD")).ambiguities_discovered

    return run


def labels(question: Ambiguity) -> set[str]:
    """What a question offers, without the last candidate, which is all of them."""
    assert about_place(question)
    return {candidate.label for candidate in question.candidates[:-1]}


def test_a_phrase_that_two_classes_fit_is_asked_about(asked: Ask) -> None:
    (question,) = asked("The exporter should flush after each row.")
    assert labels(question) == {"JsonExporter", "CsvExporter"}
    assert question.question.startswith('Two places fit "exporter" about equally: `')
    assert question.recommended in labels(question)


@pytest.mark.parametrize(
    "task",
    [
        "The CSV exporter should flush after each row.",
        "The exporters should flush after each row.",
        "Every exporter should flush after each row.",
        "The shelf should count empty boxes.",
        "Let `CsvExporter` flush after each row; the exporter of other shops does.",
        "Flush the exporter in shop/export.py after each row.",
    ],
)
def test_a_phrase_that_says_which_or_all_is_not_asked_about(asked: Ask, task: str) -> None:
    assert asked(task) == ()


def test_a_demand_in_the_body_of_an_issue_is_read_as_well(asked: Ask) -> None:
    (question,) = asked("**Rows are lost**\n\nThe last row is missing. The exporter should flush at the end.")
    assert labels(question) == {"JsonExporter", "CsvExporter"}


def test_a_base_with_code_is_the_place_and_one_without_is_not(asked: Ask) -> None:
    assert asked("The reader should retry.", {**SHARED, **HEIRS}) == ()
    (question,) = asked("The reader should retry.", {**ABSTRACT, **HEIRS})
    assert labels(question) == {"DiskReader", "WebReader"}


def test_heirs_of_two_rivals_follow_them(asked: Ask) -> None:
    files = {
        "mail.py": "class RowMailer: ...\n\n\nclass PageMailer: ...\n",
        "fast.py": "from mail import PageMailer, RowMailer\n\n\nclass FastRowMailer(RowMailer): ...\n\n\n"
        "class FastPageMailer(PageMailer): ...\n",
    }
    (question,) = asked("The mailer should retry.", files)
    assert labels(question) == {"RowMailer", "PageMailer"}


def test_words_that_names_run_together_are_found(asked: Ask) -> None:
    (question,) = asked("Make the checkbox helper accept labels")
    assert labels(question) == {"isCheckBox", "readCheckbox"}


def test_a_copy_for_old_users_is_no_rival(asked: Ask) -> None:
    assert asked("Let `count` leave out empty boxes") == ()


def test_a_header_is_no_rival_of_what_it_declares(asked: Ask) -> None:
    files = {"pull.c": "int pull(int n)\n{\n  return n;\n}\n", "pull.h": "int pull(int n);\n"}
    assert asked("Let `pull` refuse negative numbers", files) == ()
    (question,) = asked("Let `pull` refuse negative numbers", {**files, "push.c": files["pull.c"]})
    assert {c.path for c in question.candidates[:-1]} == {"pull.c", "push.c"}


def test_a_module_called_so_is_asked_about_though_functions_have_its_name(asked: Ask) -> None:
    (question,) = asked("Document the paths module")
    assert labels(question) == {"web/paths.py", "mail/paths.py"}


def test_a_word_of_the_place_tells_which_name_is_meant(asked: Ask) -> None:
    assert len(asked("`strip` should keep the last slash")) == 1
    assert asked("`strip` should keep the last slash in mail") == ()


@pytest.mark.parametrize(
    "task",
    ["The shelf label has no `write` method, add one", "Print what stands in a `write` block of the shelf"],
)
def test_a_name_that_is_missing_or_only_describes_is_not_asked_about(asked: Ask, task: str) -> None:
    assert asked(task) == ()


def test_many_definitions_are_counted_and_the_best_four_shown(asked: Ask) -> None:
    files = {f"part{n}.py": f"class Config:\n    value = {n}\n" for n in range(6)}
    (question,) = asked("Make `Config` comparable", files)
    assert question.question.startswith("`Config` is defined in six places, ")
    assert "and two more" in question.question
    assert len(labels(question)) == 4
