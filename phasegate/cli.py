"""The command line. Imports nothing but typer and names, so that `--help` answers at once."""

import os
import sys
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from phasegate.commands import (
    acting,
    benching,
    caring,
    choosing,
    controlling,
    deciding,
    looking,
    reading,
    starting,
)
from phasegate.problems import Exit

app = typer.Typer(
    name="phasegate",
    help="A durable planning engine for coding agents: gated phases, bound approvals, cheap restarts.",
    epilog='Begin with `phasegate dev`, then in another terminal `phasegate plan --repo PATH "the task"`.',
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (starting, looking, deciding, choosing, acting, controlling, reading, caring):
    app.add_typer(commands.group)
app.add_typer(benching.group, name="cooperbench")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"phasegate {version('phasegate')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command that was typed."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal that cannot show a character gets a question mark, not a traceback
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    leave(code_of(sys.argv[1:]))


def code_of(words: list[str]) -> int:
    """Run a command; gives its exit code."""
    as_json = "--json" in words
    try:
        code = app(words, prog_name="phasegate", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:
        if hasattr(error, "format_message"):
            return _misused(error, as_json)
        from phasegate.failures import failed

        return failed(error, as_json)
    return int(code or Exit.DONE)


def leave(code: int) -> NoReturn:
    """End the process at once.

    Python's orderly end crashes in one of 25 short runs when Temporal's native threads are still there.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            # whoever read our output has gone
            code = code or Exit.ERROR
    os._exit(code)


def _misused(error: BaseException, as_json: bool) -> int:
    """Words that make no command. The parser's exceptions are known by their methods: typer moves classes."""
    code = int(getattr(error, "exit_code", Exit.USAGE))
    if type(error).__name__ == "NoArgsIsHelpError":
        with suppress(BrokenPipeError):  # whoever read it has seen enough
            print(error.format_message(), flush=True)  # type: ignore[attr-defined]
        return code
    from phasegate.failures import tell

    context = getattr(error, "ctx", None)
    hint = f"; see `{context.command_path} --help`" if context else ""
    sentence = _in_plain_words(error).rstrip(".")
    if sentence.endswith("?"):
        # `No such command 'lst'. Did you mean 'list'?`
        hint = f" {hint[2:3].upper()}{hint[3:]}." if hint else ""
    tell(f"{sentence[:1].lower()}{sentence[1:]}{hint}", code, "WrongUse", as_json)
    return code


def _in_plain_words(error: BaseException) -> str:
    """What the parser says; where that is a library's finding about a value, in our words for it."""
    sentence = str(error.format_message())  # type: ignore[attr-defined]
    wrong = error.__cause__
    if type(wrong).__name__ != "ValidationError":
        return sentence
    from states.wrong_input import rule_of

    found = wrong.errors()[0]  # type: ignore[union-attr]
    rule, word = rule_of(found, given=False), repr(found["input"])[:60]
    return sentence.replace(
        str(getattr(error, "message", "")), rule if word in rule else f"{rule}, not {word}"
    )


if __name__ == "__main__":
    main()
