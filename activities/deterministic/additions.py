"""New names of the task, each with the file it most likely belongs to."""

from dataclasses import dataclass

from activities.deterministic.focus import Focus
from activities.deterministic.names import files_named, lookup, symbols_named
from activities.deterministic.novelty import given_signatures, new_symbols
from activities.deterministic.voice import Voice
from activities.deterministic.wording import prose
from activities.index.model import Index
from activities.index.records import Role
from states.words import Operation


@dataclass(frozen=True)
class Addition:
    """A name to add. `path` is blank when nothing says where; `certain` is whether the text says it."""

    name: str
    kind: str
    sentence: str
    signature: str
    path: str
    certain: bool


def additions(voice: Voice, index: Index, aim: Focus) -> tuple[Addition, ...]:
    """What the text wants added, in its order."""
    texts = (voice.task, *voice.requirements, *voice.known, *voice.feedback)
    given = given_signatures(tuple(prose(t) for t in texts))
    found = []
    owners = frozenset(part for path in index.paths for part in path.rpartition(".")[0].split("/"))
    for new in new_symbols(texts, index.symbol_names, owners):
        path, certain = _place(new.name, new.sentence, index, aim)
        last = new.name.rpartition(".")[2]
        signature = given.get(new.name) or given.get(last, "")
        found.append(Addition(new.name, new.kind, new.sentence, signature, path, certain))
    return tuple(found)


def _place(name: str, sentence: str, index: Index, aim: Focus) -> tuple[str, bool]:
    """Its class's file, a file that its sentence names or whose symbols it names, else the first target."""
    owner = name.rpartition(".")[0]
    classes = [s for s in lookup(index, owner) if s.kind.container] if owner else []
    if len(classes) == 1:
        return classes[0].path, True
    allowed = {t.path for t in aim.targets if t.operation is not Operation.DELETE}
    created = [t.path for t in aim.targets if t.operation is Operation.CREATE and t.path in sentence]
    named = [p for p in files_named(index, sentence) if p in allowed and index.files[p].role is Role.SOURCE]
    if created or named:
        return (created or named)[0], True
    near = [s.path for s in symbols_named(index, sentence) if s.path in allowed]
    first = [t.path for t in aim.targets if t.path in allowed and _holds_code(index, t.path)]
    return next(iter([*near, *first]), ""), False


def _holds_code(index: Index, path: str) -> bool:
    return path not in index.files or index.files[path].code
