"""The product's worker as a process that stops in the middle of work where a test has laid a file.

    python -m tests.e2e.slow_worker FOLDER scripted|large|real

Before the work or the review of a phase it looks for `FOLDER/<phase>-<work|review>.hold`. While that is
there it waits, having made `.reached` beside it; having passed it makes `.passed`. Settings come from the
environment.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from activities.brief import Brief, Planner
from activities.deterministic.planner import DeterministicPlanner
from activities.deterministic.reviewer import MechanicalReviewer
from activities.index.shelf import IndexShelf
from activities.planning import PlanningActivities, Reviewer
from activities.store import open_store
from activities.workspace import Workspace, Workspaces
from phasegate.settings import Settings
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.review import Review
from states.words import Phase
from tests.scripted import QUESTION, NoWorkspaces, ScriptedPlanner, ScriptedReviewer
from worker import build_worker, connect
from workflows.patience import QUICK_FILES

Stop = Callable[[Phase], None]


@dataclass(frozen=True)
class HeldPlanner:
    """Stops in the middle of each phase's work: the brief is read, the artifact is not there yet."""

    planner: Planner
    stop: Stop

    def discover(self, brief: Brief) -> ContextDiscoveryArtifact:
        """DISCOVERY."""
        self.stop(Phase.DISCOVERY)
        return self.planner.discover(brief)

    def clarify(self, brief: Brief) -> ClarificationArtifact:
        """CLARIFICATION."""
        self.stop(Phase.CLARIFICATION)
        return self.planner.clarify(brief)

    def design(self, brief: Brief) -> ContractDesignArtifact:
        """CONTRACTS."""
        self.stop(Phase.CONTRACTS)
        return self.planner.design(brief)

    def plan(self, brief: Brief) -> ImplementationPlanArtifact:
        """IMPLEMENTATION_PLAN."""
        self.stop(Phase.IMPLEMENTATION_PLAN)
        return self.planner.plan(brief)

    def validate(self, brief: Brief) -> ValidationArtifact:
        """VALIDATION."""
        self.stop(Phase.VALIDATION)
        return self.planner.validate(brief)


@dataclass(frozen=True)
class HeldReviewer:
    """Stops in the middle of each review."""

    reviewer: Reviewer
    stop: Stop

    def review(
        self,
        phase: Phase,
        artifacts: dict[Phase, Artifact],
        digests: dict[Phase, str],
        root: Path,
        commit: str,
    ) -> Review:
        """What the reviewer says, later."""
        self.stop(phase)
        return self.reviewer.review(phase, artifacts, digests, root, commit)


class LargeWorkspaces(NoWorkspaces):
    """A workspace so large that DISCOVERY is no quick work."""

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """A fixed commit of many files."""
        opened = await super().open(job, repository, ref, refresh)
        ref_of_many = opened.ref.model_copy(update={"files": 10 * QUICK_FILES})
        return Workspace(ref_of_many, opened.path)


def stop_at(folder: Path, what: str) -> Stop:
    """Wait in the middle of `what` of a phase for as long as its file is there."""

    def stop(phase: Phase) -> None:
        hold = folder / f"{phase}-{what}.hold"
        if hold.exists():
            hold.with_suffix(".reached").touch()
        while hold.exists():
            time.sleep(0.02)
        hold.with_suffix(".passed").touch()

    return stop


def activities(settings: Settings, folder: Path, kind: str) -> PlanningActivities:
    """The activities of the product, held. `real` ones read a repository, `large` ones claim a large one."""
    shelf = IndexShelf(settings.cache)
    real, large = kind == "real", kind == "large"
    planner: Planner = DeterministicPlanner(shelf) if real else ScriptedPlanner()
    reviewer: Reviewer = MechanicalReviewer(shelf) if real else ScriptedReviewer(questions=(QUESTION,))
    return PlanningActivities(
        store=open_store(settings.store),
        workspaces=Workspaces(settings.workspaces)
        if real
        else LargeWorkspaces()
        if large
        else NoWorkspaces(),
        planner=HeldPlanner(planner, stop_at(folder, "work")),
        reviewer=HeldReviewer(reviewer, stop_at(folder, "review")),
    )


async def main(folder: Path, kind: str) -> None:
    """Run until SIGTERM."""
    settings = Settings.load()
    client = await connect(settings)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with build_worker(client.temporal, settings, activities(settings, folder, kind)):
        (folder / f"worker-{os.getpid()}.ready").touch()
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
