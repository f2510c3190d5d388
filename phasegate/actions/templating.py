"""`templates`: what there is, and what each one asks for."""

from collections.abc import Iterator

from rich.text import Text

from phasegate.plan_templates import Template, read_template, shipped
from phasegate.screen.tame import tame_line
from phasegate.session import Outcome, Session


async def list_templates(session: Session) -> Outcome:  # noqa: ARG001 (every action takes one)
    """Those that come with phasegate."""
    found = shipped()
    parts = [part for template in found for part in _told(template)]
    hint = Text("use one with: phasegate plan --template NAME --param NAME=VALUE", "dim")
    return Outcome({"templates": [_data(template) for template in found]}, (*parts, hint))


async def show_template(session: Session, name: str) -> Outcome:  # noqa: ARG001 (every action takes one)
    """One of them, with its steps before the blanks are filled in."""
    template = read_template(name)
    plan = template.option.get("plan", template.option)
    steps = plan.get("steps", []) if isinstance(plan, dict) else []
    lines = [
        Text(f"  {number}. [{tame_line(step.get('type', ''))}] {tame_line(step.get('title', ''))}")
        for number, step in enumerate(steps, 1)
        if isinstance(step, dict)
    ]
    return Outcome({**_data(template), "option": template.option}, (*_told(template), *lines))


def _told(template: Template) -> Iterator[Text]:
    yield Text.assemble((tame_line(template.name), "bold"), f"  {tame_line(template.about)}")
    for name, parameter in template.parameters.items():
        usual = f" [{tame_line(parameter.default)}]" if parameter.default else ""
        yield Text(f"    {tame_line(name)}{usual}: {tame_line(parameter.about)}", "dim")


def _data(template: Template) -> dict[str, object]:
    return template.model_dump(mode="json", exclude={"option"})
