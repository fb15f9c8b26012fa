"""What a ``git`` command intends (B6): its global options, its aliases, its subcommands.

Pure. ``git_commands`` knows what options mean to each subcommand.
"""

import re
import shlex
from collections.abc import Mapping

from msgspec import Struct

from rawr.observe.intents.git_commands import BUILTINS, COMMANDS
from rawr.observe.intents.intent import Intent, Place
from rawr.observe.intents.options import Options, Words, read_options

_GLOBAL = Options(
    values=frozenset(
        {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
    )
)
_SHOWS = frozenset({"-h", "--help", "-v", "--version", "--html-path", "--man-path", "--info-path", "--exec-path"})
_HARMLESS = frozenset({"lfs", "credential-manager"})
"""Programs of others that make no commit."""
_INLINE_ALIAS = re.compile(r"alias\.([^=]+)=(.*)", re.DOTALL | re.IGNORECASE)


class Call(Struct, frozen=True):
    """One invocation: the subcommand, its arguments, and the place."""

    subcommand: str | None
    arguments: Words
    place: Place
    inline: dict[str, str] = {}
    """Aliases given with ``-c``."""

    def alias(self, aliases: Mapping[str, str]) -> str | None:
        """The value of the subcommand if it is an alias. A built-in command cannot be one."""
        if self.subcommand is None or self.subcommand in BUILTINS:
            return None
        name = self.subcommand.lower()
        return self.inline.get(name, aliases.get(name))

    def expanded(self, alias: str) -> "Call":
        try:
            words: Words = tuple(shlex.split(alias))
        except ValueError:
            return Call(None, (), self.place)
        return read_call(("git", *words, *self.arguments), place=self.place, inline=self.inline)


def read_call(words: Words, *, place: Place, inline: Mapping[str, str] | None = None) -> Call:
    read = read_options(words[1:], _GLOBAL)
    aliases = dict(inline or {})
    for option, value in read.given:
        match option:
            case "-C":
                place = place if value == "" else place.entered(value)
            case "-c" if value is not None and (found := _INLINE_ALIAS.fullmatch(value)):
                aliases[found[1].lower()] = found[2]
    place = place.pointed(dict(read.given), git_dir="--git-dir", work_tree="--work-tree")
    shown = any(option in _SHOWS and not value for option, value in read.given)
    if shown or not read.rest:
        return Call(None, (), place, aliases)
    return Call(read.rest[0], read.rest[1:], place, aliases)


def of_call(call: Call) -> list[Intent]:
    command = COMMANDS.get(call.subcommand or "")
    if command is None:
        return []
    read = read_options(call.arguments, command.options)
    if read.has("-h", "--help"):
        return []
    return [Intent(kind, call.place.directory, dry_run=command.dry(read)) for kind in command.kinds(read)]


def is_foreign(call: Call) -> bool:
    """Its subcommand is none of git's: a program of its own, which may commit (``git town ship``)."""
    return call.subcommand is not None and call.subcommand not in BUILTINS and call.subcommand not in _HARMLESS


def code_in(call: Call) -> str | None:
    """Shell code among the arguments: ``git submodule foreach 'git commit …'``, ``git rebase --exec 'make'``."""
    if call.subcommand == "rebase":
        read = read_options(call.arguments, COMMANDS["rebase"].options)
        codes = [value for option, value in read.given if option in ("-x", "--exec") and value]
        return "\n".join(codes) or None
    if call.subcommand != "submodule" or "foreach" not in call.arguments:
        return None
    at = call.arguments.index("foreach") + 1
    rest = [word for word in call.arguments[at:] if word not in ("--recursive", "-q", "--quiet")]
    if not rest or None in rest:
        return None
    known = [word for word in rest if word is not None]
    return known[0] if len(known) == 1 else shlex.join(known)


def with_arguments(code: str, arguments: Words) -> str:
    """As git does: append the arguments to the code of an alias."""
    known = [word for word in arguments if word is not None]
    if len(known) == len(arguments):
        return f"{code} {shlex.join(known)}" if known else code
    return f'{code} "$@"'
