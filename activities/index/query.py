"""A task as the ranking reads it: its words by weight, its headline, what it names."""

import math
import re
from collections import Counter
from dataclasses import dataclass

from activities.index import weights
from activities.index.naming import FENCE, Named, named_in
from activities.index.words import query_terms

_MAX_QUERY = 200_000
_MAX_TERMS = 400
_SHORTEST_HEADLINE = 8
# What forms for issues and pull requests print before what people write. They say nothing about the code.
_LABEL = re.compile(
    r"(?im)^[ \t]*(?:[#>*-]+[ \t]*|\d+\.[ \t]*)*"
    r"(?:(?:pull request |pr |feature )?(?:title|description|details?)|feature(?: request)?|summary|overview"
    r"|motivation|(?:technical )?background|problem(?: statement)?|(?:proposed )?(?:solution|enhancement)s?"
    r"|(?:key |proposed )?changes"
    r"|implementation(?: details)?|requirements|(?:example )?usage|examples?|acceptance criteria"
    r"|(?:current|expected) behaviou?r|files (?:modified|changed)|context|goals?|what|why|how)"
    r"[ \t]*(?:\*\*)?[ \t]*(?::[ \t]*(?:\*\*)?|$)"
)


@dataclass(frozen=True)
class Query:
    """`terms` are comparable words by weight, at most 400, the heaviest first; `headline` is the first line
    that says something."""

    text: str
    headline: str
    terms: dict[str, float]
    named: Named


def read_query(text: str) -> Query:
    """Read a task. Labels of forms (`**Description**:`) are no words of it."""
    text = text[:_MAX_QUERY]
    plain = _LABEL.sub("", text)
    headline = _headline(plain)
    everywhere, prose = Counter(query_terms(plain)), query_terms(FENCE.sub("\n", plain))
    title = query_terms(headline)
    found = {
        term: weights.CODE * math.log1p(everywhere[term] - prose.get(term, 0))
        + math.log1p(prose.get(term, 0))
        + weights.TITLE * math.log1p(title.get(term, 0))
        for term in everywhere
    }
    best = sorted(found, key=lambda t: (-found[t], t))[:_MAX_TERMS]
    return Query(text, headline, {term: found[term] for term in best}, named_in(text))


def _headline(text: str) -> str:
    lines = (line.strip(" \t#*:-`") for line in text.split("\n"))
    return next((line for line in lines if len(line) >= _SHORTEST_HEADLINE), "")
