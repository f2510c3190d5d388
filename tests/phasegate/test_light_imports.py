"""What people type starts at once: the client imports nothing that only a worker needs."""

import subprocess
import sys

HEAVY = ("numpy", "pygit2", "psutil", "tree_sitter", "jinja2", "litellm", "activities.index.model")


def test_the_client_imports_nothing_that_only_a_worker_needs() -> None:
    program = f"import sys, phasegate.client; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []
