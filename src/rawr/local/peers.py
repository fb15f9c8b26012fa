"""Who is at the other end of a local socket: the kernel says which user and which process, the process what it is.

Only a person gives orders. An agent runs as the same user, so what counts is its process: one in Codex's sandbox, or
one that Codex or rawr itself has started, is not a person's. See ``docs/guide/host.md`` for what this cannot tell.
"""

import contextlib
import errno
import os
import socket
import struct
import sys
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.local import processes
from rawr.local.processes import Process

Kind = Literal["person", "agent", "unseen"]

_PEER_PIDFD = 77
"""``SO_PEERPIDFD``: a handle on the process itself, since Linux 6.5; a number may be another's by now."""
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_LOCAL_PEERPID = 2
"""macOS, from its ``sys/un.h``."""
_XUCRED = "IIh16I"
_GONE = -1
EXITED = "A process that has exited, or that rawr cannot see,"
"""What ``listener_problem`` says of a process that listened, and is gone or going."""


class Peer(Struct, frozen=True, omit_defaults=True):
    """The process that connected, or that listens."""

    pid: int
    kind: Kind
    why: str = ""
    """Why it is not a person; completes "the command comes from …"."""
    program: str = ""
    terminal: str = ""

    @property
    def is_person(self) -> bool:
        return self.kind == "person"


def same_user(end: socket.socket) -> bool:
    """Return True if the process at the other end runs as our user."""
    return _credentials(end)[1] == os.getuid()


def peer_of(end: socket.socket) -> Peer:
    """The process at the other end. On Linux it was pinned when it connected, so its number cannot be another's."""
    pid = _credentials(end)[0]
    if pid == os.getpid():
        return Peer(pid, "person", program=_own().program, terminal=_own().terminal)
    with _pinned(end) as pin:
        found = processes.seen(pid)
        if found is None or found.ended or not _is_still(pin, pid):
            if pid <= 0 and not processes.tells_confinement():
                return Peer(0, "person")  # this system says nothing of it: the user is all there is to check
            return Peer(pid, "unseen", why="a process that has exited, or that rawr cannot see")
        lineage = tuple(processes.ancestors(found))
        still = _is_still(pin, pid)
    why = _in_sandbox(found, _own()) or _started_by_agent(found, lineage)
    if not still:
        return Peer(pid, "unseen", why="a process that has exited")
    return Peer(pid, "agent" if why else "person", why, found.program, found.terminal)


_codexes: dict[int, str] = {}
"""Processes that are a Codex whatever their program is called: when each number's began."""


def note_codex(end: socket.socket) -> None:
    """The process that listens at the other end is a Codex: what it starts is an agent's, by whatever name it runs.

    One that has started us is not noted, since a person's terminal would be its too.
    """
    for pid, began in tuple(_codexes.items()):
        if (known := processes.seen(pid)) is None or known.began != began:
            _codexes.pop(pid, None)
    found = processes.seen(_credentials(end)[0])
    if found is None or found.ended or found.pid == 1:
        return
    own = _own()
    if found.pid not in (own.pid, *(one.pid for one in processes.ancestors(own))):
        _codexes[found.pid] = found.began


def listener_problem(end: socket.socket) -> str:
    """Why the process that listens at the other end is not one to speak to: an agent can listen where its sandbox lets
    it write, and leave the listening to a child. Empty: nothing speaks against it; that it is our user's is for
    ``same_user`` to say."""
    if not can_tell():
        return ""
    pid = _credentials(end)[0]
    if pid == 0 and is_confined():
        return ""  # we are in a sandbox, and it is outside: there is nothing of ours to take from us
    with _pinned(end) as pin:
        found = processes.seen(pid)
        if found is None or found.ended or not _is_still(pin, pid):
            return EXITED
    return "A process in the agent's sandbox" if _in_sandbox(found, _own()) else ""


def is_confined() -> bool:
    """Return True if this process is in a sandbox itself, and cannot tell an agent from a person by that."""
    return _own().confined


def what_it_cannot_tell() -> str:
    """How well this process can tell an agent from a person; empty: well."""
    if not can_tell():
        return "rawr cannot see here whether a process is in the agent's sandbox; it goes by what Codex has started."
    if is_confined():
        return (
            "rawr runs in a sandbox itself here. An agent in a sandbox of its own within, or started by Codex, "
            "is still told from you; one that only shares this sandbox is not."
        )
    return ""


def can_tell() -> bool:
    """Return True if this system says what agents are confined by."""
    return processes.tells_confinement()


@cache
def _own() -> Process:
    return processes.seen(os.getpid()) or Process(os.getpid())


def _in_sandbox(one: Process, own: Process) -> str:
    """In a sandbox that we are not in. Where we are in one too, it must be another: with its own process ids, or one
    filter more."""
    if not one.confined:
        return ""
    other = bool(one.namespace) and bool(own.namespace) and one.namespace != own.namespace
    if own.confined and not other and one.filters <= own.filters:
        return ""
    return "the agent's sandbox"


def _started_by_agent(one: Process, lineage: tuple[Process, ...]) -> str:
    for found in (one, *lineage):
        if found.pid == os.getpid():
            return "a program that rawr has started"
        if found.is_codex or _codexes.get(found.pid) == found.began:
            return "a program that Codex has started"
    return ""


def _credentials(end: socket.socket) -> tuple[int, int]:
    """The process (0: unknown) and the user."""
    if hasattr(socket, "SO_PEERCRED"):
        pid, uid, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        return pid, uid
    if sys.platform == "darwin":
        found = struct.unpack(_XUCRED, end.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, struct.calcsize(_XUCRED)))
        pid = 0
        with contextlib.suppress(OSError):
            [pid] = struct.unpack("i", end.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, struct.calcsize("i")))
        return pid, found[1]
    return 0, os.getuid()  # the folder is 0700, which ensures the same


class _pinned:  # noqa: N801 - used as a function
    """A handle on the process at the other end, for as long as it is looked at; None where the kernel gives none."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._handle: int | None = None

    def __enter__(self) -> int | None:
        if sys.platform == "linux":
            try:
                self._handle = struct.unpack("i", self._end.getsockopt(socket.SOL_SOCKET, _PEER_PIDFD, 4))[0]
            except OSError as error:
                # An older kernel knows no handles. One that does has none for a process that is gone.
                return None if error.errno in (errno.ENOPROTOOPT, errno.EOPNOTSUPP) else _GONE
        return self._handle

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)


def _is_still(handle: int | None, pid: int) -> bool:
    """Return True if the handle's process is there under this number: gone, it has none."""
    if handle is None:
        return True
    if handle == _GONE:
        return False
    try:
        fields = (Path("/proc/self/fdinfo") / str(handle)).read_text()
    except OSError:
        return False
    return any(line.split() == ["Pid:", str(pid)] for line in fields.splitlines())
