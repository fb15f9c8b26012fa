"""What goes where: machine output as NDJSON on stdout, people's output on stdout, everything else on stderr.

Text from a model, a repository or a file is data: invisible characters in it are spelled out on the way
(``visible.py``).
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import msgspec

from rawr.cli.terminal import visible
from rawr.errors import OutsideError
from rawr.views.numbers import counted

__all__ = ["counted"]

_ASCII: dict[str, str | int | None] = {
    "→": "->",
    "…": "...",
    "│": "|",
    "✓": "[x]",
    "▸": "[>]",
    "○": "[ ]",
    "“": '"',
    "”": '"',
    "⏎": "/",
}
"""The symbols that rawr uses, and their substitutes on a terminal that has none."""
_encoder = msgspec.json.Encoder(enc_hook=str)


class OutputLost(OutsideError):
    """Stdout accepts nothing more."""


class NobodyReads(OutputLost):
    """The reader of our output has stopped reading, as ``head`` does. That is not an error."""


@contextmanager
def telling() -> Iterator[None]:
    """Around a write to stdout: separates its errors from all other system errors."""
    try:
        yield
    except BrokenPipeError as error:
        raise NobodyReads("Nothing is reading the output any more.") from error
    except OSError as error:
        message = f"The output cannot be written: {(error.strerror or str(error)).lower()}."
        raise OutputLost(message, way_out="Send it somewhere else.") from error


def drop() -> None:
    """Discard further output to a stream that accepts nothing more: the rest of its buffer would fail again, with its
    own exit code, when Python exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def has_symbols(stream: TextIO) -> bool:
    """Return True if the stream's encoding has the symbols that rawr uses."""
    try:
        "".join(_ASCII).encode(stream.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def in_ascii(text: str) -> str:
    return text.translate(str.maketrans(_ASCII))


def emit(line: object) -> None:
    """One JSON object as one line on stdout, at once."""
    with telling():
        sys.stdout.buffer.write(visible.one_line(encoded(line)) + b"\n")
        sys.stdout.buffer.flush()


def encoded(line: object) -> bytes:
    """As JSON, whatever is in it."""
    try:
        return _encoder.encode(line)
    except UnicodeEncodeError:
        return _encoder.encode(visible.whole(msgspec.to_builtins(line, enc_hook=str)))


def say(text: str = "", *, exact: bool = False) -> None:
    """One line on stdout, whatever is in the text. ``exact``: a person decides by what they see."""
    with telling():
        print(_line(text, sys.stdout, exact=exact), flush=True)  # noqa: T201


def warn(text: str, *, own_line: bool = False) -> None:
    """One line on stderr. If that cannot be written, there is nobody left to tell. ``own_line``: the terminal may have
    echoed a key in the current one."""
    with contextlib.suppress(OSError):
        before = "\n" if own_line and sys.stderr.isatty() else ""
        print(before + _line(f"rawr: {text}", sys.stderr, exact=False), file=sys.stderr, flush=True)  # noqa: T201


def _line(text: str, stream: TextIO, *, exact: bool) -> str:
    line = (visible.exact if exact else visible.harmless)(text).replace("\n", "\\n")
    return line if has_symbols(stream) else in_ascii(line)
