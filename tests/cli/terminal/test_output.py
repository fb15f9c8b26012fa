"""Where the output goes, and what becomes of rawr when it goes nowhere: real pipes, full disks, old terminals."""

from pathlib import Path

import pytest

from rawr.cli.terminal.output import counted
from tests.cli.program import in_shell, rawr, script
from tests.soaking import soak

OLD_TERMINALS = [
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


def running_below(folder: Path) -> list[str]:
    """The processes that have this folder in their environment, which Codex has in its home's name."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("rawr demo | head -2", 2),
        ("rawr demo | head -0", 0),
        ("rawr demo --plain | head -5", 5),
        ("rawr demo --json | head -1", 1),
        ("rawr config show | head -1", 1),
        ("rawr doctor | head -1", 1),
        ("rawr --help | head -0", 0),
        ("rawr demo --json 2>&1 | head -3", 3),
    ],
)
def test_a_reader_that_has_seen_enough(own_home: Path, line: str, lines: int) -> None:
    """A silent end, and nothing is left running."""
    ended = in_shell(line)
    assert (ended.code, ended.err, len(ended.out.splitlines())) == (0, "", lines)
    assert running_below(own_home / "rawr" / "demo") == []


@pytest.mark.parametrize("command", ["demo", "demo --plain", "demo --json", "config show", "doctor --json", "--help"])
def test_output_that_cannot_be_written(command: str) -> None:
    ended = in_shell(f"rawr {command} > /dev/full")
    assert (ended.code, ended.err.count("\n")) == (74, 1), ended.err
    assert ended.err.startswith("rawr: ")
    assert "no space left on device" in ended.err


def test_output_that_was_closed() -> None:
    assert in_shell("rawr config show >&-") == in_shell("rawr config show > /dev/null")


# -- terminals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env", [OLD_TERMINALS[0], *map(soak, OLD_TERMINALS[1:])])
def test_a_terminal_without_symbols_shows_everything(own_home: Path, env: dict[str, str]) -> None:
    ended = rawr("demo", env=env)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.isascii()
    assert "plan     | [x] Research the repository   [x] Draft the haiku" in ended.out
    assert "codex    | Shipped: the haiku is tagged v1.\n" in ended.out
    (own_home / "codex").mkdir()
    doctor = rawr("doctor", env=env)
    assert (doctor.code, doctor.err) == (1, "rawr: 1 of 16 checks failed: login.\n")
    assert "-> Run `codex login`." in doctor.out
    assert rawr("config", "show", env=env).out.isascii()


def test_plain_has_no_symbols_and_no_colours() -> None:
    ended = rawr("demo", "--plain", env={"FORCE_COLOR": "1"})
    assert ended.code == 0
    assert ended.out.isascii()
    assert "\x1b" not in ended.out
    assert "plan     [>] Research the repository   [ ] Draft the haiku" in ended.out
    assert "rawr     compacted: 74 k -> 6." in ended.out


def test_no_color_means_no_styles_either() -> None:
    bright = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[1" in rawr("demo", env=bright).out
    assert "\x1b" not in rawr("demo", env={**bright, "NO_COLOR": "1"}).out


def test_a_line_stays_a_line(tmp_path: Path) -> None:
    """A name with a newline in it cannot forge a line of its own."""
    forged = script(tmp_path / "co\ndex", "exit 3")
    ended = rawr("demo", "--codex-bin", str(forged))
    assert ended.err.count("\n") == 1
    assert "co\\ndex is not Codex" in ended.err
    assert [counted(number, "turn") for number in (0, 1, 2)] == ["0 turns", "1 turn", "2 turns"]
