"""What ``powershell -Command …`` runs (B6), as far as it takes to know a commit: its simple commands, word by word.

Not a parser of the language: quotes and separators are read, the rest is words. What it returns is a claim about what
was meant, never a reason to approve anything.
"""

import re
from collections.abc import Sequence

_RUNS = re.compile(r"[-/](?:c|co|com|comm|comma|comman|command)", re.IGNORECASE)
_PROGRAMS = frozenset({"powershell", "pwsh"})
_TOKEN = re.compile(
    r"@'\r?\n(?P<raw>.*?)\r?\n'@"
    r'|@"\r?\n(?P<block>.*?)\r?\n"@'
    r"|'(?P<single>(?:[^']|'')*)'"
    r'|"(?P<double>(?:[^"`]|`.|"")*)"'
    r"|(?P<end>`\r?\n|\|\||&&|[;|\n{}()])"
    r"|(?P<blank>[ \t\r]+)"
    r"|(?P<plain>`.|[^\s'\"`;|{}()&]+|&|.)",
    re.DOTALL,
)
_MAX = 64 * 1024
_MOVES = {"set-location": "cd", "sl": "cd", "chdir": "cd", "push-location": "pushd", "pop-location": "popd"}


def is_powershell(name: str) -> bool:
    return name.rpartition("\\")[2].lower().removesuffix(".exe") in _PROGRAMS


def code_of(words: Sequence[str | None]) -> str | None:
    """What it is told to run; None if that is not known, or in a file."""
    for number, word in enumerate(words):
        if word is not None and number and _RUNS.fullmatch(word):
            rest = words[number + 1 :]
            return None if None in rest else " ".join(one for one in rest if one is not None)
    return None


def commands(code: str) -> list[tuple[str, ...]]:
    """Its simple commands, in order."""
    found: list[tuple[str, ...]] = []
    words: list[str] = []
    open_word = False
    for token in _TOKEN.finditer(code[:_MAX]):
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "blank" or (kind == "end" and text.startswith("`")):
            open_word = False
        elif kind == "end" or (kind == "plain" and text == "&"):
            found.append(tuple(words))
            words, open_word = [], False
        else:
            text = _unquoted(kind or "", text)
            if open_word:
                words[-1] += text
            else:
                words.append(text)
            open_word = True
    found.append(tuple(words))
    return [(_MOVES.get(one[0].lower(), one[0]), *one[1:]) for one in found if one]


def _unquoted(kind: str, text: str) -> str:
    match kind:
        case "single":
            return text.replace("''", "'")
        case "double":
            return re.sub(r"`(.)", r"\1", text.replace('""', '"'), flags=re.DOTALL)
        case "plain":
            return text.removeprefix("`")
        case _:
            return text
