"""A pull request that a script opened (A5, B6): no ``gh`` in the line, but its address in the output.

An address alone says little: logs, changelogs and tests print them, too. It counts if the line succeeded, if something
in it may have opened one, if nobody has seen the address before, if the repository has a remote of that name (or none
at all), and if the output says "created", or ends on nothing but the address, as the forges' programs do. Pure.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from rawr.observe.intents.hidden import runs_a_script, speaks_of_opening
from rawr.observe.shell.simple_command import SimpleCommand
from rawr.observe.shell.wrappers import program

MAX_OUTPUT = 1 << 16
_ADDRESS = re.compile(
    r"https?://(?P<host>[\w.-]+(?::\d+)?)/"
    r"(?:(?P<hub>[\w.-]+/[\w.-]+)/pull/(?P<hub_n>\d+)"
    r"|(?P<lab>[\w.-]+(?:/[\w.-]+)+)/-/merge_requests/(?P<lab_n>\d+)"
    r"|github/pr/(?P<stack>[\w.-]+/[\w.-]+)/(?P<stack_n>\d+)"
    r"|(?P<bucket>[\w.-]+/[\w.-]+)/pull-requests/(?P<bucket_n>\d+))"
    r"(?![\w/#?&=-])"
)
_THING = r"(?:pull[ -]?requests?|merge[ -]?requests?|prs?|mrs?)"
_CREATED = re.compile(
    rf"\b(?:created|opened|submitted|raised|filed)\b.{{0,60}}?\b{_THING}\b"
    rf"|\b{_THING}\b.{{0,40}}?\b(?:created|opened|submitted|raised|filed)\b"
    rf"|\b(?:creating|opening|new)\b.{{0,20}}\b{_THING}\b|\(created\)|\b{_THING}(?: url| link)?:",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"already|exist|\b(?:not|no|would|will|could|dry|fail\w*|error|visit\w*|updated|closed|merged|by|ago|on)\b|n't\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"\b[pm]r\s+(?:list|view|status|checks|diff)\b")
"""A script that shows one has its address, too."""
_WORDS = """
    cat head tail less more grep egrep fgrep rg ag sed awk echo printf ls find fd jq yq sort uniq wc cut tr tee diff cmp
    git gh glab gt hub curl wget http cd pwd test true false sleep export set env which type mkdir rm cp mv touch
    pytest jest vitest mocha cargo go tsc eslint ruff mypy bash sh zsh dash
"""
_READS = frozenset(_WORDS.split())
"""What opens nothing, or says so in its own arguments. A shell counts by what it runs."""


class Address(NamedTuple):
    url: str
    repository: str
    """Its last name."""


def addresses(output: str) -> tuple[Address, ...]:
    """Each pull request that is named, once, in the order of the output."""
    found = {}
    for one in _ADDRESS.finditer(output[-MAX_OUTPUT:]):
        path = one["hub"] or one["lab"] or one["stack"] or one["bucket"]
        found[one[0]] = Address(one[0], path.rpartition("/")[2].lower())
    return tuple(found.values())


def opened_by_script(
    commands: Iterable[SimpleCommand],
    output: str,
    *,
    exit_code: int | None,
    seen: Collection[str],
    texts: Iterable[str],
) -> Address | None:
    """The one that was opened, if one was. ``seen`` are addresses from before, ``texts`` what the scripts say."""
    if exit_code != 0 or not _may_open(commands := tuple(commands)):
        return None
    lines = [line.strip() for line in output[-MAX_OUTPUT:].splitlines() if line.strip()]
    new = [one for one in addresses(output) if one.url not in seen]
    for one in reversed(new):
        if any(one.url in line and _says(lines, number) for number, line in enumerate(lines)):
            return one
    alone = len(new) == 1 and len(addresses(output)) == 1 and lines[-1] == new[0].url
    scripted = any(runs_a_script(one) or speaks_of_opening(one) for one in commands)
    return new[0] if alone and scripted and not any(map(_SHOWS.search, texts)) else None


def is_of(address: Address, remotes: Iterable[str]) -> bool:
    """Return True if the repository may be the one of the address: a remote has its name, or none is on a server."""
    names = [name for url in remotes if (name := _name(url))]
    return not names or address.repository in names


def _name(url: str) -> str:
    """The last name of a remote's path; empty for a folder."""
    if "://" not in url and not re.match(r"[^/]+:", url):
        return ""
    return "" if url.startswith("file:") else url.rstrip("/").removesuffix(".git").rpartition("/")[2].lower()


def _may_open(commands: Iterable[SimpleCommand]) -> bool:
    known = (one for one in commands if one.words and one.words[0] is not None)
    return any(runs_a_script(one) or program(one.words[0]) not in _READS for one in known)


def _says(lines: list[str], number: int) -> bool:
    """The line with the address, or the one before it, says that it was created."""
    here = _ADDRESS.sub(" ", lines[number])
    before = lines[number - 1] if number and not here.strip(" -:*>→✓✅") else ""
    return any(_CREATED.search(one) is not None and _NOT.search(one) is None for one in (here, before))
