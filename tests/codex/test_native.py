"""What Codex's own configuration says about compacting by itself: read in every shape, and reported where it is odd."""

from typing import Any

import msgspec
import pytest
from msgspec import Raw

from rawr.codex.native import LIMIT, THRESHOLD, Asked, understood, unknown
from rawr.codex.wire import methods
from rawr.core.vocabulary.native import Native, in_words


def found(config: Any, origins: Any = None) -> methods.ConfigFound:
    return methods.ConfigFound(config=Raw(msgspec.json.encode(config)), origins=Raw(msgspec.json.encode(origins)))


def origin(**name: str) -> dict[str, Any]:
    return {THRESHOLD: {"name": name, "version": "sha256:1"}}


@pytest.mark.parametrize(
    ("config", "origins", "native"),
    [
        ({THRESHOLD: None}, None, Native()),
        ({THRESHOLD: 0}, origin(type="user", file="/c.toml"), Native()),
        ({THRESHOLD: 30}, origin(type="user", file="/c.toml"), Native(30, "/c.toml")),
        ({THRESHOLD: 55}, origin(type="project", dotCodexFolder="/w/.codex"), Native(55, "/w/.codex/config.toml")),
        ({THRESHOLD: 100}, {THRESHOLD: {"name": 5}}, Native(100)),
        ({THRESHOLD: 100}, 7, Native(100)),
        ({THRESHOLD: None, "features": {"token_budget": True}}, None, Native(token_budget=True)),
        ({THRESHOLD: None, "features": {"token_budget": {"enabled": True}}}, None, Native(token_budget=True)),
        ({THRESHOLD: None, "features": {"token_budget": {"enabled": False}}}, None, Native()),
        ({THRESHOLD: None, "features": None}, None, Native()),
        ({THRESHOLD: None, LIMIT: 60_000}, None, Native(limit=60_000)),
        ({THRESHOLD: None, LIMIT: -1}, None, Native()),
    ],
)
def test_what_it_says(config: object, origins: object, native: Native) -> None:
    assert understood(found(config, origins)) == Asked(native)


@pytest.mark.parametrize("odd", ["30", 30.5, True, -1, 101, [30], {"percent": 30}])
def test_a_value_that_rawr_does_not_understand_is_reported(odd: object) -> None:
    native = understood(found({THRESHOLD: odd})).native
    shown = msgspec.json.encode(odd).decode()
    assert native == Native(problem=f"{THRESHOLD} is {shown}, which rawr does not understand")
    assert native.problem in in_words(native)


def test_so_is_a_token_budget_in_another_shape() -> None:
    native = understood(found({THRESHOLD: 30, "features": {"token_budget": "on"}})).native
    assert native == Native(30, problem='features.token_budget is "on", which rawr does not understand')


def test_an_older_codex_does_not_know_the_key() -> None:
    assert understood(found({"model": "m"})) == Asked(Native(), knows=False)


@pytest.mark.parametrize("config", [None, [], 5, "x"])
def test_an_answer_without_a_configuration(config: object) -> None:
    assert understood(found(config)).native.problem == "its answer has no configuration"


def test_a_refusal_is_told_in_one_line() -> None:
    assert unknown("failed to load\n  configuration\n").native.problem == "failed to load configuration"


def test_in_words() -> None:
    assert in_words(None) == in_words(Native()) == ""
    assert in_words(Native(30)) == "Codex compacts by itself at a turn's end from 30 % used"
    assert "token budget is on" in in_words(Native(token_budget=True))
