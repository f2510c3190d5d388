"""Reads what a test run wrote about itself: JUnit XML, as pytest, Maven, Go and JavaScript tools write it."""

from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from activities.plain_text import strip_line

MOST_BYTES = 32 << 20
MOST_ELEMENTS = 500_000
DEEPEST = 100
"""elements within each other; reports have some five"""
_NAMED = 20


class ReportUnreadable(Exception):
    """One sentence: why a report of tests cannot be read."""


@dataclass(frozen=True)
class TestReport:
    """Counts of test cases, and the names of some that failed."""

    passed: int
    failed: int
    skipped: int
    failures: tuple[str, ...]

    __test__ = False  # the name begins with what pytest collects


def read_report(data: bytes) -> TestReport:
    """Count test cases. No entity is expanded, nothing is fetched, and what was read is not kept: a report
    takes little more memory than its bytes. Raises ReportUnreadable."""
    if len(data) > MOST_BYTES:
        raise ReportUnreadable(f"the report is larger than {MOST_BYTES:,} bytes")
    count = _Count()
    try:
        for event, element in iterparse(BytesIO(data), events=("start", "end"), forbid_dtd=True):
            if event == "start":
                count.enter(element)
            else:
                count.leave()
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ReportUnreadable(f"the report is no plain XML ({strip_line(str(error))})") from error
    passed = count.cases - count.failed - count.skipped
    return TestReport(passed, count.failed + count.beside, count.skipped, tuple(count.names))


@dataclass
class _Count:
    """What was met so far. `open` are the elements around, each with the kinds of its children."""

    cases: int = 0
    failed: int = 0
    skipped: int = 0
    beside: int = 0
    """failures of collecting or setting up, which some write beside the cases, with no case of their own"""
    names: list[str] = field(default_factory=list)
    open: list[tuple[Element, set[str]]] = field(default_factory=list)
    elements: int = 0

    def enter(self, element: Element) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS or len(self.open) >= DEEPEST:
            raise ReportUnreadable(
                f"the report has more than {MOST_ELEMENTS:,} elements, or more than {DEEPEST} in each other"
            )
        self.open.append((element, set()))

    def leave(self) -> None:
        element, children = self.open.pop()
        kind = _kind(element)
        if kind == "testcase":
            self._case(element, children)
        if self.open:
            around, kinds = self.open[-1]
            kinds.add(kind)
            self.beside += kind in _BAD and _kind(around) in ("testsuite", "testsuites")
            around.remove(element)

    def _case(self, element: Element, children: set[str]) -> None:
        self.cases += 1
        if children & _BAD:
            self.failed += 1
            if len(self.names) < _NAMED:
                self.names.append(strip_line(_name(element)))
        elif "skipped" in children:
            self.skipped += 1


_BAD = frozenset({"failure", "error"})


def _kind(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _name(case: Element) -> str:
    return "::".join(filter(None, (case.get("classname"), case.get("name")))) or "a test without a name"
