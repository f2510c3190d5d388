"""What has to happen before a plan can be carried out: for a person who asked too early."""

import shlex

from states.record import JobRecord
from states.selecting import options_at_hand
from states.view import awaiting
from states.words import Awaiting, Mode, State


def before_act(record: JobRecord) -> str:
    """What to do first, as the end of a sentence, for a job that cannot act in its mode."""
    job = shlex.quote(record.job)
    if record.mode is Mode.NORMAL:
        return f"`phasegate restart {job} PHASE` plans again"
    if record.hold:
        return f"the job is paused, `phasegate show {job}` says why and how it goes on"
    options = "" if record.selected else " or ".join(each.id for each in options_at_hand(record))
    if record.state is State.VERIFIED and not options:
        return f"it holds no option, `phasegate restart {job} IMPLEMENTATION_PLAN` draws some up"
    if record.state is State.VERIFIED:
        return f"select one: `phasegate act {job} --option OPTION`, where OPTION is {options}"
    waits = awaiting(record)
    if waits is Awaiting.HUMAN_REVIEW and record.gate:
        bound = f"--gate {record.gate.id} --digest {record.gate.digest[:12]}"
        if " or " in options:
            words = f"`phasegate approve {job} --option OPTION {bound}`, where OPTION is {options}"
        else:
            words = f"`phasegate approve {job} {bound}`"
        return f"first pass the open gate: {words}"
    if waits is Awaiting.NONE:
        return f"planning goes on, `phasegate watch {job}` follows it"
    return f"the job waits for a person, `phasegate show {job}` says what to type"
