"""Text that would harm a terminal, or be taken for ours, is shown harmlessly wherever it may appear (D11, C18)."""

import re
import time
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval, Option, UserInput, UserQuestion
from rawr.tui.rendering.entries import Agent, FromRawr, Ran, You
from rawr.tui.rendering.ink import Ink
from rawr.tui.rendering.markdown import markdown_lines
from rawr.tui.rendering.stream import Stream
from tests.tui.screens import seat
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18")

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 \x9b31m",
    "[red]alarm[/red] [@click=app.leave]press me[/] [bold",
    "\u202eevil\u202c \u2066x\u2069 \u200b\ufeff",
    "[link](javascript:alert(1)) ![pic](http://example.invalid/x.png) <http://example.invalid/>",
    "👩‍👩‍👧‍👦 全角 \uff46\uff55 \ud800 e\u0301\u0301\u0301 \u0000",
    "a\rb\x08c\x0bd\x7f\t\tend",
    "```\nnever closed \x1b[31m",
    "#" * 300,
    "> " * 200 + "deep",
    "- " * 300 + "deeper",
    "|" * 500 + "\n" + "|-" * 250 + "|\n" + "|x" * 250,
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def everywhere(text: str) -> "object":
    def story(rawr: ToldRawr) -> None:
        goal = text.replace("\ud800", "?").replace("\x00", "?")
        rawr.begin_thread("t", cwd=f"/tmp/{goal[:30]}", model=goal[:30])
        rawr.take("t", facts.RunSubmitted(order=Order(goal=goal, done=f"echo {goal}", approvals="ask")))
        rawr.begins("t", "T1")
        rawr.says("t", "T1", goal)
        rawr.runs("t", "T1", f"echo {goal}", code=1, output=goal)
        change = (items.Change(goal[:100], "add"),)
        rawr.item("t", "T1", items.FileChange(id="f", changes=change, status="completed"))
        rawr.take("t", facts.PlanUpdated(turn="T1", steps=(facts.PlanStep(goal, "in_progress"),)))
        asked = UserQuestion("q", goal, goal, (Option(goal, goal),))
        rawr.take("t", facts.RequestReceived(request="1", question=CommandApproval(command=goal, cwd=goal), turn="T1"))
        rawr.take("t", facts.RequestReceived(request="2", question=UserInput(questions=(asked,)), turn="T1"))
        rawr.take("t", facts.UserSubmitted(text=goal))
        rawr.take("t", facts.PinSubmitted(text=goal[:200]))

    return story


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_no_screen_passes_it_on(tmp_path: Path, number: int) -> None:
    """Each screen is drawn; nothing in it is a control character, and no markup of ours is taken from it."""
    story = everywhere(HOSTILE[number])
    async with seat(tmp_path, story, size=(120, 40), thread="t") as it:  # type: ignore[arg-type]
        it.rawr.writes("t", "m9", HOSTILE[number], kind="message")
        for keys in (("z",), ("1",), ("3",), ("a",), ("j",), ("escape", "e"), ("escape", "o"), ("escape", "t")):
            shown = await it.press(*keys)
            assert _FORBIDDEN.search(shown) is None, (keys, _FORBIDDEN.search(shown))
            for style in {
                seg.style for strip in it.app.screen._compositor.render_strips() for seg in strip if seg.style
            }:
                assert "app.leave" not in str(style.meta)
                assert style.link is None
        assert it.app.is_running


@pytest.mark.parametrize("kind", ["message", "user", "own", "output", "stream"])
def test_a_line_of_a_megabyte_is_drawn_at_once(kind: str) -> None:
    """Cut before it is laid out: it costs no more than to look at each character, and mostly less."""
    _drawn(kind, 10_000)  # what is made once is made now
    tenth, whole = (min(_drawn(kind, size) for _ in range(3)) for size in (100_000, 1_000_000))
    assert whole < 30 * tenth + 0.1


def _drawn(kind: str, size: int) -> float:
    """Seconds of processor time."""
    text = "x" * size
    ran = Ran(1, text)
    ran.ended(ending="exit 1", output=text, bad=True)
    ran.toggle()
    own = FromRawr(1, "packet", text)
    own.toggle()
    stream = Stream("i")
    entry = {"message": Agent(1, text), "user": You(1, text), "own": own, "output": ran, "stream": stream}[kind]
    began = time.process_time()
    if kind == "stream":
        stream.wrote(text)
    drawn = entry.lines(80, Ink())
    took = time.process_time() - began
    assert all(strip.cell_length <= 80 for strip in drawn)
    return took


def test_a_link_is_only_text() -> None:
    """What it says may not be where it leads, so both are shown, and neither can be pressed."""
    [line] = markdown_lines("[docs.python.org](http://evil.invalid)", 80, Ink())
    assert line.plain == "docs.python.org (http://evil.invalid)"
    assert all(not span.style or "link" not in str(span.style) for span in line.spans)


def test_every_line_fits_whatever_it_is_made_of() -> None:
    for text in HOSTILE:
        for width in (10, 33, 80):
            drawn = Agent(1, text).lines(width, Ink())
            assert all(strip.cell_length <= max(width, 14) for strip in drawn), (text, width)
