"""CooperBench planning: who plans what in which setting (CooperBench seed; its settings)."""

from enum import StrEnum

from states.agents import AgentKind
from states.artifacts.base import Piece


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
