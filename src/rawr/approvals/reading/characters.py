"""Characters that do not belong in a command line that nobody looks at (C10).

Control, invisible and reordering characters make a line that reads as one thing and runs as another. Beyond ASCII, only
letters and symbols are allowed, and only in quotes (``lexer`` checks that).
"""

import unicodedata

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_PLAIN = frozenset("\n\t ")
MOST = 3


def strange(text: str) -> list[str]:
    """A reason for each kind of character that is refused anywhere."""
    found = dict.fromkeys(
        char
        for char in text
        if char not in _PLAIN and not " " < char < "\x7f" and unicodedata.category(char) in _REFUSED
    )
    return [f"It holds the character U+{ord(char):04X}, which is invisible." for char in list(found)[:MOST]]
