"""Parse a command line without running it (B6; approvals read it too, C10).

``parse`` returns the simple commands of a line, wrappers unwrapped, with the words that bash would pass. It never
raises and never guesses: unknown values are ``None``, and text that was not understood makes the whole result
incomplete.
"""

from rawr.observe.shell.context import Context, Gathered
from rawr.observe.shell.simple_command import Assignment, Parsed, Redirect, SimpleCommand
from rawr.observe.shell.walk import walk_code

__all__ = ["MAX_BYTES", "Assignment", "Parsed", "Redirect", "SimpleCommand", "parse"]

MAX_BYTES = 64 * 1024


def parse(command: str, *, home: str | None = None) -> Parsed:
    """``home`` is the value of ``~`` and ``$HOME``; without it, a word with one of them is not known."""
    problems: list[str] = []
    if len(command) > MAX_BYTES:
        return Parsed((), complete=False, problems=(f"longer than {MAX_BYTES} bytes",))
    try:
        code = command.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        code = command.encode("utf-8", "replace")
        problems.append("holds characters that no shell can be given")
    if len(code) > MAX_BYTES:
        return Parsed((), complete=False, problems=(f"longer than {MAX_BYTES} bytes",))
    if b"\0" in code:
        return Parsed((), complete=False, problems=(f"a NUL at byte {code.index(0)}",))
    gathered = Gathered()
    walk_code(code, Context(), gathered=gathered, home=None if home is None else home.encode("utf-8", "replace"))
    problems += gathered.problems
    return Parsed(tuple(gathered.commands), not problems, tuple(problems))
