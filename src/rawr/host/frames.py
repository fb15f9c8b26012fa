"""How a message travels over the host's socket: four bytes of length, then JSON. Bounded on both sides."""

import asyncio

from rawr.errors import OutsideError

HEADER = 4
MAX_CALL = 4 * 1024 * 1024
"""Bytes of a message to the host."""
MAX_TOLD = 256 * 1024 * 1024
"""Bytes of a message from the host: the first one holds the states of all threads in memory."""


class FrameTooLong(OutsideError):
    pass


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(HEADER, "big") + body


async def read_frame(reader: asyncio.StreamReader, *, most: int) -> bytes | None:
    """The next message; None at the end of the stream, also in the middle of a message."""
    try:
        size = int.from_bytes(await reader.readexactly(HEADER), "big")
        if size > most:
            raise FrameTooLong(f"A message of {size} bytes is longer than {most}.")
        return await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
