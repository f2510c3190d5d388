"""The questions of DISCOVERY: asked where more than one reading fits the task, and nowhere else."""

from itertools import count

from activities.deterministic.asked import Asked
from activities.deterministic.candidates import Rivals
from activities.deterministic.relevance import Relevant
from activities.deterministic.rivals import find_rivals
from activities.deterministic.unknown_names import UnknownName, unknown_names
from activities.deterministic.wording import cut
from activities.index.model import Index
from activities.index.records import Role, Symbol, SymbolKind, Use
from states.amounts import counted
from states.artifacts.discovery import Ambiguity, Candidate

MOST_QUESTIONS = 5
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
_EVERYTHING = {True: "both", False: "all of them"}
_SHOWN_USERS = 3
_NOWHERE = "Nothing in the repository matches"


def ambiguities(index: Index, asked: Asked, relevant: Relevant) -> tuple[Ambiguity, ...]:
    """At most five, by weight, with ids `q1`, `q2` and so on."""
    if not relevant.matched:
        questions = [_nowhere(index, asked, relevant)] if _NOWHERE not in asked.answered else []
    else:
        questions = [_which(index, asked, group) for group in find_rivals(index, asked, relevant)]
        questions += [
            _meant(index, unknown)
            for unknown in unknown_names(index, asked.task)
            if not _said(unknown, asked)
        ]
    return _numbered(questions[:MOST_QUESTIONS], dict(asked.ids))


def about_place(question: Ambiguity) -> bool:
    """Whether a question asks which of several places is meant, not what a name or a task means at all."""
    places = [c for c in question.candidates if c.path]
    everything = question.candidates[-1:] and question.candidates[-1].label in _EVERYTHING.values()
    return len(places) >= 2 and bool(everything)


def _numbered(questions: list[Ambiguity], known: dict[str, str]) -> tuple[Ambiguity, ...]:
    """A question keeps the id it had; a new one never takes the id of another: answers are kept by id."""
    free = (name for number in count(1) if (name := f"q{number}") not in known.values())
    return tuple(q.model_copy(update={"id": known.get(q.question) or next(free)}) for q in questions)


def _said(unknown: UnknownName, asked: Asked) -> bool:
    """Whether people have since named what they meant, or repeated the name as something new."""
    return (
        any(label in asked.settling for label, _ in unknown.close)
        or unknown.name in asked.settling + asked.answered
    )


def _which(index: Index, asked: Asked, group: Rivals) -> Ambiguity:
    users = [_users(index, symbol) for symbol in group.symbols]
    labels = group.labels
    everything = _EVERYTHING[len(labels) == 2]
    listing = " and ".join([", ".join(f"`{x}`" for x in labels[:-1]), f"`{labels[-1]}`"])
    total = len(labels) + group.more
    count = _NUMBERS.get(total, str(total))
    if group.more:
        listing = (
            f"{', '.join(f'`{x}`' for x in labels)} and {_NUMBERS.get(group.more, str(group.more))} more"
        )
    if group.kind == "name":
        opening = f"`{group.noun}` is defined in {count} places, {listing}."
    elif group.kind == "phrase":
        opening = f'{count.capitalize()} places fit "{group.noun}" about equally: {listing}.'
    else:
        opening = (
            f"I found {count} {_plural(group.noun)}: {listing}. The task does not say which one it means."
        )
    rows = [
        f"{number}. {_portrait(symbol, label)}\n   {_usage(found)}"
        for number, (symbol, label, found) in enumerate(zip(group.symbols, labels, users, strict=True), 1)
    ]
    spoken = cut(asked.headline.split("\n", 1)[0], 160)
    return Ambiguity(
        id="q",
        question=f"{opening} Which should I focus on, or do you want {everything} changed?",
        context="\n".join([*rows, f'The task says: "{spoken}"']),
        impact_if_wrong=(
            f"The plan would change `{labels[0]}` ({_usage(users[0], short=True)}) while `{labels[1]}` "
            f"({_usage(users[1], short=True)}) keeps today's behaviour, or the other way round."
        ),
        candidates=(
            *(
                Candidate(label=label, path=symbol.path, summary=_summary(symbol, found))
                for symbol, label, found in zip(group.symbols, labels, users, strict=True)
            ),
            Candidate(label=everything, summary="change each of them the same way"),
        ),
        recommended=labels[0],
    )


