"""Finds Codex, asks its version, and probes what its app-server can do.

The search goes from the most explicit to the least: named by the caller, ``codex`` on PATH, the bundled package (the
extra ``codex``). rawr asks what it finds and assumes nothing: it reads the methods from the schemas that the binary
itself prints, so it judges an older or newer Codex by what it offers and not by its number.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.codex.versions import TESTED_VERSION
from rawr.codex.wire.methods import CALLS
from rawr.codex.wire.notifications import NOTIFICATIONS
from rawr.errors import CodexError

PROBE_DEADLINE = 20.0
_ANOTHER = "Name another Codex with --codex-bin."

_VERSION = re.compile(r"^codex(?:-cli)?\s+v?(\d+\.\d+\.\d+\S*)\s*$", re.MULTILINE)


class CodexNotFound(CodexError):
    pass


class NotCodex(CodexError):
    """The program is not a Codex that rawr can use."""


class Binary(Struct, frozen=True):
    path: Path
    source: Literal["named", "config", "PATH", "bundled"]
    version: str


class Capabilities(Struct, frozen=True):
    """What rawr uses and this Codex lacks. Empty is good."""

    missing_calls: tuple[str, ...]
    missing_notifications: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not self.missing_calls and not self.missing_notifications


def find(
    named: Path | None = None,
    *,
    configured: Path | None = None,
    env: Mapping[str, str] | None = None,
    deadline: float = PROBE_DEADLINE,
) -> Binary:
    """Find the Codex to use, and ask its version."""
    path, source = locate(named, configured=configured, env=env)
    return Binary(path, source, ask_version(path, deadline=deadline))


def locate(
    named: Path | None, *, configured: Path | None, env: Mapping[str, str] | None = None
) -> tuple[Path, Literal["named", "config", "PATH", "bundled"]]:
    """The same, without running it."""
    if named is not None:
        return _usable(named, "named with --codex-bin"), "named"
    if configured is not None:
        return _usable(configured, "named in rawr's config"), "config"
    on_path = shutil.which("codex", path=(os.environ if env is None else env).get("PATH", ""))
    if on_path is not None:
        return Path(on_path).absolute(), "PATH"
    bundled = bundled_path()
    if bundled is not None:
        return bundled, "bundled"
    raise CodexNotFound(
        "No Codex found: there is no `codex` on PATH and no bundled one.",
        way_out="Install Codex, or rawr's extra `codex` for the bundled one, or name it with --codex-bin.",
    )


def _usable(path: Path, how: str) -> Path:
    path = path.expanduser()
    if not path.is_file():
        message = f"There is no file {path}, which was {how}."
        raise CodexNotFound(message, way_out="Correct the path, or omit it to use the `codex` on PATH.")
    if not os.access(path, os.X_OK):
        message = f"{path}, which was {how}, is not executable."
        raise NotCodex(message, way_out=f"Make it executable: chmod +x {path}")
    return path.resolve()


def bundled_path() -> Path | None:
    """The binary of the package ``openai-codex-cli-bin``, if that is installed."""
    try:
        from codex_cli_bin import bundled_codex_path
    except ImportError:
        return None
    path = Path(bundled_codex_path())
    return path if path.is_file() else None


def ask_version(path: Path, *, deadline: float = PROBE_DEADLINE) -> str:
    try:
        said = ask([str(path), "--version"], deadline=deadline)
    except TookTooLong as error:
        message = f"{path} did not print its version within {deadline:g} seconds."
        raise NotCodex(message, way_out=_ANOTHER) from error
    except SaidTooMuch as error:
        message = f"{path} is not Codex: asked for its version, {error}, beginning with {_quoted(error.beginning)}."
        raise NotCodex(message, way_out=_ANOTHER) from error
    except OSError as error:
        message = f"{path} could not be run: {error.strerror or error}."
        raise NotCodex(message, way_out=_ANOTHER) from error
    found = _VERSION.search(said.stdout)
    if said.code != 0 or found is None:
        heard = _quoted(said.stdout or said.stderr)
        message = f"{path} is not Codex: asked for its version, it printed {heard} and exited with code {said.code}."
        raise NotCodex(message, way_out=_ANOTHER)
    return found[1]


def _quoted(text: str) -> str:
    """Quote the first line, if there is one."""
    lines = text.strip().splitlines()
    return f'"{lines[0][:120]}"' if lines else "nothing"


def probe(binary: Binary, *, deadline: float = PROBE_DEADLINE) -> Capabilities:
    """Compare what rawr needs with the protocol that this binary says it speaks."""
    with tempfile.TemporaryDirectory(prefix="rawr-probe-") as folder:
        generate_schemas(binary.path, Path(folder), deadline=deadline)
        calls = _methods(Path(folder) / "ClientRequest.json")
        notifications = _methods(Path(folder) / "ServerNotification.json")
    return Capabilities(
        tuple(call.method for call in CALLS if call.method not in calls),
        tuple(method for method in NOTIFICATIONS if method not in notifications),
    )


def generate_schemas(path: Path, folder: Path, *, deadline: float = PROBE_DEADLINE) -> None:
    """Have the binary write the JSON Schemas of its protocol into a folder."""
    command = [str(path), "app-server", "generate-json-schema", "--experimental", "--out", str(folder)]
    try:
        said = ask(command, deadline=deadline)
    except (OSError, TookTooLong, SaidTooMuch) as error:
        message = f"{path} could not describe its protocol: {error}."
        raise NotCodex(
            message, way_out=f"rawr needs a Codex with an app-server; {TESTED_VERSION} is tested."
        ) from error
    if said.code != 0:
        heard = said.stderr.strip().splitlines()
        message = f"{path} has no app-server that rawr can use: {heard[-1][:200] if heard else 'it printed nothing'}."
        raise NotCodex(message, way_out=f"Update Codex; rawr is tested with {TESTED_VERSION}.")


def _methods(schema: Path) -> frozenset[str]:
    """The method names in a schema that is one big ``oneOf``."""
    try:
        variants = json.loads(schema.read_bytes())["oneOf"]
        return frozenset(name for variant in variants for name in variant["properties"]["method"]["enum"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
