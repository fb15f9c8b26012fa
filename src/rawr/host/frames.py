"""How a message travels over the host's socket: four bytes of length, then JSON. Bounded on both sides."""

import asyncio

from rawr.errors import OutsideError
from rawr.local.nesting import DEEPEST, too_deep

HEADER = 4
MAX_CALL = 4 * 1024 * 1024
"""Bytes of a message to the host."""
MAX_AGENT_CALL = 64 * 1024
"""The same, from a process that is not a person's: it may only read, and that takes few words."""
MAX_TOLD = 256 * 1024 * 1024
"""Bytes of a message from the host: the first one holds the states of all threads in memory."""


class BadFrame(OutsideError):
    """It is longer or deeper than any message of ours."""


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(HEADER, "big") + body


async def read_frame(reader: asyncio.StreamReader, *, most: int) -> bytes | None:
    """The next message; None at the end of the stream, also in the middle of a message."""
    try:
        size = int.from_bytes(await reader.readexactly(HEADER), "big")
        if size > most:
            raise BadFrame(f"a message of {size} bytes is longer than {most}")
        return await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def read_shallow(reader: asyncio.StreamReader, *, most: int) -> bytes | None:
    """The same, from a client: JSON that is nested too deeply to be one of our messages is an error."""
    frame = await read_frame(reader, most=most)
    if frame is not None and too_deep(frame):
        raise BadFrame(f"it is nested more than {DEEPEST} levels deep")
    return frame
