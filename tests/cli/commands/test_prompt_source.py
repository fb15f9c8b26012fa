"""``rawr run -`` and ``rawr run @FILE``: a prompt that is too long for a command line (C8)."""

from pathlib import Path

import pytest

from rawr.cli.commands.prompt_source import MAX_PROMPT, prompt_from
from rawr.errors import ConfigError
from tests.cli.program import in_shell

GOAL = "Do it.\n\nIn  three steps: ä, ö, ü."


def test_a_prompt_is_what_was_typed() -> None:
    for text in ("Do it.", " @file", "a@b", "@alice wants a report", f"@{'x' * 5_000} y"):
        assert prompt_from(text) == text


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """C8: verbatim, but for the line's end that an editor leaves."""
    file = tmp_path / "the goal.md"
    file.write_text(GOAL + "\n")
    assert prompt_from(f"@{file}") == GOAL


WRONG = {
    "no file": (None, "There is no file"),
    "a folder": ("/", "cannot be read"),
    "empty": (b" \n", "is empty"),
    "not text": (b"\xff\xfe", "is not UTF-8"),
    "too long": (b"x" * (MAX_PROMPT + 1), "is longer than 1,000,000 characters"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_holds_no_prompt(name: str, tmp_path: Path) -> None:
    content, words = WRONG[name]
    file = tmp_path / "goal"
    if content == "/":
        file.mkdir()
    elif isinstance(content, bytes):
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=words) as wrong:
        prompt_from(f"@{file}")
    assert wrong.value.way_out


def test_nothing_on_standard_input(own_home: Path) -> None:
    """One sentence, and nothing was started or written."""
    ended = in_shell("rawr run - < /dev/null")
    assert (ended.code, ended.err) == (78, "rawr: The prompt from standard input is empty. Say what to do.\n")
    assert not (own_home / "rawr").exists()
