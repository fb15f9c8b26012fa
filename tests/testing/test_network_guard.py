"""The guard: loopback passes, everything else is refused before a packet leaves."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable

import pytest

from rawr.testing import NetworkGuard, OutsideNetwork, Scenario, ScriptedModel
from rawr.testing.network_guard import network_guard

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
def test_the_outside_is_refused(no_network: NetworkGuard, deed: Callable[[], object]) -> None:
    with pytest.raises(OutsideNetwork, match="which is not on this machine"):
        deed()
    assert len(no_network.attempts) == 1
    no_network.forget()


async def test_asyncio_is_refused_too(no_network: NetworkGuard) -> None:
    with pytest.raises(OutsideNetwork):
        await asyncio.open_connection("model.example", 443)
    with pytest.raises(OutsideNetwork):
        await asyncio.open_connection(OUTSIDE, 443)
    assert len(no_network.attempts) == 2
    no_network.forget()


def test_a_swallowed_attempt_is_told_at_the_end(no_network: NetworkGuard) -> None:
    told = pytest.raises(OutsideNetwork, match=r"refused during this block: look up 'model\.example'")
    with told, network_guard(), contextlib.suppress(OutsideNetwork):
        socket.gethostbyname("model.example")
    no_network.forget()


def test_this_machine_passes() -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with ScriptedModel(Scenario.of("n", [])) as model:
        for url in (model.url, model.url.replace("127.0.0.1", "localhost")):
            with opener.open(f"{url}/models", timeout=10) as response:
                assert response.status == 200
        left, right = socket.socketpair()
        left.close()
        right.close()


def test_guards_nest_and_the_inner_one_ends_alone(no_network: NetworkGuard) -> None:
    with network_guard() as inner:
        with pytest.raises(OutsideNetwork):
            socket.gethostbyname("model.example")
        assert inner.attempts == no_network.attempts == ["look up 'model.example'"]
        inner.forget()
    with pytest.raises(OutsideNetwork):
        connect(socket.AF_INET, OUTSIDE)
    assert no_network.attempts == ["look up 'model.example'", "connect to ('192.0.2.1', 80)"]
    assert inner.attempts == []
    no_network.forget()


def test_without_a_guard_nothing_is_refused() -> None:
    # In a process of its own, since the suite's guard is always on here. Nothing can be sent to this address.
    code = (
        "import socket\n"
        "from rawr.testing.network_guard import network_guard\n"
        "with network_guard(): pass\n"
        "sock = socket.socket()\n"
        "sock.setblocking(False)\n"
        "print(sock.connect_ex(('240.0.0.1', 80)) != 0)\n"
        "sock.close()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("True\n", "")
