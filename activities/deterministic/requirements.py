"""Splitting a task into what it asks for, each in one sentence, and what it forbids."""

import re
from dataclasses import dataclass, field

from activities.deterministic.wording import normal, prose, sentences

MOST = 50
LONGEST = 400
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*]+?):?\*\*:?)\s*$")
# `Title: x`, `**Title**: x`, `**Title:** x`: without either, `title` is a word of the task, or begins one.
_NAMES = r"(?:title|feature|task|summary|goal)"
_TITLE = re.compile(rf"^\s*(?:{_NAMES}\s*:|\*\*\s*{_NAMES}\s*(?::\s*\*\*|\*\*\s*:?))\s*(?P<t>\S.*)$", re.I)
_LABEL = re.compile(r"^\*\*([^*]{1,60}?)\*\*\s*:?\s*")
_SILENT = re.compile(
    r"background|benefit|motivation|context|current|today|why|example|usage|reference|see also|"
    r"files? (?:to )?modif",
    re.I,
)
_NOT_WANTED = re.compile(
    r"non.?goals?|out of scope|constraints?|not (?:included|in scope)|limitations?", re.I
)
_VERBS = (
    r"accept|add|adjust|align|allow|apply|avoid|build|bump|cache|calculate|change|check|clean|collect|"
    r"combine|compute|configure|convert|create|cover|cut|define|delete|deprecate|describe|detect|disable|"
    r"display|document|drop|emit|enable|enforce|ensure|enhance|exclude|expose|extend|extract|fail|fetch|"
    r"filter|fix|format|generate|give|group|guard|handle|hide|highlight|implement|improve|include|"
    r"increase|integrate|introduce|keep|let|limit|list|load|log|maintain|make|measure|merge|migrate|"
    r"modify|move|normalise|normalize|notify|offer|optimise|optimize|optionally|parse|pass|persist|port|"
    r"prevent|print|protect|provide|put|raise|read|rebuild|record|reduce|refactor|refuse|register|reject|"
    r"release|remove|rename|render|reorder|replace|report|require|reset|resolve|respect|retry|return|"
    r"reuse|revert|rewrite|round|run|save|send|serialise|serialize|set|show|simplify|skip|sort|split|"
    r"stop|store|strip|support|switch|test|throw|track|translate|treat|trim|turn|unify|update|upgrade|"
    r"use|validate|verify|warn|wrap|write"
)
_IMPERATIVE = re.compile(
    rf"^(?:please\s+|also\s+|then\s+|and\s+|we\s+(?:want|need)\s+to\s+)*(?:{_VERBS})\b", re.I
)
_MODAL = re.compile(
    r"\b(?:must|shall|should|needs? to|has to|have to|is to|are to|wants?|wanted|required?|we need|i need|"
    r"would like|(?:can|could|would) (?:you|we)|make sure)\b|^(?:this|the) (?:pr|pull request|feature|change|"
    r"enhancement|implementation|patch|task) (?:adds?|introduces|enables|implements|provides|extends)\b",
    re.I,
)
_FORBIDS = re.compile(
    r"^(?:do not|don't|never|no\s|without|avoid\b|not\b)|\b(?:must not|should not|shouldn't|mustn't|may not|"
    r"shall not|do not|don't|never|no new (?:dependenc\w+|packages?)|out of scope)\b",
    re.I,
)
_KEEPS = re.compile(
    r"\b(?:backwards?[- ]compatib\w+|"
    r"(?:stays?|remains?|keeps?|kept|leave|left) (?:\S+ ){0,4}"
    r"(?:unchanged|as is|as it is|alone|compatible))\b",
    re.I,
)
_RULE = re.compile(
    r"^(?:every|each|all|any|only|if|when|whenever|once|after|before|new|invalid|unknown|missing|expired|"
    r"otherwise|by default|the default)\b",
    re.I,
)
_TODAY = re.compile(
    r"\b(?:current(?:ly)?|today|right now|at the moment|at present|often|sometimes|because)\b", re.I
)
_BRINGS = re.compile(r"\b(?:adds?|introduces?|provides?|enhances?|implements?)\b", re.I)


