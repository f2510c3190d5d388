"""What the flags of `plan` ask of a new job."""

from typing import Any

import pytest

from phasegate.actions.planning import Wish, read_wish
from phasegate.settings import Settings


@pytest.mark.parametrize(
    ("wished", "iterations", "output"),
    [({}, 25, 16_000), ({"max_iterations": 3}, 3, 16_000), ({"max_output_tokens": 120}, 25, 120)],
)
def test_limits_of_agents(wished: dict[str, Any], iterations: int, output: int) -> None:
    limits = read_wish(Wish(task="do it", repository=".", **wished), Settings()).agents
    assert (limits.max_iterations, limits.max_output_tokens) == (iterations, output)
