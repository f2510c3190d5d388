"""Commands as processes beside a worker in this one, whose jobs have a plan that a test gives them."""

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from tests.e2e.acting_stage import ActingStage
from tests.phasegate.commands.driving import Ran


@dataclass(frozen=True)
class Acted:
    """A stage, and what people type at it."""

    stage: ActingStage

    @property
    def variables(self) -> dict[str, str]:
        """What leads commands to the stage."""
        return {
            "TEMPORAL_ADDRESS": self.stage.cli.address,
            "PHASEGATE_STATE_DIR": str(self.stage.settings.state_dir),
            "PHASEGATE_TASK_QUEUE": self.stage.settings.task_queue,
            "PHASEGATE_BY": "ann",
        }

    async def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        """Run `phasegate` with these words."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "phasegate.cli", *words),
            env={**os.environ, **self.variables},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(stdin), 90)
        return Ran(process.returncode or 0, out.decode(), err.decode())

    async def lines(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        """Run a command that prints JSON lines; gives its exit code and the objects."""
        ran = await self(*words, "--json")
        return ran.code, [json.loads(line) for line in ran.out.splitlines()]
