"""Runs the user's own check that a job is done (C7): in the workspace, bounded in time and in output.

Unlike ``rawr.bounded``, it runs on the event loop, keeps the end of the output and can be cancelled.
"""

import asyncio
import contextlib
import os
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from rawr.core.real import Real
from rawr.core.vocabulary.effects import RunCheck
from rawr.programs import own_program

MAX_OUTPUT = 16_000
"""Bytes to keep from the end of the output."""
CHUNK = 65_536
GRACE = 2.0
"""Seconds between asking a check to exit and killing it."""
LOOK = 0.05
"""Seconds between polls for its exit, if nothing else reports it."""


class Checked(Struct, frozen=True):
    exit_code: int | None
    output: str
    timed_out: bool
    duration_ms: int


async def run_check(check: Real[RunCheck], *, env: Mapping[str, str] | None = None) -> Checked:
    """Run it with bash and wait. Everything it started is gone afterwards, even if the waiting task is cancelled.

    The check is over when bash exits: background processes, and their hold on the output, do not delay it. ``env``: its
    variables; None: those of this process.
    """
    begun = time.monotonic()
    command, cwd, seconds = check.thing.command, check.thing.cwd, check.thing.seconds
    bash = own_program("bash", env=env, away_from=Path(cwd)) or own_program("bash", away_from=Path(cwd))
    if bash is None:
        return Checked(None, "rawr could not run it: there is no bash in PATH.", timed_out=False, duration_ms=0)
    try:
        process = await asyncio.create_subprocess_exec(
            "bash",  # as it names itself in its complaints, which the core reads
            "-c",
            command,
            executable=bash,
            cwd=cwd,
            env=env,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        # A check that cannot run has not passed.
        return Checked(None, f"rawr could not run it: {error}", timed_out=False, duration_ms=0)
    kept = bytearray()
    reading = asyncio.ensure_future(_read(process, kept))
    timed_out = False
    try:
        async with asyncio.timeout(seconds):
            await _ended(process)
    except TimeoutError:
        timed_out = True
    finally:
        await _end(process, reading)
    return Checked(
        None if timed_out else process.returncode,
        kept.decode("utf-8", "replace"),
        timed_out,
        int((time.monotonic() - begun) * 1000),
    )


async def _read(process: Process, kept: bytearray) -> None:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    while chunk := await process.stdout.read(CHUNK):
        kept += chunk
        del kept[:-MAX_OUTPUT]


async def _ended(process: Process) -> None:
    """Wait for the exit alone. On some Python versions, ``wait`` also waits for every process that holds the output."""
    waiting = asyncio.ensure_future(process.wait())
    try:
        while process.returncode is None:
            await asyncio.wait({waiting}, timeout=LOOK)
    finally:
        waiting.cancel()


async def _end(process: Process, reading: "asyncio.Future[None]") -> None:
    """Stop the whole group: a server that one check leaves running must not reach the next."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.returncode is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await _ended(process)
    # Its last output is still in the pipe, which a process that left the group may hold open forever.
    await asyncio.wait({reading}, timeout=GRACE)
    reading.cancel()
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public closes the pipe
