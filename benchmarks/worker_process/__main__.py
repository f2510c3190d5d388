"""A worker in a process of its own, so that its time and memory are its own.

    python -m benchmarks.worker_process phasegate|agents|regular|local ADDRESS STORE

The product's worker with scripted activities, the product's worker whole and warm, or one with a bare
workflow. Prints a line when it takes tasks, and ends when its input does.
"""

import asyncio
import sys
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.store import open_store
from benchmarks.bare import BareLocal, BareRegular, do_nothing
from phasegate.logs import configure_logs
from phasegate.settings import Settings
from tests.scripted import scripted_activities
from worker import build_worker, wired

BARE: dict[str, type] = {"regular": BareRegular, "local": BareLocal}


async def worker_of(kind: str, address: str, where: str) -> Worker:
    """The worker, not running yet. Bare ones have Temporal's defaults throughout."""
    if kind in BARE:
        client = await Client.connect(address)
        return Worker(client, task_queue=kind, workflows=[BARE[kind]], activities=[do_nothing])
    store = open_store(where)
    client = await Client.connect(address, data_converter=data_converter(store))
    if kind == "agents":
        provider = LiteLlmProvider()
        await provider.warm()
        settings = Settings.load(task_queue=kind, state_dir=Path(where).parent, store=where)
        return build_worker(client, settings, *wired(settings, provider))
    return build_worker(client, Settings.load(task_queue=kind), scripted_activities(store))


async def main(kind: str, address: str, where: str) -> None:
    """Run until standard input ends."""
    configure_logs("error")
    async with await worker_of(kind, address, where):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