def _plural(noun: str) -> str:
    return (
        noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
        if not noun.endswith("y")
        else noun[:-1] + "ies"
    )


def _portrait(symbol: Symbol, label: str) -> str:
    doc = f": {symbol.doc}" if symbol.doc else ""
    signature = "" if symbol.kind is SymbolKind.MODULE else f"\n   {symbol.signature}"
    place = symbol.path if symbol.kind is SymbolKind.MODULE else symbol.place
    return f"`{label}` ({place}){doc}{signature}"


def _users(index: Index, symbol: Symbol) -> tuple[Use, ...]:
    """Who uses a candidate, outside of its own file and of tests."""
    if symbol.kind is SymbolKind.MODULE:
        found = tuple(Use(path, 1) for path in index.importers(symbol.path))
    else:
        found = index.callers(symbol)
    return tuple(u for u in found if u.path != symbol.path and index.files[u.path].role is not Role.TEST)


def _usage(uses: tuple[Use, ...], short: bool = False) -> str:
    paths = list(dict.fromkeys(use.path for use in uses))
    if not paths:
        return "used by nothing else in the repository"
    shown = ", ".join(f"`{path}`" for path in paths[: 1 if short else _SHOWN_USERS])
    more = f" and {len(paths) - _SHOWN_USERS} more" if len(paths) > _SHOWN_USERS and not short else ""
    return f"used by {shown}{more}"


def _summary(symbol: Symbol, uses: tuple[Use, ...]) -> str:
    return "; ".join(filter(None, (symbol.doc.rstrip("."), _usage(uses, short=True))))


def _meant(index: Index, unknown: UnknownName) -> Ambiguity:
    what = "file" if unknown.path else "symbol"
    options = [
        Candidate(label=label, path=path, summary=_existing(index, label, path))
        for label, path in unknown.close
    ]
    new = Candidate(
        label=f"a new {what}", summary=f"`{unknown.name}` does not exist yet and is to be written"
    )
    opening = f"The task names the {what} `{unknown.name}`, which does not exist."
    if options:
        listing = " or ".join(f"`{c.label}`" for c in options)
        question = f"{opening} Do you mean {listing}, or a new {what}?"
    else:
        question = f"{opening} Is it a new {what}, or what do you mean?"
    rows = [
        f"{n}. `{c.label}` ({c.path}){': ' + c.summary if c.summary else ''}"
        for n, c in enumerate(options, 1)
    ]
    return Ambiguity(
        id="q",
        question=question,
        context="\n".join(rows or [f"No {what} of the repository has a similar name."]),
        impact_if_wrong=f"The plan would write a new {what} where one exists, or change the wrong one.",
        candidates=(*options, new),
        recommended=(options[0] if options else new).label,
    )


def _existing(index: Index, label: str, path: str) -> str:
    symbol = next((s for s in index.find(label) if s.path == path), None)
    return symbol.doc or symbol.signature if symbol else ""


def _nowhere(index: Index, asked: Asked, relevant: Relevant) -> Ambiguity:
    """Nothing matches: ask for the area, offering the largest ones and something new."""
    sizes: dict[str, int] = {}
    for entry in index.files.values():
        if entry.role is Role.SOURCE and entry.code and not entry.skipped:
            folder = entry.path.rpartition("/")[0]
            sizes[folder] = sizes.get(folder, 0) + 1
    folders = sorted((f for f in sizes if f), key=lambda f: (-sizes[f], f))[:3]
    options = [Candidate(label=f, path=f, summary=f"{counted(sizes[f], 'source file')}") for f in folders]
    new = Candidate(label="something new", summary="a new module; nothing that exists changes")
    spoken = cut(asked.headline.split("\n", 1)[0], 160) or "the task"
    read = counted(len(index.files), "file")
    nearest = ", ".join(f"`{path}`" for path in relevant.paths) or "no files at all"
    return Ambiguity(
        id="q",
        question=f'{_NOWHERE} "{spoken.rstrip("?.")}". Which part should change?',
        context=f"None of {read} speaks of the task. The repository's centre: {nearest}.",
        impact_if_wrong="The plan would be about code that has nothing to do with the task.",
        candidates=(new, *options),
        recommended=new.label,
    )
