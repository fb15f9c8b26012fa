"""Two readers must agree (C10): the strict one here, and the grammar behind ``observe.shell``.

They share no code that matters. If they read a line differently, one of them misunderstands it, and then nothing in it
is proved.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.reading.lexer import Redirect
from rawr.approvals.reading.structure import Sequence, Simple, simple_commands
from rawr.observe.shell import parsing

_UNWRAPPED = frozenset({"wrapper", "xargs", "find", "trap"})
"""What the first reader found inside an argument. It is compared when that text itself is read, or refused."""

_NAME = re.compile(r"\w+", re.ASCII)


def disagreements(code: str, sequence: Sequence) -> list[str]:
    parsed = parsing.parse(code)
    if not parsed.complete:
        return [f"The line is not understood: {problem}." for problem in parsed.problems]
    others = [command for command in parsed.commands if not _UNWRAPPED.intersection(command.within)]
    ours = list(simple_commands(sequence))
    if len(ours) != len(others):
        return [f"The line can be read as {len(ours)} commands or as {len(others)}."]
    return [
        f"{shown(' '.join(word.raw for word in mine.words))} can be read in two ways."
        for mine, other in zip(ours, others, strict=True)
        if not _same(mine, other)
    ]


def _same(mine: Simple, other: parsing.SimpleCommand) -> bool:
    words = tuple(None if word.shape or word.counted else word.text for word in mine.words)
    names = tuple((_NAME.match(word.raw) or [""])[0] for word in mine.assignments)
    return (
        words == other.words
        and names == tuple(assignment.name for assignment in other.assignments)
        and tuple(map(_target, mine.redirects))
        == tuple((one.descriptor, one.operator, one.target) for one in other.redirects)
    )


def _target(redirect: Redirect) -> tuple[str, str, str | None]:
    target = redirect.target
    return redirect.descriptor, redirect.operator, None if target.shape or target.counted else target.text
