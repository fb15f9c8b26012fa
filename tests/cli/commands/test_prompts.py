"""``rawr prompts``: see, edit and restore the texts."""

from pathlib import Path

import pytest

from rawr.prompts.catalog import PROMPTS
from tests.cli.program import rawr

NAMES = [prompt.name for prompt in PROMPTS]


@pytest.fixture
def folder(own_home: Path) -> Path:
    return own_home / "rawr" / "auto-compact"


@pytest.mark.parametrize("command", [(), ("list",), ("path",), ("diff",), ("reset",)])
def test_help_teaches(command: tuple[str, ...]) -> None:
    ended = rawr("prompts", *command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert "..." not in ended.out.replace("COMMAND [ARGS]...", ""), "a help text is cut off"
    assert len(ended.out.splitlines()) > 8


def test_a_first_look_an_edit_and_the_way_back(folder: Path) -> None:
    ended = rawr("prompts", "list")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert [line.split()[0] for line in lines[: len(NAMES)]] == NAMES
    assert all("as shipped" in line for line in lines[:7])
    assert lines[-1] == f"The files are in {folder}"
    assert rawr("prompts", "diff").out == ""

    file = Path(rawr("prompts", "path", "heads-up").out.rstrip("\n"))
    assert file == folder / "heads-up.md"
    shipped = file.read_text()
    file.write_text(shipped.replace("Heads-up", "Attention"))
    assert "heads-up          edited" in rawr("prompts", "list").out
    diff = rawr("prompts", "diff", "heads-up").out
    assert f"--- shipped/heads-up.md\n+++ {file}\n" in diff
    assert "\n+[rawr {sequence}] Attention" in diff
    assert rawr("prompts", "diff", "handoff").out == ""

    refused = rawr("prompts", "reset", "heads-up")
    assert (refused.code, refused.out) == (64, "")
    assert "--yes" in refused.err
    assert "Attention" in file.read_text()

    done = rawr("prompts", "reset", "heads-up.md", "--yes")
    assert (done.code, done.err) == (0, "")
    assert f"Your version is in {file}.bak-1" in done.out
    assert file.read_text() == shipped
    assert "Attention" in (folder / "heads-up.md.bak-1").read_text()
    assert "nothing was changed" in rawr("prompts", "reset", "heads-up").out


def test_json(folder: Path) -> None:
    listed = rawr("prompts", "list", "--json").lines
    assert [(line["type"], line["name"], line["state"]) for line in listed] == [
        ("prompt", name, "shipped") for name in NAMES
    ]
    assert rawr("prompts", "path", "--json").lines == [{"type": "path", "prompt": None, "path": str(folder)}]
    (folder / "handoff.md").write_text("Mine.\n")
    [diff] = rawr("prompts", "diff", "--json").lines
    assert (diff["type"], diff["name"], diff["state"]) == ("diff", "handoff", "edited")
    assert "+Mine." in str(diff["diff"])
    file = folder / "handoff.md"
    assert rawr("prompts", "reset", "handoff", "--yes", "--json").lines == [
        {"type": "reset", "prompt": "handoff", "path": str(file), "was": "edited", "kept": f"{file}.bak-1"}
    ]


def test_a_deleted_file_comes_back(folder: Path) -> None:
    rawr("prompts", "list")
    (folder / "handoff.md").unlink()
    assert "rawr prompts reset handoff" in rawr("prompts", "list").out
    assert rawr("prompts", "reset", "handoff").code == 0
    assert (folder / "handoff.md").exists()


def test_wrong_words() -> None:
    ended = rawr("prompts", "path", "hedsup")
    assert (ended.code, ended.out) == (64, "")
    assert "watcher-packet" in ended.err


def test_a_home_that_cannot_be_used() -> None:
    ended = rawr("prompts", "list", env={"RAWR_HOME": "/proc/rawr"})
    assert ended.code == 74
    assert ended.err.startswith("rawr: ")
