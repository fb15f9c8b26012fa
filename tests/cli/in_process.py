"""The whole ``rawr`` program in this process, its output caught: for tests of what it says."""

import sys
from collections.abc import Callable

import pytest

from rawr.cli.main import main
from tests.cli.program import Ended

Rawr = Callable[..., Ended]


@pytest.fixture
def rawr(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Rawr:
    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["rawr", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run
