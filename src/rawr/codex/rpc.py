"""A sans-IO JSON-RPC peer: frames in, events out; calls in, frames out.

It speaks the app-server's dialect (JSON-RPC 2.0 without the ``jsonrpc`` field). It knows nothing of sockets, processes,
time or the meaning of a method. Nothing that the other side sends makes it raise: unusable input comes out as a
``Fault``.
"""

import contextlib
import re

import msgspec
from msgspec import Raw, Struct

MAX_FRAME = 32 * 1024 * 1024
"""A frame longer than this is a fault. The largest valid ones seen, whole thread histories, stay far below it."""

SAMPLE = 400
"""Bytes of an unusable frame to keep, to recognise it by."""

RequestId = int | str

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding the other side's bytes can raise. A ``Raw`` part of a good frame can still cause any of it: the decoder
skipped it."""


class Response(Struct, frozen=True):
    id: RequestId
    result: Raw


class Failure(Struct, frozen=True):
    """The other side answered with an error."""

    id: RequestId
    code: int
    message: str
    data: Raw = Raw(b"null")


_NONE = Raw(b"")
_NULL = Raw(b"null")


class Notification(Struct, frozen=True, gc=False):
    """A frame with a method and without an id.

    Nine frames in ten are notifications, so ``Peer`` decodes every frame into this and converts the others. Only those
    use the last three members; a notification leaves them empty.
    """

    method: str = ""
    params: Raw = _NONE
    id: RequestId | None = None
    result: Raw = _NONE
    error: Raw = _NONE


class ServerRequest(Struct, frozen=True):
    id: RequestId
    method: str
    params: Raw


class Fault(Struct, frozen=True):
    """An unusable frame. ``id`` says which call it was about, if known."""

    problem: str
    sample: str = ""
    size: int = 0
    id: RequestId | None = None
    is_request: bool = False


Inbound = Response | Failure | Notification | ServerRequest | Fault


class _ErrorBody(Struct):
    code: int = 0
    message: str = ""
    data: Raw = Raw(b"null")


_decode_frame = msgspec.json.Decoder(Notification).decode
_decode_error = msgspec.json.Decoder(_ErrorBody).decode
_MEMBER = re.compile(rb'\s*[{,]\s*"(\w+)"\s*:\s*(-?\d{1,18}(?=\s*[,}])|"[^"\\]{1,128}"|null)')


class Peer:
    """One side of one connection. Discard it with the connection: ids mean nothing on the next."""

    def __init__(self) -> None:
        self._last = 0
        self._open: set[RequestId] = set()
        self._encode = msgspec.json.Encoder().encode

    @property
    def open_calls(self) -> frozenset[RequestId]:
        """Our calls without an answer yet. Only tests use this, to check that nothing is left behind."""
        return frozenset(self._open)

    def call(self, method: str, params: object) -> tuple[int, bytes]:
        """Make a request: return its id and the frame to send."""
        self._last = number = self._last + 1
        self._open.add(number)
        return number, self._encode({"id": number, "method": method, "params": params})

    def forget(self, number: RequestId) -> None:
        """Stop waiting for this answer; if it still comes, it is no fault."""
        self._open.discard(number)

    def notify(self, method: str) -> bytes:
        return self._encode({"method": method})

    def respond(self, number: RequestId, result: object) -> bytes:
        return self._encode({"id": number, "result": result})

    def refuse(self, number: RequestId, code: int, *, message: str) -> bytes:
        return self._encode({"id": number, "error": {"code": code, "message": message}})

    def receive(self, frame: bytes) -> Inbound:
        """Decode one whole frame."""
        try:
            inbound = _decode_frame(frame)
        except UNREADABLE as error:
            return self._unusable(f"not a JSON-RPC message: {error}", frame, len(frame))
        if inbound.id is None:
            return inbound if inbound.method else _fault("neither a method nor an id", frame)
        if inbound.method:
            return ServerRequest(inbound.id, inbound.method, inbound.params)
        return self._answer(inbound.id, inbound.result, inbound.error, frame)

    def _answer(self, number: RequestId, result: Raw, error: Raw, frame: bytes) -> Inbound:
        if number not in self._open and not self._issued(number):
            return _fault(f"a response to a call rawr never made (id {repr(number)[:80]})", frame)
        self._open.discard(number)
        if error and error != _NULL:
            return self._failure(number, error, frame)
        if result:
            return Response(number, result)
        return Fault("a response with neither result nor error", _sample(frame), len(frame), id=number)

    def oversized(self, head: bytes, size: int) -> Fault:
        """A frame too long to take."""
        return self._unusable(f"a frame of {size} bytes, over the limit of {MAX_FRAME}", head, size)

    def _unusable(self, problem: str, frame: bytes, size: int) -> Fault:
        """A frame that rawr cannot read as a whole. Its head usually tells which call it answers or which question it
        asks: then the call need not wait for its deadline, nor the server forever."""
        number, is_request = _head_of(frame[:SAMPLE])
        if number is not None and not is_request:
            self._open.discard(number)
        return Fault(problem, _sample(frame), size, number, is_request)

    def _failure(self, number: RequestId, error: Raw, frame: bytes) -> Inbound:
        try:
            body = _decode_error(error)
        except UNREADABLE as problem:
            return Fault(f"an unreadable error: {problem}", _sample(frame), len(frame), id=number)
        return Failure(number, body.code, body.message, body.data)

    def _issued(self, number: RequestId) -> bool:
        """Return True if we ever issued this id: a late answer to an abandoned call is ordinary."""
        return isinstance(number, int) and 0 < number <= self._last


class Oversize(Struct, frozen=True):
    head: bytes
    size: int


class LineFramer:
    """Cuts a byte stream into lines. It holds at most one frame, and of an oversized one only the head."""

    def __init__(self, *, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._head = min(SAMPLE, limit)
        self._parts: list[bytes] = []
        self._held = 0
        self._dropped = 0

    def feed(self, data: bytes) -> list[bytes | Oversize]:
        frames: list[bytes | Oversize] = []
        *whole, rest = data.split(b"\n")
        for line in whole:
            frame = self._finish(line)
            if frame:
                frames.append(frame)
        self._hold(rest)
        return frames

    def end(self) -> Fault | None:
        """End the stream. Anything still held is a line cut in half."""
        left = b"".join(self._parts)
        size = self._held + self._dropped
        self._parts, self._held, self._dropped = [], 0, 0
        if not left.strip():
            return None
        return Fault("a line cut in half by the end of the stream", _sample(left), size)

    def _hold(self, part: bytes) -> None:
        if not part:
            return
        if self._dropped or self._held + len(part) > self._limit:
            if not self._dropped:
                head = b"".join([*self._parts, part])[: self._head]
                self._parts, self._dropped, self._held = [head], self._held - len(head), len(head)
            self._dropped += len(part)
            return
        self._parts.append(part)
        self._held += len(part)

    def _finish(self, tail: bytes) -> bytes | Oversize | None:
        if not self._parts:
            if len(tail) > self._limit:
                return Oversize(tail[: self._head], len(tail))
            return tail if tail.strip() else None
        self._hold(tail)
        line = b"".join(self._parts)
        size, dropped = self._held + self._dropped, self._dropped
        self._parts, self._held, self._dropped = [], 0, 0
        if dropped:
            return Oversize(line, size)
        return line if line.strip() else None


def _head_of(head: bytes) -> tuple[RequestId | None, bool]:
    """The id of a call or a question, and which of the two, from the plain members that open a frame. Ignores the ids
    further in, of threads and items."""
    number: RequestId | None = None
    has_method = False
    at = 0
    while member := _MEMBER.match(head, at):
        at = member.end()
        if member[1] == b"method":
            has_method = True
        elif member[1] == b"id":
            with contextlib.suppress(*UNREADABLE):
                number = msgspec.json.decode(member[2], type=int | str | None)
    return number, has_method and number is not None


def _sample(frame: bytes) -> str:
    return frame[:SAMPLE].decode("utf-8", "replace")


def _fault(problem: str, frame: bytes) -> Fault:
    return Fault(problem, _sample(frame), len(frame))
