"""Where commands write: stdout for what was asked for, stderr for everything else."""

import json
import sys
from typing import Any, TextIO

from rich.console import Console, RenderableType
from rich.text import Text

WIDE = 1_000
"""columns where nobody looks: lines for programs and files are never wrapped"""


def console_on(stream: TextIO) -> Console:
    """A console that prints text as it is: no markup, no emoji names, no guessed colours."""
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def show(console: Console, *parts: RenderableType) -> None:
    """Print each part. A `str` is a document and goes out as it is; words are wrapped on terminals only."""
    for part in parts:
        if isinstance(part, str):
            console.file.write(f"{part}\n")
        else:
            whole = isinstance(part, Text) and (part.no_wrap is True or not console.is_terminal)
            console.print(part, soft_wrap=whole)


def whole(text: str, style: str = "") -> Text:
    """A line that stays one line, such as a command: the terminal may fold it, copying gives it whole."""
    return Text(text, style, no_wrap=True)


def write_json(data: Any, lines: bool = False) -> None:
    """One JSON object on stdout, nothing else. `lines` keeps it on one line."""
    # on a terminal everything outside ASCII is escaped: raw text of repositories could steer it
    terminal = sys.stdout.isatty()
    text = json.dumps(data, ensure_ascii=terminal, indent=None if lines else 2)
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
