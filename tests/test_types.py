"""What the type checker sees: a change of a state is checked against its fields (``scripts/mypy_structs.py``), and text
is not markup."""

import re
from pathlib import Path

import pytest
from mypy import api

REPOSITORY = Path(__file__).parent.parent
CHANGES = """\
from msgspec.structs import replace

from rawr.core.draft import HostDraft, ThreadDraft
from rawr.core.run import ending
from rawr.core.run.table import Move
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState


def changed(state: ThreadState, run: Run, draft: ThreadDraft, host: HostDraft) -> None:
    replace(state, turns=1, model="m")
    replace(state, trns=1)  # no such field
    replace(state, turns="one")  # no such type
    replace(run, turns=1)
    replace(run, busy=True)  # no such field
    draft.change(turns=1, queue=())
    draft.change(trns=1)  # no such field
    draft.change(turns="one")  # no such type
    host.change(epoch=1)
    host.change(turns=1)  # no such field
    ending.change(draft, turns=1)
    ending.change(draft, trns=1)  # no such field
    ending.change(draft, turns="one")  # no such type
    ending.change(draft, waiting="turn")  # no such field
    ending.move(draft, Move.RESTED, turns=1)
    ending.move(draft, Move.RESTED)
    ending.move(draft, Move.RESTED, trns=1)  # no such field
    ending.move(draft, Move.RESTED, turns="one")  # no such type
    ending.move(draft, Move.RESTED, waiting="turn")  # no such field
"""
FLAWS = {"call-arg": "no such field", "arg-type": "no such type"}


def test_a_change_of_a_state_is_checked_against_its_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt field and a value of the wrong type are errors, in every way in which a state is changed."""
    changes = tmp_path / "changes.py"
    changes.write_text(CHANGES)
    monkeypatch.chdir(REPOSITORY)  # where the configuration finds the plugin and the sources
    said, broken, _ = api.run(["--config-file", "pyproject.toml", "--no-error-summary", str(changes)])
    assert broken == ""
    found = re.findall(r"changes\.py:(\d+): error: .*\[([\w-]+)\]$", said, flags=re.MULTILINE)
    expected = [(n, line.partition("  # ")[2]) for n, line in enumerate(CHANGES.splitlines(), 1) if "  # " in line]
    assert [(int(n), FLAWS.get(code, code)) for n, code in found] == expected, said


MARKUP = """\
from rawr.pages.html import Html, joined, tag, text
from rawr.pages.parts.listing import listed, table


def shown(said: str) -> Html:
    tag("p", None, text(said))
    tag("p", {"title": said})
    tag("p", None, said)  # no such type
    joined([said])  # no such type
    listed([f"<b>{text(said)}</b>"])  # no such type
    table(["a"], [[said]])  # no such type
    return text(said)
"""


def test_text_is_not_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D12: what was not escaped cannot be put on a page."""
    markup = tmp_path / "markup.py"
    markup.write_text(MARKUP)
    monkeypatch.chdir(REPOSITORY)
    said, broken, _ = api.run(["--config-file", "pyproject.toml", "--no-error-summary", str(markup)])
    assert broken == ""
    found = [int(line) for line in re.findall(r"markup\.py:(\d+): error: ", said)]
    assert found == [n for n, line in enumerate(MARKUP.splitlines(), 1) if "  # " in line], said
