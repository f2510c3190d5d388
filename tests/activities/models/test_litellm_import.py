"""litellm is imported on first use, off the event loop, and does nothing on its own."""

import subprocess
import sys

import pytest

LOOK = "import sys; import {module}; sys.exit('litellm' in sys.modules)"


@pytest.mark.parametrize(
    "module",
    [
        "worker",
        "phasegate.cli",
        "phasegate.client",
        "workflows.planning",
        "states.agents",
        "activities.models.provider",
    ],
)
def test_importing_ours_does_not_import_litellm(module: str) -> None:
    assert subprocess.run([sys.executable, "-c", LOOK.format(module=module)]).returncode == 0


WARM = """
import asyncio, socket, sys, time
tried = []
def refuse(address):
    tried.append(address)
    raise OSError("no network in this test")
socket.socket.connect = lambda self, address: refuse(address)
socket.getaddrinfo = lambda *address, **_: refuse(address)

from activities.models.provider import LiteLlmProvider

async def main():
    warming = asyncio.create_task(LiteLlmProvider().warm())
    late = 0.0
    while not warming.done():
        start = time.monotonic()
        await asyncio.sleep(0.01)
        late = max(late, time.monotonic() - start)
    await warming
    await LiteLlmProvider().price("anthropic/claude-sonnet-4-5")
    assert "litellm" in sys.modules
    assert not tried, tried
    assert late < 1.5, f"the event loop stood still for {late:.2f} s"

asyncio.run(main())
"""


def test_warming_up_needs_no_network_prints_nothing_and_does_not_stop_the_loop() -> None:
    done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
