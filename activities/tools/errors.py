"""What a tool refuses."""

from activities.plain_text import strip_line


class ToolError(Exception):
    """A sentence that the model reads. It never holds an absolute path of this machine."""


def outside(path: str) -> ToolError:
    """The refusal of every way out of the workspace, with the path as the model gave it."""
    return ToolError(f"Path {strip_line(path)} is outside agent workspace directory")
