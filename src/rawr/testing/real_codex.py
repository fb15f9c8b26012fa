"""The real Codex on a scripted model: the program, its home, and the end of anything it leaves running.

``rawr.codex`` starts the app-server and talks to it.
"""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from rawr.codex.binary import bundled_path
from rawr.errors import CodexError
from rawr.testing.codex_home import CodexHome
from rawr.testing.scenario import Scenario
from rawr.testing.scenario_file import load_scenario
from rawr.testing.scripted_model import ScriptedModel

CODEX_VARIABLE = "RAWR_TEST_CODEX"
"""The path of the Codex to test with, where that is not the bundled one."""


def find_codex() -> Path:
    """The program to test with: the one in ``RAWR_TEST_CODEX``, the bundled one (pinned), or ``codex`` on PATH."""
    named = os.environ.get(CODEX_VARIABLE)
    if named:
        return Path(named)
    bundled = bundled_path()
    if bundled is not None:
        return bundled
    found = shutil.which("codex")
    if found is None:
        raise CodexError("there is no Codex to test with.", way_out="Install Codex, or rawr's extra `codex`.")
    return Path(found)


class ScriptedCodex(msgspec.Struct, frozen=True, kw_only=True):
    """A running scripted model, a home that points at it, and the program to start there."""

    model: ScriptedModel
    home: CodexHome
    binary: Path

    def env(self) -> dict[str, str]:
        return self.home.env()

    def command(self, *arguments: str) -> list[str]:
        """The command line of this Codex with these arguments."""
        return [str(self.binary), *arguments]


@contextmanager
def scripted_codex(
    scenario: Scenario | Path | str,
    base_dir: Path,
    *,
    binary: Path | None = None,
    check: bool = True,
    delay_between: float = 0.0,
    extra_config: Mapping[str, object] | None = None,
) -> Iterator[ScriptedCodex]:
    """Model, home and program together, for a scenario or the path of its file.

    At the end, daemons that Codex left behind are ended and the model is stopped. Unless ``check`` is off, the block
    fails if Codex asked something that the scenario does not answer; an error from the block gets the transcript.
    """
    script = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    program = binary or find_codex()
    with ScriptedModel(script, delay_between=delay_between) as model:
        home = CodexHome.create(base_dir, model.url, window=script.window, extra_config=extra_config)
        try:
            yield ScriptedCodex(model=model, home=home, binary=program)
        except BaseException as error:
            error.add_note(model.transcript())
            raise
        finally:
            end_daemons(home.path)
        if check:
            model.check()


class _Identity(msgspec.Struct, frozen=True, rename="camel"):
    start_ticks: int


class _PidFile(msgspec.Struct, frozen=True, rename="camel"):
    pid: int
    process_identity: _Identity | None = None


def end_daemons(codex_home: Path, *, deadline: float = 5.0) -> tuple[int, ...]:
    """End the processes that the pid files of this home name, and no others; return their ids.

    Codex's terminal program leaves a daemon and its updater running. A pid that now belongs to another process,
    according to the start time that Codex wrote beside it, is left alone.
    """
    named = [_read_pid_file(file) for file in sorted((codex_home / "app-server-daemon").glob("*.pid"))]
    running = [entry for entry in named if entry is not None and _is_running(entry)]
    _signal(running, signal.SIGTERM)
    if not _gone(running, deadline):
        _signal(running, signal.SIGKILL)
        if not _gone(running, deadline):
            raise CodexError(f"these Codex daemons do not exit: {', '.join(str(entry.pid) for entry in running)}.")
    return tuple(entry.pid for entry in running)


def _read_pid_file(file: Path) -> _PidFile | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_PidFile)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _signal(entries: list[_PidFile], number: signal.Signals) -> None:
    for entry in entries:
        if _is_running(entry):
            with contextlib.suppress(ProcessLookupError):
                os.kill(entry.pid, number)


def _gone(entries: list[_PidFile], deadline: float) -> bool:
    until = time.monotonic() + deadline
    while any(_is_running(entry) for entry in entries):
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)
    return True


def _is_running(entry: _PidFile) -> bool:
    try:
        stat = Path(f"/proc/{entry.pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return not Path("/proc/self").exists() and _answers(entry.pid)
    except ProcessLookupError:
        return False
    state, *rest = stat.rpartition(")")[2].split()
    start_ticks = int(rest[18])
    ours = entry.process_identity is None or entry.process_identity.start_ticks == start_ticks
    return ours and state not in "ZX"


def _answers(pid: int) -> bool:
    """Without /proc (macOS) there is only this check: a process with that id takes signals."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
