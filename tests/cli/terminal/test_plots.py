"""The context over time in a terminal, of any width and with any characters (C18)."""

import pytest
from msgspec.structs import replace

from rawr.cli.terminal.plots import plan, plot
from rawr.views.timeline import ContextPoint, Timeline
from tests.pages.nights import BANDS, night

WINDOW = 272_000


def rising(*tokens: int, window: int | None = WINDOW) -> Timeline:
    points = tuple(ContextPoint(at * 60_000, at + 1, one, window, 50) for at, one in enumerate(tokens))
    return Timeline(thread="t", points=points, bands=BANDS)


def test_it_rises_and_falls() -> None:
    told = rising(30_000, 90_000, 150_000, 210_000, 264_000, 20_000, 60_000)
    drawn = list(plot(told, width=64, symbols=True))
    assert drawn == [
        "  272 k │                              ▆▆▆▆▆▆▆",
        "        │                      ▁▁▁▁▁▁▁▁███████         emergency",
        "        │                      ███████████████",
        "        │              ▃▃▃▃▃▃▃▃███████████████",
        "  136 k │              ███████████████████████         asap",
        "        │       ▅▅▅▅▅▅▅███████████████████████         ready",
        "        │       ██████████████████████████████       ▆ early",
        "        │▇▇▇▇▇▇▇██████████████████████████████▅▅▅▅▅▅▅█",
        "      0 └─────────────────────────────────────────────",
        "",
        drawn[-2],
        "         50 % left, lowest 50 %",
    ]


@pytest.mark.parametrize("width", [1, 20, 59, 60, 80, 120, 400])
@pytest.mark.parametrize("symbols", [True, False])
def test_it_fits(width: int, symbols: bool) -> None:
    lines = list(plot(night(), width=width, symbols=symbols))
    assert all(len(line) <= max(width, 33) for line in lines[:-1]), lines
    assert symbols or all(line.isascii() for line in lines)
    assert {letter for letter in lines[-3] if letter.isupper()} <= set("RCP")
    assert "R compacted by rawr" in lines[-1]


def test_without_a_window_there_are_no_tiers() -> None:
    lines = list(plot(rising(1_000, 2_000, window=None), width=80, symbols=False))
    assert not any("asap" in line for line in lines)
    assert lines[0].startswith("  2.2 k |")


def test_nothing_to_draw() -> None:
    empty = Timeline(thread="t")
    assert list(plot(empty, width=80, symbols=True)) == list(plan(empty, width=80, symbols=True)) == []


def test_the_plan() -> None:
    told = night()
    lines = list(plan(told, width=44, symbols=False))
    assert lines[0] == "#################### 6 of 6 steps"
    assert lines[1:] == ["✓ Read the code", *(f"✓ {one.step}" for one in told.plan[1:5]), "▸ Report"]
    half = replace(told, progress=told.progress[:3])
    assert next(plan(half, width=44, symbols=True)) == "██████████░░░░░░░░░░ 3 of 6 steps"
