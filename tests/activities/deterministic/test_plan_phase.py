"""IMPLEMENTATION_PLAN: file operations, self-contained subtasks, tests; feedback; skipped contracts."""

from itertools import combinations
from pathlib import Path

import pytest

from states.artifacts.implementation import ImplementationPlanArtifact, Subtask
from states.coherence import conflicts
from states.words import Operation, Phase
from tests.activities.deterministic.small_repos import SHOP, Walk, make


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("shop") / "repo", SHOP)


def at(plan: ImplementationPlanArtifact, path: str) -> Subtask:
    return next(s for s in plan.subtasks if s.location == path)


def operations(plan: ImplementationPlanArtifact) -> dict[str, Operation]:
    return {o.file_path: o.operation for o in plan.file_operations}


def test_the_plan_passes_the_mechanical_review(shop: Path) -> None:
    walk = Walk(shop)
    walk.validate()
    assert walk.blocking() == []


def test_a_subtask_has_all_that_it_needs(shop: Path) -> None:
    subtask = at(Walk(shop).plan(), "src/shop/links.py")
    bundle = subtask.context_bundle
    assert bundle.existing_code == SHOP["src/shop/links.py"].rstrip("\n")
    assert any(place.startswith("src/shop/api.py:") for place in bundle.related_code_snippets)
    assert "service.create_link(url)" in "".join(bundle.related_code_snippets.values())
    assert [m.name for m in bundle.data_models] == ["Link"]
    assert "def test_create_link(service):" in bundle.testing_patterns
    assert "raise LinkError(token)" in bundle.error_handling_patterns
    assert [m.method_name for m in subtask.specification.method_implementations] == [
        "LinkService.create_link",
        "LinkService.resolve_link",
    ]
    assert 'token left at its default ""' in subtask.specification.method_implementations[0].edge_cases
    assert any("src/shop/api.py:11" in p for p in subtask.specification.integration_points)
    assert "Run `python -m pytest tests/test_links.py`" in subtask.testing.verification_steps
    assert any(f.startswith("fixture service") for f in subtask.testing.test_data)
    assert subtask.dependencies == ()


def test_edits_are_the_lines_of_the_symbols(shop: Path) -> None:
    edits = at(Walk(shop).plan(), "src/shop/links.py").edits
    lines = SHOP["src/shop/links.py"].splitlines()
    texts = ["\n".join(lines[int(a) - 1 : int(b)]) for a, b in edits["src/shop/links.py"]]
    assert [t.strip().splitlines()[0].split("(")[0] for t in texts] == [
        "@dataclass",
        "def create_link",
        "def resolve_link",
    ]
    assert texts[1].endswith("return link")
    end = len(SHOP["tests/test_links.py"].splitlines()) + 0.5
    assert edits["tests/test_links.py"] == ((end, end),)


