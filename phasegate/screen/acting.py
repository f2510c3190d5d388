"""An execution as text: its steps, how far it is, what it changed, and what an operator is asked."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from phasegate.executions import ExecutionView, LiveStep
from phasegate.screen.consoles import whole
from phasegate.screen.models import pair
from phasegate.screen.tame import tame, tame_line
from states.act import ActEnd, ActNote, ActOutcome, StepLine
from states.amounts import counted, metric_words, seconds_words
from states.execution import ExecutionStatus, Progress, StepStatus
from states.record import Gate

NARROW = 70
"""columns below which a bar has a line of its own"""
TABLE = 90
"""columns below which a step takes several lines"""
TAIL_LINES = 8
"""lines of what a running step printed that are shown"""
FAILED_LINES = 25
"""lines of what a failed step printed that are shown"""
_BAR = 20
_STRANGE = 8
_LOOKS = {
    StepStatus.PENDING: ("·", "dim"),
    StepStatus.IN_PROGRESS: ("▸", "cyan"),
    StepStatus.WAITING: ("?", "yellow"),
    StepStatus.COMPLETED: ("✓", "green"),
    StepStatus.FAILED: ("✗", "red"),
    StepStatus.SKIPPED: ("-", "dim"),
}
Commands = Sequence[tuple[str, str]]
"""what a command does, and the command"""


def act_lines(
    execution: ExecutionView, outputs: Mapping[str, str], home: Commands, bar: bool = True
) -> Iterator[RenderableType]:
    """All about an execution. `outputs`: failed step -> what it printed; `home`: ways to take it over."""
    act, last = execution.act, execution.act.last
    yield pair("execution", tame_line(f"{act.id}, {state_words(act)}"))
    yield pair("option", tame_line(f"{act.option}, carried out for {act.by}"))
    yield pair("branch", tame_line(act.branch))
    if last.progress:
        yield ProgressBar(last.progress.model_copy(update={"status": act.status}), bar)
    yield Steps(last.steps)
    for live in execution.now:
        yield from tail_lines(live.step, live.tail)
    for line in last.steps:
        if line.status == StepStatus.FAILED:
            yield from tail_lines(line.id, outputs.get(line.id, ""), FAILED_LINES)
    yield from _result(last, running=act.running)
    if home:
        yield Text()
        yield Text("take it over", "bold")
        for what, command in home:
            yield Text(f"  {what}", "dim")
            yield whole(f"    {tame(command)}")
    yield Text()


def _result(last: ActOutcome, *, running: bool) -> Iterator[RenderableType]:
    if words := metric_words(last.metrics):
        yield pair("so far", words)
    for line in () if running else last.diffstat.splitlines():
        yield whole(f"  {tame(line)}", "dim")
    if last.path:
        yield whole(f"{'worktree':<12}{tame(last.path)}")
    if last.sandbox:
        yield pair("commands", f"confined by {tame_line(last.sandbox)}")
    elif last.path and last.metrics.commands_executed:
        # Without a worktree nothing is known of the machine, so nothing is said of it.
        yield pair("commands", "not confined")
    for note in last.notes:
        yield Text(f"  {tame_line(note)}", "yellow")


def state_words(act: ActNote) -> str:
    """`running`, `rolled back to the start`, `paused`, ..."""
    if act.undo:
        return "is being rolled back"
    if act.status is not ExecutionStatus.PAUSED or act.running:
        return act.status
    if act.last.end is ActEnd.WAITING:
        return "waiting for a person"
    return f"{act.status}: {act.last.why}" if act.last.why else act.status


def tail_lines(step: str, printed: str, most: int = TAIL_LINES) -> Iterator[Text]:
    """The last lines of what a step printed."""
    lines = tame(printed).rstrip().splitlines()
    if lines:
        last = f"the last {most} of {len(lines)} lines" if len(lines) > most else "all"
        yield Text(f"  {last} that step {tame_line(step, 40)} printed:", "dim")
    for line in lines[-most:]:
        yield whole(f"    {line.rstrip()}")


def progress_words(progress: Progress) -> str:
    """`2 of 5 steps, 1 failed; 12s so far, about 18s left`"""
    counts = [f"{progress.completed_steps} of {counted(progress.total_steps, 'step')}"]
    counts += [f"{progress.failed_steps} failed"] if progress.failed_steps else []
    counts += [f"{progress.skipped_steps} skipped"] if progress.skipped_steps else []
    words = f"{', '.join(counts)}; {seconds_words(progress.elapsed)}"
    if progress.status is not ExecutionStatus.RUNNING or progress.remaining == 0:
        return words
    left = "unknown" if progress.remaining is None else f"about {seconds_words(progress.remaining)}"
    return f"{words} so far, {left} left"


def step_line(line: StepLine) -> Text:
    """`✓ 2  Fix the sign  1.2s`, with what went wrong."""
    mark, colour = _LOOKS[StepStatus(line.status)]
    words = f"{mark} {tame_line(line.id, 40)}  {tame_line(line.title, 100)}"
    time = f"  {seconds_words(line.seconds)}" if line.seconds is not None else ""
    why = _why(line)
    return Text(f"{words}  {line.status.replace('_', ' ')}{time}{f': {why}' if why else ''}", colour)


def _why(line: StepLine) -> str:
    """What went wrong, and what people have to know of how it went."""
    return "; ".join(tame_line(each) for each in (line.error or line.why, *line.notes) if each)


def live_text(execution: ExecutionView, width: int, bar: bool = True) -> Text:
    """What goes on now, for a place that is drawn again: progress, and what the running steps print."""
    progress = execution.act.last.progress
    lines = []
    if progress:
        words = progress_words(progress)
        lines += [f"{bar_of(progress)} {words}"] if bar and width >= NARROW else words.split("; ")
    lines += [each for live in execution.now for each in _live_lines(execution, live)]
    return Text("\n".join(_cut(line, max(width - 4, 20)) for line in lines))


def _cut(line: str, width: int) -> str:
    plain = tame(line).replace("\n", " ").expandtabs(4)
    return plain if cell_len(plain) <= width else f"{chop_cells(plain, width - 1)[0]}…"


def _live_lines(execution: ExecutionView, live: LiveStep) -> list[str]:
    line = execution.step(live.step)
    again = f", attempt {live.attempt}" if live.attempt > 1 else ""
    title = f"{live.step}  {line.title if line else ''}  {seconds_words(live.seconds)}{again}"
    shown = 1 if len(execution.now) > 1 else TAIL_LINES
    return [title, *(f"  {each}" for each in tame(live.tail).rstrip().splitlines()[-shown:])]


def bar_of(progress: Progress) -> str:
    """Twenty blocks; the share of steps that are settled is full."""
    settled = progress.completed_steps + progress.failed_steps + progress.skipped_steps
    full = round(_BAR * settled / progress.total_steps) if progress.total_steps else 0
    return "▰" * full + "▱" * (_BAR - full)


class ProgressBar:
    """How far an execution is; with a bar on terminals that are wide enough for one."""

    def __init__(self, progress: Progress, bar: bool) -> None:
        self._progress = progress
        self._bar = bar

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """One line."""
        words = progress_words(self._progress)
        bar = self._bar and console.is_terminal
        if bar and options.max_width < NARROW:
            yield pair("progress", bar_of(self._progress))
            yield Text(f"  {words}")
        else:
            yield pair("progress", f"{bar_of(self._progress)} {words}" if bar else words)


class Steps:
    """The steps of an execution: a table, or some lines each where the screen is narrow."""

    def __init__(self, steps: Sequence[StepLine]) -> None:
        self._steps = steps

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Nothing is cut."""
        if options.max_width < TABLE:
            for line in self._steps:
                yield step_line(line)
                yield Text(f"    {line.type}", "dim")
            return
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for head in ("", "step", "title", "type", "status", "time", "why"):
            table.add_column(head, overflow="fold", justify="right" if head == "time" else "left")
        for line in self._steps:
            mark, colour = _LOOKS[StepStatus(line.status)]
            time = seconds_words(line.seconds) if line.seconds is not None else ""
            again = f" ({line.attempts} tries)" if line.attempts > 1 else ""
            table.add_row(
                mark,
                tame_line(line.id),
                tame_line(line.title),
                line.type,
                f"{line.status.replace('_', ' ')}{again}",
                time,
                _why(line),
                style=colour,
            )
        yield table


