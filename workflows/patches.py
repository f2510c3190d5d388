"""Names of the patches of an execution's workflow. Those that its job shares are with what they are about."""

WAITED_BEFORE = "asks-what-waited-before"
"""the patch since which a run begins with the word of what waits already"""

STOPS_AT_ONCE = "stops-at-once"
"""the patch since which a stop ends what makes ready and what a long history waits for, and is never lost"""

RUNS_ON = "runs-on"
"""the patch since which a long history ends nothing that goes on: a new run begins when nothing runs"""

RESTS_UNDISTURBED = "rests-undisturbed"
"""the patch since which an execution that is cancelled while it comes to rest still says what it has done"""
