"""Identifiers of code with their lines, without a syntax tree: a walk over all of its leaves takes most of
the time of an index, and which words stand in comments and literals the tokens tell, too."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from activities.index.words import IDENTIFIER

# What is opened and never closed reaches to the end, as for compilers. A pattern that fails there instead
# begins anew at each opening, and a file of openings takes hours.
_LINES = r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
# So does a literal with an escape in it, to the end of its line: else a match would begin anew at each
# escaped quote. One without is left alone: it may be an apostrophe.
_DOUBLE = r'"[^"\\\n]*+(?:"|(?:\\.[^"\\\n]*+)++"?)'
_SINGLE = r"'[^'\\\n]*+(?:'|(?:\\.[^'\\\n]*+)++'?)"
_LONG_DOUBLE = r'"[^"\\]*+(?:"|(?:\\(?s:.)[^"\\]*+)++"?)'
_TICKED = r"`[^`\\]*+(?:`|(?:\\(?s:.)[^`\\]*+)++`?)"
_CHARACTER = r"'(?:\\[^'\n]{1,10}|[^\\'\n])'"
_WORD = re.compile(r"\n|\b[^\W\d]\w*")

_C = """auto break case const continue default do else enum extern for goto if inline register return signed
    sizeof static struct switch typedef union unsigned volatile while NULL void int char long short float
    double bool true false size_t ssize_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t
    uint32_t uint64_t"""
_SCRIPT = """await break case catch class const continue debugger default delete do else enum export extends
    finally for function if import in instanceof let new null return super switch this throw true false try
    typeof undefined var void while with yield"""


@dataclass(frozen=True)
class Lexis:
    """`silent` matches comments and literals; `opens` begins code inside of a literal, which `}` ends;
    `reserved` words are no identifiers anywhere in the language."""

    silent: re.Pattern[str]
    reserved: frozenset[str]
    opens: str = ""


def _lexis(silent: str, reserved: str, opens: str = "") -> Lexis:
    return Lexis(re.compile(silent), frozenset(reserved.split()), opens)


_JAVASCRIPT = _lexis(rf"{_LINES}|{_DOUBLE}|{_SINGLE}|{_TICKED}", _SCRIPT, "${")
_CPP = """catch class constexpr decltype delete explicit export false friend mutable namespace new noexcept
    nullptr operator private protected public static_cast template this throw try
    typename using virtual"""
LEXES = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": _lexis(
        rf"{_LINES}|{_DOUBLE}|`[^`]*`|{_CHARACTER}",
        """break case chan const continue default defer else fallthrough for func go goto if import interface
        map package range return select struct switch type var nil true false iota""",
    ),
    "rust": _lexis(
        rf'{_LINES}|\bb?r(#*)"(?s:.*?)(?:"\1|\Z)|{_LONG_DOUBLE}|{_CHARACTER}',
        """as async await break const continue crate dyn else enum extern false fn for if impl in let loop
        match mod move mut pub ref return self static struct super trait true type unsafe use where while
        bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64""",
    ),
    "java": _lexis(
        rf'{_LINES}|"""(?s:.*?)"""|{_DOUBLE}|{_CHARACTER}',
        """abstract assert break case catch class const continue default do else enum extends false final
        finally for goto if implements import instanceof interface native new null package private protected
        public return static strictfp super switch synchronized this throw throws transient true try void
        volatile while boolean byte char double float int long short""",
    ),
    "c": _lexis(rf"{_LINES}|{_DOUBLE}|{_CHARACTER}|(?m:^[ \t]*#[ \t]*(?:include[^\n]*|\w+))", _C),
    "cpp": _lexis(
        rf"{_LINES}|{_DOUBLE}|{_CHARACTER}|(?m:^[ \t]*#[ \t]*(?:include[^\n]*|\w+))", f"{_C} {_CPP}"
    ),
    "ruby": _lexis(
        rf"(?ms:^=begin\b.*?(?:^=end\b|\Z))|(?m:(?:^|(?<=[\s;]))#[^\n]*)|{_LONG_DOUBLE}|{_SINGLE}",
        """alias and begin break case class def do else elsif end ensure false for if in module next nil not
        or redo rescue retry return self super then true undef unless until when while yield""",
        "#{",
    ),
}


@dataclass(frozen=True)
class Tokens:
    """`lines` has for each identifier of the code the line of each occurrence, ascending; `counts` how often
    each word occurs in the whole text, comments and literals included."""

    lines: dict[str, list[int]]
    counts: Counter[str]


def tokens(text: str, language: str, passed_over: Iterable[int] = ()) -> Tokens:
    """Read a text. Identifiers on lines that are `passed_over` count as words only."""
    lexis = LEXES[language]
    silent: list[str] = []

    def quiet(match: re.Match[str]) -> str:
        literal = match.group()
        silent.append(literal)
        if lexis.opens and lexis.opens in literal:
            return _inner(literal, lexis.opens)
        return "\n" * literal.count("\n") or " "

    words = _WORD.findall(lexis.silent.sub(quiet, text))
    skipped = frozenset(passed_over)
    lines: dict[str, list[int]] = defaultdict(list)
    number = 1
    for word in words:
        if word == "\n":
            number += 1
        elif number not in skipped:
            lines[word].append(number)
    for word in lexis.reserved:
        lines.pop(word, None)
    counts = Counter(words)
    counts.update(IDENTIFIER.findall("\n".join(silent)))
    del counts["\n"]
    return Tokens(lines, counts)


def _inner(literal: str, opens: str) -> str:
    """The code inside of a literal, on its lines."""
    pieces = re.split(re.escape(opens) + r"([^{}]*)\}", literal)
    return " ".join(p if n % 2 else "\n" * p.count("\n") for n, p in enumerate(pieces))
