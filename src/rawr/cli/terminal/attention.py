"""Calls a person back to a run: the bell, the terminal's title, and a command of theirs (C18).

On a question, a pause, a stop, a failure, and when the job is done. Nothing waits for any of it.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.cli.terminal.output import OutputLost, telling, warn
from rawr.cli.terminal.visible import harmless
from rawr.config.attention import Attention
from rawr.core.kernel import Taken
from rawr.core.state.thread import ThreadState
from rawr.journal.placeholders import MARK
from rawr.ports.environment import Environments, own
from rawr.programs import safe_path
from rawr.views import events as e
from rawr.views.following import Following
from rawr.views.questions import describe

Occasion = Literal["question", "paused", "stopped", "failed", "done"]

COMMAND_SECONDS = 30.0
"""How long a person's command may take."""
LAST_SECONDS = 5.0
"""How long rawr waits at its own end for those that still run."""
MOST_SAID = 64 * 1024
"""Bytes of what a command complains about."""
TITLE = 60
"""Characters of a title."""
_PUSH, _POP = "\x1b[22;0t", "\x1b[23;0t"
"""Terminals that can keep a title do; the others ignore it."""
_ENDS: dict[type[e.AnyEvent], Occasion] = {
    e.RunPaused: "paused",
    e.RunStopped: "stopped",
    e.RunFailed: "failed",
    e.RunRefused: "failed",
    e.RunDone: "done",
}


class Call(Struct, frozen=True):
    """What a command reads on its stdin, as JSON. Secrets are placeholders, as in the journal."""

    occasion: Occasion
    run: str
    thread: str
    cwd: str
    goal: str
    text: str


class Bell:
    """Follows the runs of one call."""

    def __init__(
        self,
        wanted: Attention,
        states: dict[str, ThreadState],
        *,
        terminal: bool,
        commands: Mapping[str, str] | None = None,
        environments: Environments = own,
    ) -> None:
        """``terminal``: the output is a terminal that understands control sequences. ``commands``: by thread, where
        it is not the one in the settings. ``environments``: what a command finds around it, by thread."""
        self._environments = environments
        self._wanted = wanted
        self._own_commands = commands if commands is not None else {}
        self._states = states
        self._terminal = terminal
        self._following = Following()
        self._commands: set[asyncio.Task[None]] = set()
        self._titled = False
        self._warned = False

    def taken(self, taken: Taken) -> None:
        for event in self._following.take(taken):
            state = self._states.get(event.thread)
            if state is None or state.run is None:
                continue
            if isinstance(event, e.RequestPut):
                self._call(_call("question", state, _asked(event)))
            elif isinstance(event, e.RunStarted | e.RunResumed | e.RequestAnswered):
                self._title(f"rawr: {state.run.order.goal}")
            elif type(event) in _ENDS and isinstance(event, e.RunEvent):
                detail = f": {event.detail}" if event.detail else ""
                self._call(_call(_ENDS[type(event)], state, f"{event.why}{detail}"))

    async def close(self) -> None:
        """Wait briefly for the commands, and give the terminal its title back."""
        if self._titled:
            self._send(_POP)
        if self._commands:
            await asyncio.wait(self._commands, timeout=LAST_SECONDS)
        for task in self._commands:
            task.cancel()
        await asyncio.gather(*self._commands, return_exceptions=True)

    def _call(self, call: Call) -> None:
        if self._terminal and self._wanted.bell:
            self._send("\a")
        self._title(f"rawr {call.occasion}: {call.goal}")
        if command := self._own_commands.get(call.thread, self._wanted.command):
            env = self._environments(call.thread, self._states[call.thread].link)
            task = asyncio.ensure_future(self._run(command, call, os.environ if env is None else env))
            self._commands.add(task)
            task.add_done_callback(self._commands.discard)

    def _title(self, text: str) -> None:
        if not self._terminal or not self._wanted.title:
            return
        plain = "".join(one for one in " ".join(harmless(text).split()) if one.isprintable())
        push, self._titled = "" if self._titled else _PUSH, True
        self._send(f"{push}\x1b]0;{plain[:TITLE]}\x07")

    def _send(self, sequence: str) -> None:
        with contextlib.suppress(OutputLost), telling():
            sys.stdout.write(sequence)
            sys.stdout.flush()

    async def _run(self, command: str, call: Call, env: Mapping[str, str]) -> None:
        """In a session of its own, so that Ctrl-C is not for it, and everything that it starts ends with it."""
        about = {f"RAWR_{name.upper()}": str(getattr(call, name)) for name in call.__struct_fields__}
        path = safe_path(env, away_from=Path(call.cwd))
        with tempfile.TemporaryFile() as said:  # a pipe would wait for everything that the command leaves behind
            try:
                process = await asyncio.create_subprocess_exec(
                    "/bin/sh",
                    "-c",
                    command,
                    env={**env, "PATH": path, **{name: value.replace("\0", "") for name, value in about.items()}},
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=said,
                    start_new_session=True,
                )
            except OSError as error:
                self._complain(f"the --notify command cannot be started: {error.strerror}")
                return
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    await process.communicate(msgspec.json.encode(call) + b"\n")
                if process.returncode:
                    said.seek(0)
                    last = said.read(MOST_SAID).decode("utf-8", "replace").strip().rpartition("\n")[2]
                    code = process.returncode
                    self._complain(f"the --notify command exited with {code}{f': {last}' if last else ''}")
            except TimeoutError:
                self._complain(f"the --notify command was ended after {COMMAND_SECONDS:.0f} s")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await process.wait()

    def _complain(self, problem: str) -> None:
        """Once is enough: the next call is likely to end the same way."""
        if not self._warned:
            self._warned = True
            warn(problem, own_line=True)


def _asked(event: e.RequestPut) -> str:
    """The record, because the command may send it anywhere; so it says where the real text is."""
    asked = describe(event.question)
    return f"{asked} (secrets left out: `rawr approvals` shows all of it)" if MARK.search(asked) else asked


def _call(occasion: Occasion, state: ThreadState, text: str) -> Call:
    run = state.run
    assert run is not None, "only about runs"  # noqa: S101
    return Call(occasion, run.id, state.id, state.cwd, harmless(run.order.goal), harmless(text))
