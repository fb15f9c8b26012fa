"""What the tools check and say (D10)."""

import json
from pathlib import Path

import pytest

from rawr.core.requests.tools import MAX_HELD
from rawr.mcp.protocol import Called, Outcome
from rawr.mcp.tools import UNWATCHED, Home

pytestmark = pytest.mark.mission("D10")


def say(home: Path, tool: str, thread: str = "T1", **arguments: object) -> Outcome | None:
    return Home(home).serve(Called(tool, json.dumps(arguments), thread))


def test_where_nobody_watches_the_agent_is_told(tmp_path: Path) -> None:
    marked = say(tmp_path, "phase_complete", phase="research", summary="Read.")
    assert marked == Outcome(f"Noted: “research” is finished. {UNWATCHED}")
    held = say(tmp_path, "hold", until="the tables are copied", turns=2)
    assert held == Outcome(f"Passed on: no compaction until “the tables are copied”, for 2 turns. {UNWATCHED}")
    assert say(tmp_path, "release_hold") == Outcome(f"Passed on: your hold is lifted. {UNWATCHED}")


def test_nothing_is_written(tmp_path: Path) -> None:
    """Not even a home: the server only reads."""
    home = tmp_path / "rawr"
    for tool in ("phase_complete", "hold", "release_hold", "recorded"):
        assert say(home, tool, phase="research", summary="Read.", until="later") is not None
    assert not home.exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("phase_complete", {"phase": 7}, "phase_complete was not understood: "),
        ("phase_complete", {"phase": " "}, "phase_complete needs the name of the phase that is finished."),
        ("hold", {"turns": 1}, "hold was not understood: "),
        ("hold", {"until": " "}, "hold needs to know what has to be finished first."),
        ("hold", {"until": "later", "turns": MAX_HELD + 1}, f"hold takes 1 to {MAX_HELD} turns."),
        ("hold", {"until": "later", "turns": 0}, f"hold takes 1 to {MAX_HELD} turns."),
    ],
)
def test_unusable_arguments_fail(tmp_path: Path, tool: str, arguments: dict[str, object], words: str) -> None:
    outcome = Home(tmp_path).serve(Called(tool, json.dumps(arguments)))
    assert outcome is not None
    assert outcome.failed
    assert outcome.text.startswith(words)


def test_the_record_is_this_threads_or_nobodys(tmp_path: Path) -> None:
    nobody = say(tmp_path, "recorded", thread="")
    assert nobody is not None
    assert nobody.failed
    assert say(tmp_path, "recorded") == Outcome("rawr has nothing on record of this session.")
    assert say(tmp_path, "delete_everything") is None
