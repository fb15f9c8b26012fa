"""Two readers must agree (C10): the strict one here, and the grammar behind ``observe.shell``.

They share no code that matters. If they read a line differently, one of them misunderstands it, and then nothing in it
is proved.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.reading.structure import Loop, Sequence, Simple, loops, simple_commands
from rawr.approvals.reading.word import Redirect, Word
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
    differing = [mine.words for mine, other in zip(ours, others, strict=True) if not _same(mine, other)]
    differing += [loop.items for loop in loops(sequence) if not _same_items(loop)]
    return [f"{shown(' '.join(word.raw for word in words))} can be read in two ways." for words in differing]


def _same(mine: Simple, other: parsing.SimpleCommand) -> bool:
    return (
        tuple(map(_text, mine.words)) == other.words
        and len(mine.assignments) == len(other.assignments)
        and all(map(_same_assignment, mine.assignments, other.assignments))
        and tuple(map(_target, mine.redirects))
        == tuple((one.descriptor, one.operator, one.target) for one in other.redirects)
    )


def _same_assignment(mine: Word, other: parsing.Assignment) -> bool:
    name = (_NAME.match(mine.raw) or [""])[0]
    text = _text(mine)
    return name == other.name and (text is None or text.partition("=")[2] == other.value)


def _same_items(loop: Loop) -> bool:
    """The first reader does not list what a loop goes through: it is given these words as those of a command."""
    parsed = parsing.parse(" ".join(["echo", *(word.raw for word in loop.items)]))
    words = ("echo", *map(_text, loop.items))
    return parsed.complete and [command.words for command in parsed.commands] == [words]


def _text(word: Word) -> str | None:
    return None if word.shape or word.counted else word.text


def _target(redirect: Redirect) -> tuple[str, str, str | None]:
    return redirect.descriptor, redirect.operator, _text(redirect.target)
