"""Characters that have no business in a command line that nobody looks at (C10).

Controls, invisible and reordering characters make a line that reads as one thing and runs as another. Beyond ASCII,
letters and symbols may stand in quotes (``lexer`` sees to that), nothing else.
"""

import unicodedata

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_PLAIN = frozenset("\n\t ")
MOST = 3


def strange(text: str) -> list[str]:
    """A reason for each kind of character that is refused wherever it stands."""
    found = dict.fromkeys(
        char
        for char in text
        if char not in _PLAIN and not " " < char < "\x7f" and unicodedata.category(char) in _REFUSED
    )
    return [f"It holds the character U+{ord(char):04X}, which is invisible." for char in list(found)[:MOST]]
