"""No spelling of a name passes for a policy, for somebody else, or for a second person."""

import pytest

from states.people import person_key, same_person, tidy
from states.receive import receive
from states.words import State
from tests.states.job_maker import NOW, job_in

STRICT = {"require_digest": True}
GATE = State.CONTRACTS_HUMAN_REVIEW
SPELLINGS = ["ann", " ANN ", "Ann\u200b", "A\x00nn", "\uff21nn", "A\u3164nn", "Ann\ufe0f"]
DISGUISES = [
    "policy:x",
    "POLICY : x",
    "pol\x00icy:skip_human_reviews",
    "\u200bpolicy:x",
    "\uff50olicy:x",
    "ai_\x07review",
    "AI Review",
    "best  guess",
    "mechanical checks",
    "phase\u00adgate",
]


@pytest.mark.parametrize("name", DISGUISES)
def test_nobody_can_be_called_what_no_person_is(name: str) -> None:
    record = job_in(GATE)
    assert receive(record, "approve", [{"by": name}], NOW) is None
    assert "is no person's name" in record.ledger[-1].why


@pytest.mark.parametrize("name", SPELLINGS)
def test_one_person_is_one_approval_however_the_name_is_written(name: str) -> None:
    record = job_in(GATE, approvals=2)
    assert receive(record, "approve", [{"by": "Ann"}], NOW)
    assert receive(record, "approve", [{"by": name}], NOW) is None
    assert "duplicate" in record.ledger[-1].why
    assert receive(record, "approve", [{"by": "Bob"}], NOW)


@pytest.mark.parametrize("name", [*SPELLINGS, "", "unnamed", "Unnamed", "\u200b"])
def test_a_submitter_cannot_approve_under_another_spelling_or_none(name: str) -> None:
    record = job_in(GATE, forbid_self_approval=True)
    record.spec = record.spec.model_copy(update={"submitted_by": "Ann"})
    assert receive(record, "approve", [{"by": name}], NOW) is None
    assert "forbid_self_approval" in record.ledger[-1].why
    assert receive(record, "approve", [{"by": "Bob"}], NOW)


@pytest.mark.parametrize("digest", ["sha256:", "sha256:abc", " SHA256: "])
def test_a_digest_without_digits_is_none(digest: str) -> None:
    record = job_in(GATE)
    record.spec = record.spec.model_copy(update={"policy": record.spec.policy.model_copy(update=STRICT)})
    assert receive(record, "approve", [{"digest": digest}], NOW) is None
    assert "stale" in record.ledger[-1].why


def test_names_of_people_stay_as_they_are_written() -> None:
    for name in ("Ann Lee", "José", "渡辺", "o'neil-smith", "ann@example.org"):
        assert tidy(name) == name
    assert not same_person("Ann", "Anna")
    assert person_key(person_key("Straße")) == person_key("STRASSE")
