"""The bell, the title and the person's own command (C18)."""

import asyncio
import json
from pathlib import Path

import pytest

from rawr.cli.terminal import attention
from rawr.cli.terminal.attention import Bell
from rawr.config.attention import Attention
from rawr.core.kernel import Kernel
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.runs import RULES
from tests.core.samples import AT


class Followed:
    """A run whose facts a bell hears."""

    def __init__(self, wanted: Attention, *, terminal: bool = True, goal: str = "Build it.") -> None:
        self.kernel = Kernel(RULES)
        self.bell = Bell(wanted, self.kernel.threads, terminal=terminal)
        self.tell(facts.ThreadOpened(cwd="/project", model="m", ours=True))
        self.tell(facts.RunSubmitted(order=Order(goal=goal)))
        self.tell(facts.TurnStarted(turn="T1"))

    def tell(self, fact: facts.AnyFact) -> None:
        self.bell.taken(self.kernel.take("t", fact, at=AT))

    def ask(self) -> None:
        asked = CommandApproval(command="rm x", cwd="/", network=True)
        self.tell(facts.RequestReceived(request="1/0", turn="T1", item="i1", question=asked))

    def stop(self) -> None:
        self.tell(facts.RunStopSubmitted())
        self.tell(facts.TurnCompleted(turn="T1", status="interrupted"))


async def test_it_rings_on_a_question_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    it = Followed(Attention(title=False))
    it.ask()
    assert capsys.readouterr().out == "\a"
    it.stop()
    await it.bell.close()
    assert capsys.readouterr().out == "\a"


async def test_the_title_is_given_back_and_breaks_out_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    it = Followed(Attention(bell=False), goal="a\x07b\x1b]0;evil\x07\n" + "c" * 100)
    it.ask()
    await it.bell.close()
    out = capsys.readouterr().out
    assert out.startswith("\x1b[22;0t\x1b]0;rawr: a")
    assert out.endswith("\x1b[23;0t")
    assert (out.count("\x07"), out.count("\x1b]")) == (2, 2)


async def test_what_is_no_terminal_gets_no_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    it = Followed(Attention(), terminal=False)
    it.ask()
    it.stop()
    await it.bell.close()
    assert capsys.readouterr().out == ""


async def test_the_command_gets_the_call_as_json_and_in_its_environment(tmp_path: Path) -> None:
    said = tmp_path / "said"
    it = Followed(Attention(command=f'cat > {said}; echo "$RAWR_OCCASION/$RAWR_RUN" >> {said}'), terminal=False)
    it.ask()
    await it.bell.close()
    first, second = said.read_text().splitlines()
    call = json.loads(first)
    assert (call["occasion"], call["goal"], call["cwd"], "rm x" in call["text"]) == (
        "question",
        "Build it.",
        "/project",
        True,
    )
    assert second == f"question/{call['run']}"


async def test_the_command_runs_in_the_environment_of_its_run(tmp_path: Path) -> None:
    said = tmp_path / "said"
    it = Followed(Attention(command=f'echo "$COLOUR/$RAWR_OCCASION/${{LANG-none}}" > {said}'), terminal=False)
    it.bell._environments = lambda thread, _link: {"COLOUR": f"red for {thread}"}
    it.ask()
    await it.bell.close()
    assert said.read_text() == "red for t/question/none\n"


async def test_one_that_fails_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    it = Followed(Attention(command="echo no such channel >&2; exit 3"), terminal=False)
    it.ask()
    it.stop()
    await it.bell.close()
    assert capsys.readouterr().err == "rawr: the --notify command exited with 3: no such channel\n"


async def test_one_that_hangs_keeps_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attention, "COMMAND_SECONDS", 0.05)
    it = Followed(Attention(command=f"echo $$ > {tmp_path / 'pid'}; exec sleep 60"), terminal=False)
    it.ask()
    async with asyncio.timeout(20):
        await it.bell.close()
    assert "was ended after 0 s" in capsys.readouterr().err


async def test_what_a_command_leaves_behind_keeps_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own children may hold its output open."""
    it = Followed(Attention(command=f"sleep 30 2>&1 & echo $! > {tmp_path / 'pid'}; exit 0"), terminal=False)
    it.ask()
    async with asyncio.timeout(attention.LAST_SECONDS - 1):
        await it.bell.close()
    assert capsys.readouterr().err == ""
