"""People type fast, terminals send bursts, hosts die: nothing is approved, sent or lost by that (C10, C18, D5)."""

from pathlib import Path

import pytest
from textual import events

from rawr.core.vocabulary import facts, items
from rawr.tui.screens import inbox
from rawr.tui.widgets.composer import Composer
from rawr.tui.widgets.conversation import Conversation
from tests.tui import stories
from tests.tui.screens import Seat, seat
from tests.tui.test_keys import Facts

pytestmark = pytest.mark.mission("C18", "C10")
LONG = 3600.0


async def burst(it: Seat, keys: str) -> None:
    """All at once, as a paste without brackets or a slow line brings it."""
    for char in keys:
        key = {"\n": "enter", "\t": "tab", " ": "space"}.get(char, char)
        it.app.post_message(events.Key(key, char if char.isprintable() else None))
    await it.settled()
    await it.settled()


@pytest.mark.parametrize("keys", [("a", "a"), ("a", "y"), ("a", "S"), ("a", "n")])
async def test_a_key_that_was_pressed_before_one_could_read_answers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    monkeypatch.setattr(inbox, "SETTLING", LONG)
    async with seat(tmp_path, stories.asking) as it:
        await it.press(*keys)
        assert it.rawr.answered == []


async def test_the_next_question_is_not_answered_by_a_doubled_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seat(tmp_path, stories.asking) as it:
        await it.press("a", "y")
        monkeypatch.setattr(inbox, "SETTLING", LONG)
        await it.press("2", "y", "2")
        assert [request for _, request, _ in it.rawr.answered] == ["1/7"]


async def test_enter_twice_sends_a_form_once(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        told = Facts(it.rawr)
        await it.press("m")
        await burst(it, "zz\n\n")
        assert told.told == [facts.PhaseSubmitted(phase="zz")]
        assert len(it.app.screen_stack) == 1


async def test_letters_before_enter_are_in_the_message(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        told = Facts(it.rawr)
        await it.press("i")
        await burst(it, "message number one with a long tail\n")
        assert told.told == [facts.SteerSubmitted(text="message number one with a long tail")]
        await burst(it, "and another\t")
        assert told.told[1:] == [facts.UserSubmitted(text="and another")]
        assert it.app.query_one(Composer).text == ""


async def test_dialogs_do_not_pile_up(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.paused) as it:
        await burst(it, "monp")
        assert len(it.app.screen_stack) == 2


async def test_the_palette_opens_a_form(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        await it.press("ctrl+p")
        await it.types("mark")
        await it.until(lambda text: "Mark a phase" in text)
        await it.pilot.press("enter")
        await it.until(lambda text: "The phase that is over" in text)


async def test_a_host_that_is_gone_is_said_for_good(tmp_path: Path) -> None:
    """What is on the screen would go on looking alive."""
    async with seat(tmp_path, stories.full_auto) as it:
        it.app.returns = True
        it.rawr.gone.set()
        await it.until(lambda text: "The host is gone: it was killed." in text)
        it.app.tick()
        assert "What you see is as it was. r connects again" in await it.settled()
        await it.press("r")
    assert it.app.return_value == "thread-two"


async def test_r_does_nothing_while_the_host_is_there(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.full_auto) as it:
        it.app.returns = True
        await it.press("r")
        assert it.app.is_running


async def test_it_opens_on_the_run_that_it_was_started_for(tmp_path: Path) -> None:
    found = ""
    async with seat(tmp_path, stories.everything, opens=lambda: found) as it:
        assert (it.app.thread, "Starting…" in it.text) == ("", True)
        found = "thread-two"
        it.app.look()
        await it.settled()
        assert it.app.thread == "thread-two"
        await it.press("J")
        it.app.look()
        await it.settled()
        assert it.app.thread != "thread-two"


async def test_a_message_without_a_thread_starts_one(tmp_path: Path) -> None:
    async with seat(tmp_path, lambda _: None) as it:
        told = Facts(it.rawr)
        assert "Enter starts a thread in" in await it.press("i")
        await it.types("hello")
        await it.press("enter")
        assert it.rawr.started == [Path.cwd()]
        assert told.told == [facts.UserSubmitted(text="hello")]
        assert it.app.query_one(Composer).text == ""


async def test_why_no_thread_can_be_started_stays_on_the_screen(tmp_path: Path) -> None:
    async with seat(tmp_path, lambda _: None, problem="There is no file /opt/codex.") as it:
        assert "There is no file /opt/codex." in it.text
        await it.press("n", "ctrl+s")
        assert it.rawr.started == []


@pytest.mark.parametrize("how", ["steered", "interrupted"])
async def test_a_message_that_is_cut_off_does_not_stay_at_the_end(tmp_path: Path, how: str) -> None:
    async with seat(tmp_path, stories.working) as it:
        it.rawr.writes("thread-one", "m1", "Half a sent", kind="message")
        assert "Half a sent" in await it.settled()
        if how == "steered":
            said = items.UserMessage(id="u9", text="left, please")
            it.rawr.take("thread-one", facts.ItemCompleted(turn="T1", item=said))
        else:
            it.rawr.take("thread-one", facts.TurnCompleted(turn="T1", status="interrupted"))
        assert "Half a sent" not in await it.settled()
        it.rawr.says("thread-one", "T1", "Newer words.")
        assert "Newer words." in await it.settled()


async def test_it_follows_the_end_when_the_room_gets_smaller(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working, size=(80, 24)) as it:
        it.rawr.says("thread-one", "T1", "At the end.")
        await it.settled()
        it.rawr.take("thread-one", facts.UserSubmitted(text="Then update the changelog."))
        assert "At the end." in await it.settled()
        it.rawr.says("thread-one", "T1", "Still there.")
        assert "Still there." in await it.settled()
        await it.pilot.resize_terminal(80, 18)
        assert "Still there." in await it.settled()
        assert it.app.query_one(Conversation).at_end


async def test_a_command_that_codex_took_with_it_does_not_look_alive(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        assert "make test  running" in it.text
        it.rawr.take("thread-one", facts.ThreadJoined(cwd="/project", idle=True))
        shown = await it.settled()
        assert "make test  running" not in shown
        assert "make test  cut off" in shown


async def test_a_progress_bar_is_one_line(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        it.rawr.writes("thread-one", "c9", "10 %\r50 %\r100 %\r\nfetched\r\n", kind="output")
        await it.press("left_square_bracket", "enter")
        assert "100 %" in it.text
        assert "50 %" not in it.text
        assert "x0d" not in it.text


async def test_help_is_there_in_a_dialog_and_closes_with_its_own_key(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.asking) as it:
        await it.press("a")
        shown = await it.press("question_mark")
        assert "In the inbox" in shown
        assert "Approve for the session" in shown
        await it.press("question_mark")
        assert "Inbox" in it.text
        assert len(it.app.screen_stack) == 2
