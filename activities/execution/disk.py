"""A full disk, however it shows: as the system says it, or git."""

import errno

from activities.git import GitError

_SAID = "No space left on device"


def disk_is_full(error: OSError | GitError) -> bool:
    """Whether an error means that there is no space left."""
    if isinstance(error, GitError):
        return _SAID in error.stderr
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
