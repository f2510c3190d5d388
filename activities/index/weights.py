"""Every weight of the ranking, with its reason. `python -m benchmarks.finding.fit` shows how they do.

A file's score is the sum of its signals times these weights. A signal lies between 0 and 1, and 1 is the best
file of the query; a signal that does not apply is 0. Nothing here depends on a repository or a language.
"""

from enum import StrEnum

from activities.index.records import Role


class Signal(StrEnum):
    """What can speak for a file."""

    WORDS = "words"
    PATH = "path"
    PASSAGE = "passage"
    NAMED_PATH = "named path"
    QUOTED = "quoted"
    PROSE = "prose"
    USES = "uses"
    FENCED = "fenced"
    PLAIN = "plain"
    CHANGED = "changed"
    TOGETHER = "together"
    TESTED = "tested"


WEIGHT = {
    Signal.WORDS: 4.5,  # BM25 over the whole file: the best single signal, on every repository
    Signal.PATH: 2.5,  # names of files and folders are chosen to say what is inside
    Signal.PASSAGE: 3.0,  # BM25 over the closest symbol: a large file is not about all that it holds
    Signal.NAMED_PATH: 13.0,  # who writes a path means it: as much as all words together
    Signal.QUOTED: 5.0,  # a definition in backticks: almost always what changes, or what it rests on
    Signal.PROSE: 3.0,  # a definition that prose names; prose also names what others do
    Signal.USES: 1.0,  # few files use a name that the task gives: they will notice
    Signal.FENCED: 0.6,  # examples show how it is called, from outside
    Signal.PLAIN: 3.5,  # an everyday word of a short task or the headline that is exactly a name
    Signal.CHANGED: 1.2,  # what changed often changes again; only as far as words speak for the file
    Signal.TOGETHER: 1.0,  # what changes with the hits has to change with them now
    Signal.TESTED: 0.7,  # tests say in plain words what the code does
}

ROLE = {
    Role.SOURCE: 1.0,
    Role.TEST: 0.4,
    Role.DOCS: 0.35,
    Role.EXAMPLE: 0.35,
    Role.CONFIG: 0.4,
    Role.GENERATED: 0.05,
}
"""what is changed is mostly source; the rest speaks of it in the same words"""
TITLE = 1.0
"""a word of the headline counts once more: it says what, the body also why and around what"""
CODE = 0.5
"""a word of a code block counts half: examples are full of names that are not the subject"""
