"""CONTRACTS: real signatures, callers, errors, tests, models; feedback; what is left open."""

from pathlib import Path

import pytest

from activities.brief import Answered
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.words import Phase
from tests.activities.deterministic.small_repos import SHOP, TASK, Walk, make

LINKS_GO = """package shop

import "errors"

// Link is shared.
type Link struct {
\tToken string
}

// CreateLink makes one.
func CreateLink(url string) (*Link, error) {
\tif url == "" {
\t\treturn nil, errors.New("empty")
\t}
\treturn &Link{Token: url}, nil
}

func Forget(l *Link) {
}
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("shop") / "repo", SHOP)


def method(designed: ContractDesignArtifact, name: str) -> MethodContract:
    return next(m for m in designed.method_contracts if m.method_name == name)


def names(designed: ContractDesignArtifact) -> set[str]:
    return {m.qualified for m in designed.method_contracts}


def test_affected_methods_are_described_as_they_are(shop: Path) -> None:
    walk = Walk(shop)
    designed = walk.design()
    created = method(designed, "create_link")
    assert created.class_name == "LinkService"
    assert created.signature == created.current == 'def create_link(self, url: str, token: str = "") -> Link'
    assert created.path == "src/shop/links.py"
    assert SHOP["src/shop/links.py"].splitlines()[created.line - 1].strip().startswith("def create_link")
    assert created.callers == ("src/shop/api.py:11", "tests/test_links.py:13")
    assert created.error_handling == ('src/shop/links.py:30: raise ValueError("url is empty")',)
    assert "tests/test_links.py" in created.test_approach
    assert "test_create_link" in created.test_approach
    assert walk.blocking() == []


def test_a_signature_without_annotation_says_so(shop: Path) -> None:
    assert (
        method(Walk(shop).design(), "resolve_link").signature
        == "def resolve_link(self, token) -> (not annotated)"
    )


def test_models_have_their_real_fields(shop: Path) -> None:
    model = next(m for m in Walk(shop).design().data_models if m.name == "Link")
    assert [(f.name, f.type, f.default) for f in model.fields] == [
        ("token", "str", ""),
        ("url", "str", ""),
        ("hits", "int", "0"),
    ]


def test_who_relies_on_it_is_named(shop: Path) -> None:
    contract = next(
        i for i in Walk(shop).design().integration_contracts if i.component == "src/shop/links.py"
    )
    assert contract.dependencies == ("src/shop/api.py",)


def test_what_nobody_decided_is_open_and_not_invented(shop: Path) -> None:
    designed = Walk(shop).design()
    assert {m.change for m in designed.method_contracts} == {"modify"}
    assert all(m.signature == m.current for m in designed.method_contracts)
    point = next(p for p in designed.open_points if p.subject.endswith("LinkService.create_link"))
    assert "decide whether" in point.why


def test_routes_are_recognised(shop: Path) -> None:
    designed = Walk(shop, task="Let `post_link` answer with a body that has the token.").design()
    assert [(a.method, a.endpoint, a.request_schema, a.response_schema) for a in designed.api_contracts] == [
        ("POST", "/links", {"url": "str"}, {"returns": "str"})
    ]


def test_a_new_name_without_signature_is_an_open_point(shop: Path) -> None:
    designed = Walk(shop, task="Add a method `purge_links()` to `LinkService`.").design()
    assert "purge_links" not in {m.method_name for m in designed.method_contracts}
    assert any(p.subject == "new method `purge_links`" for p in designed.open_points)


def test_a_new_name_with_its_signature_is_a_contract(shop: Path) -> None:
    walk = Walk(shop, task="Add `LinkService.purge(self, days: int) -> int` that removes old links.")
    new = method(walk.design(), "purge")
    assert (new.change, new.class_name, new.path) == ("new", "LinkService", "src/shop/links.py")
    assert new.signature.endswith("(self, days: int) -> int")
    assert new.current == ""
    walk.plan()
    assert walk.blocking() == []


def test_a_signature_that_the_task_gives_is_taken(shop: Path) -> None:
    task = "Links must expire: change it to `def create_link(self, url: str, days: int = 7) -> Link`."
    created = method(Walk(shop, task=task).design(), "create_link")
    assert created.signature == "def create_link(self, url: str, days: int = 7) -> Link"
    assert created.current != created.signature


def test_feedback_that_names_a_symbol_changes_the_contracts(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.design()
    assert "LinkService.revoke" not in names(refused)
    feedback = "You forgot revoke, it must tell the store"
    made = walk.design(feedback=(feedback,), previous=refused)
    assert names(made) == names(refused) | {"LinkService.revoke"}
    assert made.feedback_answered == (feedback,)
    assert feedback in method(made, "revoke").purpose
    assert any(feedback in p.subject for p in made.open_points)


def test_feedback_that_names_a_file_or_a_signature_enters(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.design()
    made = walk.design(feedback=("also change src/shop/store.py",), previous=refused)
    assert any(p.subject == "src/shop/store.py" for p in made.open_points) or any(
        m.path == "src/shop/store.py" for m in made.method_contracts
    )
    given = "`create_link(self, url: str, days: int) -> Link` is what we want"
    assert method(walk.design(feedback=(given,)), "create_link").signature.endswith("days: int) -> Link")


def test_feedback_that_rules_something_out_takes_it_out(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.design()
    made = walk.design(feedback=("Do not touch resolve_link",), previous=refused)
    assert "LinkService.resolve_link" not in names(made)
    assert "LinkService.create_link" in names(made)


def test_feedback_about_nothing_in_the_repository_is_open(shop: Path) -> None:
    made = Walk(shop).design(feedback=("This is too complicated",))
    point = next(p for p in made.open_points if "too complicated" in p.subject)
    assert "names no file or symbol" in point.why


def test_an_answer_decides_between_candidates(tmp_path: Path) -> None:
    service = 'class {0}:\n    """{1}."""\n\n    def login(self, user: str) -> bool:\n        return True\n'
    root = make(
        tmp_path / "repo",
        {
            "auth/__init__.py": "",
            "auth/oauth2.py": service.format("OAuth2Service", "Authentication by tokens"),
            "auth/legacy.py": service.format("LegacyAuthService", "Authentication by sessions"),
        },
    )
    walk = Walk(root, task="Update authentication: login must be logged.").discover()
    question = walk.brief
    made = walk.made[Phase.DISCOVERY]
    ambiguities = made.model_dump()["ambiguities_discovered"]
    assert ambiguities, "two services fit: DISCOVERY must ask"
    assert question.task
    walk.clarify(answers=(Answered(ambiguities[0]["id"], "", "LegacyAuthService", "ana"),))
    assert {m.path for m in walk.design().method_contracts} == {"auth/legacy.py"}


def test_a_restart_brings_changes_in_and_invalidated_decisions_out(shop: Path) -> None:
    walk = Walk(shop)
    walk.clarify(says=("Use the drop method of Store for expired links",))
    assert "drop method" in walk.clarify(says=("Use the drop method of Store",)).model_dump_json()
    assert "LinkService.revoke" not in names(walk.design())
    made = walk.design(changes=("`revoke` must need a reason",), invalidated=("use the drop method",))
    assert "LinkService.revoke" in names(made)
    assert "drop method" not in made.model_dump_json()


def test_partial_contracts_are_raw_material(shop: Path) -> None:
    walk = Walk(shop, task="Make `revoke` faster.")
    earlier = walk.design()
    again = Walk(shop)
    again.clarify()
    assert "LinkService.revoke" in names(again.design(partial={Phase.CONTRACTS: earlier}))


def test_a_task_that_matches_nothing_says_so(tmp_path: Path) -> None:
    root = make(tmp_path / "repo", {"a.txt": "nothing\n"})
    designed = Walk(root, task="Teleport the frobnicator.").design()
    assert designed.method_contracts == ()
    assert [p.subject for p in designed.open_points] == ["where the change goes"]


def test_more_symbols_than_can_be_read_are_capped_and_counted(tmp_path: Path) -> None:
    source = "".join(f"def widget_{n}(x: int) -> int:\n    return x\n\n\n" for n in range(120))
    task = "Change " + ", ".join(f"`widget_{n}`" for n in range(120)) + "."
    walk = Walk(make(tmp_path / "repo", {"widgets.py": source}), task=task)
    designed = walk.design()
    assert len(designed.method_contracts) == 60
    assert any("60 more symbols" in p.why for p in designed.open_points)
    walk.plan()
    assert walk.blocking() == []


def test_go_signatures_keep_their_language(tmp_path: Path) -> None:
    root = make(
        tmp_path / "repo",
        {
            "go.mod": "module example.com/shop\n",
            "links.go": LINKS_GO,
            "links_test.go": 'package shop\n\nimport "testing"\n\nfunc TestCreateLink(t *testing.T) {\n'
            '\tif _, err := CreateLink("a"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n',
        },
    )
    walk = Walk(root, task="`CreateLink` must trim the URL, and `Forget` must clear it.")
    designed = walk.design()
    assert method(designed, "CreateLink").signature == "func CreateLink(url string) (*Link, error)"
    assert method(designed, "Forget").signature == "func Forget(l *Link) -> (none)"
    assert any("errors.New" in line for line in method(designed, "CreateLink").error_handling)
    plan = walk.plan()
    walk.validate()
    assert {o.file_path for o in plan.file_operations} == {"links.go", "links_test.go"}
    steps = [s for t in plan.subtasks for s in t.testing.verification_steps]
    assert "Run `go test ./...`" in steps
    assert walk.blocking() == []


def test_task_text_is_the_default(shop: Path) -> None:
    assert Walk(shop).clarify().updated_requirements.task == TASK
