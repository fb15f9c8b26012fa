"""What a command line intends to do to the history: commit, push, open a pull request (A5, B6).

It is read from the command alone, so it is a claim, not a fact: the repository (``git``) and the exit code tell what
happened, and ``verdict`` compares. Text that only mentions a command gives nothing, because only commands are examined.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from rawr.observe.intents import forge, git, graphite, powershell
from rawr.observe.intents.hidden import hidden
from rawr.observe.intents.intent import COMMITTING, PULL_REQUEST, Intent, Kind, Place
from rawr.observe.shell.parsing import Parsed, SimpleCommand, parse
from rawr.observe.shell.simple_command import Scope
from rawr.observe.shell.wrappers import program

__all__ = ["COMMITTING", "PULL_REQUEST", "Intent", "Kind", "intents", "intents_of"]

NO_ALIASES: Mapping[str, str] = MappingProxyType({})
_ALIAS_DEPTH = 8
_SCRIPT_DEPTH = 3
"""Scripts that run scripts are followed so far."""


def intents(
    command: str, *, aliases: Mapping[str, str] = NO_ALIASES, home: str | None = None, scripts_in: Path | None = None
) -> tuple[Intent, ...]:
    """The intents in the order of the line. ``aliases`` are git's, as ``git.aliases`` reads them; ``home`` is ``~``.
    With ``scripts_in``, the folder where it ran, those of the scripts that it runs, too."""
    return intents_of(parse(command, home=home), aliases=aliases, home=home, scripts_in=scripts_in)


def intents_of(
    parsed: Parsed,
    *,
    aliases: Mapping[str, str] = NO_ALIASES,
    home: str | None = None,
    scripts_in: Path | None = None,
) -> tuple[Intent, ...]:
    return _Line(parsed, aliases=aliases, home=home, start=Place(), depth=0, scripts_in=scripts_in).intents()


class _Line:
    def __init__(
        self,
        parsed: Parsed,
        *,
        aliases: Mapping[str, str],
        home: str | None,
        start: Place,
        depth: int,
        scripts_in: Path | None,
    ) -> None:
        self.commands = _that_run(parsed.commands)
        self.aliases = aliases
        self.home = home
        self.depth = depth
        self.scripts_in = scripts_in
        self.places: dict[Scope, Place] = {(): start}
        self.previous: dict[Scope, list[Place]] = {}

    def intents(self) -> tuple[Intent, ...]:
        found: list[Intent] = []
        for command in self.commands:
            place = self._place(command)
            name = program(command.words[0]).removesuffix(".exe") if command.words else ""
            if name in ("cd", "pushd", "popd"):
                self._move(name, command)
            elif name in ("git", "hub"):
                found += self._git(name, command, place)
            elif (reader := _READERS.get(name)) is not None:
                found += reader(command, place)
            elif powershell.is_powershell(name):
                found += self._powershell(command, place)
            elif self.scripts_in is not None:
                found += self._script(command, place, self.scripts_in)
        return tuple(found)

    def _place(self, command: SimpleCommand) -> Place:
        scope = command.scope
        while scope not in self.places:
            scope = scope[:-1]
        place = self.places[scope]
        for move in command.moves:
            place = place.entered(move)
        return place

    def _move(self, name: str, command: SimpleCommand) -> None:
        place = self._place(command)
        history = self.previous.setdefault(command.scope, [])
        operands = [word for word in command.words[1:] if word not in ("-P", "-L", "-e", "-@", "--", "-n")]
        if name == "popd" or operands == ["-"]:
            target = history.pop() if history else Place(None)
            if name == "cd":
                history.append(place)
        else:
            history.append(place)
            target = place.entered(operands[0] if operands else self.home)
        self.places[command.scope] = target

    def _git(self, name: str, command: SimpleCommand, place: Place) -> list[Intent]:
        words = command.words
        if name == "hub" and (made := forge.hub(command, place)):
            return made
        call = git.read_call(words, place=place.with_environment(command.assignments))
        for _ in range(_ALIAS_DEPTH):
            alias = call.alias(self.aliases)
            if alias is None:
                return self._of_call(call, command) + self._shell_in_git(call, command)
            if alias.startswith("!"):
                return self._code(alias[1:], (*call.arguments,), command=command, place=call.place)
            call = call.expanded(alias)
        return []

    def _of_call(self, call: git.Call, command: SimpleCommand) -> list[Intent]:
        if self.scripts_in is not None and git.is_foreign(call):
            return [Intent("commit", call.place.directory, certain=False)]
        return _marked(git.of_call(call), command)

    def _script(self, command: SimpleCommand, place: Place, cwd: Path) -> list[Intent]:
        """What a script does that the command runs. If it does it is not known."""
        if self.depth >= _SCRIPT_DEPTH:
            return []
        found = hidden(command, place, cwd)
        inner = self._inner(parse(found.code, home=self.home), place) if found.code else []
        inner += [Intent(kind, place.directory) for kind in found.kinds]
        return [msgspec.structs.replace(intent, certain=False) for intent in inner]

    def _inner(self, parsed: Parsed, start: Place) -> list[Intent]:
        line = _Line(
            parsed,
            aliases=self.aliases,
            home=self.home,
            start=start,
            depth=self.depth + 1,
            scripts_in=self.scripts_in,
        )
        return list(line.intents())

    def _shell_in_git(self, call: git.Call, command: SimpleCommand) -> list[Intent]:
        code = git.code_in(call)
        if code is None:
            return []
        return self._code(code, (), command=msgspec.structs.replace(command, certain=False), place=Place(None))

    def _powershell(self, command: SimpleCommand, place: Place) -> list[Intent]:
        """What it runs; whether it does is not known: only its own syntax would tell."""
        code = powershell.code_of(command.words)
        if code is None or self.depth >= _ALIAS_DEPTH:
            return []
        runs = tuple(SimpleCommand(words=words, certain=False) for words in powershell.commands(code))
        return self._inner(Parsed(runs, complete=False), place)

    def _code(
        self, code: str, arguments: tuple[str | None, ...], *, command: SimpleCommand, place: Place
    ) -> list[Intent]:
        """Shell code that git runs: its aliases with ``!``, and ``submodule foreach``."""
        if self.depth >= _ALIAS_DEPTH:
            return []
        parsed = parse(git.with_arguments(code, arguments), home=self.home)
        inner = self._inner(parsed, place)
        certain = command.certain
        return [
            msgspec.structs.replace(intent, certain=intent.certain and certain, argv=command.words) for intent in inner
        ]


def _marked(found: list[Intent], command: SimpleCommand) -> list[Intent]:
    return [msgspec.structs.replace(intent, certain=command.certain, argv=command.words) for intent in found]


def _that_run(commands: tuple[SimpleCommand, ...]) -> list[SimpleCommand]:
    """All commands except the bodies of functions that the line does not call."""
    called: set[str | None] = {None}
    while True:
        now = called | {command.words[0] for command in commands if command.words and command.function in called}
        if now == called:
            return [command for command in commands if command.function in called]
        called = now


_READERS: dict[str, Callable[[SimpleCommand, Place], list[Intent]]] = {
    "gh": forge.gh,
    "glab": forge.glab,
    "gt": graphite.gt,
    "graphite": graphite.gt,
}
