"""Other processes at the end of a socket: another user's, an agent's, one that has gone. Programs of their own, since
what they are is for the kernel to say."""

import asyncio
import contextlib
import ctypes
import json
import os
import platform
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

NOBODY = 65534
DEADLINE = 20.0
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user as well")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="what confines a process is known of Linux alone")


def confine() -> None:
    """As Codex's sandbox does it: no new rights, and a filter for system calls; this one lets all of them pass."""
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_rights, seccomp, by_filter, allow = 38, 22, 2, 0x7FFF0000
    passes = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, allow))
    program = ctypes.create_string_buffer(struct.pack("HP", 1, ctypes.addressof(passes)))
    assert libc.prctl(no_new_rights, 1, 0, 0, 0) == 0
    assert libc.prctl(seccomp, by_filter, ctypes.byref(program), 0, 0) == 0


def become(uid: int) -> None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def judge(path: str, wait: str = "", codex: str = "") -> None:
    """Serve: say of each that connects who it is, to it and on stdout. ``wait``: look at them once this file exists.
    ``codex``: a Codex listens on this socket; join it first."""
    from rawr.local.peers import note_codex, peer_of

    if codex:
        with socket.socket(socket.AF_UNIX) as joined:
            joined.connect(codex)
            note_codex(joined)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("listening", flush=True)
        while True:
            end, _ = server.accept()
            with end:
                while wait and not Path(wait).exists():
                    time.sleep(0.01)
                peer = peer_of(end)
                said = json.dumps({"kind": peer.kind, "why": peer.why, "pid": peer.pid, "program": peer.program})
                print(said, flush=True)
                with contextlib.suppress(OSError):
                    end.sendall(said.encode())


def listen(path: str, uid: str = "", welcome: str = "", how: str = "") -> None:
    """Serve as another user would who wants to hear what is said: print it. ``how``: a child serves, and we exit."""
    if uid:
        become(int(uid))
    Path(path).parent.mkdir(mode=0o777, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        Path(path).chmod(0o777)
        server.listen()
        if how == "child":
            first = os.getpid()
            if os.fork():
                os._exit(0)
            while os.getppid() == first:
                time.sleep(0.01)
        print("listening", flush=True)
        while True:
            end, _ = server.accept()
            with end:
                if welcome:
                    body = welcome.encode()
                    end.sendall(len(body).to_bytes(4, "big") + body)
                end.settimeout(2.0)
                with contextlib.suppress(OSError):
                    while heard := end.recv(65536):
                        print(json.dumps(heard.decode(errors="replace")), flush=True)


def dying(path: str) -> None:
    """Serve as a process that was killed does for a moment: its first thread has ended, and another still holds the
    socket, until the first client has hung up."""
    exit_thread = {"x86_64": 60, "aarch64": 93}[platform.machine()]
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    Path(path).chmod(0o600)
    server.listen()

    def last() -> None:
        while "State:\tZ" not in Path(f"/proc/{os.getpid()}/status").read_text():
            time.sleep(0.01)
        print("listening", flush=True)
        server.accept()[0].recv(1)
        os._exit(0)

    threading.Thread(target=last).start()
    ctypes.CDLL(None).syscall(exit_thread, 0)


def connect(path: str, how: str = "") -> None:
    """Connect and print what the server says of us."""
    if how == "confined":
        confine()
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
        if how == "fork":
            first = os.getpid()
            if os.fork():
                os._exit(0)
            while os.getppid() == first:
                time.sleep(0.01)
            print("orphaned", flush=True)
        print(end.recv(4096).decode(), flush=True)


def works_for(path: str, judged: str) -> None:
    """As a Codex of any name: listen, and once the server at the other place is there, start a process that connects
    to it."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("listening", flush=True)
        server.accept()[0].close()
        while not Path(judged).exists():
            time.sleep(0.01)
        if os.fork() == 0:
            connect(judged)
        else:
            os.wait()


def hand_over(path: str, through: str) -> None:
    """A confined process connects, and one that is not speaks on its connection."""
    inner, outer = socket.socketpair()
    if os.fork() == 0:
        confine()
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(path)
            socket.send_fds(inner, [b"x"], [end.fileno()])
            inner.recv(1)
        os._exit(0)
    _, [handle], _, _ = socket.recv_fds(outer, 1, 1)
    Path(through).touch()
    with socket.socket(fileno=handle) as end:
        print(end.recv(4096).decode(), flush=True)
    outer.send(b"x")


@asynccontextmanager
async def other(what: str, *words: object, program: tuple[str, ...] = ()) -> AsyncIterator[asyncio.subprocess.Process]:
    """One of these functions as a process of its own, once it listens if it is to. ``program``: what runs it."""
    source = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(source / "src")])}
    call = f"import sys; from tests.local import others; others.{what}(*sys.argv[1:])"
    process = await asyncio.create_subprocess_exec(
        *program,
        sys.executable,
        "-c",
        call,
        *map(str, words),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE):
        return (await process.stdout.readline()).decode().strip()


def call(path: str, calls: str) -> None:
    """As an agent would: say these messages to a host, and print its answers until it hangs up."""
    confine()
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
        for body in Path(calls).read_bytes().splitlines():
            with contextlib.suppress(ConnectionError):
                end.sendall(len(body).to_bytes(4, "big") + body)
        end.shutdown(socket.SHUT_WR)
        heard = b""
        with contextlib.suppress(ConnectionError):
            while data := end.recv(65536):
                heard += data
        print(json.dumps(heard.decode(errors="replace")), flush=True)


def crowd(path: str, count: str, greeting: str = "") -> None:
    """As an agent would who wants nobody else to get in: connect many times, and say the greeting or nothing."""
    confine()
    ends = []
    for _ in range(int(count)):
        end = socket.socket(socket.AF_UNIX)
        end.connect(path)
        if greeting:
            end.sendall(len(greeting).to_bytes(4, "big") + greeting.encode())
        ends.append(end)
    print("crowded", flush=True)
    time.sleep(DEADLINE * 10)
