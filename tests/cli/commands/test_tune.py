"""``rawr tune`` as a program: what it says, what it saves, and when it leaves everything as it was."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.cli.main import main
from rawr.core.vocabulary.facts import RunOverridden
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.core.vocabulary.records import Decision
from rawr.models import probing
from rawr.models.tuning.tuned import load
from tests.cli.program import Ended, rawr
from tests.models.receipts import RED, answering, learner, taught
from tests.models.servers import Hang, ModelServer, Request, Say, Turn, model_server
from tests.views.labelled_journal import Told, says

NAME: SignatureName = "full_auto_decision"


Rawr = Callable[..., Ended]


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Rawr:
    """``rawr tune`` in this process, which has DSPy imported already."""

    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["rawr", "tune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run


@pytest.fixture
def home(own_home: Path) -> Path:
    return own_home / "rawr"


def record(home: Path, count: int) -> list[Decision]:
    """So many runs, each with an answer of a model that a person labelled: red pause, green go on."""
    decided = []
    with Told(home) as told:
        for n in range(count):
            red, bad = n % 2 == 0, n % 4 == 0
            thread = f"thread-{n}"
            told.asked(thread, f"<goal {n}> {RED if red else ''}")
            first = told.hears(thread, says("pause" if red and not bad else "continue"))[0]
            told.label(first, "bad" if bad else "good", f"note {n}")
            decided.append(first)
    return decided


def configure(home: Path, server: ModelServer) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    order = f'order = ["{server.model}"]\nopenai_url = "{server.url}"\nseconds = 20\n'
    (home / "config.toml").write_text(f"[rawr_models]\n{order}")


def files(home: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted((home / "tuned").glob("*"))}


def test_what_there_is_to_learn_from(home: Path, tune: Rawr) -> None:
    nothing = tune("--json")
    assert (nothing.code, [line["signature"] for line in nothing.lines]) == (0, list(SHAPES))
    assert not home.exists()
    record(home, 3)
    told = next(line for line in tune("--json").lines if line["signature"] == NAME)
    assert told == {
        "type": "signature",
        "signature": NAME,
        "answers": 3,
        "good": 2,
        "bad": 1,
        "implied": 0,
        "needed": 8,
        "missing": "8 are needed, 2 good and 2 bad ones at least",
        "tuned": False,
        "problem": "",
        "report": None,
    }
    shown = tune()
    assert "full_auto_decision   3 answers on record, 2 good, 1 bad" in shown.out
    assert "rawr log DECISION --label good" in shown.out


def test_too_few_labels_change_nothing(home: Path, tune: Rawr) -> None:
    record(home, 5)
    ended = tune("--signature", NAME)
    assert ended.code == 1
    assert ended.out.splitlines()[0] == (
        "full_auto_decision: 5 labelled receipts, 3 good, 2 bad. 8 are needed, 2 good and 2 bad ones at least."
    )
    assert ended.out.splitlines()[1].startswith("Nothing was changed.")
    (line,) = tune("--signature", NAME, "--json").lines
    assert (line["type"], line["good"], line["bad"], line["needed"]) == ("too_few", 3, 2, 8)
    assert not (home / "tuned").exists()


def test_it_learns_saves_and_goes_back(home: Path, tune: Rawr) -> None:
    record(home, 12)
    with answering(learner) as server:
        configure(home, server)
        ended = rawr("tune", "--signature", NAME, "--json")
    assert (ended.code, ended.err) == (0, "")
    *asked, last = ended.lines
    assert {line["type"] for line in asked} == {"asked"}
    assert len(asked) == len(server.requests) == 24
    path = home / "tuned" / f"{NAME}.json"
    report = last["report"]
    assert isinstance(report, dict)
    assert (last["type"], last["saved"]) == ("tuned", str(path))
    assert (report["before"]["right"], report["after"]["right"], report["after"]["of"]) == (6, 12, 12)
    assert list(files(home)) == [path.name]
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    learned = load(path.parent, NAME)
    assert learned is not None
    assert len(learned.demos) == 8

    told = next(line for line in tune("--json").lines if line["signature"] == NAME)
    assert (told["tuned"], told["report"]) == (True, report)
    assert "6 of 12 right before, 12 of 12 after" in tune().out

    back = tune("--signature", NAME, "--reset")
    assert back.code == 0
    assert back.out.startswith(f"Removed {path} (")
    assert files(home) == {}
    again = tune("--signature", NAME, "--reset", "--json")
    assert (again.code, again.lines[0]["removed"]) == (0, None)


def test_it_is_told_as_it_goes(home: Path, tune: Rawr) -> None:
    record(home, 8)
    with answering(learner) as server:
        configure(home, server)
        ended = tune("--signature", NAME)
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert lines[:2] == [
        "full_auto_decision: 8 labelled receipts, 6 good, 2 bad.",
        "Asking a model 16 times. Ctrl-C leaves everything as it is.",
    ]
    assert lines[2].startswith("  before  1 of 8: ")
    assert lines[17].startswith("  after   8 of 8: right")
    assert "openai:tiny:1b: 4 of 8 right before, 8 of 8 after" in lines[18]
    assert lines[19].endswith("To undo: rawr tune --signature full_auto_decision --reset")


def muddled(request: Request) -> Turn:
    red = RED in request.messages[-1]["content"]
    action = "continue" if taught(request) or not red else "pause"
    return Say(json.dumps({"action": action, "next_input": "", "reason": "so", "confidence": 0.8}))


def test_what_is_worse_is_not_saved_unless_it_is_forced(home: Path, tune: Rawr) -> None:
    record(home, 8)
    with answering(learner) as server:
        configure(home, server)
        assert tune("--signature", NAME).code == 0
    before = files(home)
    (home / "tuned" / f"{NAME}.json").unlink()
    with answering(muddled) as server:
        configure(home, server)
        ended = tune("--signature", NAME)
        assert (ended.code, files(home)) == (1, {})
        assert "That is no better than before" in ended.out
        (home / "tuned" / f"{NAME}.json").write_bytes(before[f"{NAME}.json"])
        forced = tune("--signature", NAME, "--force", "--json")
    assert (forced.code, forced.lines[-1]["saved"]) == (0, str(home / "tuned" / f"{NAME}.json"))


def test_a_broken_file_is_told_and_replaced(home: Path, tune: Rawr) -> None:
    record(home, 8)
    (home / "tuned").mkdir()
    (home / "tuned" / f"{NAME}.json").write_text("{")
    told = next(line for line in tune("--json").lines if line["signature"] == NAME)
    assert (told["tuned"], told["report"]) == (False, None)
    assert str(told["problem"]).startswith(f"tuned program {NAME}.json is not used")
    with answering(learner) as server:
        configure(home, server)
        ended = tune("--signature", NAME)
    assert (ended.code, "is not used" in ended.err) == (0, True)
    assert load(home / "tuned", "full_auto_decision") is not None
    assert json.loads(files(home)[f"{NAME}.json"])["metadata"]["rawr"]["after"]["right"] == 8


def test_without_a_model_nothing_is_changed(home: Path, tune: Rawr) -> None:
    record(home, 8)
    ended = tune("--signature", NAME, "--model", "openai:none")
    assert ended.code == 1
    assert ended.err.startswith("rawr: No model could be reached: openai:none: openai_url is not set. Set it in ")
    assert ended.err.endswith("Nothing was changed.\n")
    assert not (home / "tuned").exists()


def test_without_dspy_it_says_what_to_install(home: Path, tune: Rawr, monkeypatch: pytest.MonkeyPatch) -> None:
    record(home, 8)
    monkeypatch.setattr(probing, "installed", lambda: False)
    ended = tune("--signature", NAME)
    assert (ended.code, "pip install 'codex-rawr[llm]'" in ended.err) == (1, True)


def test_an_override_counts_without_a_label(home: Path, tune: Rawr) -> None:
    with Told(home) as told:
        told.asked("t", "g").hears("t", says())
        told.tell("t", RunOverridden(text="Do the docs first."))
    assert "full_auto_decision   1 answer on record, 0 good, 1 bad (1 overridden)" in tune().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--signature", "everything"), "everything"),
        (("--signature", NAME, "--model", "gpt"), "is not a model rawr can ask"),
        (("--reset",), "need --signature"),
        (("--signature", NAME, "--reset", "--force"), "--reset cannot be combined with"),
    ],
)
def test_what_is_not_understood(words: tuple[str, ...], said: str, tune: Rawr) -> None:
    ended = tune(*words)
    assert (ended.code, said in " ".join(ended.err.split())) == (64, True), ended.err


def test_ctrl_c_leaves_everything_as_it_was(home: Path) -> None:
    record(home, 8)
    with model_server("openai", Hang()) as server:
        configure(home, server)
        program = subprocess.Popen(
            [sys.executable, "-m", "rawr", "tune", "--signature", NAME], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        ends = time.monotonic() + 60
        while not server.requests and time.monotonic() < ends:
            time.sleep(0.02)
        os.kill(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=30)
    assert (program.returncode, err) == (130, b"")
    assert b"Ctrl-C leaves everything as it is" in out
    assert not (home / "tuned").exists()
