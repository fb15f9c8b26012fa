"""The shape of a parsed command line (B6, C10): simple commands, each with what is known of it without running it.

Only data. ``walk`` finds it; ``intents`` and the code that approves commands know what it means.
"""

from typing import Literal

from msgspec import Struct

Scope = tuple[int, ...]
"""Which shell process a command runs in: a subshell's scope begins with its parent's."""

Construct = Literal[
    "background",
    "branch",
    "case",
    "find",
    "function",
    "loop",
    "pipeline",
    "process_substitution",
    "subshell",
    "substitution",
    "trap",
    "wrapper",
    "xargs",
]


class Assignment(Struct, frozen=True):
    name: str
    """Empty for an unknown one that a wrapper sets."""
    value: str | None


class Redirect(Struct, frozen=True):
    operator: str
    target: str | None
    """A file, a descriptor or, for ``<<``, the delimiter; ``None`` if only running would tell."""
    descriptor: str = ""
    text: str | None = None
    """The content of a here-document or here-string, if it is known. Data, unless a shell reads it."""


class SimpleCommand(Struct, frozen=True, kw_only=True):
    """One program or builtin with its arguments, as bash would start it."""

    words: tuple[str | None, ...]
    """The arguments after quote removal. ``None`` represents any number of arguments that only running would tell."""
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    """Its own first, then those of the groups around it."""
    certain: bool = True
    """It certainly runs if the line runs. Otherwise it may: right of ``&&``, in a branch, after an ``exit``."""
    within: tuple[Construct, ...] = ()
    """What is around it, outermost first."""
    function: str | None = None
    """The function whose body contains it; it runs only if that is called."""
    scope: Scope = ()
    moves: tuple[str | None, ...] = ()
    """Directories that a wrapper enters first (``env -C``)."""
    more_words: bool = False
    """More arguments come at run time (``xargs``, ``find -exec``)."""

    @property
    def known(self) -> bool:
        """Nothing about it depends on running it."""
        return (
            not self.more_words
            and None not in self.words
            and all(assignment.value is not None for assignment in self.assignments)
            and all(redirect.target is not None for redirect in self.redirects)
        )


class Parsed(Struct, frozen=True):
    commands: tuple[SimpleCommand, ...]
    complete: bool
    """Every part of the text was understood. If not, ``commands`` may lack some, and none may be trusted as safe."""
    problems: tuple[str, ...] = ()
