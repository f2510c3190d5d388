"""CooperBench planning: who plans what in which setting (CooperBench seed; its settings)."""

import re
from enum import StrEnum

from states.agents import AgentKind
from states.artifacts.base import Piece, digest_of

AGREE = "agreement_reached"
TALK = "communicate_with_agent"
LOOKING = ("list_files", "read_file", "grep_search")


class BenchSetting(StrEnum):
    """How many agents plan how many features. `coop_ablation` differs from `coop` only in what follows."""

    SINGLE = "single"
    SOLO = "solo"
    COOP = "coop"
    COOP_ABLATION = "coop_ablation"

    @property
    def kind(self) -> AgentKind:
        """What its agents are for."""
        return {self.SINGLE: AgentKind.SINGLE, self.SOLO: AgentKind.SOLO}.get(self, AgentKind.COOP)

    @property
    def seats(self) -> tuple["Seat", ...]:
        """Its agents, in order."""
        return _SEATS[self.kind]

    @property
    def tools(self) -> tuple[str, ...]:
        """What its agents are offered, in order."""
        return (*LOOKING, *((TALK,) if len(self.seats) == 2 else ()), AGREE)

    @property
    def features(self) -> int:
        """How many features are planned."""
        return 1 if self is BenchSetting.SINGLE else 2


class Seat(Piece):
    """One agent of a setting, as trajectories name it, and what it plans."""

    id: str
    role: str


_SEATS: dict[AgentKind, tuple[Seat, ...]] = {
    AgentKind.SINGLE: (Seat(id="single", role="single"),),
    AgentKind.SOLO: (Seat(id="solo", role="both_features"),),
    AgentKind.COOP: (Seat(id="agent1", role="feature1"), Seat(id="agent2", role="feature2")),
}


class FeatureText(Piece):
    """One feature of a task, as the dataset describes it."""

    id: int
    text: str


class BenchTask(Piece):
    """Everything that a run depends on. Equal tasks are one run, which is paid for once."""

    setting: BenchSetting
    repo_name: str
    task_id: int
    k: int
    repository: str
    """URL or absolute path"""
    commit: str
    features: tuple[FeatureText, ...]
    """as asked for; each agent's own first"""
    models: tuple[str, ...]
    """one for each agent"""
    max_iterations: int

    @property
    def run(self) -> str:
        """The id of its workflow: readable, and different for whatever differs."""
        features = "-".join(f"f{feature.id}" for feature in self.features)
        name = re.sub(r"[^A-Za-z0-9._]+", "-", self.repo_name)[:40].strip("-.")
        digest = digest_of(self.model_dump(mode="json"))[:10]
        return f"bench-{self.setting}-{name}-task{self.task_id}-{features}-k{self.k}-{digest}"
