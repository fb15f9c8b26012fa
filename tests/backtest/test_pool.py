"""Many sessions in bounded memory: each file is read, told and forgotten."""

import gc
from pathlib import Path

import pytest

from rawr.backtest.pool import backtest_file
from rawr.backtest.session import Backtest
from tests.backtest.sessions import Session, policy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    session = Session().begin().work(20_000).commit("Parser").end()
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b"\n".join(session.lines) + b"\n")
    return path


def test_nothing_of_a_session_is_left(path: Path) -> None:
    """Memory does not grow with the history, although nobody looks for garbage while a file is read."""
    gc.collect()
    for _ in range(3):
        ((found, _marks),) = backtest_file(str(path), [policy()])
        assert found.turns == 1
    assert [one for one in gc.get_objects() if isinstance(one, Backtest)] == []
    assert gc.isenabled()


def test_who_does_without_a_collector_goes_on_without(path: Path) -> None:
    gc.disable()
    try:
        backtest_file(str(path), [policy()])
        assert not gc.isenabled()
    finally:
        gc.enable()
