"""The escapes inside ``$'…'`` (B6). Pure; refuses escapes that depend on the locale."""

import re
from collections.abc import Callable

_ESCAPE = re.compile(
    rb"\\(?:(?P<simple>[abeEfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})"
    rb"|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})|c(?P<control>[A-Za-z])|(?P<odd>c|x\{))",
    re.DOTALL,
)
_SIMPLE = {
    b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"E": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t",
    b"v": b"\v", b"\\": b"\\", b"'": b"'", b'"': b'"', b"?": b"?",
}  # fmt: skip
_ASCII = 0x80


class _Unknowable(Exception):
    pass


def decode(text: bytes) -> bytes | None:
    """What bash makes of the text between the quotes; ``None`` for a NUL, which cuts it off, and for a character beyond
    ASCII, which bash writes in the locale's encoding."""
    try:
        return _ESCAPE.sub(_one, text)
    except _Unknowable:
        return None


def _one(escape: re.Match[bytes]) -> bytes:
    kind = escape.lastgroup or ""
    digits = escape[kind]
    return _READ[kind](digits)


def _byte(value: int) -> bytes:
    if value == 0:
        raise _Unknowable
    return bytes([value])


def _character(value: int) -> bytes:
    if value >= _ASCII:
        raise _Unknowable
    return _byte(value)


def _odd(_: bytes) -> bytes:
    raise _Unknowable


_READ: dict[str, Callable[[bytes], bytes]] = {
    "simple": lambda letter: _SIMPLE[letter],
    "octal": lambda digits: _byte(int(digits, 8) & 0xFF),
    "hex": lambda digits: _byte(int(digits, 16)),
    "short": lambda digits: _character(int(digits, 16)),
    "long": lambda digits: _character(int(digits, 16)),
    "control": lambda letter: _byte(ord(letter.upper()) & 0x1F),
    "odd": _odd,
}
