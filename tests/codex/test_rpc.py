"""The sans-IO peer and the framer: bytes in, values out, and nothing that comes in makes them raise."""

import tracemalloc
from itertools import pairwise

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Raw

from rawr.codex.rpc import (
    INTERNAL_ERROR,
    MAX_FRAME,
    SAMPLE,
    Failure,
    Fault,
    Inbound,
    LineFramer,
    Notification,
    Oversize,
    Peer,
    Response,
    ServerRequest,
)

from .recorded import FRAMES

MEGABYTE = 1024 * 1024


def asked(peer: Peer, *, times: int = 1) -> Peer:
    for _ in range(times):
        peer.call("thread/read", {})
    return peer


# -- calls and answers ------------------------------------------------------------------------------------------


def test_a_call_is_a_frame_without_a_version() -> None:
    peer = Peer()
    assert peer.call("thread/read", {"threadId": "t"}) == (
        1,
        b'{"id":1,"method":"thread/read","params":{"threadId":"t"}}',
    )
    assert peer.call("thread/list", {})[0] == 2
    assert peer.open_calls == {1, 2}
    assert peer.notify("initialized") == b'{"method":"initialized"}'
    assert peer.respond("a", {"decision": "accept"}) == b'{"id":"a","result":{"decision":"accept"}}'
    assert peer.refuse(0, -32601, message="no") == b'{"id":0,"error":{"code":-32601,"message":"no"}}'


def test_what_comes_in_is_told_apart() -> None:
    peer = asked(Peer(), times=2)
    assert [
        peer.receive(frame)
        for frame in (
            b'{"id":1,"result":{"a":[1, 2]}}',
            b'{"id":2,"error":{"code":-32600,"message":"no rollout found","data":{"x":1}}}',
            b'{"method":"turn/started","params":{"a":1},"emittedAtMs":5}',
            b'{"method":"thread/closed"}',
            b'{"method":"item/tool/call","id":0,"params":{}}',
            b'{"method":"currentTime/read","id":"zero"}',
        )
    ] == [
        Response(1, Raw(b'{"a":[1, 2]}')),
        Failure(2, -32600, "no rollout found", Raw(b'{"x":1}')),
        Notification("turn/started", Raw(b'{"a":1}')),
        Notification("thread/closed", Raw(b"")),
        ServerRequest(0, "item/tool/call", Raw(b"{}")),
        ServerRequest("zero", "currentTime/read", Raw(b"")),
    ]
    assert peer.open_calls == frozenset()


def test_a_late_answer_to_a_call_that_was_given_up_is_ordinary() -> None:
    peer = asked(Peer())
    peer.forget(1)
    assert peer.open_calls == frozenset()
    assert peer.receive(b'{"id":1,"result":{}}') == Response(1, Raw(b"{}"))


@pytest.mark.parametrize("number", ["2", "0", "-1", '"1"', "99999999999999999999", '"' + "x" * 100_000 + '"'])
def test_an_answer_to_a_call_that_was_never_made_is_a_fault(number: str) -> None:
    frame = f'{{"id":{number},"result":{{}}}}'.encode()
    fault = asked(Peer()).receive(frame)
    assert isinstance(fault, Fault)
    assert fault.problem.startswith("a response to a call rawr never made (id ")
    assert (fault.id, fault.size, len(fault.problem) < 200, len(fault.sample) <= SAMPLE) == (
        None,
        len(frame),
        True,
        True,
    )


def test_an_error_of_null_beside_a_result_is_no_error() -> None:
    assert asked(Peer()).receive(b'{"id":1,"error":null,"result":5}') == Response(1, Raw(b"5"))


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (b'{"id":1}', "a response with neither result nor error"),
        (b'{"id":1,"error":null}', "a response with neither result nor error"),
        (b'{"id":1,"error":[]}', "an unreadable error: Expected `object`, got `array`"),
        (b'{"id":1,"error":"no"}', "an unreadable error: Expected `object`, got `str`"),
        (b'{"id":1,"error":{"code":"x"}}', "an unreadable error: Expected `int`, got `str` - at `$.code`"),
        (b'{"id":1,"error":{"message":null}}', "an unreadable error: Expected `str`, got `null` - at `$.message`"),
        (
            b'{"id":1,"error":{"message":"\xff"}}',
            "an unreadable error: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
    ],
)
def test_an_answer_that_cannot_be_used_still_says_which_call_it_is_about(frame: bytes, problem: str) -> None:
    sample = frame.decode("utf-8", "replace")
    assert asked(Peer()).receive(frame) == Fault(problem, sample, len(frame), id=1)


