"""Plan templates: an option with parameters, as YAML. What a parameter holds is data, in commands too."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from phasegate.problems import WrongUse
from states.artifacts.plan import PlanOption
from states.option_checks import option_problems
from states.plan_reading import BadPlan, read_option, strange_field
from states.wrong_input import told

SHIPPED = Path(__file__).parent / "templates"
MOST_BYTES = 200_000
LONGEST_VALUE = 2_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_PLACE = re.compile(r"\$\{(\w+)\}")


class Parameter(BaseModel):
    """A blank to fill in. `words`: in commands its value is several words instead of one."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    about: str = ""
    default: str | None = None
    words: bool = False


class Template(BaseModel):
    """One template file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    about: str
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    task: str = ""
    option: dict[str, Any]

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError(
                "must be 1 to 40 letters, digits, dots, underscores or dashes, such as my-template"
            )
        return name


@dataclass(frozen=True)
class Filled:
    """A template with its parameters. `task` is what it is for, blank where the template says nothing."""

    option: PlanOption
    task: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # the library has no types
    """Plain data without aliases: a few lines of them unfold to more than a memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Raises yaml.YAMLError for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not taken")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Raises yaml.YAMLError for a name that stands twice: one of the two would be lost."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"{key.value[:60]!r} stands twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def shipped() -> tuple[Template, ...]:
    """The templates that come with phasegate, by name."""
    return tuple(read_template(str(path)) for path in sorted(SHIPPED.glob("*.yaml")))


def read_template(name: str) -> Template:
    """A shipped template by name, or a file. Raises WrongUse."""
    inside = SHIPPED / f"{name}.yaml"
    path = inside if re.fullmatch(r"[\w.-]+", name) and inside.is_file() else Path(name).expanduser()
    data = read_yaml(path, f"there is no template {name!r}; `phasegate templates` lists them, or name a file")
    if not isinstance(data, dict):
        raise WrongUse(f"{name} holds no template: it must be an object with a name, about and an option")
    try:
        return Template.model_validate(data)
    except ValidationError as wrong:
        raise WrongUse(f"template {name}: {told(wrong, first=1)}") from None


def read_ready(name: str, by: str) -> Filled:
    """A plan that a person wrote, in a file of its own, in either form of plans. Raises WrongUse."""
    path = Path(name).expanduser()
    data = read_yaml(path, f"there is no file {name}")
    if not isinstance(data, dict):
        raise WrongUse(f"{name} holds no plan: it must be an object with a title and steps")
    if "option" in data:
        return fill(read_template(str(path)), {})
    id = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-.")[:40] or "plan"
    try:
        option = read_option({"id": id, **data}, source=f"person:{by}")
    except BadPlan as wrong:
        raise WrongUse(f"{name}: {wrong}") from None
    if strange := strange_field(data):
        raise WrongUse(f"{name}: {strange[:100]} is no field of a plan")
    if problems := option_problems(option, ()):
        raise WrongUse(f"{name}: {problems[0]}")
    plan = option.plan
    return Filled(option, "\n\n".join(text for text in (plan.title, plan.description) if text.strip()))


def read_yaml(path: Path, missing: str) -> Any:
    """The data of a YAML or JSON file. Raises WrongUse; `missing` is what to say where there is none."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise WrongUse(missing) from None
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise WrongUse(f"{path} has more than {MOST_BYTES:,} bytes")
    try:
        return yaml.load(raw, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise WrongUse(f"{path} is no YAML that is taken: {_why_no_yaml(error)}") from None


def read_parameters(words: tuple[str, ...]) -> dict[str, str]:
    """`name=value`, each name once. Raises WrongUse."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise WrongUse(f"--param takes NAME=VALUE, not {word[:60]!r}")
        if name.strip() in found:
            raise WrongUse(f"parameter {name.strip()} is given twice")
        found[name.strip()] = value
    return found


def fill(template: Template, given: Mapping[str, str]) -> Filled:
    """The template's option with every blank filled in, checked as any option. Raises WrongUse."""
    values = _values(template, given)
    try:
        body = _filled(template.option, lambda text: _plain(text, values, template), template, values)
        option = read_option(body, id=template.name, source=f"template:{template.name}")
    except BadPlan as wrong:
        raise WrongUse(f"template {template.name}: {wrong}") from None
    if strange := strange_field(template.option):
        raise WrongUse(f"template {template.name}: {strange[:100]} is no field of an option")
    if problems := option_problems(option, ()):
        raise WrongUse(f"template {template.name}: {problems[0]}")
    return Filled(option, _plain(template.task, values, template), values)


def _values(template: Template, given: Mapping[str, str]) -> dict[str, str]:
    known = ", ".join(template.parameters) or "none"
    for name, value in given.items():
        if name not in template.parameters:
            raise WrongUse(f"template {template.name} has no parameter {name[:60]!r}; it takes {known}")
        if not value.isprintable() or len(value) > LONGEST_VALUE:
            raise WrongUse(
                f"parameter {name} is one line of at most {LONGEST_VALUE:,} characters that can be printed"
            )
    found = {}
    for name, parameter in template.parameters.items():
        value = given.get(name, parameter.default or "")
        if not value.strip():
            raise WrongUse(
                f"template {template.name} needs --param {name}=...: {parameter.about or 'it has no default'}"
            )
        found[name] = value.strip()
    return found


def _filled(value: Any, plain: Callable[[str], str], template: Template, values: Mapping[str, str]) -> Any:
    match value:
        case dict():
            return {
                key: _command(each, template, values)
                if key == "command" and isinstance(each, str)
                else _filled(each, plain, template, values)
                for key, each in value.items()
            }
        case list():
            return [_filled(each, plain, template, values) for each in value]
        case str():
            return plain(value)
        case _:
            return value


def _plain(text: str, values: Mapping[str, str], template: Template) -> str:
    return _PLACE.sub(lambda found: _value(found[1], values, template), text)


def _command(text: str, template: Template, values: Mapping[str, str]) -> str:
    """Each value as one word of a shell, or as several where the parameter says so."""
    _check_quotes(text, template)

    def word(found: re.Match[str]) -> str:
        value = _value(found[1], values, template)
        if not template.parameters[found[1]].words:
            return shlex.quote(value)
        try:
            return shlex.join(shlex.split(value))
        except ValueError:
            raise WrongUse(f"the quotes of parameter {found[1]} do not match") from None

    return _PLACE.sub(word, text)


def _check_quotes(text: str, template: Template) -> None:
    """A quoted value within quotes would be unquoted again."""
    quote, before = "", ""
    for place, char in enumerate(text):
        if text.startswith("${", place) and (quote or before == "\\"):
            raise WrongUse(f"template {template.name}: a parameter stands within quotes in {text[:80]!r}")
        if char in "'\"" and before != "\\":
            quote = "" if quote == char else quote or char
        before = char


def _value(name: str, values: Mapping[str, str], template: Template) -> str:
    if name not in values:
        raise WrongUse(f"template {template.name} uses ${{{name}}}, which is none of its parameters")
    return values[name]


def _why_no_yaml(error: Exception) -> str:
    """What is wrong and in which line, as far as the library says so."""
    if isinstance(error, yaml.reader.ReaderError):
        if error.encoding != "unicode":
            return "it is not UTF-8 text"
        return f"it has the character U+{error.character:04X}, which YAML does not allow"
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    line = f" in line {mark.line + 1}" if mark else ""
    if problem and "'\\t'" in problem:
        return f"there is a tab{line}; indent with spaces"
    words = problem or (str(error).splitlines() or [type(error).__name__])[0]
    return f"{words[:200]}{line}"
