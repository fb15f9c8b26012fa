"""The read of a session file as an effect: in a thread, within its time, when Codex has written the turn's end."""

import asyncio

from msgspec.structs import replace

from rawr.codex.client import CallTimedOut
from rawr.codex.reconciling import Read, read_session
from rawr.core.vocabulary.effects import ReadSession
from rawr.ports.harness import Done, Told

DEADLINE = 5.0
LATE_END = (0.005, 0.02, 0.075)
"""Seconds to wait for the end of the turn to be in the file. Codex writes it before it reports it (60 of 60 turns), but
a turn that was cut off has none."""


async def read(name: str, thread: str, effect: ReadSession) -> Done:
    """What is in the file and was not reported, as facts. Raises ``CallTimedOut``."""
    try:
        async with asyncio.timeout(DEADLINE):
            found = await _with_its_end(effect)
    except TimeoutError as error:
        raise CallTimedOut(f"The session file was not read within {DEADLINE:g} seconds.") from error
    told: list[Told] = [(thread, fact) for fact in found.told]
    if found.last is not None:
        told.append((thread, replace(found.last, effect=name)))
    return Done(told=tuple(told))


async def _with_its_end(effect: ReadSession) -> Read:
    found = await asyncio.to_thread(read_session, effect)
    for pause in LATE_END:
        if found.ended:
            break
        await asyncio.sleep(pause)
        found = await asyncio.to_thread(read_session, effect)
    return found