def test_an_error_without_code_and_message_is_still_an_error() -> None:
    assert asked(Peer()).receive(b'{"id":1,"error":{}}') == Failure(1, 0, "")


# -- what is not a message --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"thread 'main' panicked at src/main.rs",
        b"{",
        b'{"method":"turn/star',
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"method":5}',
        b'{"method":"\xff"}',
        b'{"method":"\\ud800"}',
        b'{"id":true,"result":{}}',
        b'{"id":1.5,"result":{}}',
        b'{"id":[1],"result":{}}',
        b'{"id":' + b"9" * 5_000 + b',"result":{}}',
        b'{"id":null,"result":{}}',
        b"{}",
        b'{"method":"x","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"method":"x","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
        b"[" * 1_000_000,
    ],
    ids=lambda frame: repr(frame[:30]),
)
def test_a_frame_that_is_no_message_is_a_fault_with_a_sample(frame: bytes) -> None:
    peer = asked(Peer())
    fault = peer.receive(frame)
    assert isinstance(fault, Fault)
    assert (fault.sample, fault.size) == (frame[:SAMPLE].decode("utf-8", "replace"), len(frame))
    assert (fault.id, fault.is_request, peer.open_calls) == (None, False, frozenset({1}))


@pytest.mark.parametrize(
    ("frame", "number", "is_request"),
    [
        (b'{"id":1,"result":{}} {"id":2,"result":{}}', 1, False),
        (b'{"id":1,"result":{"text":"\\ud800"}}', 1, False),
        (b'{"id":1,"error":{"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", 1, False),
        (b'{"id":1,"result":{"cut', 1, False),
        (b'{"method":"item/tool/call","id":0,"params":{"arguments":"\\ud800"}}', 0, True),
        (b'{"method":"item/tool/call","id":"q","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "q", True),
        (b'{"method":"item/completed","params":{"item":{"id":"i","text":"\\ud800"}}}', None, False),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_broken_frame_says_which_call_or_question_it_is_about(
    frame: bytes, number: int | str | None, is_request: bool
) -> None:
    """C11: a question that cannot be read is refused and not left open; a call does not wait for its deadline."""
    peer = asked(Peer())
    fault = peer.receive(frame)
    assert isinstance(fault, Fault)
    assert fault.problem.startswith("not a JSON-RPC message: ")
    assert (fault.id, fault.is_request) == (number, is_request)
    assert peer.open_calls == (frozenset() if number == 1 else {1})


@given(st.binary() | st.sampled_from(FRAMES).flatmap(lambda frame: st.binary(max_size=4).map(lambda cut: frame + cut)))
@example(b'{"id":1,"error":{"message":"\xff"}}')
def test_nothing_that_comes_in_makes_the_peer_raise(frame: bytes) -> None:
    peer = asked(Peer(), times=3)
    assert isinstance(peer.receive(frame), Inbound)
    assert isinstance(peer.oversized(frame, len(frame)), Fault)


@given(st.data())
def test_no_damage_to_a_real_frame_makes_the_peer_raise(data: st.DataObject) -> None:
    frame = bytearray(data.draw(st.sampled_from(FRAMES)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(frame) - 1))
        frame[at] = data.draw(st.integers(0, 255))
    assert isinstance(Peer().receive(bytes(frame)), Inbound)


# -- frames that are too long -----------------------------------------------------------------------------------


def over(head: bytes) -> Fault:
    """What a peer with two open calls makes of an oversized frame that begins like this."""
    peer = asked(Peer(), times=2)
    fault = peer.oversized(head + b"x" * SAMPLE, 50 * MEGABYTE)
    assert fault.problem == f"a frame of {50 * MEGABYTE} bytes, over the limit of {MAX_FRAME}"
    assert fault.size == 50 * MEGABYTE
    answered = {1, 2} - peer.open_calls
    assert answered == ({fault.id} if fault.id in (1, 2) and not fault.is_request else set())
    return fault


@pytest.mark.parametrize(
    ("head", "number", "is_request"),
    [
        (b'{"id":2,"result":{"thread":{"id":"t","turns":[', 2, False),
        (b' { "jsonrpc" : "2.0" , "id" : 2 , "result" : {"data":"', 2, False),
        (b'{"id":2,"result":{"method":"a name inside"', 2, False),
        (b'{"method":"item/tool/call","id":7,"params":{"arguments":"', 7, True),
        (b'{"id":"abc","method":"item/tool/call","params":{"arguments":"', "abc", True),
        # The ids of threads and items are no ids of calls: nobody waits for an answer to these.
        (b'{"method":"thread/started","params":{"thread":{"id":"t","preview":"', None, False),
        (
            b'{"method":"item/completed","params":{"item":{"type":"commandExecution","id":"c","aggregatedOutput":"',
            None,
            False,
        ),
        (b'{"method":"turn/diff/updated","params":{"diff":"{\\"id\\":1}', None, False),
        (b'{"result":{"id":1},"id":2}', None, False),
        (b'{"id":1.5,"result":"', None, False),
        (b'{"id":"\xff","result":"', None, False),
        (b"garbage without any shape", None, False),
        (b"", None, False),
    ],
)
def test_the_head_of_an_oversized_frame_tells_what_it_is_about(
    head: bytes, number: int | str | None, is_request: bool
) -> None:
    fault = over(head)
    assert (fault.id, fault.is_request) == (number, is_request)


# -- lines ------------------------------------------------------------------------------------------------------


def framed(chunks: list[bytes], *, limit: int = MAX_FRAME) -> list[bytes | Oversize | Fault]:
    framer = LineFramer(limit=limit)
    frames: list[bytes | Oversize | Fault] = [frame for chunk in chunks for frame in framer.feed(chunk)]
    cut = framer.end()
    return frames if cut is None else [*frames, cut]


def test_lines_come_out_whole_and_blank_ones_not_at_all() -> None:
    chunks = [b'{"a"', b":1}\n\n", b"  ", b"\n\r\n{}\r\n", b"[1]", b"\n"]
    assert framed(chunks) == [b'{"a":1}', b"{}\r", b"[1]"]


@given(
    st.lists(st.sampled_from([b"\n", b" ", b"{}", b'{"a":1}', b"\xff", b"x" * 30, b"\r"])).map(b"".join) | st.binary(),
    st.lists(st.integers(0, 200)),
    st.sampled_from([1, 3, 10, 25, MAX_FRAME]),
)
@example(b" \n", [1], MAX_FRAME)
@example(b"abcd\n", [1], 3)
def test_where_a_stream_is_cut_makes_no_difference(stream: bytes, cuts: list[int], limit: int) -> None:
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert b"".join(chunks) == stream
    whole = framed([stream], limit=limit)
    assert framed(chunks, limit=limit) == whole
    assert framed([stream[at : at + 1] for at in range(len(stream))], limit=limit) == whole


@given(st.binary(), st.integers(1, 50))
def test_a_line_is_too_long_exactly_from_the_limit_on(stream: bytes, limit: int) -> None:
    expected = [
        Oversize(line[: min(SAMPLE, limit)], len(line)) if len(line) > limit else line
        for line in stream.split(b"\n")
        if line.strip() or len(line) > limit
    ]
    assert framed([stream + b"\n"], limit=limit) == expected


def test_a_line_of_50_mb_is_let_go_and_the_stream_goes_on() -> None:
    """The framer never holds more than one frame of the permitted size, and of a longer one only the head."""
    framer = LineFramer(limit=MEGABYTE)
    chunk = b"x" * (256 * 1024)
    tracemalloc.start()
    try:
        assert framer.feed(b'{"id":1,"result":"') == []
        for _ in range(200):
            assert framer.feed(chunk) == []
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100 * 1024
    assert peak < 4 * MEGABYTE

    (long, short) = framer.feed(b'"}\n{}\n')
    assert (long, short) == (Oversize(b'{"id":1,"result":"' + b"x" * (SAMPLE - 18), 18 + 50 * MEGABYTE + 2), b"{}")
    assert framer.end() is None


def test_a_line_of_50_mb_in_one_piece() -> None:
    size = 50 * MEGABYTE
    assert framed([b"x" * size + b"\n{}\n"]) == [Oversize(b"x" * SAMPLE, size), b"{}"]


@pytest.mark.parametrize(
    ("stream", "cut"),
    [
        (
            b'{}\n{"method":"turn/compl',
            Fault("a line cut in half by the end of the stream", '{"method":"turn/compl', 21),
        ),
        (b"{}\n \r ", None),
        (b"{}\n", None),
    ],
)
def test_the_end_of_the_stream_tells_of_a_line_cut_in_half(stream: bytes, cut: Fault | None) -> None:
    assert framed([stream]) == [b"{}"] + ([] if cut is None else [cut])


def test_an_oversized_line_cut_in_half_says_its_size() -> None:
    assert framed([b"x" * 30, b"y" * 30], limit=40) == [
        Fault("a line cut in half by the end of the stream", "x" * 30 + "y" * 10, 60)
    ]


def test_a_refusal_is_a_message_that_the_other_side_can_read() -> None:
    frame = Peer().refuse("ä", INTERNAL_ERROR, message='with "quotes"\n')
    assert msgspec.json.decode(frame) == {"id": "ä", "error": {"code": -32603, "message": 'with "quotes"\n'}}
