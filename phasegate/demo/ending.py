"""The last steps: a restart that keeps what is good, VERIFIED, the plan in a file, the ledger."""

import shlex

from phasegate.demo.middle import METHOD
from phasegate.demo.story import JOB, Story
from phasegate.problems import RefusedByJob
from phasegate.screen.job import progress_line
from phasegate.screen.lists import ledger_lines
from phasegate.screen.options import fact_lines
from phasegate.screen.restart import restart_lines
from states.amounts import counted
from states.ledger import EntryKind
from states.messages import RestartFrom
from states.render import markdown
from states.words import Message, Phase, State

SIGNATURE = f"{METHOD}(self, now: datetime, limit: timedelta) -> int"
CHANGES = f"The store does not know the settings, so the new method is `{SIGNATURE}`."
GATES = ("clarification-1", "contracts-1", "contracts-2", "validation-1", "contracts-3", "validation-2")
"""in the order in which the story opens them"""
_OVERTAKEN = "validation-1"


async def restart(story: Story) -> None:
    """From CONTRACTS: first only shown, then done."""
    await story.gate(_OVERTAKEN)
    request = RestartFrom(phase=Phase.CONTRACTS, changes=CHANGES)
    plan = await story.client.preview(JOB, request)
    story.claim(not plan.refused, f"the restart is refused: {plan.refused}")
    kept = {ref.phase: ref.digest for ref in plan.kept}
    story.claim(kept == story.kept, "the restart would not keep DISCOVERY and CLARIFICATION as they are")
    words = f"restart {JOB} CONTRACTS --changes {shlex.quote(CHANGES)}"
    story.tell.say("The plan is made, and then you learn something. What would a restart do?")
    story.tell.type(f"phasegate {words} --dry-run")
    story.tell.lines(restart_lines(plan))
    story.tell.say("Good: nothing that still holds is thrown away. The same without --dry-run:")
    payload = {"phase": Phase.CONTRACTS.name, "changes": CHANGES}
    story.tell.type(story.typed(words, Message.RESTART_FROM, payload))
    await story.client.restart(JOB, {**payload, "by": story.by})
    await story.gate("contracts-3")
    now = await story.digests()
    story.claim(all(now.get(p) == digest for p, digest in kept.items()), "the restart changed what it keeps")
    story.tell.say("Both digests are unchanged after it:")
    story.tell.points((phase.name, digest[:12]) for phase, digest in kept.items())


async def refuse_stale(story: Story) -> None:
    """An approval of what a restart has overtaken."""
    story.tell.say("Somebody still has the old plan on the screen, and approves that:")
    try:
        note = await story.send(f"approve {JOB} --gate {_OVERTAKEN}", Message.APPROVE, {"gate": _OVERTAKEN})
    except RefusedByJob as refused:
        story.claim("stale" in str(refused), f"the approval was refused as {refused}")
        story.tell.say(f"-> refused: {refused}")
    else:
        story.claim(False, f"an approval of a plan that is gone was taken: {note}")


async def verify(story: Story) -> None:
    """The two gates again, on the new work."""
    gate = await story.gate("contracts-3")
    text = markdown(await story.artifact(Phase.CONTRACTS), full=True)
    story.claim(SIGNATURE in text, "the new contracts do not have what was learned")
    story.tell.say(f"The new contracts have {SIGNATURE}. You approve them, and then the plan:")
    await story.approve(gate)
    gate = await story.gate("validation-2")
    view = await story.client.view(JOB)
    story.claim(len(view.options) > 1, "there is one way to implement the plan and no choice")
    story.tell.say("There are several ways to carry it out, ranked. You take the first:")
    story.tell.lines(fact_lines(view))
    await story.approve(gate, view.options[0].id)
    view = await story.until(lambda view: view.state is State.VERIFIED, "VERIFIED")
    story.tell.lines(progress_line(view, progress) for progress in view.progress)


async def export(story: Story) -> None:
    """The plan as a file, by the product's own command."""
    command = f"phasegate export {JOB} --output {shlex.quote(str(story.output))}"
    story.tell.type(command)
    story.tell.say(f"-> {await story.stage.type(command)}")
    lines = story.output.read_text(encoding="utf-8").splitlines()
    story.claim(any(SIGNATURE in line for line in lines), "the plan does not have what was learned")
    steps = [line.strip("# ") for line in lines if line.lower().startswith(("### step", "step"))]
    story.tell.say(f"{counted(len(lines), 'line')} for whoever implements it; its steps:")
    story.tell.points(("-", step) for step in steps)


async def account(story: Story) -> None:
    """Everything that happened and everything that was refused."""
    entries = await story.client.ledger(JOB)
    story.ledger = len(entries)
    story.claim([e.n for e in entries] == [*range(1, len(entries) + 1)], "the ledger has gaps")
    opened = [e.what.split()[1] for e in entries if e.kind is EntryKind.GATE and e.what.endswith(" opened")]
    story.claim(tuple(opened) == GATES, f"the gates that were opened are {', '.join(opened)}")
    closed = (await story.client.record(JOB)).gates_closed
    outcomes = {"contracts-1": "revised", _OVERTAKEN: "overtaken"}
    for gate in GATES:
        wanted = outcomes.get(gate, f"approved by {story.by}")
        story.claim(closed.get(gate, "").startswith(wanted), f"{gate} ended as {closed.get(gate, 'open')}")
    story.tell.type(f"phasegate ledger {JOB}")
    story.tell.lines(ledger_lines(entries))
