"""The HTTP half of the scripted model: server-sent events on loopback, faults, and connections that always end.

It knows the wire, but not the script: the ``Desk`` decides which reply a request gets.
"""

import contextlib
import json
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

from rawr.errors import Bug
from rawr.testing.model_request import ModelRequest, decode_object
from rawr.testing.responses import encode_event, reply_events
from rawr.testing.scenario import Cut, Garbage, Hang, HttpError, JsonObject, Reply

GARBAGE = b"event: response.created\ndata: {this is no JSON\n\n\xff\xfe\x00 nor is this text\n\n"
MODELS = {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "rawr"}], "models": []}


class Gate:
    """A gate, shut until ``open``, that can be waited for together with a socket."""

    def __init__(self) -> None:
        self.waiting, self._opener = socket.socketpair()

    def open(self) -> None:
        with contextlib.suppress(OSError):
            self._opener.send(b".")

    def close(self) -> None:
        self.waiting.close()
        self._opener.close()


class Ticket(msgspec.Struct, frozen=True):
    """An accepted request: its reply, or the refusal; ``gate`` if the reply hangs."""

    request: ModelRequest
    reply: Reply | None
    refusal: str
    gate: Gate | None


@dataclass(frozen=True)
class Desk:
    """Called by the server: with a request, at a reply's end, with an unknown path, with its own failure."""

    admit: Callable[[dict[str, str], JsonObject], Ticket]
    finish: Callable[[Ticket], None]
    stray: Callable[[str], None]
    broke: Callable[[BaseException], None]


class ModelServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, desk: Desk, *, delay_between: float) -> None:
        self.desk = desk
        self.delay_between = delay_between
        self._live: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), ModelHandler)
        self._accepting = threading.Thread(target=self.serve_forever, args=(0.02,), name="scripted-model", daemon=True)

    def server_bind(self) -> None:
        # The stock method also asks for the host's full name, which can be a slow lookup.
        self.socket.bind(self.server_address)
        self.server_name, self.server_port = "127.0.0.1", int(self.socket.getsockname()[1])

    def start(self) -> None:
        self._accepting.start()

    def stop(self, *, deadline: float = 5.0) -> None:
        """End every connection and wait for every thread."""
        self.shutdown()
        with self._lock:
            live = dict(self._live)
        for connection in live.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        until = time.monotonic() + deadline
        for thread in (self._accepting, *live):
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                raise Bug(f"a thread of the scripted model did not finish within {deadline} s: {thread.name}.")

    def process_request(self, request: object, client_address: object) -> None:
        if not isinstance(request, socket.socket):
            raise Bug(f"the scripted model got a connection that is no socket: {request!r}.")
        thread = threading.Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name="scripted-model-connection",
            daemon=True,
        )
        with self._lock:
            self._live[thread] = request
        thread.start()

    def process_request_thread(self, request: object, client_address: object) -> None:
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            with self._lock:
                self._live.pop(threading.current_thread(), None)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that disconnects is no news; anything else is our own fault and must be seen."""
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.desk.broke(error)


class ModelHandler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """Silent: the transcript tells more."""

    def do_GET(self) -> None:
        if self.path.partition("?")[0] == "/v1/models":
            self._whole(200, json.dumps(MODELS))
        else:
            self._refuse()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = decode_object(raw)
        if self.path.partition("?")[0] != "/v1/responses" or body is None:
            self._refuse()
            return
        ticket = self.server.desk.admit({name.lower(): value for name, value in self.headers.items()}, body)
        try:
            self._answer(ticket)
        except ConnectionError:
            self.close_connection = True
        finally:
            self.server.desk.finish(ticket)

    def _refuse(self) -> None:
        what = f"{self.command} {self.path}"
        self.server.desk.stray(what)
        self._whole(404, f"the scripted model serves POST /v1/responses with a JSON object, not {what}")

    def _answer(self, ticket: Ticket) -> None:
        if ticket.reply is None:
            # 400, because Codex shows its user the text of a 400 and tries it only once; it hides that of a 500.
            self._whole(400, ticket.refusal)
            return
        self._pause(ticket.reply.delay)
        match ticket.reply.fault:
            case HttpError() as fault:
                self._http_error(fault)
            case Garbage():
                self._begin_stream()
                self._chunk(GARBAGE)
                self._chunk(b"")
            case _:
                self._stream(ticket, ticket.reply)

    def _http_error(self, fault: HttpError) -> None:
        message = {"error": {"message": f"scripted HTTP {fault.status}", "type": "scripted", "code": "scripted"}}
        headers = dict(fault.headers)
        if fault.retry_after is not None:
            headers["Retry-After"] = f"{fault.retry_after:g}"
        self._whole(fault.status, json.dumps(message) if fault.body is None else fault.body, **headers)

    def _stream(self, ticket: Ticket, reply: Reply) -> None:
        between = self.server.delay_between if reply.delay_between is None else reply.delay_between
        cut = reply.fault.after if isinstance(reply.fault, Cut) else None
        hang = reply.fault.after if isinstance(reply.fault, Hang) else None
        if hang == 0:
            self._pause(None, gate=ticket.gate)
        self._begin_stream()
        events = reply_events(reply, number=ticket.request.number, sealed=ticket.request.is_remote_compaction)
        for sent, event in enumerate(events, 1):
            if cut is not None and sent > cut:
                break
            self._chunk(encode_event(event))
            self._pause(None if sent == hang else between, gate=ticket.gate)
        if cut is None:
            self._chunk(b"")
        else:
            self.close_connection = True

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _whole(self, status: int, text: str, **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _pause(self, seconds: float | None, *, gate: Gate | None = None) -> None:
        """Wait this long (``None``: until the gate opens), but not longer than the client stays."""
        if seconds == 0:
            return
        until = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            if gate is not None and seconds is None:
                selector.register(gate.waiting, selectors.EVENT_READ)
            while True:
                left = None if until is None else until - time.monotonic()
                ready = {key.fd for key, _ in selector.select(left)}
                if self.connection.fileno() not in ready:
                    return
                if self._client_left():
                    raise ConnectionAbortedError("the client went away")
                selector.unregister(self.connection)  # its next request came early: that can wait

    def _client_left(self) -> bool:
        data: bytes = self.connection.recv(1, socket.MSG_PEEK)
        return not data
