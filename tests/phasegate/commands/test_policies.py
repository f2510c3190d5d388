"""The policy of a new job, from the settings' table and flags."""

from pathlib import Path

import pytest

from phasegate.actions.policies import policy_of, seconds_of, source_of
from phasegate.problems import WrongUse
from phasegate.settings import Settings
from states.policy import DEFAULT_GATES
from states.words import WORK_PHASES, Phase


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7d", 604_800),
        ("12h", 43_200),
        ("1d12h", 129_600),
        ("90m", 5_400),
        ("30s", 30),
        ("0", 0),
        ("2W", 1_209_600),
    ],
)
def test_times(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", " ", "soon", "-1", "1.5h", "5x", "h"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(WrongUse, match="no time"):
        seconds_of(text)


def test_flags_win_over_the_table() -> None:
    policy = policy_of({"approvals": 2, "keep_open_seconds": 5, "gates": ["contracts"]}, {"keep_open": "1h"})
    assert (policy.approvals, policy.keep_open_seconds, policy.gates) == (2, 3_600, (Phase.CONTRACTS,))


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        ("all", WORK_PHASES),
        ("none", ()),
        ("contracts,Discovery", (Phase.DISCOVERY, Phase.CONTRACTS)),
        (None, DEFAULT_GATES),
    ],
)
def test_gates(gates: str | None, expected: tuple[Phase, ...]) -> None:
    assert policy_of({}, {"gates": gates} if gates else {}).gates == expected


@pytest.mark.parametrize(
    ("table", "flags", "words"),
    [
        ({}, {"gates": "verified"}, "VERIFIED has no gate"),
        ({}, {"gates": "contract"}, "--gates: unknown phase 'contract'"),
        ({}, {"approvals": 0}, "--approvals: must be 1 to 20"),
        ({}, {"option_count": 9}, "--options: must be 0 to 5"),
        ({}, {"budget_usd": -1}, "--max-budget-usd: must be 0 or more"),
        ({}, {"option_count": "some"}, "--options: must be a whole number"),
        ({}, {"budget_usd": float("nan")}, "--max-budget-usd"),
        ({}, {"budget_tokens": -3}, "--max-tokens"),
        ({"approvals": 0}, {}, "policy.approvals of the settings"),
        ({"aprovals": 1}, {}, "no field 'aprovals'"),
        ({}, {"question_handling": "guess"}, "--question-handling"),
        ({}, {"keep_open": "99999999d"}, "keep_open_seconds"),
    ],
)
def test_mistakes_name_their_field(table: dict[str, object], flags: dict[str, object], words: str) -> None:
    with pytest.raises(WrongUse, match=words):
        policy_of(table, flags)


def test_a_policy_that_came_with_a_folder_is_said_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "phasegate.toml").write_text('[policy]\ngates = "none"\nskip_human_reviews = true\n')
    monkeypatch.chdir(tmp_path)
    told = source_of(Settings.load())
    assert told == f'policy from {tmp_path}/phasegate.toml: gates = "none", skip_human_reviews = true'
    monkeypatch.setenv("PHASEGATE_POLICY", '{"approvals": 2}')
    assert source_of(Settings.load()).startswith("policy from the variable PHASEGATE_POLICY and ")
    monkeypatch.setenv("PHASEGATE_POLICY", '{"gates": "\\u001b]0;x\\u0007none"}')
    assert "\x1b" not in source_of(Settings.load())
    monkeypatch.delenv("PHASEGATE_POLICY")
    (tmp_path / "phasegate.toml").write_text("")
    assert source_of(Settings.load()) == ""
