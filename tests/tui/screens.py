"""The terminal program on a told rawr, its keys pressed, and its screen compared with the one on record.

``RAWR_PICTURES=1`` writes the pictures anew: each as an SVG, with the same screen as text beside it.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from difflib import unified_diff
from pathlib import Path

from textual.pilot import Pilot

from rawr.tui.app import RawrApp
from rawr.tui.picture import svg_of, text_of
from rawr.tui.widgets.conversation import Conversation
from tests.tui.told_rawr import ToldRawr

PICTURES = Path(__file__).parent / "pictures"
_POLICY = re.compile(r"policy(?:&#160;| )[0-9a-f]{8}")
SIZES = {"80x24": (80, 24), "200x60": (200, 60)}


class Seat:
    """A person before the screen."""

    def __init__(self, app: RawrApp, pilot: "Pilot[str]", rawr: ToldRawr) -> None:
        self.app, self.pilot, self.rawr = app, pilot, rawr

    @property
    def text(self) -> str:
        return text_of(self.app)  # type: ignore[arg-type]

    async def press(self, *keys: str) -> str:
        await self.pilot.press(*keys)
        return await self.settled()

    async def types(self, words: str) -> None:
        await self.pilot.press(*(_key(char) for char in words))

    async def settled(self) -> str:
        """The screen once nothing more is about to change on it."""
        for _ in range(3):
            self.rawr.flush()
            self.app.feed._flush()
            # A dialog's worker waits for its person.
            busy = [one for one in self.app.workers if one.group not in ("ask", "lost") and not one.is_finished]
            if busy:
                async with asyncio.timeout(10):
                    await self.app.workers.wait_for_complete(busy)
            await self.pilot.pause()
        return self.text

    async def until(self, seen: Callable[[str], object], *, tries: int = 200) -> str:
        for _ in range(tries):
            if seen(self.text):
                return self.text
            await self.pilot.pause(0.02)
        raise AssertionError(f"the screen never showed it:\n{self.text}")

    def compare(self, name: str) -> None:
        """With the picture on record, and with its text."""
        size = f"{self.app.size.width}x{self.app.size.height}"
        found = {".txt": self.text, ".svg": svg_of(self.app)}  # type: ignore[arg-type]
        for suffix, drawn in found.items():
            # Every new setting is another policy.
            shown = _POLICY.sub("policy 0a1b2c3d", drawn)
            place = PICTURES / f"{name}-{size}{suffix}"
            if os.environ.get("RAWR_PICTURES"):
                PICTURES.mkdir(exist_ok=True)
                place.write_text(shown, "utf-8")
            kept = place.read_text("utf-8")
            assert shown == kept, f"{place.name} differs; RAWR_PICTURES=1 draws it anew\n{_changed(kept, shown)}"


def _changed(before: str, after: str) -> str:
    return "\n".join(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[:2_000]


_NAMES = {" ": "space", ".": "full_stop", ",": "comma", "?": "question_mark", "/": "slash", "-": "minus"}


def _key(char: str) -> str:
    return _NAMES.get(char, char)


@asynccontextmanager
async def seat(
    home: Path,
    story: Callable[[ToldRawr], None],
    *,
    size: tuple[int, int] = (140, 40),
    thread: str = "",
    theme: str = "",
    opens: Callable[[], str] | None = None,
    problem: str = "",
    looks: bool = True,
) -> AsyncIterator[Seat]:
    """``looks``: the person begins by looking at the conversation, wherever the program would have them begin."""
    with ToldRawr(home) as rawr:
        rawr.connects()
        story(rawr)
        rawr.flush()
        app = RawrApp(rawr, now=rawr.now, thread=thread, theme=theme, opens=opens, problem=problem)
        async with app.run_test(size=size, notifications=True) as pilot:
            it = Seat(app, pilot, rawr)
            await it.settled()
            if looks:
                app.query_one(Conversation).focus()
                await it.settled()
            yield it
