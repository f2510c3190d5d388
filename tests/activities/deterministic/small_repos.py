"""Small real git repositories, and a walk of a planner over one: every phase, each artifact reviewed."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from activities.brief import Brief
from activities.deterministic.planner import DeterministicPlanner
from activities.deterministic.reviewer import MechanicalReviewer
from activities.index.shelf import IndexShelf
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.kinds import StoredArtifact
from states.artifacts.validation import ValidationArtifact
from states.review import Review
from states.words import Phase

LINKS = '''"""Shared links."""

from dataclasses import dataclass

from shop.store import Store


class LinkError(Exception):
    """A link that cannot be used."""


@dataclass
class Link:
    """A shared link."""

    token: str
    url: str
    hits: int = 0


class LinkService:
    """Makes and resolves links."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def create_link(self, url: str, token: str = "") -> Link:
        """Make a link."""
        if not url:
            raise ValueError("url is empty")
        link = Link(token or url[-6:], url)
        self.store.put(link.token, link)
        return link

    def resolve_link(self, token):
        """Find a link."""
        link = self.store.get(token)
        if link is None:
            raise LinkError(token)
        return link

    def revoke(self, token: str) -> None:
        """Forget a link."""
        self.store.drop(token)
'''
STORE = '''"""Where things are kept."""


class Store:
    def __init__(self) -> None:
        self.items: dict[str, object] = {}

    def put(self, key: str, value: object) -> None:
        self.items[key] = value

    def get(self, key: str) -> object:
        return self.items.get(key)

    def drop(self, key: str) -> None:
        self.items.pop(key, None)
'''
API = '''"""HTTP."""

from shop.links import LinkService
from shop.store import Store

service = LinkService(Store())


@app.post("/links")
def post_link(url: str) -> str:
    return service.create_link(url).token


@app.get("/links/<token>")
def get_link(token: str) -> str:
    return service.resolve_link(token).url
'''
TEST_LINKS = """import pytest

from shop.links import LinkError, LinkService
from shop.store import Store


@pytest.fixture
def service():
    return LinkService(Store())


def test_create_link(service):
    assert service.create_link("http://a/bcdef").token


def test_resolve_unknown(service):
    with pytest.raises(LinkError):
        service.resolve_link("nope")
"""
SHOP = {
    "src/shop/__init__.py": "",
    "src/shop/links.py": LINKS,
    "src/shop/store.py": STORE,
    "src/shop/api.py": API,
    "tests/test_links.py": TEST_LINKS,
    "pyproject.toml": '[project]\nname = "shop"\n[tool.pytest.ini_options]\npythonpath = "src"\n',
    "README.md": "# shop\n",
}
TASK = (
    "Links should expire. Add an expiry of seven days to `create_link`, and refuse expired links in "
    "`resolve_link` with a LinkError."
)


def make(root: Path, files: dict[str, str]) -> Path:
    """A git repository with these files in one commit."""
    root.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    run = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*run, "init", "-q"], check=True)
    subprocess.run([*run, "add", "-A"], check=True)
    subprocess.run([*run, "commit", "-q", "-m", "one"], check=True)
    return root


class Walk:
    """One job: hands every phase what the phases before it made."""

    def __init__(self, root: Path, task: str = TASK, **brief: Any) -> None:
        shelf = IndexShelf(None)
        self.planner = DeterministicPlanner(shelf)
        self._reviewer = MechanicalReviewer(shelf)
        commit = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip()
        self.brief = Brief(job="j1", task=task, root=root, commit=commit, **brief)
        self.made: dict[Phase, Artifact] = {}
        self.digests: dict[Phase, str] = {}

    def run(self, phase: Phase, **changes: Any) -> Artifact:
        """Do one phase with the current artifacts; `changes` are fields of the brief for this time only."""
        method = {
            Phase.DISCOVERY: self.planner.discover,
            Phase.CLARIFICATION: self.planner.clarify,
            Phase.CONTRACTS: self.planner.design,
            Phase.IMPLEMENTATION_PLAN: self.planner.plan,
            Phase.VALIDATION: self.planner.validate,
        }[phase]
        before = [p for p in self.made if list(Phase).index(p) < list(Phase).index(phase)]
        upstream = {p: self.made[p] for p in before}
        digests = {p: self.digests[p] for p in before}
        brief = replace(self.brief, upstream=upstream, digests=digests, **changes)
        artifact: Artifact = method(brief)
        assert method(brief) == artifact, "equal briefs must give equal artifacts"
        stored = StoredArtifact.wrap(phase, artifact, digests)
        assert stored.artifact() == artifact, "an artifact must survive the store"
        self.made, self.digests = {**upstream, phase: artifact}, {**digests, phase: stored.digest}
        return artifact

    def discover(self, **changes: Any) -> "Walk":
        """DISCOVERY; gives the walk itself, so that calls chain."""
        self.run(Phase.DISCOVERY, **changes)
        return self

    def clarify(self, **changes: Any) -> ClarificationArtifact:
        """CLARIFICATION, after DISCOVERY if need be."""
        if Phase.DISCOVERY not in self.made:
            self.run(Phase.DISCOVERY)
        artifact = self.run(Phase.CLARIFICATION, **changes)
        assert isinstance(artifact, ClarificationArtifact)
        return artifact

    def design(self, **changes: Any) -> ContractDesignArtifact:
        """CONTRACTS, after what comes before if need be."""
        if Phase.CLARIFICATION not in self.made:
            self.clarify()
        artifact = self.run(Phase.CONTRACTS, **changes)
        assert isinstance(artifact, ContractDesignArtifact)
        return artifact

    def plan(self, skip: bool = False, **changes: Any) -> ImplementationPlanArtifact:
        """IMPLEMENTATION_PLAN; `skip` leaves CONTRACTS out."""
        if Phase.CLARIFICATION not in self.made:
            self.clarify()
        if Phase.CONTRACTS not in self.made and not skip:
            self.design()
        artifact = self.run(Phase.IMPLEMENTATION_PLAN, **changes)
        assert isinstance(artifact, ImplementationPlanArtifact)
        return artifact

    def validate(self, **changes: Any) -> ValidationArtifact:
        """VALIDATION, after what comes before if need be."""
        if Phase.IMPLEMENTATION_PLAN not in self.made:
            self.plan()
        artifact = self.run(Phase.VALIDATION, **changes)
        assert isinstance(artifact, ValidationArtifact)
        return artifact

    def review(self, phase: Phase) -> Review:
        """The mechanical review of a phase's artifact."""
        return self._reviewer.review(
            phase, dict(self.made), dict(self.digests), self.brief.root, self.brief.commit
        )

    def blocking(self) -> list[str]:
        """What the mechanical review refuses in any artifact made so far."""
        return [f"{p}: {f.what}" for p in self.made for f in self.review(p).findings if f.blocking]
