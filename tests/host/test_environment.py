"""The environment of a terminal, in the host's memory: whole, bounded, and shown to nobody (D7)."""

import os

import pytest

from rawr.errors import OutsideError
from rawr.host import messages as m
from rawr.host.codexes import Client
from rawr.host.environment import MAX_SIZE, Environment, Environments

pytestmark = pytest.mark.mission("D7")
SECRET = "zq7vX2mNp0LrT9wKd4YhB6uJ"
VARIABLES = {"PATH": "/a:/b", "EMPTY": "", "EQUATION": "a=b", "TWO": "1\n2", "NAME": os.fsdecode(b"\xff")}


def test_it_is_whole() -> None:
    """Values need not be text."""
    assert Environment.of(VARIABLES).variables == VARIABLES


def test_nobody_prints_it() -> None:
    """Neither alone nor within a message, or what the host knows of a client."""
    held = Environment.of({"KEY": SECRET})
    for one in (held, m.Bring(held), m.Calling(1, m.Bring(held)), Client(1, held), {"a": held}):
        assert SECRET not in f"{one!r} {one}"
    assert held.__rich_repr__() == []


def test_one_that_is_too_large_is_refused_without_its_content() -> None:
    with pytest.raises(OutsideError, match="rawr takes at most") as refused:
        Environment.of({"KEY": SECRET * (MAX_SIZE // len(SECRET) + 1)})
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        *("PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "WINDOWID", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "STY"),
        *("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "GPG_TTY", "XDG_SESSION_ID", "VTE_VERSION", "KITTY_WINDOW_ID"),
        *("ITERM_SESSION_ID", "WEZTERM_PANE", "ALACRITTY_WINDOW_ID", "COLORTERM", "TERM", "TERM_PROGRAM_VERSION"),
    ],
)
def test_what_differs_between_any_two_terminals_does_not_count(name: str) -> None:
    assert Environment.of({"PATH": "/a", name: "1"}).counted == Environment.of({name: "2", "PATH": "/a"}).counted


@pytest.mark.parametrize(
    "name", ["PATH", "VIRTUAL_ENV", "OPENAI_API_KEY", "HOME", "SSH_AUTH_SOCK", "DISPLAY", "LANG", "HTTPS_PROXY", "X"]
)
def test_everything_else_does(name: str) -> None:
    one, other, without = (Environment.of(given) for given in ({name: "1"}, {name: "2"}, {}))
    assert len({one.counted, other.counted, without.counted}) == 3


def test_a_thread_has_its_own_then_that_of_its_codex() -> None:
    known, red, blue = Environments(), Environment.of({"COLOUR": "red"}), Environment.of({"COLOUR": "blue"})
    known.opened("own-1", red)
    known.use("t", blue)
    assert known("t", "own-1") == {"COLOUR": "blue"}
    assert known("an agent of it", "own-1") == {"COLOUR": "red"}
    assert known("t of a watch", "shared-1") is None
    known.hand_on("t", "instead")
    known.hand_on("unknown", "other")
    assert (known("instead", ""), known("other", "")) == ({"COLOUR": "blue"}, None)


def test_it_goes_with_what_needed_it() -> None:
    known, red = Environments(), Environment.of({"COLOUR": "red"})
    known.opened("own-1", red)
    known.use("t", Environment.of({"COLOUR": "red"}))
    known.use("u", red)
    known.keep({"u": 1})
    known.closed("own-1")
    assert (known("t", "own-1"), known("u", "own-1")) == (None, {"COLOUR": "red"})
    known.use("u", None)
    assert known("u", "own-1") is None
