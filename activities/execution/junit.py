"""Reads what a test run wrote about itself: JUnit XML, as pytest, Maven, Go and JavaScript tools write it."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from activities.plain_text import strip_line

MOST_BYTES = 32 << 20
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
    """Count test cases. No entity is expanded and nothing is fetched. Raises ReportUnreadable."""
    if len(data) > MOST_BYTES:
        raise ReportUnreadable(f"the report is larger than {MOST_BYTES:,} bytes")
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ReportUnreadable(f"the report is no plain XML ({strip_line(str(error))})") from error
    cases = [each for each in root.iter() if _kind(each) == "testcase"]
    failed = [case for case in cases if _has(case, "failure", "error")]
    skipped = sum(_has(case, "skipped") and not _has(case, "failure", "error") for case in cases)
    # Some write failures of collecting or setting up beside the cases, with no case of their own.
    suites = [each for each in root.iter() if _kind(each) in ("testsuite", "testsuites")]
    beside = sum(1 for suite in suites for child in suite if _kind(child) in ("error", "failure"))
    names = tuple(strip_line(_name(case)) for case in failed[:_NAMED])
    return TestReport(len(cases) - len(failed) - skipped, len(failed) + beside, skipped, names)


def _kind(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _has(case: Element, *kinds: str) -> bool:
    return any(_kind(child) in kinds for child in case)


def _name(case: Element) -> str:
    return "::".join(filter(None, (case.get("classname"), case.get("name")))) or "a test without a name"
