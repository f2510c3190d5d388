"""Lists: jobs, artifacts, the ledger, metrics, the doctor's findings."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from phasegate.screen.job import duration
from phasegate.screen.tame import tame_line
from states.ledger import EntryKind, LedgerEntry
from states.record import ArtifactRef
from states.words import ArtifactStatus, Awaiting, Mode

if TYPE_CHECKING:
    from phasegate.job_lines import JobLine

NARROW = 70
"""columns below which a row becomes two lines"""
_KINDS = {
    EntryKind.REFUSED: "red",
    EntryKind.FAILURE: "red",
    EntryKind.GATE: "yellow",
    EntryKind.MESSAGE: "cyan",
    EntryKind.ACT: "green",
}


def jobs_table(lines: "list[JobLine]", width: int) -> tuple[RenderableType, ...]:
    """One row a job; two lines each where the screen is narrow."""
    rows = [
        (
            line.job,
            _state_words(line),
            "" if line.awaiting == Awaiting.NONE.value else line.awaiting,
            duration(line.started) if line.started else "",
            tame_line(line.title, 80),
        )
        for line in lines
    ]
    if width < NARROW:
        return tuple(
            part
            for job, state, waits, age, title in rows
            for part in (
                Text(job, "bold"),
                Text("  " + ", ".join(word for word in (state, waits, age) if word)),
                Text(f"  {title}", "dim"),
            )
        )
    table = _table("job", "state", "waits for", "age", "title")
    for row in rows:
        table.add_row(*row)
    return (table,)


def _state_words(line: "JobLine") -> str:
    """`verified, Act`: the mode where the state alone does not tell."""
    if line.open and line.mode in (Mode.ACT, Mode.PAUSED):
        return f"{line.state}, {line.mode}"
    return line.state if line.open or line.state in ("verified", "cancelled") else f"{line.state}, ended"


def artifacts_table(refs: Iterable[ArtifactRef], width: int) -> tuple[RenderableType, ...]:
    """Every version of every artifact."""
    rows = [
        (
            ref.phase.name,
            f"v{ref.version}",
            ref.status.value,
            ref.digest[:12],
            tame_line(", ".join(ref.accepted_by) or "-"),
            tame_line(f"{ref.summary} ({ref.made_by})", 100),
        )
        for ref in refs
    ]
    if width < NARROW:
        return tuple(
            part
            for phase, version, status, digest, by, summary in rows
            for part in (
                Text(f"{phase} {version} {status}", "bold" if status == ArtifactStatus.CURRENT else "dim"),
                Text(f"  {digest} {by}"),
                Text(f"  {summary}", "dim"),
            )
        )
    table = _table("phase", "version", "status", "digest", "accepted by", "what")
    for row in rows:
        table.add_row(*row, style="" if row[2] == ArtifactStatus.CURRENT else "dim")
    return (table,)


def ledger_lines(entries: Iterable[LedgerEntry]) -> Iterator[Text]:
    """One line an entry."""
    for entry in entries:
        yield ledger_line(entry)


def ledger_line(entry: LedgerEntry) -> Text:
    """`  12  10:41:07  gate  gate contracts-1 opened  3f2a...  by phasegate: why`"""
    at = entry.at.astimezone().strftime("%m-%d %H:%M:%S")
    line = Text.assemble(
        (f"{entry.n:>4}  {at}  ", "dim"),
        (f"{entry.kind.value:<10}  ", _KINDS.get(entry.kind, "")),
        tame_line(entry.what),
    )
    if entry.digest:
        line.append(f"  {entry.digest[:12]}", "dim")
    if entry.who not in ("phasegate", "message"):
        line.append(f"  by {tame_line(entry.who)}", "dim")
    if entry.why:
        line.append(f"  {tame_line(entry.why)}", "dim")
    return line


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, overflow="fold")
    return table
