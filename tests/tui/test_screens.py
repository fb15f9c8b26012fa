"""Every screen and state at both sizes, as a picture and as text (C18, A21).

The clock stands still and nothing spins, so that a screen is the same on every machine.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from tests.tui import stories
from tests.tui.screens import SIZES, Seat, seat
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18", "A21")


@pytest.fixture(autouse=True)
def _one_time_and_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def nothing(_rawr: ToldRawr) -> None:
    pass


def queued(rawr: ToldRawr) -> None:
    stories.working(rawr)
    rawr.take("thread-one", facts.UserSubmitted(text="Then update the changelog."))
    rawr.take("thread-one", facts.UserSubmitted(text="And tell me which tests were flaky."))


def compacting_with_a_message(rawr: ToldRawr) -> None:
    stories.compacting(rawr)
    rawr.take("thread-three", facts.UserSubmitted(text="Mind the tabs."))


STATES: dict[str, tuple[Callable[[ToldRawr], None], str, tuple[str, ...]]] = {
    "empty": (nothing, "", ()),
    "everything": (stories.everything, "thread-one", ()),
    "queued": (queued, "thread-one", ("i",)),
    "queue-dialog": (queued, "thread-one", ("e",)),
    "compacting": (compacting_with_a_message, "thread-three", ("i",)),
    "compacted": (stories.compacted, "thread-three", ()),
    "opened": (stories.compacted, "thread-three", ("z",)),
    "full-auto": (stories.full_auto, "thread-two", ()),
    "paused": (stories.paused, "thread-five", ()),
    "order": (stories.working, "thread-one", ("f",)),
    "budgets": (stories.paused, "thread-five", ("b",)),
    "override": (stories.full_auto, "thread-two", ("o",)),
    "inbox": (stories.everything, "thread-one", ("a",)),
    "inbox-question": (stories.everything, "thread-one", ("a", "j")),
    "threads": (stories.everything, "thread-one", ("t",)),
    "plan": (stories.everything, "thread-two", ("0", "1")),
    "decisions": (stories.compacted, "thread-three", ("0", "3")),
    "decision": (stories.compacted, "thread-three", ("0", "3", "home", *["right_square_bracket"] * 4, "enter")),
    "context": (stories.compacted, "thread-three", ("0", "4")),
    "help-conversation": (stories.working, "thread-one", ("question_mark",)),
    "help-composer": (stories.working, "thread-one", ("i", "question_mark")),
    "palette": (stories.working, "thread-one", ("ctrl+p",)),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", STATES)
async def test_the_screen_is_as_on_record(tmp_path: Path, name: str, size: str) -> None:
    story, thread, keys = STATES[name]
    async with seat(tmp_path, story, size=SIZES[size], thread=thread) as it:
        await _pressed(it, keys, wide=size == "200x60")
        it.compare(name)


async def _pressed(it: Seat, keys: tuple[str, ...], *, wide: bool) -> None:
    for key in keys:
        # The plan is open from the start where there is room.
        if not (key == "0" and not wide):
            await it.press(key)
    it.app.screen.set_focus(it.app.screen.focused)
    for one in it.app.screen.query("TextArea, Input"):
        one.cursor_blink = False  # type: ignore[attr-defined]
    await it.settled()


@pytest.mark.parametrize("theme", ["rawr-light"])
async def test_it_is_readable_on_light_ground(tmp_path: Path, theme: str) -> None:
    async with seat(tmp_path, stories.everything, size=(120, 36), thread="thread-one", theme=theme) as it:
        it.compare("light")


async def test_it_says_everything_without_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tier, the state and what is asked are words, not only colours."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with seat(tmp_path, stories.everything, size=(120, 36), thread="thread-one") as it:
        assert it.app.no_color
        it.compare("no-colour")
        for words in ("66 % ready", "waiting for you (2)", "paused", "exit 1", "rate limit 91 % used"):
            assert words in it.text
