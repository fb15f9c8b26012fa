"""``rawr`` itself: help, version, wrong words."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from rawr import __version__
from rawr.cli.main import app
from tests.cli.program import rawr


def test_version() -> None:
    ended = rawr("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"rawr {__version__}\n", "")


@pytest.mark.parametrize("command", [(), ("doctor",), ("demo",), ("status",)])
def test_help_teaches(command: tuple[str, ...]) -> None:
    ended = rawr(*command, "--help")
    assert ended.code == 0
    assert "Usage: " in ended.out
    assert "..." not in ended.out.replace("COMMAND [ARGS]...", ""), "a help text is cut off"
    assert len(ended.out.splitlines()) > 8


def helps(command: Any, name: str) -> Iterator[Any]:
    context = command.context_class(command, info_name=name, terminal_width=100)
    yield pytest.param(command.get_help(context), id=name)
    for below, inner in getattr(command, "commands", {}).items():
        yield from helps(inner, f"{name} {below}")


@pytest.mark.parametrize("text", list(helps(get_command(app), "rawr")))
def test_what_a_command_takes_is_called_by_plain_names(text: str) -> None:
    """Neither `{NAME}` nor `<int range>`, which Typer makes up."""
    usage, *rest = text.splitlines()
    assert "{" not in usage
    assert [line for line in rest if line.lstrip().startswith("-") and " <" in line] == []


@pytest.mark.parametrize("words", [("nonsense",), ("doctor", "--nonsense"), ("status", "r1", "extra")])
def test_wrong_words_are_a_usage_error(words: tuple[str, ...]) -> None:
    ended = rawr(*words)
    assert (ended.code, ended.out) == (64, "")
    assert "Error: " in ended.err
    assert "Traceback" not in ended.err


def test_importing_rawr_and_asking_for_help_stay_light() -> None:
    """Importing rawr, and showing its help, loads none of the heavy libraries."""
    heavy = "{'asyncio', 'dspy', 'litellm', 'msgspec', 'rich', 'sqlite3', 'websockets', 'yaml'}"
    for statement in ("import rawr", "import rawr.cli.main"):
        code = f"import sys\n{statement}\nprint(sorted({heavy} & set(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
        assert done.stdout == "[]\n", statement
