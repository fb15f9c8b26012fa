"""A home's two sockets. Both are in the home, however long its path is: a folder that its owner alone can open."""

from pathlib import Path

from rawr.local import sockets

SOCKET = "control.sock"
"""Takes one command per connection."""
HOST_SOCKET = "host.sock"
"""Serves surfaces for as long as they stay."""


def host_answers(home: Path) -> bool:
    """Return True if a host accepts clients on this home."""
    return sockets.answers(home, HOST_SOCKET)


def is_live(home: Path) -> bool:
    """Return True if a rawr is running on this home."""
    return sockets.answers(home, SOCKET)