@dataclass
class Split:
    """What a text asks for, what it forbids, and how many requests beyond the limit were left in the text."""

    requirements: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    left: int = 0


def asks(sentence: str) -> bool:
    """Whether a sentence wants something done: an imperative, or a word such as must, should, need."""
    text = _LABEL.sub("", sentence.strip())
    return bool(_IMPERATIVE.match(text) or _MODAL.search(text))


def forbids(sentence: str) -> bool:
    """Whether a sentence limits how things may be done."""
    text = sentence.strip()
    return bool(_FORBIDS.search(text) or (_KEEPS.search(text) and not _BRINGS.search(text)))


def tidy(text: str) -> str:
    """One requirement in one line, without markdown emphasis, cut where nobody would read on."""
    line = re.sub(r"\*\*([^*]+)\*\*", r"\1", " ".join(text.split())).strip().strip("*").strip()
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def unique(texts: list[str]) -> list[str]:
    """Texts without repetitions in other spellings, first one first."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(normal(text) or text, text)
    return list(first.values())


@dataclass
class _Block:
    text: str
    bullet: bool
    section: str


def _blocks(text: str) -> tuple[str, list[_Block]]:
    """The title, and paragraphs and list items with the heading they stand under."""
    title, section, blocks = "", "", []
    current: _Block | None = None
    for line in prose(text).splitlines():
        bullet, heading, stated = _BULLET.match(line), _HEADING.match(line), _TITLE.match(line)
        if stated and not title and not bullet:
            title, current = tidy(stated["t"]), None
        elif heading:
            section, current = (heading[1] or heading[2]).strip(), None
            title = title or (tidy(section) if line.lstrip().startswith("#") else "")
        elif bullet:
            current = _Block(bullet[2], True, section)
            blocks.append(current)
        elif not line.strip():
            current = None
        elif current is not None:
            current.text += " " + line.strip()
        else:
            current = _Block(line.strip(), False, section)
            blocks.append(current)
    return title, blocks


def split(text: str) -> Split:
    """Split a task. List items ask, unless their heading says otherwise or they only introduce the next ones;
    of other text sentences that ask do, and after them sentences that give a rule (`Every request ...`).
    What asks for nothing is one requirement: its beginning."""
    title, blocks = _blocks(text)
    wanted = [title] if title and asks(title) else []
    limits: list[str] = []
    lead = ""
    for at, block in enumerate(blocks):
        if block.text.rstrip().rstrip("*").endswith(":") and at + 1 < len(blocks):
            lead = tidy(block.text) if len(block.text) <= 120 else ""
        elif not _SILENT.search(block.section):
            _sort(block, lead, wanted, limits)
    if not wanted:
        first = next((s for b in blocks for s in sentences(b.text)), text.strip())
        wanted = [title or tidy(first)]
    wanted = [w for w in unique(wanted) if len(normal(w)) > 2] or [tidy(text)]
    return Split(wanted[:MOST], unique([c for c in limits if c]), max(0, len(wanted) - MOST))


def _sort(block: _Block, lead: str, wanted: list[str], limits: list[str]) -> None:
    """Put what a block says where it belongs. A few words in a list need what introduces them."""
    whole = block.bullet and len(block.text) <= LONGEST
    for piece in (block.text,) if whole else sentences(block.text):
        if forbids(piece) or _NOT_WANTED.search(block.section):
            limits.append(tidy(piece))
        elif block.bullet and lead and len(piece.split()) < 6 and not asks(piece):
            wanted.append(tidy(f"{lead} {piece}"))
        elif block.bullet or asks(piece) or (wanted and _RULE.match(piece) and not _TODAY.search(piece)):
            wanted.append(tidy(piece))
