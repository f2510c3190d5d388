"""What speaks for a file besides its words: the past, tests, passages, the headline."""

import subprocess
from pathlib import Path

import pytest

from activities.brief import Brief
from activities.deterministic.asked import hear
from activities.deterministic.discovery import discover
from activities.deterministic.relevance import LEAST_FILES, find_relevant
from activities.index.build import open_index
from activities.index.evidence import gather
from activities.index.history import MOST_FILES, history_of
from activities.index.query import read_query
from activities.index.ranking import weighed
from activities.index.weights import ROLE, WEIGHT, Signal
from tests.activities.conftest import MakeIndex, MakeRepo, git, write


def change(root: Path, *names: str) -> None:
    """Commit a new line at the end of each file."""
    for name in names:
        path = root / name
        path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
    git(root, "commit", "-q", "-a", "-m", "change")


@pytest.fixture
def root(make_repo: MakeRepo) -> Path:
    """A repository where `mail.py` and `queue.py` changed together three times."""
    files = {f"{name}.py": f"def {name}(x): ...\n" for name in ("mail", "queue", "stock", "shelf")}
    root = make_repo(files)
    for _ in range(3):
        change(root, "mail.py", "queue.py")
    change(root, "stock.py")
    return root


def test_what_changed_together_is_found_together(root: Path) -> None:
    ranked = open_index(root, "HEAD").rank("Let a mail have a subject")
    assert [r.path for r in ranked] == ["mail.py", "queue.py"]
    assert ranked[1].reasons == ("changes together with `mail.py` (4 of 4 commits)",)


def test_a_folder_and_a_shallow_clone_have_no_past(root: Path, tmp_path: Path) -> None:
    folder, shallow = tmp_path / "folder", tmp_path / "shallow"
    write(folder, {"mail.py": "def mail(x): ...\n", "queue.py": "def queue(x): ...\n"})
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{root}", str(shallow)], check=True)
    for index in (open_index(folder, ""), open_index(shallow, "HEAD")):
        assert index.history.most <= 1
        assert [r.path for r in index.rank("Let a mail have a subject")] == ["mail.py"]


def test_the_past_is_that_of_the_commit(root: Path) -> None:
    history = open_index(root, "HEAD~2").history
    assert history.changes == {"mail.py": 3, "queue.py": 3, "stock.py": 1, "shelf.py": 1}
    assert history.together["mail.py"] == {"queue.py": 3, "stock.py": 1, "shelf.py": 1}


def test_settings_of_a_repository_start_no_program(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("gpg.program", "diff.external", "core.pager"):
        git(root, "config", name, str(program))
    git(root, "config", "log.showSignature", "true")
    assert open_index(root, "HEAD").history.changes["mail.py"] == 4
    assert not ran.exists()


def test_sweeps_tie_nothing_together() -> None:
    sweep = tuple(f"{number}.py" for number in range(MOST_FILES + 1))
    history = history_of([sweep, ("0.py", "1.py", "gone.py")], frozenset(sweep))
    assert history.changes["2.py"] == 1
    assert history.together == {"0.py": {"1.py": 1}, "1.py": {"0.py": 1}}
    assert history_of([], frozenset(sweep)).most == 0


def test_tests_speak_for_what_they_cover(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "shop/till.py": "def add(a, b): ...\n",
            "shop/gate.py": "def add(a, b): ...\n",
            "tests/test_gate.py": "from shop.gate import add\n\n\ndef test_a_discount_voucher(): ...\n",
        }
    )
    ranked = index.rank("Discount vouchers")
    assert [r.path for r in ranked if r.path.startswith("shop")] == ["shop/gate.py"]
    assert "`tests/test_gate.py` speaks of the task and covers it" in next(
        r.reasons for r in ranked if r.path == "shop/gate.py"
    )


def test_words_close_together_outweigh_words_far_apart(make_index: MakeIndex) -> None:
    near = "def a(order, refund): return order(refund)\n\n\ndef b(x): ...\n"
    far = "def a(order, y): return order(y)\n\n\ndef b(refund): return refund(refund)\n"
    evidence = gather(make_index({"far.py": far, "near.py": near}), read_query("order refund"))
    passages = evidence.signals[Signal.PASSAGE]
    assert passages["near.py"] == 1 > passages["far.py"]


def test_the_headline_counts_more_and_labels_nothing() -> None:
    query = read_query(
        "**Title**: Let vouchers expire\n\n**Technical Background**:\nA till.\n```python\nuse(till)\n```\n"
    )
    assert query.headline == "Let vouchers expire"
    assert query.terms["voucher"] > query.terms["till"] > query.terms["python"]
    assert not {"technical", "background", "title"} & query.terms.keys()
    assert read_query("").terms == {}


def test_every_signal_and_role_has_a_weight() -> None:
    assert WEIGHT.keys() == set(Signal)
    assert all(weight > 0 for weight in (*WEIGHT.values(), *ROLE.values()))
    nothing = {signal: {"a.py": 0.0} for signal in Signal}
    assert weighed(nothing) == {"a.py": 0.0}


def test_the_list_is_long_and_what_does_not_stand_out_is_marked(
    make_index: MakeIndex, tmp_path: Path
) -> None:
    small = {f"part{number:02}.py": "# late\nx = 1\n" + "y = 2\n" * 40 for number in range(30)}
    index = make_index({**small, "voucher.py": "def voucher(voucher): return voucher\n" * 5})
    asked = hear(Brief(job="job", task="Let `voucher` expire when late", root=tmp_path, commit="HEAD"))
    relevant = find_relevant(index, asked)
    assert relevant.paths == relevant.targets == ("voucher.py",)
    assert len(relevant.further) == LEAST_FILES - 1
    understanding = discover(
        Brief(job="job", task=asked.task, root=tmp_path, commit="HEAD"), index
    ).codebase_understanding
    assert [r.further for r in understanding.ranking] == [False, *[True] * (LEAST_FILES - 1)]
    assert [r.path for r in understanding.ranking] == list(understanding.relevant_files)
