"""What the model was told about a call: every form of it, as exit code and output.

An exit code is claimed only where Codex itself wrote one, in a place that the command's own output cannot reach.
"""

import re

import msgspec
from msgspec import Raw, Struct

from rawr.history.entries import Returned
from rawr.history.shapes import UNREADABLE, Part

MAX_RESULTS = 64
_HEADER = 700
"""Bytes of an output, as it is in the file, in which Codex's own header is."""

_HEADED = re.compile(r"\A(?:Exit code: (-?\d{1,10})\n|Chunk ID: |Wall time: |Process (?:exited|running) )")
_EXITED = re.compile(r"^Process exited with code (-?\d{1,10})$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\S{1,40})$", re.MULTILINE)
_REPEATED = "Command: "
"""Some versions repeat the command before the header."""
_AFTER_COMMAND = "\nChunk ID: "
_OUTPUT = "\nOutput:\n"
_REFUSED = re.compile(
    r"\A(?:approval policy is|rejected|exec command rejected|patch rejected|failed to parse|failed in sandbox|sandbox"
    r"|unsupported (?:custom tool )?call|aborted|execution error|exec_command failed|exec error|write_stdin failed"
    r"|command timed out|apply_patch verification failed|unable to|error:|failed )",
    re.IGNORECASE,
)

_CUT_OFF = re.compile(r"\A(?:Wall time: [\d.]{1,20} seconds\n)?aborted by user")
"""What a call returned that was under way when its turn was interrupted."""


class Result(Struct, frozen=True, gc=False):
    output: str
    exit_code: int | None = None
    session: str = ""
    refused: bool = False
    cut_off: bool = False
    results: tuple[tuple[int | None, str], ...] = ()


class _Metadata(Struct, frozen=True):
    exit_code: int | None = None


class _Structured(Struct, frozen=True):
    """``shell`` before 0.122, and what a script prints of a command's result."""

    output: str
    metadata: _Metadata = _Metadata()
    exit_code: int | None = None

    @property
    def code(self) -> int | None:
        return self.exit_code if self.exit_code is not None else self.metadata.exit_code


class _Wrapped(Struct, frozen=True):
    content: Raw = Raw(b"")
    success: bool | None = None


_decode_text = msgspec.json.Decoder(str).decode
_decode_parts = msgspec.json.Decoder(list[Part]).decode
_decode_wrapped = msgspec.json.Decoder(_Wrapped).decode
_decode_structured = msgspec.json.Decoder(_Structured).decode


def result_of(raw: Raw) -> Result:
    """Read an output: a text, a list of parts, or an object around either."""
    parts, success = _parts(raw)
    text = "\n".join(parts)
    structured = _structured(text)
    if structured is not None:
        return Result(structured.output, structured.code)
    found = _headed(text)
    if found is not None:
        return found
    results = tuple((one.code, one.output) for part in parts[:MAX_RESULTS] if (one := _structured(part)) is not None)
    cut_off = _CUT_OFF.match(text) is not None
    refused = success is False or cut_off or _REFUSED.match(text) is not None
    return Result(text, refused=refused, cut_off=cut_off, results=results)


def return_read(entry: Returned) -> Returned:
    """With its output, whether it has been read before or not."""
    if entry.unread is None:
        return entry
    try:
        result = result_of(entry.unread)
    except UNREADABLE:
        result = result_of(Raw(bytes(entry.unread).decode("utf-8", "replace").encode()))
    return returned(entry.call, result, turn=entry.turn, at=entry.at)


def may_run_on(output: Raw) -> bool:
    """Return True if a header may say that it runs on in the background: quick, and too often."""
    return b"running with session ID" in bytes(output)[:_HEADER]


def returned(call: str, result: Result, *, turn: str, at: int) -> Returned:
    return Returned(
        call=call,
        output=result.output,
        exit_code=result.exit_code,
        session=result.session,
        refused=result.refused,
        cut_off=result.cut_off,
        results=result.results,
        turn=turn,
        at=at,
    )


def _headed(text: str) -> Result | None:
    """The forms with a header: what Codex says, then a line ``Output:``, then the command's own words."""
    if text.startswith(_REPEATED):
        text = text[text.find(_AFTER_COMMAND) + 1 :]
    begins = _HEADED.match(text)
    if begins is None:
        return None
    header, _, output = text.partition(_OUTPUT)
    exited = begins.group(1) or next(iter(_EXITED.findall(header)), None)
    running = next(iter(_RUNNING.findall(header)), "")
    if exited is None and not running:
        return None
    return Result(output, int(exited) if exited is not None else None, running)


def _parts(raw: Raw) -> tuple[list[str], bool | None]:
    body = bytes(raw).lstrip()
    success: bool | None = None
    if body[:1] == b"{":
        wrapped = _decode_wrapped(body)
        success = wrapped.success
        body = bytes(wrapped.content).lstrip() or body
    if body[:1] == b'"':
        return [_decode_text(body)], success
    if body[:1] == b"[":
        return [part.text for part in _decode_parts(body)], success
    return [body.decode("utf-8", "replace")], success


def _structured(text: str) -> _Structured | None:
    if not text.startswith("{"):
        return None
    try:
        found = _decode_structured(text)
    except UNREADABLE:
        return None
    return found if found.code is not None else None


def text_of(content: Raw) -> str:
    """The text of a message: a string, or parts of which some have text."""
    parts, _ = _parts(content)
    return "\n".join(part for part in parts if part)
