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
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18", "C10")
LONG = 3600.0
BUSY = facts.Problem(message="Reconnecting... 2/5")


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
        assert "r connects again. The host is gone: it was killed. What you see is as it was." in await it.settled()
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
async def test_a_message_that_is_cut_off_stays_where_it_was(tmp_path: Path, how: str) -> None:
    async with seat(tmp_path, stories.working) as it:
        it.rawr.writes("thread-one", "m1", "Half a sent", kind="message")
        assert "Half a sent" in await it.settled()
        if how == "steered":
            said = items.UserMessage(id="u9", text="left, please")
            it.rawr.take("thread-one", facts.ItemCompleted(turn="T1", item=said))
        else:
            it.rawr.take("thread-one", facts.TurnCompleted(turn="T1", status="interrupted"))
        assert "(cut off)" in await it.settled()
        it.rawr.says("thread-one", "T1", "Newer words.")
        shown = await it.settled()
        assert -1 < shown.find("Half a sent") < shown.find("(cut off)") < shown.find("Newer words.")


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


async def test_enter_twice_sends_a_message_once(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        told = Facts(it.rawr)
        await it.press("i")
        await burst(it, "alpha\n\n")
        await burst(it, "one\ntwo\nthree\n")
        texts = [one.text for one in told.told if isinstance(one, facts.UserSubmitted | facts.SteerSubmitted)]
        assert texts == ["alpha", "one", "two", "three"]


async def test_a_burst_without_a_thread_starts_one_thread(tmp_path: Path) -> None:
    async with seat(tmp_path, lambda _: None, looks=False) as it:
        await burst(it, "my first message\n\nand another\n")
        assert len(it.rawr.started) == 1


async def test_keys_take_effect_in_their_order(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        await it.press("i")
        for key in ("a", "b", "X", "backspace", "c", "left", "left", "!", "end", "ctrl+j", "d"):
            it.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await it.settled()
        assert it.app.query_one(Composer).text == "a!bc\nd"


async def test_a_message_that_does_not_get_through_comes_back(tmp_path: Path) -> None:
    async with seat(tmp_path, lambda _: None, problem="There is no file /opt/codex.") as it:
        it.app.query_one(Composer).disabled = False
        it.app.query_one(Composer).focus()
        await burst(it, "hello\n")
        assert it.app.query_one(Composer).text == "hello"


async def test_one_begins_by_writing_where_nothing_is_under_way(tmp_path: Path) -> None:
    async with seat(tmp_path / "empty", lambda _: None, looks=False) as it:
        await burst(it, "hello there")
        assert it.app.query_one(Composer).text == "hello there"
        assert "Esc for keys" in it.text
    async with seat(tmp_path / "busy", stories.working, thread="thread-one", looks=False) as it:
        assert it.app.query_one(Conversation).has_focus


async def test_a_form_with_a_wrong_value_stays_open(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        told = Facts(it.rawr)
        await it.press("f")
        await it.types("All green")
        await it.press("tab")
        await it.types("make test")
        await it.press("enter", "end", "x", "ctrl+s")
        assert "All green" in await it.until(lambda text: "is not a number of turns" in text)
        await it.press("backspace", "ctrl+s")
        assert [type(one) for one in told.told] == [facts.RunSubmitted]


async def test_removing_one_queued_message_leaves_the_others_on_the_screen(tmp_path: Path) -> None:
    def two(rawr: ToldRawr) -> None:
        stories.working(rawr)
        for text in ("First.", "Second."):
            rawr.take("thread-one", facts.UserSubmitted(text=text))

    async with seat(tmp_path, two, thread="thread-one") as it:
        await it.press("e", "d")
        await it.until(lambda text: "Queued messages" in text and "First." not in text and "Second." in text)


async def test_a_turn_that_was_cut_off_says_so(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        it.rawr.take("thread-one", facts.ThreadJoined(cwd="/project", idle=True))
        assert "The turn was cut off: Codex was away." in await it.settled()


async def test_what_codex_says_again_and_again_is_one_line(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        for _ in range(5):
            it.rawr.take("thread-one", facts.ErrorReported(turn="T1", problem=BUSY, will_retry=True))
        shown = await it.settled()
        assert shown.count("Reconnecting") == 1
        assert "5 times" in shown


async def test_a_decision_is_chosen_with_the_arrows_from_the_newest_on(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        await it.press("3")
        assert "compact.audited.sequence" in await it.press("enter")
        await it.press("escape", "k")
        assert "compact.audited.sequence" not in await it.press("enter")


async def test_a_hold_is_in_the_header(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.compacted) as it:
        assert "on hold (h releases)" in await it.press("h")


async def test_what_was_steered_and_not_read_yet_is_on_the_screen(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        await it.press("i")
        await burst(it, "left, please\n")
        assert "sent  left, please  not read yet" in await it.settled()


async def test_over_a_dialog_help_lists_its_own_keys_only(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.asking) as it:
        shown = await it.press("a", "question_mark")
        assert "1 to 9" in shown
        assert "Esc or Esc" not in shown
        assert "Budgets:" not in shown


async def test_ctrl_c_says_how_to_leave(tmp_path: Path) -> None:
    async with seat(tmp_path, stories.working) as it:
        await it.press("ctrl+c")
        await it.until(lambda text: "Ctrl+Q leaves" in text)


async def test_an_answer_that_begins_at_once_is_not_cut_off(tmp_path: Path) -> None:
    """The user's message and the first words of the answer come in one batch."""
    async with seat(tmp_path, stories.working) as it:
        said = items.UserMessage(id="u9", text="hi there")
        it.rawr.take("thread-one", facts.ItemCompleted(turn="T1", item=said))
        it.rawr.writes("thread-one", "m9", "Hello to ", kind="message")
        shown = await it.settled()
        assert shown.find("hi there") < shown.find("Hello to")
        assert "(cut off)" not in shown
        it.rawr.writes("thread-one", "m9", "you.", kind="message")
        it.rawr.says("thread-one", "T1", "Hello to you.", item="m9")
        shown = await it.settled()
        assert shown.count("Hello to you.") == 1
        assert "(cut off)" not in shown
