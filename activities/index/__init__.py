"""The code index: what a repository holds at one commit, and which of it matters to a task."""
