"""What confines commands where the tests run. Most tests of Act hold with a sandbox and without one."""

import asyncio

from activities.execution.sandbox import sandbox_offered

CONFINED = bool(asyncio.run(sandbox_offered())[0])
"""whether this machine has a sandbox; without one the stages' workers are told that they may do without"""
