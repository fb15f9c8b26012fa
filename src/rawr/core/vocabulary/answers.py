"""Exit codes that are answers, not failures: ``grep`` found nothing, ``diff`` found a difference.

The exit code of a line is that of its last command, unless an earlier one of an ``&&`` failed. The output tells them
apart: a search that finds nothing prints nothing.
"""

import re

_ANSWERING = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep", "test", "[", "[[", "which", "type", "git grep"}
)
"""1 says no. What says no prints nothing."""
_COMPARING = frozenset({"diff", "cmp", "comm", "colordiff", "git diff", "git diff-index", "git diff-files"})
"""1 says that there is a difference, and may show it."""
_NO = 1
_NAMED = re.compile("|".join(re.escape(name.removeprefix("git ")) for name in sorted(_ANSWERING | _COMPARING)))
_BETWEEN = re.compile(r"\|\||&&|[|;\n]")
_WORDS = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\S+")
_SETS = re.compile(r"[A-Za-z_]\w*=\S*\Z")
_OPTION_WITH_VALUE = frozenset({"-C", "-c"})
_AROUND = frozenset({"command", "exec", "time", "nice", "env", "!", "then", "do", "if", "while", "{", "("})


def is_answer(command: str, exit_code: int | None, output: str) -> bool:
    """Return True if a command that exited with this code has answered a question, and nothing went wrong."""
    if exit_code != _NO or _NAMED.search(command) is None:  # almost always
        return False
    parts = [part.strip() for part in _BETWEEN.split(_without_strings(command)) if part.strip()]
    program = _program(parts[-1]) if parts else ""
    if program in _COMPARING:
        return len(parts) == 1 or "&&" not in command or not output.strip()
    return program in _ANSWERING and not output.strip()


def _without_strings(command: str) -> str:
    """The line with what is quoted emptied, so that an operator in a pattern is not taken for one of the shell's."""
    return re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", "''", command)


def _program(part: str) -> str:
    """The program of a simple command, with git's own command; nothing if there is none."""
    words: list[str] = _WORDS.findall(part)
    while words and (words[0] in _AROUND or _SETS.match(words[0])):
        words = words[1:]
    if not words:
        return ""
    name = words[0].lstrip("({").rpartition("/")[2]
    if name != "git":
        return name
    rest = iter(words[1:])
    for word in rest:
        if word in _OPTION_WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            return f"git {word}"
    return "git"
