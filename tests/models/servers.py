"""Servers on loopback that speak like Ollama and like OpenAI, and say what the test wants."""

import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, assert_never

from msgspec import Struct

Dialect = Literal["ollama", "openai"]
DIALECTS: tuple[Dialect, ...] = ("ollama", "openai")
MODEL = "tiny:1b"


class Say(Struct, frozen=True):
    """One reply of the model."""

    text: str = ""
    refusal: str = ""
    finish: str = "stop"
    tokens_in: int = 100
    tokens_out: int = 20


class Fail(Struct, frozen=True):
    """An answer of the server instead of the model's."""

    status: int = 500
    body: str = '{"error": {"message": "the model runner has crashed"}}'
    location: str = ""


class Hang(Struct, frozen=True):
    """No answer at all, or one that comes a byte at a time and never ends."""

    trickle: bool = False


Turn = Say | Fail | Hang


class Request(Struct, frozen=True):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        said: list[dict[str, str]] = self.body["messages"]
        return said


class ModelServer:
    """Plays its turns in order, the last one again and again. ``requests`` is what was asked of it."""

    def __init__(self, dialect: Dialect, turns: tuple[Turn, ...]) -> None:
        self.dialect = dialect
        self.turns = turns
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self.http = _Http(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}" + ("/v1" if self.dialect == "openai" else "")

    @property
    def model(self) -> str:
        return f"{self.dialect}:{MODEL}"

    def take(self, request: Request) -> Turn:
        with self._lock:
            self.requests.append(request)
            return self.turns[min(len(self.requests), len(self.turns)) - 1]

    def body(self, say: Say) -> dict[str, Any]:
        if self.dialect == "ollama":
            return {
                "model": MODEL,
                "created_at": "2026-01-01T00:00:00Z",
                "message": {"role": "assistant", "content": say.text},
                "done": True,
                "done_reason": say.finish,
                "prompt_eval_count": say.tokens_in,
                "eval_count": say.tokens_out,
            }
        message = {"role": "assistant", "content": say.text or None, "refusal": say.refusal or None}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": say.finish}],
            "usage": {
                "prompt_tokens": say.tokens_in,
                "completion_tokens": say.tokens_out,
                "total_tokens": say.tokens_in + say.tokens_out,
            },
        }


@contextmanager
def model_server(dialect: Dialect, *turns: Turn) -> Iterator[ModelServer]:
    server = ModelServer(dialect, turns)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server: "_Http"
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: else the reader's delayed acknowledgement costs 40 ms

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.play(self.server.model.take(self.seen(body)))

    def do_GET(self) -> None:
        turn = self.server.model.take(self.seen({}))
        if isinstance(turn, Say):
            self.answer(200, json.dumps({"models": [{"name": MODEL}], "data": [{"id": MODEL}]}))
        else:
            self.play(turn)

    def seen(self, body: dict[str, Any]) -> Request:
        return Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)

    def play(self, turn: Turn) -> None:
        match turn:
            case Say():
                self.answer(200, json.dumps(self.server.model.body(turn)))
            case Fail():
                self.answer(turn.status, turn.body, location=turn.location)
            case Hang():
                self.hang(turn)
            case _ as never:
                assert_never(never)

    def answer(self, status: int, text: str, *, location: str = "") -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(content)

    def hang(self, turn: Hang) -> None:
        self.close_connection = True
        if not turn.trickle:
            self.server.model.closing.wait(30)
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.model.closing.wait(0.05):
                self.wfile.write(b" ")
                self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, model: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone away is what some tests are about."""
