"""Where a prompt comes from: the command line, a file (``@FILE``) or standard input (``-``)."""

import sys
from pathlib import Path

from rawr.cli.terminal.output import warn
from rawr.errors import ConfigError

MAX_PROMPT = 1_000_000
"""Characters. Codex accepts about that many in one message."""


def prompt_from(given: str) -> str:
    """The prompt itself. ``@`` before a text with a space that is not a file is part of the prompt."""
    if given == "-":
        return _checked(_stdin(), "standard input")
    if not given.startswith("@"):
        return given
    file = Path(given[1:])
    if not _is_there(file) and len(given.split()) > 1:
        return given
    return _checked(_content(file), str(file))


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # longer than a name can be
        return False


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise ConfigError("There is no standard input to read the prompt from.", way_out="Use `rawr run @FILE`.")
    if sys.stdin.isatty():
        warn("type the prompt; Ctrl-D ends it.")
    return sys.stdin.buffer.read(4 * MAX_PROMPT + 1)


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(4 * MAX_PROMPT + 1)
    except FileNotFoundError as error:
        way_out = "@FILE reads the prompt from a file; a prompt that begins with @ needs a space before it."
        raise ConfigError(f"There is no file {file}.", way_out=way_out) from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}.", way_out="Name a text file.") from error


def _checked(content: bytes, where: str) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"The prompt from {where} is not UTF-8 text.", way_out="Nothing was started.") from error
    if len(text) > MAX_PROMPT:
        message = f"The prompt from {where} is longer than {MAX_PROMPT:,} characters."
        raise ConfigError(message, way_out="Put the details into a file, and tell the agent to read it.")
    if not text.strip():
        raise ConfigError(f"The prompt from {where} is empty.", way_out="Say what to do.")
    return text.removesuffix("\n")
