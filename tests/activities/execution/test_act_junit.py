"""Reports of tests as different tools write them, and as nobody should."""

import pytest

from activities.execution.junit import ReportUnreadable, read_report

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
<testcase classname="tests.test_a" name="test_ok"/>
<testcase classname="tests.test_a" name="test_bad"><failure message="no">assert</failure></testcase>
<testcase classname="tests.test_a" name="test_later"><skipped type="pytest.skip"/></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure"/></testcase>
</testsuite></testsuites>"""
JEST = b"""<testsuite xmlns="urn:junit"><testcase name="adds"/><testcase name="fails"><failure/></testcase>
<error message="set-up"/></testsuite>"""
LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><testsuite><testcase name="&c;"/></testsuite>"""
OUTSIDE = (
    b"""<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&e;"/></testsuite>"""
)


def test_counts_come_from_the_cases() -> None:
    report = read_report(PYTEST)
    assert (report.passed, report.failed, report.skipped) == (1, 2, 1)
    assert report.failures == ("tests.test_a::test_bad", "tests.test_b")


def test_failures_beside_cases_count() -> None:
    report = read_report(JEST)
    assert (report.passed, report.failed) == (1, 2)


@pytest.mark.parametrize("data", [LAUGHS, OUTSIDE, b"", b"<a>", b"\xff\xfe", b"not xml"])
def test_what_is_no_plain_report_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ReportUnreadable, match="the report is no plain XML"):
        read_report(data)
