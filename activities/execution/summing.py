"""What an execution changed in all, as git has it."""

from activities.execution.recording import changes_between
from activities.execution.repository import ActRepository
from activities.execution_orders import Summary
from activities.store import Store


async def summarise(repository: ActRepository, store: Store, base: str, head: str) -> Summary:
    """The patch from `base` to `head` in the store, the files, and git's table of them."""
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    patch = await repository.run("diff", *plain, "--binary", "--full-index", base, head)
    stat = await repository.run("diff", *plain, "--stat=100", base, head)
    files, _ = await changes_between(repository, base, head)
    return Summary(
        patch=await store.put(patch), files=files, diffstat=stat.decode("utf-8", "replace").rstrip()
    )
