"""A unit with which the service manager keeps a host: systemd's on Linux, launchd's on macOS."""

import os
import plistlib
import shlex
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from rawr.errors import OutsideError

PASSED_ON = ("PATH", "CODEX_HOME", "LANG", "LC_ALL", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
"""Variables of the terminal that a host needs as well. Keys and tokens are not written to a file."""


class Unit(Struct, frozen=True):
    path: Path
    text: str
    switch_on: tuple[str, ...]
    switch_off: tuple[str, ...]


def unit_for(home: Path, *, env: Mapping[str, str], program: Sequence[str], platform: str = sys.platform) -> Unit:
    """The file for the host of this home. Each home has its own."""
    kept = {name: env[name] for name in PASSED_ON if env.get(name)}
    kept["RAWR_HOME"] = str(home)
    command = (*program, "host", "serve", "--stay", "--resume")
    name = f"rawr-{sha256(os.fsencode(home)).hexdigest()[:8]}"
    if platform == "darwin":
        return _launchd(name, command, kept, Path(env.get("HOME", "~")).expanduser())
    if platform.startswith("linux"):
        config = Path(env.get("XDG_CONFIG_HOME") or f"{env.get('HOME', '~')}/.config").expanduser()
        return _systemd(name, command, kept, config)
    raise OutsideError(f"rawr knows no service manager on {platform}.", way_out="Start `rawr host serve --stay` there.")


def _systemd(name: str, command: Sequence[str], env: Mapping[str, str], config: Path) -> Unit:
    settings = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in env.items())
    text = f"""[Unit]
Description=rawr, beside Codex
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart={" ".join(map(_quoted, command))}
{settings}Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=20

[Install]
WantedBy=default.target
"""
    return Unit(
        config / "systemd" / "user" / f"{name}.service",
        text,
        ("systemctl --user daemon-reload", f"systemctl --user enable --now {name}", "loginctl enable-linger"),
        (f"systemctl --user disable --now {name}", "systemctl --user daemon-reload"),
    )


def _quoted(word: str) -> str:
    """As systemd reads it: in double quotes, with its own specifiers and escapes made harmless."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$").replace("\n", "\\n")
    return f'"{escaped}"'


def _launchd(name: str, command: Sequence[str], env: Mapping[str, str], user: Path) -> Unit:
    label = f"dev.rawr.{name}"
    path = user / "Library" / "LaunchAgents" / f"{label}.plist"
    agent = {
        "Label": label,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(env),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    text = plistlib.dumps(agent).decode()
    return Unit(
        path,
        text,
        (f"launchctl bootstrap gui/$(id -u) {shlex.quote(str(path))}",),
        (f"launchctl bootout gui/$(id -u)/{label}",),
    )


def write(unit: Unit) -> None:
    """For the user alone: it names their folders."""
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unit.path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(unit.text)
    unfinished.replace(unit.path)


def remove(unit: Unit) -> bool:
    """Return True if there was one."""
    try:
        unit.path.unlink()
    except FileNotFoundError:
        return False
    return True
