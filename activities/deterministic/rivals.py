"""Groups of symbols or files that fit a task about equally well."""

import re
from collections import Counter

from activities.deterministic.asked import Asked
from activities.deterministic.candidates import Rivals
from activities.deterministic.families import called_module, families, modules
from activities.deterministic.meanings import meant_by_phrase
from activities.deterministic.namesakes import namesakes
from activities.deterministic.relevance import Relevant
from activities.index.mentions import paths_named, symbols_named
from activities.index.model import Index
from activities.index.naming import named_in
from activities.index.records import Role, SymbolKind


def find_rivals(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
    """Names with several definitions; besides them the first that there are of modules called so, phrases,
    kinds of classes, and files of one name. A settled group is left out."""
    groups = namesakes(index, asked, relevant)
    alike = modules(index, asked, relevant)
    named = [group for group in alike if called_module(asked, group.symbols[0].name)]
    if named and not named_in(asked.headline).paths:
        groups += named
    elif not _pointed(index, asked):
        by_phrase, clear = meant_by_phrase(index, asked, relevant)
        groups += by_phrase or ([] if clear else families(index, asked, relevant) or alike)
    return [group for group in groups if not _settled(group, asked)]


def _pointed(index: Index, asked: Asked) -> bool:
    """Whether the task says where: its headline by a source file, a class or a function that exists, a short
    task anywhere by such a name in backticks."""
    named = named_in(asked.headline)
    if any(index.files[p].role is Role.SOURCE for name in named.paths for p in paths_named(index, name)):
        return True
    if any(_exists(index, name) for name in (*named.symbols, *named_in(asked.spotlight).quoted)):
        return True
    proper = re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", asked.headline)
    return any(s.kind.container and s.name == word for word in proper for s in index.find(word))


def _exists(index: Index, name: str) -> bool:
    return any(
        index.files[s.path].role is Role.SOURCE and (s.kind.callable or s.kind.container)
        for s in symbols_named(index, name)
    )


def _settled(group: Rivals, asked: Asked) -> bool:
    """Whether people named one of the candidates since, or said that all are meant."""
    whole = f"{asked.task}\n{asked.settling}"
    noun = re.escape(group.noun.split()[-1])
    everything = re.compile(
        rf"\b(?:both|all|every|each)\s+(?:of\s+)?(?:(?!of\b|to\b|in\b|from\b)[\w-]+\s+){{0,3}}`?{noun}", re.I
    )
    if everything.search(whole) or all(f"`{label}`" in asked.answered for label in group.labels):
        return True
    said = asked.settling if group.kind == "name" else whole
    return any(re.search(rf"(?<![\w./]){re.escape(name)}(?!\w)", said, re.I) for name in _telling(group))


def _telling(group: Rivals) -> set[str]:
    """What names one candidate and no other: paths, and names that neither others have nor the noun is."""
    names = Counter(
        name for s in group.symbols for name in {s.qualified, s.name} if s.kind is not SymbolKind.MODULE
    )
    once = {name for name, number in names.items() if number == 1 and name.lower() not in group.noun.split()}
    return once | {s.path for s in group.symbols}
