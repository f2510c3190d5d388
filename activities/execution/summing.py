"""What an execution changed in all, as git has it."""

import asyncio

from activities.execution.recording import changes_between
from activities.execution.repository import ActRepository
from activities.execution_orders import Summary
from activities.store import Store

MOST_BYTES = 200_000_000
"""of changed files that a patch is made of: git and its readers hold all of it in memory"""


async def summarise(repository: ActRepository, store: Store, base: str, head: str) -> Summary:
    """The patch from `base` to `head` in the store, the files, and git's table of them."""
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    stat = await repository.run("diff", *plain, "--stat=100", base, head)
    diffstat = stat.decode("utf-8", "replace").rstrip()
    files, _ = await changes_between(repository, base, head)
    size = await asyncio.to_thread(repository.objects.bytes_changed, base, head)
    if size > MOST_BYTES:
        return Summary(patch="", files=files, diffstat=f"{diffstat}\n no patch is made of {size:,} bytes")
    patch = await repository.run("diff", *plain, "--binary", "--full-index", base, head)
    return Summary(patch=await store.put(patch), files=files, diffstat=diffstat)
