"""No test reaches the outside by accident.

While a guard is on, connecting this process to anything but loopback, or looking up any name but localhost, raises at
once. It uses Python's audit events, so it sees every library that uses the socket module; it does not see child
processes: those get the environment of ``CodexHome``.
"""

import ipaddress
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from rawr.errors import RawrError

_LOCAL_NAMES = frozenset({"", "localhost", "localhost.localdomain", "ip6-localhost"})
_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKING_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class OutsideNetwork(RawrError):
    """Something tried to leave this machine."""


class NetworkGuard:
    """``attempts`` holds what was refused, even if the code under test swallowed the error."""

    def __init__(self) -> None:
        self.attempts: list[str] = []

    def forget(self) -> None:
        """For a test that expects a refused attempt and has seen it."""
        self.attempts.clear()


_guards: list[NetworkGuard] = []
_lock = threading.Lock()


@contextmanager
def network_guard() -> Iterator[NetworkGuard]:
    """Refuse outside connections while the block runs, and raise at its end if an attempt was swallowed.

    As a pytest fixture for a whole suite::

        @pytest.fixture(autouse=True)
        def no_network():
            with network_guard() as guard:
                yield guard
    """
    guard = NetworkGuard()
    with _lock:
        _install()
        _guards.append(guard)
    try:
        yield guard
    finally:
        with _lock:
            _guards.remove(guard)
    if guard.attempts:
        raise OutsideNetwork(f"refused during this block: {', '.join(guard.attempts)}.")


@cache
def _install() -> None:
    """Once and for good: an audit hook cannot be removed, so without a guard it does nothing."""
    sys.addaudithook(_watch)


def _watch(event: str, args: tuple[object, ...]) -> None:
    if not _guards:
        return
    if event in _CONNECTING:
        where, address = args
        if isinstance(where, socket.socket) and where.family in (socket.AF_INET, socket.AF_INET6):
            _judge("connect to", _host(address), address)
    elif event in _LOOKING_UP:
        _judge("look up", _host(args), args[0])


def _judge(deed: str, host: str, shown: object) -> None:
    if is_local(host):
        return
    attempt = f"{deed} {shown!r}"
    for guard in tuple(_guards):
        guard.attempts.append(attempt)
    raise OutsideNetwork(
        f"a test tried to {attempt}, which is not on this machine.",
        way_out="Point it at a ScriptedModel or another server on 127.0.0.1.",
    )


def _host(address: object) -> str:
    host = address[0] if isinstance(address, tuple) and address else None
    if isinstance(host, bytes):
        return host.decode(errors="replace")
    return host if isinstance(host, str) else ""


def is_local(host: str) -> bool:
    """Loopback or localhost. No host at all is local too: a server asks for its own address that way."""
    if host.lower().rstrip(".") in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
