"""The design's phase table written out a second time, in plain words, to compare the real one with."""

from states.guards import Facts
from states.words import State, Trigger

# trigger | from | to | what must hold (`!` = must not). {p} is a phase, {next} the one after it.
_EVERY_PHASE = """
submit          | {p}                       | {p}_awaiting_ai_review    | artifact_ready
ai_approve      | {p}_awaiting_ai_review    | {p}_awaiting_human_review | gate
escalate        | {p}_awaiting_ai_review    | {p}_awaiting_human_review | revisions_used_up
edit            | {p}_awaiting_human_review | {p}_awaiting_ai_review    | edit_valid
revise_technical| {p}_awaiting_ai_review    | {p}                       | !revisions_used_up
revise_technical| {p}_awaiting_human_review | {p}                       | !revisions_used_up
"""
_ONWARD = """
ai_approve      | {p}_awaiting_ai_review    | {next} | !gate
human_approve   | {p}_awaiting_human_review | {next} | decisions_enough
"""
_AFTER_CLARIFICATION = """
ai_approve    | clarification_awaiting_ai_review    | contracts           | !gate !simple_task
ai_approve    | clarification_awaiting_ai_review    | implementation_plan | !gate simple_task
human_approve | clarification_awaiting_human_review | contracts           | decisions_enough !simple_task
human_approve | clarification_awaiting_human_review | implementation_plan | decisions_enough simple_task
"""
_REVISE = """
revise_{kind} | {p}_awaiting_ai_review    | {target} | !revisions_used_up
revise_{kind} | {p}_awaiting_human_review | {target} | !revisions_used_up
"""
_RESTART = "restart_from_{p} | {state} | {p} | foundation_kept !restarts_used_up"

PHASES = ("discovery", "clarification", "contracts", "implementation_plan", "validation")
ACTIVE = tuple(
    f"{p}{stage}" for p in PHASES for stage in ("", "_awaiting_ai_review", "_awaiting_human_review")
)

Move = tuple[str, dict[str, bool]]
Model = dict[tuple[str, str], list[Move]]


def _text() -> str:
    lines = [_AFTER_CLARIFICATION]
    for p, after in zip(PHASES, (*PHASES[1:], "verified"), strict=True):
        lines.append(_EVERY_PHASE.format(p=p))
        if p != "clarification":
            lines.append(_ONWARD.format(p=p, next=after))
        if p != "discovery":
            lines.append(_REVISE.format(p=p, kind="requirement", target="clarification"))
        if p not in ("discovery", "clarification"):
            lines.append(_REVISE.format(p=p, kind="contract", target="contracts"))
        lines += [_RESTART.format(p=p, state=state) for state in (*ACTIVE, "verified")]
    lines += [f"cancel | {state} | cancelled | " for state in ACTIVE]
    lines.append("cancel | verified | cancelled | kept_open")
    return "\n".join(lines)


def plain_model() -> Model:
    """(state, trigger) -> the moves that may follow, each with the facts that it needs."""
    model: Model = {}
    for line in _text().splitlines():
        if not line.strip():
            continue
        trigger, source, dest, needs = (part.strip() for part in line.split("|"))
        wanted = {word.lstrip("!"): not word.startswith("!") for word in needs.split()}
        model.setdefault((source, trigger), []).append((dest, wanted))
    return model


def plain_facts(facts: Facts) -> dict[str, bool]:
    """The facts as the model's words; `gate` is what the design calls: a human gate applies, unwaived."""
    return {**vars(facts), "gate": facts.gate_applies and not facts.gate_waived}


def where(model: Model, state: State, trigger: Trigger, facts: Facts) -> State | None:
    """Where the model goes; None when it stays."""
    known = plain_facts(facts)
    for dest, wanted in model.get((state.value, trigger.value), []):
        if all(known[word] is value for word, value in wanted.items()):
            return State(dest)
    return None
