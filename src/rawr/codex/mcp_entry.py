"""rawr's entry among the MCP servers of Codex's ``config.toml``, as text in and text out.

``codex mcp add`` writes every entry of that table anew and drops the comments in it (0.163 and 0.169), so the entry is
added behind what is there, and cut out again, and every other byte stays. What comes out is read again and must be what
went in, with or without the entry; otherwise nothing is changed.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rawr.core.requests.tools import MCP_SERVER

SERVERS = "mcp_servers"
COMMENT = "# The agent marks its phases for rawr. `rawr setup codex --undo` takes this out."
BOM = "\ufeff"
"""Editors on Windows put it in front of a file, and Codex reads over it."""
_OURS = re.compile(rf"\s*\[\s*{SERVERS}\s*\.\s*([\"']?){MCP_SERVER}\1\s*[.\]]")
_TABLE = re.compile(r"\s*\[")
_NO_CONTENT = re.compile(r"\s*(?:#.*)?\s*\Z")
_COMMENT = re.compile(rf"(?:\A|\r?\n){re.escape(COMMENT)}(?:\r?\n|\Z)")
_MARKED = re.compile(rf"{_COMMENT.pattern}(?:[ \t]*(?:#.*)?\r?\n)*{_OURS.pattern}")


class Entry(Struct, frozen=True):
    """How Codex starts the server."""

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    enabled: bool = True

    @property
    def is_rawr(self) -> bool:
        """Return True if it starts a rawr, this one or another. Any other program has its own right to the name."""
        named = PurePath(self.command).stem == "rawr" and self.args == ("mcp",)
        return named or self.args[-3:] == ("-m", "rawr", "mcp")


class Unfit(ValueError):
    """Codex cannot read the file, or it cannot be changed without changing more than the entry; the words say why."""


def entry_in(text: str) -> Entry | Literal["foreign"] | None:
    """The entry with rawr's name; ``foreign`` if it starts no program, or another one."""
    found = _read(text).get(SERVERS, {}).get(MCP_SERVER)
    if found is None:
        return None
    try:
        entry = msgspec.convert(found, Entry)
    except msgspec.ValidationError:
        return "foreign"
    return entry if entry.is_rawr else "foreign"


def is_marked(text: str) -> bool:
    """Return True if the entry stands under rawr's comment: then it is rawr's, whatever somebody made of it."""
    return _MARKED.search(text.removeprefix(BOM)) is not None


def added(text: str, entry: Entry) -> str:
    """The file with the entry behind everything else."""
    newline = "\r\n" if "\r\n" in text else "\n"
    after = text + newline + newline.join(lines_of(entry)) + newline
    expected = _read(text)
    expected.setdefault(SERVERS, {})[MCP_SERVER] = _value(entry)
    return _checked(after, expected)


def removed(text: str) -> str:
    """The file without the entry, also if it was written in another form meanwhile."""
    newline = "\r\n" if "\r\n" in text else "\n"
    bom = BOM if text.startswith(BOM) else ""
    rest = text.removeprefix(BOM)
    comment = _COMMENT.search(rest)
    before, rest = (rest[: comment.start()], rest[comment.end() :]) if comment else ("", rest)
    kept = "".join(_kept(rest))
    between = newline if before and kept and not before.endswith("\n") else ""
    expected = _read(text)
    expected[SERVERS].pop(MCP_SERVER)
    if not expected[SERVERS]:
        del expected[SERVERS]
    return _checked(bom + before + between + kept, expected)


def lines_of(entry: Entry) -> Iterator[str]:
    """What is added, line by line."""
    yield COMMENT
    yield f"[{SERVERS}.{MCP_SERVER}]"
    yield f"command = {_quoted(entry.command)}"
    yield f"args = [{', '.join(map(_quoted, entry.args))}]"
    if entry.env:
        yield f"env = {{ {', '.join(f'{name} = {_quoted(value)}' for name, value in entry.env.items())} }}"


def _kept(text: str) -> Iterator[str]:
    """The lines outside of the entry's tables. Comments at the end of one belong to what comes next."""
    inside = False
    held: list[str] = []
    for line in text.splitlines(keepends=True):
        if _TABLE.match(line):
            inside = _OURS.match(line) is not None
        if not inside:
            yield from held
            held.clear()
            yield line
        elif _NO_CONTENT.match(line):
            held.append(line)
        else:
            held.clear()
    yield from held


def _value(entry: Entry) -> dict[str, Any]:
    env = {"env": dict(entry.env)} if entry.env else {}
    return {"command": entry.command, "args": list(entry.args), **env}


def _checked(text: str, expected: dict[str, Any]) -> str:
    found = _read(text)
    if found.get(SERVERS) == {}:
        del found[SERVERS]
    if found != expected:
        raise Unfit("the entry cannot be told apart from the rest of the file")
    return text


def _read(text: str) -> dict[str, Any]:
    try:
        tree = tomllib.loads(text.removeprefix(BOM).replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Unfit(str(error)) from error
    if not isinstance(tree.get(SERVERS, {}), dict):
        raise Unfit(f"{SERVERS} is not a table; Codex expects a [{SERVERS}.NAME] for each server")
    return tree


def _quoted(text: str) -> str:
    """A TOML basic string. JSON's is one, apart from the one control character that JSON leaves as it is."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007F")