class Exact:
    """A text of which nothing may be cut or hidden, such as a command that a person is to allow.

    `│` begins a line of the text, `┆` goes on with it. All but letters, signs, blanks and newlines is named,
    other blanks and line ends too: a shell takes them for parts of words.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Folded at any character: words would lose the blanks at the ends of lines."""
        width = max(options.max_width - 4, 8)
        for line in "".join(map(_seen, self.text)).split("\n"):
            for number, piece in enumerate(chop_cells(line, width) or [""]):
                yield Text(f"  {'┆' if number else '│'} {piece}", "bold", no_wrap=True, overflow="ignore")


def _seen(letter: str) -> str:
    unseen = letter not in " \n" and unicodedata.category(letter)[0] in "ZCM"
    return f"<U+{ord(letter):04X}>" if unseen else letter


def _strange_letters(command: str) -> Iterator[Text]:
    """Which letters of a command only look as if they were the ones of its tools, perhaps."""
    strange = [each for each in dict.fromkeys(command) if each > "\x7f" and _seen(each) == each]
    if strange:
        names = ", ".join(
            f"{each} {unicodedata.name(each, f'U+{ord(each):04X}')}" for each in strange[:_STRANGE]
        )
        more = f" and {len(strange) - _STRANGE} more" if len(strange) > _STRANGE else ""
        yield Text(f"  in it, beyond ASCII: {names}{more}", "yellow")


def operator_lines(gate: Gate) -> Iterator[RenderableType]:
    """What an operator gate asks, exactly, and why."""
    have = f", {len(gate.decisions)} of {gate.needed} approvals" if gate.needed > 1 else ""
    yield pair("gate", f"{gate.id} for step {tame_line(gate.step, 60)}, digest {gate.digest[:12]}{have}")
    for note in gate.notes:
        yield Text(f"  {tame_line(note)}", "yellow")
    yield Text("  what a person is to do:" if gate.by_hand else "  the exact command:", "dim")
    yield Exact(gate.asks)
    if not gate.by_hand:
        yield from _strange_letters(gate.asks)


def act_sentence(act: ActNote) -> Text:
    """Where an execution stands, in one sentence."""
    branch = tame_line(act.branch)
    match act.status:
        case ExecutionStatus.RUNNING:
            return Text(f"The plan is being carried out on branch {branch}.", "cyan")
        case ExecutionStatus.PAUSED:
            return Text(f"The execution on branch {branch} is paused.", "yellow")
        case ExecutionStatus.COMPLETED:
            return Text(f"The plan was carried out on branch {branch}.", "green")
        case ExecutionStatus.FAILED:
            return Text(f"Carrying the plan out on branch {branch} failed.", "red")
        case ExecutionStatus.CANCELLED:
            return Text(f"The execution on branch {branch} was cancelled.", "red")
        case status:
            assert_never(status)
