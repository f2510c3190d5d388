"""Carrying out a plan: its worktree, its commands in their sandbox, one module per kind of step."""
