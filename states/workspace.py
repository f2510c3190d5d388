"""WorkspaceRef: which tree a job plans over, without any path of the machine that holds it."""

from typing import Literal

from states.artifacts.base import Piece, Text


class WorkspaceRef(Piece):
    """A repository at one fixed commit. `source` is `folder` when it is a snapshot of a plain folder."""

    repository: Text
    ref: str = "HEAD"
    commit: Text
    source: Literal["git", "folder"] = "git"
    files: int = 0
    subject: str = ""
