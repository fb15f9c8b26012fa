"""Whatever is in a session file, reading it raises nothing and loses no line uncounted."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.codex.reconciling import Read, read_session
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import ReadSession
from rawr.core.vocabulary.session import SessionMark
from rawr.history import entries as e
from rawr.history.lines import entry_of
from tests.history.rollouts import PATCH, called, context, custom, ended, envelope, event, exited, item, returned

KINDS = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "moon", "")
TYPES = (
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "task_started",
    "task_complete",
    "item_completed",
    "exec_command_end",
    "token_count",
    "thread_rolled_back",
)
NAMES = ("shell", "exec_command", "shell_command", "apply_patch", "update_plan", "write_stdin", "exec", "x")
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
arguments = (
    json_values
    | json_values.map(json.dumps)
    | st.just(json.dumps({"cmd": "ls"}))
    | st.just(json.dumps({"plan": [{"step": "a", "status": "completed"}]}))
    | st.just(PATCH)
)
payloads = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | json_values},
    optional={
        "name": st.sampled_from(NAMES),
        "call_id": st.sampled_from(("a", "b", "")) | json_values,
        "arguments": arguments,
        "input": arguments,
        "action": json_values,
        "output": json_values | st.just(exited(1, "no")),
        "content": json_values,
        "turn_id": st.sampled_from(("T1", "T2")) | json_values,
        "item": json_values,
        "command": json_values,
        "info": json_values,
    },
)
lines = st.one_of(
    st.tuples(st.sampled_from(KINDS), payloads | json_values).map(lambda pair: envelope(*pair)),
    payloads.map(lambda payload: json.dumps(payload).encode()),
    st.binary(max_size=60),
    st.sampled_from(
        (
            called("exec_command", {"cmd": "ls"}, turn="T1"),
            returned(exited(1, "no"), turn="T1"),
            custom("exec", "tools.exec_command({cmd: 'ls'})"),
            context("T1"),
            ended("T1"),
            event("nonsense"),
            item({"type": "nonsense"}),
        )
    ).flatmap(lambda line: st.integers(0, len(line)).map(lambda n: line if n % 2 else line[:n])),
).map(lambda line: line.replace(b"\n", b" "))


def calls(read: Read) -> list[str]:
    return [one.item.id for one in read.told if isinstance(one, facts.ItemCompleted)]


@given(lines)
@settings(max_examples=200, deadline=None)
def test_every_line_is_one_entry(line: bytes) -> None:
    assert isinstance(entry_of(line), e.Entry)


def read_on(effect: ReadSession) -> list[Read]:
    """Every read from the mark on: one that is about a turn's end stops there."""
    reads = [read_session(effect)]
    while (last := reads[-1].last) is not None and last.mark != effect.mark:
        effect = replace(effect, mark=last.mark, told=(*effect.told, *calls(reads[-1])))
        reads.append(read_session(effect))
    return reads


@given(st.lists(lines, max_size=12), st.booleans(), st.integers(0, 200))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_line_is_counted_and_read_once(tmp_path: Path, found: list[bytes], over: bool, half: int) -> None:
    """The whole file, or first a part of it and then the rest: the same calls, each once."""
    path = tmp_path / "rollout.jsonl"
    whole = b"".join(line + b"\n" for line in found)
    effect = ReadSession(path=str(path), turn="T1", over=over, mark=SessionMark())
    path.write_bytes(whole)
    at_once = read_on(effect)
    counted = [entry_of(line) for line in whole.split(b"\n") if line]
    unread = sum(isinstance(one, e.Unreadable | e.Unknown) for one in counted)
    told = [one.last for one in at_once if one.last is not None]
    # A call that waits for its output is read again, and so are the lines after it: until then they are not counted.
    if told and told[-1].mark.offset == len(whole):
        assert sum(one.unread for one in told) >= unread
        assert sum(one.lines for one in told) >= len(counted)
    path.write_bytes(whole[:half])
    first = read_on(effect)
    mark = next((one.last.mark for one in reversed(first) if one.last is not None), SessionMark())
    path.write_bytes(whole)
    known = tuple(call for one in first for call in calls(one))
    second = read_on(replace(effect, mark=mark, told=known))
    in_parts = [call for one in (*first, *second) for call in calls(one)]
    assert len(set(in_parts)) == len(in_parts)
    assert set(in_parts) == {call for one in at_once for call in calls(one)}
