"""Text from a model, a repository or a file, made safe to show: anything invisible, or that changes what is visible, is
spelled out. Every such text goes through here on its way to a terminal, and its JSON on its way to a pipe.
"""

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
# Format characters, ends of lines, and everything else that is blank by design (Default_Ignorable_Code_Point).
_UNSEEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_LOOKS_LIKE_A_SPACE = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"

_PICTURE = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_IN_PICTURES = f"(?<=[{_PICTURE}0-9#*])[\ufe0e\ufe0f]|(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])"
"""How pictures are chosen and joined: one selector after a picture, a joiner between two. Nothing can hide in that."""

_HARMFUL = re.compile(f"(?!{_IN_PICTURES})[{_CONTROLS}{_UNSEEN}]")
_NOT_PLAIN = re.compile(f"[{_CONTROLS}{_UNSEEN}{_LOOKS_LIKE_A_SPACE}{_PRIVATE}]")
_IN_JSON = re.compile(f"[\x7f-\x9f{_UNSEEN}]")


def harmless(text: str) -> str:
    """For reading: nothing in it moves a cursor, changes a colour, reorders letters or hides."""
    return _HARMFUL.sub(_spelled, text)


def exact(text: str) -> str:
    """For deciding: two texts that differ look different. Anything that only looks like a space is spelled out too."""
    return _NOT_PLAIN.sub(_spelled, text)


def one_line(encoded: bytes) -> bytes:
    """JSON with nothing left that any reader takes for the end of a line, or a terminal for a command.

    Escaped text means the same to any reader of JSON.
    """
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded
    return _IN_JSON.sub(_escaped, encoded.decode("utf-8")).encode("utf-8")


def whole(value: object) -> object:
    """The same without partial characters, which have no bytes in UTF-8: a file's name may contain them."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {whole(key): whole(one) for key, one in value.items()}
        case list() | tuple():
            return [whole(one) for one in value]
        case _:
            return value


def _spelled(found: "re.Match[str]") -> str:
    char = found[0]
    if char == "\t":
        return "\\t"
    return f"\\x{ord(char):02x}" if char < "\xa0" else f"<U+{ord(char):04X}>"


def _escaped(found: "re.Match[str]") -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
