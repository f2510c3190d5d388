"""What comes in from outside, read so that nothing that anybody sends wedges a job."""

from collections.abc import Sequence
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue

with workflow.unsafe.imports_passed_through():
    from activities.payloads import Unreadable
    from states.messages import Malformed
    from states.start import BadStart


def only(inputs: Sequence[Any]) -> Any:
    """The one input. Takes any number of any kind: what Temporal cannot pass on wedges the job instead."""
    if len(inputs) > 1:
        raise BadStart(f"the job takes one input, got {len(inputs)}")
    given = inputs[0] if inputs else None
    if isinstance(given, Unreadable):
        raise BadStart(f"the input cannot be decoded: {given.why}")
    return given


def decode(args: Sequence[RawValue]) -> list[Any]:
    """The arguments of a message. Raises Malformed for bytes that are no payload of ours."""
    given = [workflow.payload_converter().from_payload(arg.payload) for arg in args]
    for each in given:
        if isinstance(each, Unreadable):
            raise Malformed(f"cannot be decoded: {each.why}")
    return given
