"""The guard: loopback passes, everything else is refused before a packet leaves."""

import asyncio
import contextlib
import socket
import urllib.request
from collections.abc import Callable

import pytest

from rawr.testing import OutsideNetwork, Scenario, ScriptedModel, network_guard

# An address that is set aside for documentation: even without the guard nobody would answer.
OUTSIDE = "192.0.2.1"


def connect(family: socket.AddressFamily, host: str) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.settimeout(1)
        sock.connect((host, 80))


def send_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", (OUTSIDE, 53))


def connect_quietly() -> None:
    with socket.socket() as sock:
        sock.settimeout(1)
        sock.connect_ex((OUTSIDE, 80))


DEEDS: dict[str, Callable[[], object]] = {
    "connect": lambda: connect(socket.AF_INET, OUTSIDE),
    "connect 6": lambda: connect(socket.AF_INET6, "2001:db8::1"),
    "connect_ex": connect_quietly,
    "datagram": send_datagram,
    "getaddrinfo": lambda: socket.getaddrinfo("model.example", 443),
    "bytes": lambda: socket.getaddrinfo(b"model.example", 443),
    "gethostbyname": lambda: socket.gethostbyname("model.example"),
    "create_connection": lambda: socket.create_connection(("model.example", 443), timeout=1),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_the_outside_is_refused(deed: Callable[[], object]) -> None:
    with network_guard() as guard:
        with pytest.raises(OutsideNetwork, match="which is not on this machine"):
            deed()
        assert len(guard.attempts) == 1
        guard.forget()


async def test_asyncio_is_refused_too() -> None:
    with network_guard() as guard:
        with pytest.raises(OutsideNetwork):
            await asyncio.open_connection("model.example", 443)
        with pytest.raises(OutsideNetwork):
            await asyncio.open_connection(OUTSIDE, 443)
        guard.forget()


def test_a_swallowed_attempt_is_told_at_the_end() -> None:
    with pytest.raises(OutsideNetwork, match=r"refused during this block: look up 'model\.example'"), network_guard():
        with contextlib.suppress(OutsideNetwork):
            socket.gethostbyname("model.example")


def test_this_machine_passes() -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with network_guard(), ScriptedModel(Scenario.of("n", [])) as model:
        for url in (model.url, model.url.replace("127.0.0.1", "localhost")):
            with opener.open(f"{url}/models", timeout=10) as response:
                assert response.status == 200
        left, right = socket.socketpair()
        left.close()
        right.close()


def test_it_is_off_afterwards_and_nests() -> None:
    with network_guard() as outer:
        with network_guard() as inner, pytest.raises(OutsideNetwork):
            try:
                socket.gethostbyname("model.example")
            finally:
                inner.forget()
        assert outer.attempts == ["look up 'model.example'"]
        outer.forget()
        with pytest.raises(OutsideNetwork):
            socket.gethostbyname("model.example")
        outer.forget()
    with contextlib.closing(socket.socket()) as sock:
        sock.setblocking(False)
        assert sock.connect_ex(("127.0.0.1", 9)) != 0
