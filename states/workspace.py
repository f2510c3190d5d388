"""Which code a job looks at: one commit, fixed when the job starts."""

from enum import StrEnum

from pydantic import Field

from states.artifacts.base import Piece, Text


class WorkspaceSource(StrEnum):
    """What the repository is: version-controlled, or a plain folder of which a snapshot was taken."""

    GIT = "git"
    FOLDER = "folder"


class WorkspaceRef(Piece):
    """Enough to make the same checkout again on any worker that can reach `repository`.

    `repository` is a URL, or the absolute path of a repository's top level or of a plain folder.
    `ref` is what was asked for, `commit` what it was then. `subject` is the commit's first line.
    `subfolder` is the part of the repository that was named, blank for all of it. `files` counts the
    commit's files; `skipped` those of a plain folder that were left out as unreadable or too large.
    """

    repository: Text
    ref: Text = "HEAD"
    commit: str = Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")
    source: WorkspaceSource = WorkspaceSource.GIT
    files: int = Field(default=0, ge=0)
    subject: str = ""
    subfolder: str = ""
    skipped: int = Field(default=0, ge=0)
