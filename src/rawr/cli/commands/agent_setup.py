"""Whether the user's Codex gives its agents rawr's tools, and the change that makes it so, or undoes it (D10)."""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.codex.mcp_entry import Entry, Unfit, added, entry_in, is_marked, removed
from rawr.core.requests.tools import MCP_SERVER
from rawr.errors import ConfigError
from rawr.journal.home import DEFAULT, not_a_file

DEADLINE = 20.0
OWNER_ONLY = 0o600
Status = Literal["absent", "ready", "other", "gone", "off", "changed", "foreign", "unreadable"]
"""``other``: it starts a rawr, but not this one or not on this home. ``gone``: what it starts no longer exists.
``changed``: rawr wrote it, but by now it starts no rawr. ``foreign``: another server has the name."""


class Setup(Struct, frozen=True):
    status: Status
    file: Path
    entry: Entry | None = None
    problem: str = ""

    @property
    def in_place(self) -> bool:
        return self.status in ("ready", "other", "gone", "off", "changed")


def wanted(home: Path) -> Entry:
    """This rawr, by its whole path. Codex passes hardly any variables on, so a home of one's own must be named."""
    env = {} if home == Path(DEFAULT).expanduser() else {"RAWR_HOME": str(home)}
    program = Path(sys.executable).parent / "rawr"
    if os.access(program, os.X_OK):
        return Entry(str(program.absolute()), ("mcp",), env)
    # Codex starts it in the workspace: without -P, the agent could leave a module there that it loads.
    return Entry(sys.executable, ("-P", "-m", "rawr", "mcp"), env)


def look(codex_home: Path, *, home: Path) -> Setup:
    """What is there now. It starts nothing."""
    file = codex_home / "config.toml"
    try:
        # Reading a FIFO would wait for the other end, perhaps forever.
        if file.exists() and (problem := not_a_file(file)):
            return Setup("unreadable", file, problem=problem)
        text = _text(file)
        found = entry_in(text)
    except (OSError, UnicodeError, Unfit) as error:
        return Setup("unreadable", file, problem=_cause(error))
    if found is None:
        return Setup("absent", file)
    if found == "foreign":
        return Setup("changed" if is_marked(text) else "foreign", file)
    if not found.enabled:
        return Setup("off", file, found)
    if shutil.which(found.command) is None:
        return Setup("gone", file, found)
    return Setup("ready" if found == wanted(home) else "other", file, found)


def put(now: Setup, entry: Entry, *, codex: Path) -> None:
    """Write the entry, in the place of an older one, and have Codex read it. If it does not, nothing is changed."""
    before = _text(now.file)
    try:
        after = added(removed(before) if now.in_place else before, entry)
    except Unfit as error:
        raise _by_hand(now, error, f"codex mcp add {MCP_SERVER} -- {entry.command} {' '.join(entry.args)}") from error
    _write(now.file, after, before)
    problem = _refused(codex, now.file.parent, entry)
    if problem:
        _write(now.file, before, after)
        message = f"Codex does not take the entry ({problem}); {now.file} is as it was."
        raise ConfigError(message, way_out="`rawr doctor` checks your Codex.")


def take_out(now: Setup) -> None:
    before = _text(now.file)
    try:
        after = removed(before)
    except Unfit as error:
        raise _by_hand(now, error, f"codex mcp remove {MCP_SERVER}") from error
    _write(now.file, after, before)


def _by_hand(now: Setup, error: Unfit, command: str) -> ConfigError:
    message = f"{now.file} cannot be changed without touching more than rawr's entry: {error}."
    return ConfigError(message, way_out=f"Nothing was changed. Codex can do it, but drops comments there: {command}")


def _cause(error: Exception) -> str:
    match error:
        case OSError():
            return (error.strerror or str(error)).lower()
        case UnicodeError():
            return "it is not UTF-8 text"
        case _:
            return str(error)


def _text(file: Path) -> str:
    """The file as it is, line ends included; empty if there is none."""
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""


def _write(file: Path, text: str, before: str) -> None:
    try:
        _replace(file, text, before)
    except OSError as error:
        message = f"{file} cannot be written: {_cause(error)}."
        raise ConfigError(message, way_out="Fix that, then run this again.") from error


def _replace(file: Path, text: str, before: str) -> None:
    """All of it or nothing, with the file's own mode, and behind a link if it is one."""
    target = file.resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else OWNER_ONLY
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".config-")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(mode)
        if _text(file) != before:
            raise ConfigError(f"{file} was changed by another program just now.", way_out="Run the command again.")
        Path(name).replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


class _Transport(Struct):
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] | None = None


class _Server(Struct):
    transport: _Transport


def _refused(codex: Path, codex_home: Path, entry: Entry) -> str:
    """What Codex makes of the entry; empty if it reads it as meant."""
    env = {**os.environ, "CODEX_HOME": str(codex_home)}
    try:
        said = ask([str(codex), "mcp", "get", MCP_SERVER, "--json"], deadline=DEADLINE, env=env)
        read = msgspec.json.decode(said.output, type=_Server).transport
    except (OSError, TookTooLong, SaidTooMuch) as error:
        return _cause(error)
    except msgspec.DecodeError:
        lines = said.stderr.strip().splitlines()
        return next((line for line in lines if line.startswith("Error")), lines[-1] if lines else "it said nothing")[
            :200
        ]
    same = Entry(read.command, read.args, read.env or {}) == entry
    return "" if same else "it reads another command from it"
