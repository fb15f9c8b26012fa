"""A command as bash would run it: its simple commands, one per line, for a person who has to decide about it."""

import shlex

from rawr.observe.shell.parsing import parse
from rawr.observe.shell.simple_command import SimpleCommand

UNKNOWN = "(known only when it runs)"
MOST = 20


def parsed_lines(command: str) -> tuple[str, ...]:
    """Wrappers such as ``bash -lc`` are unwrapped. The last line says so if not everything was understood."""
    found = parse(command)
    commands = [one for n, one in enumerate(found.commands) if not _wraps(one, found.commands[n + 1 : n + 2])]
    lines = [_line(one) for one in commands[:MOST]]
    lines += [f"and {len(commands) - MOST} more"] if len(commands) > MOST else []
    lines += [f"not understood: {one}" for one in found.problems[:3]]
    return tuple(lines)


def _wraps(one: SimpleCommand, following: tuple[SimpleCommand, ...]) -> bool:
    """It only starts what comes next, which is listed by itself."""
    return any(len(inner.within) > len(one.within) and inner.within[-1] == "wrapper" for inner in following)


def _line(one: SimpleCommand) -> str:
    words = [f"{part.name}={_word(part.value)}" for part in one.assignments]
    words += [_word(part) for part in one.words]
    words += ["…"] if one.more_words else []
    words += [f"{part.descriptor}{part.operator}{_word(part.target)}" for part in one.redirects]
    where = [*(name for name in one.within if name != "wrapper"), *(() if one.certain else ("perhaps",))]
    return " ".join(words) + (f"  ({', '.join(name.replace('_', ' ') for name in where)})" if where else "")


def _word(text: str | None) -> str:
    return UNKNOWN if text is None else shlex.quote(text)
