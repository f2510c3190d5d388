"""A record grows with what people say, and not with the square of it."""

from states.advance import record_artifact
from states.record import ArtifactRef
from states.words import Phase, State
from tests.states.job_maker import NOW, job_in

SAID = 50


def test_only_the_newest_version_quotes_the_feedback_that_it_was_made_from() -> None:
    record = job_in(State.CONTRACTS)
    before = len(record.model_dump_json())
    told = [f"{n:03}" + "x" * 1_000 for n in range(SAID)]
    for n in range(SAID):
        ref = ArtifactRef(phase=Phase.CONTRACTS, version=0, digest=f"{n:064}", feedback=tuple(told[: n + 1]))
        record_artifact(record, ref, NOW)
    assert record.versions(Phase.CONTRACTS)[-1].feedback == tuple(told)
    assert [ref.version for ref in record.versions(Phase.CONTRACTS)] == list(range(1, SAID + 1))
    assert len(record.model_dump_json()) - before < 3 * sum(map(len, told))
