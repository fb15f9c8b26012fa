"""A case is repeated by its name."""

import pytest

from tests.crash.case import Case


@pytest.mark.parametrize(
    "name",
    [
        "run/stdio/rawr/sent:StartCompaction#1/300007",
        "watch/socket/both/phase:Compacting>HandoffPending#1/12",
        "run/socket/codex/any#57/3",
        "run/stdio/rawr/nothing/0",
        "watch/socket/rawr/sent:StartTurn#2+answered:FindMessage#1/9",
        "stopped-heads-up/socket/rawr/kept:TurnCompleted#2/1",
        "run@host/stdio/terminal/any#57/3",
        "watch@host/socket/host/sent:StartTurn#2+answered:FindMessage#1/9",
    ],
)
def test_the_name_says_everything(name: str) -> None:
    assert Case.named(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "dance/stdio/rawr/nothing/0",
        "run/pigeon/rawr/nothing/0",
        "run/stdio/me/nothing/0",
        "run/stdio/client/nothing/0",
        "run@host/stdio/rawr/nothing/0",
        "run@home/stdio/host/nothing/0",
    ],
)
def test_what_is_no_case(name: str) -> None:
    with pytest.raises(ValueError, match="there is no case"):
        Case.named(name)


def test_the_seed_decides_the_rest_and_always_the_same() -> None:
    cases = [Case(job="run", transport="socket", kill="rawr", point="any#9", seed=seed) for seed in range(200)]
    drawn = [(one.summary_seconds, one.delay_ms, one.user_speaks, one.waits_for_the_end, one.cold) for one in cases]
    again = [Case.named(one.name) for one in cases]
    assert drawn == [
        (one.summary_seconds, one.delay_ms, one.user_speaks, one.waits_for_the_end, one.cold) for one in again
    ]
    for place in (2, 3, 4):
        assert {one[place] for one in drawn} == {True, False}


def test_nobody_can_speak_to_a_codex_that_is_rawrs_own() -> None:
    own = [Case(job="run", transport="stdio", kill="rawr", point="any#9", seed=seed) for seed in range(50)]
    assert not any(one.user_speaks for one in own)


def test_where_only_the_client_dies_the_work_goes_on() -> None:
    cases = {kill: Case.named(f"run@host/socket/{kill}/any#9/1") for kill in ("host", "codex", "both", "client", "all")}
    assert {kill for kill, one in cases.items() if one.rawr_dies} == {"host", "both", "all"}
    assert {kill for kill, one in cases.items() if one.codex_dies} == {"codex", "both", "all"}
