"""What goes where: machine output as NDJSON on stdout, people's output on stdout, everything else on stderr.

Text from a model, a repository or a file is data: control characters are made visible before they reach a terminal.
"""

import re
import sys
from typing import TextIO

import msgspec

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_encode = msgspec.json.Encoder(enc_hook=str).encode


def harmless(text: str) -> str:
    """The text with everything that could move a cursor, change a colour or reorder letters made visible."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def emit(line: object) -> None:
    """One JSON object as one line on stdout, at once."""
    sys.stdout.buffer.write(_encode(line) + b"\n")
    sys.stdout.buffer.flush()


def say(text: str, *, to: TextIO | None = None) -> None:
    print(harmless(text), file=to or sys.stdout, flush=True)


def warn(text: str) -> None:
    say(f"rawr: {text}", to=sys.stderr)
