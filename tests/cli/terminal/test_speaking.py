"""A word to the agent, typed while nothing is asked (C18)."""

import os

import pytest

from rawr.cli.terminal.speaking import MOST_KEPT
from rawr.core.vocabulary import facts
from tests.cli.terminal.desk import Desk


async def test_a_word_to_nobody(desk: Desk) -> None:
    """C18."""
    await desk.types("hello", then="No run is under way to receive it. Nothing was sent.")
    assert desk.told == []


async def test_a_word_before_the_run_has_begun_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: until all runs are there, and in its order; more than a screenful is refused."""
    desk = Desk(monkeypatch, begun=False)
    try:
        await desk.types("one", then="Kept until the run starts.")
        desk.runs("aaaa")
        await desk.types("r2 two", then="Kept until the run starts.")
        desk.runs("bbbb")
        assert desk.told == []
        for number in range(MOST_KEPT - 2):
            desk.prompter._typed([f"r2 {number}"])
        desk.prompter._typed(["r2 too much"])
        assert desk.printer.texts[-1] == "Ignored: 100 lines are already waiting for the run to start."
        desk.prompter.begin()
        assert any("start the line with the one you mean. Nothing was sent." in text for text in desk.printer.texts)
        assert desk.told[:2] == [("aaaa", facts.SteerSubmitted(text=text)) for text in ("two", "0")]
        assert len(desk.told) == MOST_KEPT - 1
    finally:
        desk.close()


async def test_a_word_is_refused_where_no_run_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: and it is said."""
    desk = Desk(monkeypatch, begun=False)
    try:
        await desk.types("hello", then="Kept until the run starts.")
        desk.prompter.begin()
        assert desk.printer.texts[-1] == "No run is under way to receive it. Nothing was sent."
        assert desk.told == []
    finally:
        desk.close()


async def test_a_word_after_an_answer_reaches_the_agent(desk: Desk) -> None:
    """C18: also where both are read one after the other."""
    desk.runs("aaaa")
    desk.asks("aaaa", "1")
    desk.prompter._typed(["y"])
    os.write(desk.keys, b"use tabs\r")
    await desk.types("", then="added to the running turn")
    assert desk.told[-1] == ("aaaa", facts.SteerSubmitted(text="use tabs"))
