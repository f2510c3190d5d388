"""Who may start a job with what: a record is believed from an earlier run of the same job only."""

import pytest

from states.start import BadStart, read_start
from states.words import State
from tests.states.job_maker import job_in

RECORD = job_in(State.CONTRACTS_HUMAN_REVIEW)
CARRY = {"carry": RECORD.model_dump(mode="json")}
TASK = {"task": "t", "repository": "/r"}


def test_a_record_is_carried_on_by_a_run_of_its_own_job() -> None:
    assert read_start(CARRY, RECORD.job, continued=True).carry == RECORD


def test_nobody_starts_a_job_with_a_record_of_their_own_making() -> None:
    with pytest.raises(BadStart, match="carry is what an earlier run of the job hands on"):
        read_start(CARRY, RECORD.job, continued=False)


def test_a_record_of_another_job_is_refused() -> None:
    with pytest.raises(BadStart, match="carry is the record of 'job-1', and this job is job-2"):
        read_start(CARRY, "job-2", continued=True)


def test_a_headline_that_is_cut_says_so() -> None:
    spec = RECORD.spec.model_copy(update={"title": "", "task": f"{'word ' * 30}\nmore"})
    assert spec.headline() == f"{'word ' * 15}word…"
    assert spec.model_copy(update={"title": "x" * 80}).headline() == "x" * 80
    assert len(spec.model_copy(update={"title": "x" * 81}).headline()) == 80


@pytest.mark.parametrize("job", ["../x", "a/b", ".hidden", "a b", "", "x" * 101, "a\n", "jöb"])
def test_an_id_that_cannot_name_a_file_is_refused_at_once(job: str) -> None:
    with pytest.raises(BadStart, match="is no job id"):
        read_start(TASK, job, continued=False)
