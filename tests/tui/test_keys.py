"""Every key and every flow: what is pressed becomes a fact, or another screen; nothing else does (C18, C5, A21)."""

from pathlib import Path

import pytest

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import Replies, Verdict
from rawr.tui import drafts
from rawr.tui.commands import COMMANDS, shown_keys
from rawr.tui.panels.side import Side
from rawr.tui.widgets.composer import Composer
from rawr.tui.widgets.conversation import Conversation
from tests.tui import stories
from tests.tui.screens import seat
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18")


class Facts:
    """What a person submitted, in order."""

    def __init__(self, rawr: ToldRawr) -> None:
        self.told: list[facts.AnyFact] = []
        rawr.follow(self._take)

    def _take(self, taken: Taken) -> None:
        if isinstance(taken.recorded.fact, facts.Submitted):
            self.told.append(taken.recorded.fact)


# -- writing --------------------------------------------------------------------------------------------------------


async def test_enter_steers_while_a_turn_runs_and_tab_queues(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        told = Facts(it.rawr)
        assert "Enter steers into the running turn" in await it.press("i")
        await it.types("mind tabs")
        await it.press("enter")
        await it.types("then docs")
        shown = await it.press("tab")
        assert told.told == [facts.SteerSubmitted(text="mind tabs"), facts.UserSubmitted(text="then docs")]
        assert "queued  then docs  waits for the running turn" in shown
        assert it.app.query_one(Composer).text == ""


async def test_a_message_of_several_lines_starts_a_turn_when_nothing_runs(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        told = Facts(it.rawr)
        assert "Enter sends" in await it.press("i")
        await it.types("one")
        await it.press("ctrl+j")
        await it.types("two")
        await it.press("enter")
        assert told.told == [facts.UserSubmitted(text="one\ntwo")]


async def test_while_a_sequence_runs_it_says_what_it_waits_for(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacting) as it:
        told = Facts(it.rawr)
        shown = await it.press("i")
        assert "Enter queues · rawr is compacting and waits for the agent's packet" in shown
        await it.types("later")
        shown = await it.press("enter")
        assert told.told == [facts.UserSubmitted(text="later")]
        assert "queued  later" in shown


async def test_messages_sent_before_come_back_with_the_arrows(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        composer = it.app.query_one(Composer)
        await it.press("i")
        await it.types("draft")
        await it.press("up")
        assert composer.text == "Research the format."
        await it.press("down")
        assert composer.text == "draft"


async def test_a_queued_message_is_edited_and_removed(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        it.rawr.take("thread-one", facts.UserSubmitted(text="first"))
        it.rawr.take("thread-one", facts.UserSubmitted(text="second"))
        assert "queued  first" in await it.settled()
        await it.press("e", "enter")
        assert it.app.query_one(Composer).text == "first"
        assert [one.text for one in it.rawr.state("thread-one").queue] == ["second"]
        await it.press("escape", "e", "d")
        shown = await it.settled()
        assert it.rawr.state("thread-one").queue == ()
        assert "queued" not in shown


async def test_a_message_that_was_sent_meanwhile_is_not_sent_twice(tmp_path: Path) -> None:
    """D5: what is no longer in the queue does not come back into the composer."""
    async with seat(tmp_path, stories.working) as it:
        it.rawr.take("thread-one", facts.UserSubmitted(text="first"))
        await it.settled()
        await it.press("e")
        it.rawr.ends("thread-one", "T1")
        await it.press("enter")
        assert it.app.query_one(Composer).text == ""


# -- leaving --------------------------------------------------------------------------------------------------------


async def test_leaving_stops_nothing_and_keeps_the_draft(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        told = Facts(it.rawr)
        await it.press("i")
        await it.types("half a thought")
        await it.press("escape", "q")
        assert told.told == []
        assert not it.app.is_running or it.app._exit
    assert drafts.read(tmp_path).drafts == {"thread-one": "half a thought"}
    assert (tmp_path / drafts.FILE).stat().st_mode & 0o077 == 0
    async with seat(tmp_path, lambda rawr: rawr.begin_thread("thread-one")) as it:
        assert it.app.query_one(Composer).text == "half a thought"


async def test_each_thread_has_its_own_draft(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.everything, thread="thread-one") as it:
        await it.press("i")
        await it.types("for one")
        await it.press("ctrl+down")
        assert it.app.query_one(Composer).text == ""
        await it.press("ctrl+up")
        assert it.app.query_one(Composer).text == "for one"


async def test_q_in_the_composer_is_a_letter(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        await it.press("i", "q", "a", "question_mark")
        assert it.app.query_one(Composer).text == "qa?"


# -- the inbox ------------------------------------------------------------------------------------------------------


async def test_the_inbox_shows_what_would_run_and_takes_a_yes(tmp_path: Path) -> None:
    """C10."""
    async with seat(tmp_path, stories.asking) as it:
        shown = await it.press("a")
        assert "git push --force origin main" in shown
        assert "rm -rf build  (perhaps)" in shown
        assert "it says: I need to publish." in shown
        await it.press("y")
        assert it.rawr.answered == [("thread-four", "1/7", Verdict(verdict="accept"))]
        shown = await it.settled()
        assert "git push" not in shown
        await it.press("2")
        assert it.rawr.answered[1:] == [("thread-four", "1/8", Replies(replies={"q": ("next",)}))]
        assert "Nothing waits for you." in await it.settled()


@pytest.mark.parametrize(("key", "verdict"), [("S", "accept_for_session"), ("n", "decline"), ("c", "cancel")])
async def test_every_verdict_has_a_key(tmp_path: Path, key: str, verdict: str) -> None:
    async with seat(tmp_path, stories.asking) as it:
        await it.press("a", key)
        assert [str(one[2].verdict) for one in it.rawr.answered if isinstance(one[2], Verdict)] == [verdict]


async def test_a_no_with_words_reaches_the_agent(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.asking) as it:
        told = Facts(it.rawr)
        await it.press("a", "w")
        await it.types("not main")
        await it.press("enter")
        assert told.told[0] == facts.SteerSubmitted(text="not main")
        assert it.rawr.answered == [("thread-four", "1/7", Verdict(verdict="decline"))]


async def test_a_question_that_is_settled_elsewhere_leaves_the_inbox(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.asking) as it:
        assert "git push" in await it.press("a")
        it.rawr.take("thread-four", facts.RequestResolved(request="1/7"))
        assert "git push" not in await it.settled()


# -- Full Auto and the context ----------------------------------------------------------------------------------------


async def test_full_auto_starts_with_a_goal_and_a_check(tmp_path: Path) -> None:
    """C1."""
    async with seat(tmp_path, stories.compacted) as it:
        told = Facts(it.rawr)
        await it.press("f")
        await it.types("All green")
        await it.press("tab")
        await it.types("make test")
        await it.press("ctrl+s")
        [order] = [one.order for one in told.told if isinstance(one, facts.RunSubmitted)]
        assert (order.goal, order.done, order.budgets.turns) == ("All green", "make test", 200)
        assert "Full Auto on" in it.text
        assert "until make test passes" in it.text


async def test_full_auto_pauses_and_thinks_better_of_it(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        assert "pauses when its turn ends" in await it.press("f")
        assert "pauses when its turn ends" not in await it.press("f")
        assert told.told == [facts.RunPauseSubmitted(), facts.RunResumed()]


async def test_a_run_that_rests_goes_on_with_new_budgets(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.paused) as it:
        told = Facts(it.rawr)
        await it.press("b")
        await it.press("end", "backspace")
        await it.types("30")
        await it.press("ctrl+s")
        [again] = told.told
        assert isinstance(again, facts.RunResumed)
        assert again.budgets is not None
        assert again.budgets.turns == 30


async def test_a_budget_that_is_no_number_starts_nothing(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.paused) as it:
        told = Facts(it.rawr)
        await it.press("b", "end", "x", "ctrl+s")
        await it.until(lambda text: "is not a number of turns" in text)
        assert told.told == []


SIMPLE: dict[str, tuple[facts.AnyFact, ...]] = {
    "s": (facts.RunStopSubmitted(),),
    "c": (facts.CompactionSubmitted(),),
    "h": (facts.HoldSubmitted(until="released"),),
    "x": (facts.InterruptSubmitted(),),
}


ENDS = ("s", "x")
"""Pressed twice: what they end is not begun again by another key."""


@pytest.mark.parametrize("key", SIMPLE)
async def test_a_key_is_a_fact(tmp_path: Path, key: str) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        await it.press(key)
        if key in ENDS:
            assert told.told == []
            await it.press(key)
        assert tuple(told.told) == SIMPLE[key]


async def test_a_hold_is_released_with_the_same_key(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        await it.press("h", "h")
        assert told.told[-1] == facts.HoldReleased()


WORDS: dict[str, facts.AnyFact] = {
    "o": facts.RunOverridden(text="stop here"),
    "m": facts.PhaseSubmitted(phase="stop here"),
    "p": facts.PinSubmitted(text="stop here"),
}


@pytest.mark.parametrize("key", WORDS)
async def test_a_key_with_words_is_a_fact(tmp_path: Path, key: str) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        await it.press(key)
        await it.types("stop here")
        await it.press("ctrl+s")
        assert told.told == [WORDS[key]]


async def test_escape_takes_every_dialog_back(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.paused) as it:
        told = Facts(it.rawr)
        for key in ("a", "f", "o", "b", "n", "m", "p", "question_mark", "ctrl+p"):
            await it.press(key)
            assert len(it.app.screen_stack) == 2, key
            await it.press("escape")
            assert len(it.app.screen_stack) == 1, key
        assert told.told == []


async def test_a_new_thread_starts_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    async with seat(tmp_path / "home", stories.full_auto) as it:
        await it.press("n", "end", "ctrl+u")
        await it.types(str(folder))
        await it.press("ctrl+s")
        assert it.rawr.started == [folder]
        assert it.app.thread == "started-1"


# -- looking ----------------------------------------------------------------------------------------------------------


async def test_a_command_opens_and_folds(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        assert "1 failed, 12 passed" not in it.text
        await it.press("left_square_bracket", "left_square_bracket", "enter")
        assert "1 failed, 12 passed" in it.text
        await it.press("enter")
        assert "1 failed, 12 passed" not in it.text


async def test_the_mouse_opens_a_command_and_a_panel(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working, size=(120, 40)) as it:
        row = next(n for n, line in enumerate(it.text.splitlines()) if "pytest -q" in line)
        column = it.text.splitlines()[row].index("pytest")
        await it.pilot.click(offset=(column, row))
        assert "1 failed, 12 passed" in await it.settled()


async def test_it_follows_the_end_only_while_one_is_there(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working, size=(80, 24)) as it:
        conversation = it.app.query_one(Conversation)
        it.rawr.says("thread-one", "T1", "At the end.")
        assert "At the end." in await it.settled()
        await it.press("home")
        top = conversation.scroll_offset.y
        it.rawr.says("thread-one", "T1", "Out of sight.")
        shown = await it.settled()
        assert conversation.scroll_offset.y == top
        assert "Out of sight." not in shown
        assert "1 new entry · End" in shown
        assert "Out of sight." in await it.press("end")


async def test_text_streams_in_and_becomes_the_message(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        for word in ("I ", "am **almost** ", "done."):
            it.rawr.writes("thread-one", "m1", word, kind="message")
        assert "I am almost done." in await it.settled()
        it.rawr.says("thread-one", "T1", "I am almost done. Really.", item="m1")
        shown = await it.settled()
        assert shown.count("I am almost done.") == 1
        assert "Really." in shown


async def test_output_streams_into_its_command(tmp_path: Path) -> None:
    async with seat(tmp_path, lambda rawr: None) as it:
        stories.working(it.rawr)
        await it.settled()
        it.rawr.writes("thread-one", "c9", "collecting tests\n", kind="output")
        await it.press("left_square_bracket", "enter")
        assert "collecting tests" in it.text


@pytest.mark.parametrize(
    ("key", "words"), [("1", "Codex's plan"), ("2", "not in a git"), ("3", "A message was waiting")]
)
async def test_a_panel_opens_and_closes(tmp_path: Path, key: str, words: str) -> None:
    async with seat(tmp_path, stories.working) as it:
        assert words in await it.press(key)
        assert it.app.query_one(Side).display
        await it.press(key)
        assert not it.app.query_one(Side).display


async def test_the_palette_does_what_it_says(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        await it.press("ctrl+p")
        await it.types("compact")
        await it.until(lambda text: "Compact now" in text)
        await it.pilot.press("enter")
        await it.until(lambda _: told.told)
        assert told.told == [facts.CompactionSubmitted()]


async def test_every_command_has_an_action_a_key_and_a_line_of_help(tmp_path: Path) -> None:
    keys = [key for one in COMMANDS for key in one.keys.split(",")]
    assert len(keys) == len(set(keys))
    async with seat(tmp_path, stories.working, size=(120, 80)) as it:
        for one in COMMANDS:
            assert hasattr(it.app, f"action_{one.name.partition('(')[0]}"), one.name
        shown = await it.press("question_mark")
        for one in COMMANDS:
            assert f"{one.title}: {one.help}" in shown
            assert shown_keys(one.keys) in shown


async def test_light_and_dark_change_and_are_kept(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        before = it.app.theme
        await it.press("T")
        assert it.app.theme != before
        after = it.app.theme
    async with seat(tmp_path, lambda _: None) as it:
        assert it.app.theme == after
