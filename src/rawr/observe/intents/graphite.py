"""What ``gt`` (Graphite) intends to do with a stack of branches (A5, B6). Pure tables.

Graphite has a flat spelling (``gt submit``), an older one in two words (``gt stack submit``) and short ones
(``gt ss``); it passes commands that it does not know to git.
"""

import msgspec

from rawr.observe.intents import git
from rawr.observe.intents.intent import Intent, Kind, Place
from rawr.observe.intents.options import Options, Read, read_options
from rawr.observe.shell.simple_command import SimpleCommand

_OPTIONS = Options(
    values=frozenset({"-m", "--message", "--cwd", "--onto", "--target", "-t", "--title", "--reviewers"}), anywhere=True
)
_GROUPS = frozenset({"stack", "branch", "upstack", "downstack", "commit", "repo", "log"})
_SHORT = {
    "s": "submit", "ss": "submit", "bs": "submit", "us": "submit", "ds": "submit", "c": "create", "bc": "create",
    "m": "modify", "cc": "commit create", "ca": "commit amend", "r": "restack", "sr": "restack", "rs": "sync",
    "bd": "delete", "dl": "delete", "rn": "rename", "brn": "rename", "sp": "split", "bsp": "split", "tr": "track",
    "ut": "untrack", "co": "checkout", "bco": "checkout", "u": "up", "bu": "up", "d": "down", "bd1": "down",
    "t": "top", "bt": "top", "b": "bottom", "bb": "bottom", "sq": "squash", "bsq": "squash", "uso": "onto",
    "ab": "absorb",
}  # fmt: skip
_CHANGES = frozenset(
    {
        "move", "restack", "sync", "fold", "split", "squash", "absorb", "delete", "rename", "track", "untrack",
        "reorder", "pop", "undo", "get", "onto", "edit", "fix",
    }
)  # fmt: skip
_SWITCHES = frozenset({"checkout", "up", "down", "top", "bottom"})
_SHOWS = frozenset({"log", "ls", "ll", "info", "status", "trunk", "parent", "children", "pr", "dash", "config", "auth"})


def gt(command: SimpleCommand, place: Place) -> list[Intent]:
    read = read_options(command.words[1:], _OPTIONS)
    if read.has("-h", "--help") or not read.rest or read.rest[0] is None:
        return []
    place = place.entered(read.value("--cwd") or ".")
    kinds = _kinds(_action(read), read)
    if kinds is None:
        call = git.read_call(("git", *command.words[1:]), place=place)
        found = git.of_call(call)
        return [msgspec.structs.replace(intent, certain=command.certain, argv=command.words) for intent in found]
    dry = read.has("--dry-run")
    return [Intent(kind, place.directory, dry_run=dry, certain=command.certain, argv=command.words) for kind in kinds]


def _action(read: Read) -> str:
    words = [word or "?" for word in read.rest]
    name = _SHORT.get(words[0], words[0])
    if name in _GROUPS and len(words) > 1:
        second = {"s": "submit", "r": "restack", "c": "create", "a": "amend"}.get(words[1], words[1])
        return f"commit {second}" if name == "commit" else second
    return name


def _kinds(action: str, read: Read) -> tuple[Kind, ...] | None:
    match action:
        case "submit":
            return ("push", "pr_update" if read.has("-u", "--update-only") else "pr_create")
        case "land" | "merge":
            return ("pr_merge",)
        case "create":
            commits = read.has("-m", "--message", "-a", "--all", "-p", "--patch", "-u", "--update")
            return ("stack_change", "branch_create", "branch_switch", *(("commit",) if commits else ()))
        case "modify" | "commit amend":
            return ("stack_change", "commit" if read.has("-c", "--commit") else "amend")
        case "commit create":
            return ("stack_change", "commit")
        case _ if action in _CHANGES:
            return ("stack_change",)
        case _ if action in _SWITCHES:
            return ("branch_switch",)
        case _:
            return () if action in _SHOWS else None
