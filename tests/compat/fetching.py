"""Codex of any version, from the package indexes by their ordinary clients, kept outside of the checkout."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

DEADLINE = 900.0
PYPI, NPM = "openai-codex-cli-bin", "@openai/codex"
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class NotFetched(Exception):
    """No index has it, or its client failed."""


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "rawr" / "codex"


def newest() -> str:
    """What ``npm install`` gives people today."""
    said = _run(["npm", "view", NPM, "dist-tags.latest", "--json"])
    version = json.loads(said)
    if not isinstance(version, str):
        raise NotFetched(f"npm named no latest version: {said[:200]}")
    return version


def fetch(version: str, folder: Path) -> Path:
    """The program of this version below ``folder``, fetched unless it is there. PyPI first: npm has the newest ones."""
    home = folder / version
    if (found := _program(home)) is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as part:
        place = Path(part)
        try:
            _from_pypi(version, place)
        except NotFetched:
            _from_npm(version, place)
        if _program(place) is None:
            raise NotFetched(f"the package of Codex {version} holds no program")
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(place, home)
    program = _program(home)
    assert program is not None
    return program


def _from_pypi(version: str, place: Path) -> None:
    wanted = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(place), f"{PYPI}=={version}"]
    _run([sys.executable, "-m", "pip", *wanted])
    for wheel in place.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(place)  # noqa: S202
        wheel.unlink()
    for file in place.rglob("*"):
        if file.is_file() and file.parent.name in ("bin", "codex-path", "codex-resources"):
            file.chmod(0o755)


def _from_npm(version: str, place: Path) -> None:
    system, machine = platform.system().lower(), _MACHINES.get(platform.machine().lower(), platform.machine())
    _run(["npm", "pack", "--silent", "--pack-destination", str(place), f"{NPM}@{version}-{system}-{machine}"])
    for packed in place.glob("*.tgz"):
        with tarfile.open(packed) as archive:
            archive.extractall(place, filter="data")
        packed.unlink()


def _program(folder: Path) -> Path | None:
    return next((one for one in sorted(folder.rglob("bin/codex")) if one.is_file() and os.access(one, os.X_OK)), None)


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotFetched(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise NotFetched(f"{' '.join(command[:4])} … failed: {done.stderr.strip()[-300:]}")
    return done.stdout