def test_every_requirement_is_covered_word_for_word(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan()
    clarified = walk.clarify()
    covered = {r for s in plan.subtasks for r in s.covers}
    assert set(clarified.updated_requirements.requirements) <= covered
    assert {t.proves for t in plan.test_plan.unit_tests} <= covered


def test_a_target_without_tests_gets_a_test_file_beside_the_others(shop: Path) -> None:
    walk = Walk(shop, task="Make `post_link` strip blanks.")
    plan = walk.plan()
    assert operations(plan)["tests/test_api.py"] is Operation.CREATE
    walk.validate()
    assert walk.blocking() == []


def test_of_two_tests_that_use_a_symbol_the_one_named_after_it_is_extended(tmp_path: Path) -> None:
    said = "from words import say\n\n\ndef test_it():\n    assert say('hi')\n"
    files = {
        "words.py": "def say(text: str) -> str:\n    return text\n",
        "tests/test_all.py": said,
        "tests/test_words_of/test_say.py": said,
    }
    plan = Walk(make(tmp_path / "repo", files), "`say` must refuse an empty text").plan()
    assert operations(plan)["tests/test_words_of/test_say.py"] is Operation.MODIFY
    assert "tests/test_all.py" not in operations(plan)


def test_a_repository_without_tests_is_said_so(tmp_path: Path) -> None:
    root = make(tmp_path / "repo", {k: v for k, v in SHOP.items() if not k.startswith("tests")})
    walk = Walk(root)
    plan = walk.plan()
    assert all(o is Operation.MODIFY for o in operations(plan).values())
    assert plan.test_plan.unit_tests == ()
    assert any("no test to go by" in p.why for p in plan.open_points)
    walk.validate()
    assert walk.blocking() == []


def test_files_that_share_a_test_file_share_one_subtask_for_it(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/one.py": "def first(x: int) -> int:\n    return x\n",
        "pkg/two.py": "def second(x: int) -> int:\n    return x\n",
        "tests/test_pkg.py": "from pkg.one import first\nfrom pkg.two import second\n\n\n"
        "def test_both() -> None:\n    assert first(1) == second(1)\n",
    }
    walk = Walk(make(tmp_path / "repo", files), task="`first` and `second` must refuse negative numbers.")
    plan = walk.plan()
    assert [s.location for s in plan.subtasks] == ["pkg/two.py", "pkg/one.py", "tests/test_pkg.py"]
    for one, other in combinations(plan.subtasks, 2):
        assert conflicts(one.edits, other.edits) == ()
    assert {t.path for t in plan.test_plan.integration_tests} == {"tests/test_pkg.py"}
    assert "def first" in "".join(at(plan, "tests/test_pkg.py").context_bundle.related_code_snippets.values())
    walk.validate()
    assert walk.blocking() == []


def test_a_named_path_that_does_not_exist_is_created(shop: Path) -> None:
    walk = Walk(shop, task="Create `src/shop/clock.py` with the time, and write `docs/expiry.md` about it.")
    plan = walk.plan()
    assert operations(plan)["src/shop/clock.py"] is Operation.CREATE
    assert operations(plan)["docs/expiry.md"] is Operation.CREATE
    assert at(plan, "src/shop/clock.py").edits["src/shop/clock.py"] == ()
    walk.validate()
    assert walk.blocking() == []


def test_a_file_can_be_deleted_and_its_users_are_named(shop: Path) -> None:
    walk = Walk(shop, task="Delete `src/shop/api.py`, nobody needs it.")
    plan = walk.plan()
    assert operations(plan)["src/shop/api.py"] is Operation.DELETE
    walk.validate()
    assert walk.blocking() == []


def test_a_path_of_a_deleting_or_example_kind_is_not_created(shop: Path) -> None:
    plan = Walk(shop, task='Fix `create_link(url="http://a/b.html")` so that it creates a token.').plan()
    assert "src/shop/links.py" in operations(plan)
    assert not any(path.endswith("b.html") for path in operations(plan))


def test_a_dotted_name_is_no_file_to_create(shop: Path) -> None:
    plan = Walk(shop, task="Add a check to `create_link` that compares with the new `link.values`.").plan()
    assert set(operations(plan).values()) == {Operation.MODIFY}


def test_contracts_may_be_skipped(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan(skip=True)
    assert Phase.CONTRACTS not in walk.made
    assert set(operations(plan)) >= {"src/shop/links.py", "tests/test_links.py"}
    assert any(p.subject == "signatures" for p in plan.open_points)
    walk.validate()
    assert walk.blocking() == []


def test_what_was_agreed_reaches_the_subtask(shop: Path) -> None:
    task = "Links must expire: change it to `def create_link(self, url: str, days: int = 7) -> Link`."
    subtask = at(Walk(shop, task=task).plan(), "src/shop/links.py")
    implementation = subtask.specification.method_implementations[0]
    assert implementation.signature == "def create_link(self, url: str, days: int = 7) -> Link"
    assert "days left at its default 7" in implementation.edge_cases


def test_feedback_that_names_a_file_adds_a_subtask(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.plan()
    feedback = "README.md must explain it"
    made = walk.plan(feedback=(feedback,), previous=refused)
    assert {s.location for s in made.subtasks} == {s.location for s in refused.subtasks} | {"README.md"}
    assert any(feedback in c for c in at(made, "README.md").specification.exact_changes)
    assert made.feedback_answered == (feedback,)
    assert walk.blocking() == []


def test_feedback_that_names_a_symbol_extends_the_subtask(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.plan()
    made = walk.plan(feedback=("revoke must do the same",), previous=refused)

    def names(plan: ImplementationPlanArtifact) -> set[str]:
        methods = at(plan, "src/shop/links.py").specification.method_implementations
        return {m.method_name for m in methods}

    assert names(made) == names(refused) | {"LinkService.revoke"}
    assert walk.blocking() == []


def test_a_file_that_the_contracts_change_is_not_dropped_silently(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.plan()
    made = walk.plan(feedback=("leave src/shop/links.py alone",), previous=refused)
    assert "src/shop/links.py" in operations(made)
    assert any("agreed contracts" in p.why for p in made.open_points)


def test_a_long_file_is_quoted_in_excerpts(tmp_path: Path) -> None:
    filler = "".join(f"def filler_{n}() -> int:\n    return {n}\n\n\n" for n in range(150))
    source = f"import os\n\n\n{filler}def target(x: int) -> int:\n    return x  # the one\n"
    walk = Walk(make(tmp_path / "repo", {"long.py": source}), task="Make `target` double its input.")
    code = at(walk.plan(), "long.py").context_bundle.existing_code
    assert "return x  # the one" in code
    assert code.startswith("--- lines 1-")
    assert len(code.splitlines()) < 300
    assert any("excerpts" in r.risk for r in walk.validate().risk_assessment)


def test_a_task_that_matches_nothing_has_no_invented_steps(tmp_path: Path) -> None:
    walk = Walk(make(tmp_path / "repo", {"a.txt": "nothing\n"}), task="Teleport the frobnicator.")
    plan = walk.plan()
    assert plan.subtasks == ()
    assert "where the change goes" in {p.subject for p in plan.open_points}
    checked = walk.validate()
    assert [c.coverage_confidence for c in checked.requirement_coverage] == [0]


def test_javascript_and_its_test_command(tmp_path: Path) -> None:
    files = {
        "package.json": '{"scripts": {"test": "vitest"}}',
        "src/cart.js": "export function total(items) {\n  if (!items) throw new Error('none');\n"
        "  return items.length;\n}\n",
        "src/cart.test.js": "import { total } from './cart';\n\ntest('counts', () => {\n"
        "  expect(total([1])).toBe(1);\n});\n",
    }
    walk = Walk(make(tmp_path / "repo", files), task="`total` must add the prices.")
    plan = walk.plan()
    assert set(operations(plan)) == {"src/cart.js", "src/cart.test.js"}
    assert "Run `npm test`" in at(plan, "src/cart.js").testing.verification_steps
    walk.validate()
    assert walk.blocking() == []


def test_no_machine_path_and_no_job_id_in_any_artifact(shop: Path) -> None:
    walk = Walk(shop)
    walk.validate()
    for artifact in walk.made.values():
        text = artifact.model_dump_json()
        assert str(shop) not in text
        assert '"j1"' not in text
