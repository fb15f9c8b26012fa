"""A judgment's result and a mark, as the terminal program tells them (A2, A21)."""

import pytest

from rawr.tui.rendering.entries import Note
from rawr.tui.rendering.telling import Telling
from rawr.tui.told import Told
from rawr.views import events as e

SAID = "compact, codex says: a phase is over"


def told(event: e.AnyEvent) -> list[str]:
    return [entry.text for entry in Telling().take([Told(event, "")]) if isinstance(entry, Note)]


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (
            e.CompactionDecided(only_suggested=False, judgment=SAID, why="A boundary."),
            [f"auto-compaction judgment: {SAID}", "Compacting: A boundary."],
        ),
        (e.CompactionDecided(only_suggested=True, why="A boundary."), ["Compact now: A boundary."]),
        (
            e.CompactionDeferred(by="model", judgment="do not compact, codex says: no"),
            ["auto-compaction judgment: do not compact, codex says: no"],
        ),
        (e.CompactionDeferred(by="rules"), []),
        (
            e.CompactionMarked(percent_left=51, boundary="commit, 0a1b Add a", judgment=SAID),
            [f"auto-compaction judgment: {SAID}", "A moment to compact (commit, 0a1b Add a), 51 % left"],
        ),
        (e.CompactionMarked(percent_left=51), ["A moment to compact, 51 % left"]),
    ],
)
def test_it_has_its_lines(event: e.AnyEvent, lines: list[str]) -> None:
    assert told(event) == lines
