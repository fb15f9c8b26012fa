"""What surrounds a command while the tree is walked, and what the walk has collected (B6). Private to the walk."""

from typing import Self

import msgspec
from msgspec import Struct

from rawr.observe.shell.simple_command import Construct, Redirect, Scope, SimpleCommand

MAX_NESTING = 32
MAX_COMMANDS = 4096
MAX_PROBLEMS = 16


class Context(Struct, frozen=True, kw_only=True):
    certain: bool = True
    scope: Scope = ()
    within: tuple[Construct, ...] = ()
    function: str | None = None
    redirects: tuple[Redirect, ...] = ()
    moves: tuple[str | None, ...] = ()
    depth: int = 0

    def maybe(self, *around: Construct) -> Self:
        return msgspec.structs.replace(self, certain=False, within=(*self.within, *around))

    def inside(self, around: Construct, scope: int | None = None) -> Self:
        """The context inside a construct; in its own shell if ``scope`` is given."""
        scopes = self.scope if scope is None else (*self.scope, scope)
        return msgspec.structs.replace(self, scope=scopes, within=(*self.within, around))

    def deeper(self) -> Self:
        return msgspec.structs.replace(self, depth=self.depth + 1)

    def replaced(
        self,
        *,
        redirects: tuple[Redirect, ...] | None = None,
        function: str | None = None,
        certain: bool | None = None,
        moves: tuple[str | None, ...] = (),
    ) -> Self:
        return msgspec.structs.replace(
            self,
            redirects=self.redirects if redirects is None else redirects,
            function=self.function if function is None else function,
            certain=self.certain if certain is None else certain,
            moves=(*self.moves, *moves),
        )


class Gathered:
    """The commands and problems of one line, including everything nested in it."""

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.problems: list[str] = []
        self.stopped: set[Scope] = set()
        self._scopes = 0

    def new_scope(self) -> int:
        self._scopes += 1
        return self._scopes

    def problem(self, text: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(text)

    @property
    def full(self) -> bool:
        return len(self.commands) >= MAX_COMMANDS

    def add(self, command: SimpleCommand) -> None:
        if self.full:
            if not any("more than" in known for known in self.problems):
                self.problem(f"more than {MAX_COMMANDS} commands")
            return
        if any(command.scope[:end] in self.stopped for end in range(len(command.scope) + 1)):
            command = msgspec.structs.replace(command, certain=False)
        self.commands.append(command)

    def after(self, words: tuple[str | None, ...], scope: Scope) -> None:
        """Call this after a command and everything it runs: the rest of its shell may never be reached."""
        if _may_stop(words):
            self.stopped.add(scope)


def _may_stop(words: tuple[str | None, ...]) -> bool:
    """After it, the rest of its shell may not run: under ``set -e``, any failing command ends the shell."""
    match words:
        case ("exit" | "return", *_):
            return True
        case ("exec", _, *_):
            return True
        case ("set", *options):
            return "errexit" in options or any(
                option is not None and option.startswith("-") and "e" in option for option in options
            )
        case _:
            return False
