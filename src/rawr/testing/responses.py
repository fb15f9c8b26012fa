"""A reply as the events of the Responses API. Pure: values in, event objects out, the same ids every time."""

import base64
import json
import re
from collections.abc import Iterator
from typing import assert_never

from rawr.testing.scenario import Ask, Call, Fail, JsonObject, Patch, Plan, Raw, Reply, Run, Say, Step, Think, Usage

_HEREDOC = "RAWR_PATCH"


def reply_events(reply: Reply, *, number: int, sealed: bool = False) -> Iterator[JsonObject]:
    """Every event of one response; ``number`` makes its ids unique. ``sealed``: a summary is sent as the item that only
    the server of a remote compaction could open."""
    response: JsonObject = {"id": f"resp_{number}"}
    yield {"type": "response.created", "response": response}
    for index, step in enumerate(reply.steps):
        if sealed and isinstance(step, Say):
            yield from _whole(_seal(step.text, item_id=f"cmp_{number}_{index}"), index=index)
        else:
            yield from _step_events(step, index=index, tag=f"{number}_{index}")
    match reply.fault:
        case Fail(code, message):
            error = {"code": code, "message": message}
            yield {"type": "response.failed", "response": {**response, "status": "failed", "error": error}}
        case _:
            yield {"type": "response.completed", "response": {**response, "usage": usage_object(reply.usage)}}


def encode_event(event: JsonObject) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def usage_object(usage: Usage) -> JsonObject:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total,
    }


def _step_events(step: Step, *, index: int, tag: str) -> Iterator[JsonObject]:
    match step:
        case Say(text):
            yield from _message(text, index=index, item_id=f"msg_{tag}")
        case Think(text):
            yield from _reasoning(text, index=index, item_id=f"rs_{tag}")
        case Raw(item):
            yield from _whole(item, index=index)
        case Run() | Plan() | Call() | Ask() | Patch():
            yield from _whole({"type": "function_call", "call_id": f"call_{tag}", **_function(step)}, index=index)
        case _:
            assert_never(step)


def _message(text: str, *, index: int, item_id: str) -> Iterator[JsonObject]:
    item: JsonObject = {"type": "message", "role": "assistant", "id": item_id}
    place = {"item_id": item_id, "output_index": index, "content_index": 0}
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "content": []}}
    for piece in pieces(text):
        yield {"type": "response.output_text.delta", **place, "delta": piece}
    whole = {**item, "content": [{"type": "output_text", "text": text}]}
    yield {"type": "response.output_item.done", "output_index": index, "item": whole}


def _reasoning(text: str, *, index: int, item_id: str) -> Iterator[JsonObject]:
    item: JsonObject = {"type": "reasoning", "id": item_id, "encrypted_content": None}
    place = {"item_id": item_id, "output_index": index, "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "summary": []}}
    yield {"type": "response.reasoning_summary_part.added", **place, "part": part}
    for piece in pieces(text):
        yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
    whole = {**item, "summary": [{**part, "text": text}]}
    yield {"type": "response.output_item.done", "output_index": index, "item": whole}


def _seal(summary: str, *, item_id: str) -> JsonObject:
    """Not encrypted, but nothing that a reader of the input could take for words."""
    return {
        "type": "compaction",
        "id": item_id,
        "encrypted_content": base64.b64encode(summary.encode()).decode(),
    }


def _whole(item: JsonObject, *, index: int) -> Iterator[JsonObject]:
    yield {"type": "response.output_item.added", "output_index": index, "item": item}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _function(step: Run | Plan | Call | Ask | Patch) -> JsonObject:
    match step:
        case Run():
            return _named("exec_command", _exec_arguments(step))
        case Plan(steps, explanation):
            plan = [{"step": entry.step, "status": entry.status} for entry in steps]
            return _named("update_plan", {"plan": plan} | ({"explanation": explanation} if explanation else {}))
        case Call():
            namespace: JsonObject = {"namespace": step.namespace} if step.namespace else {}
            return namespace | _named(step.tool, step.arguments)
        case Ask(questions):
            asked = [
                {
                    "id": question.id,
                    "header": question.header,
                    "question": question.question,
                    "options": [
                        {"label": option.label, "description": option.description} for option in question.options
                    ],
                }
                for question in questions
            ]
            return _named("request_user_input", {"questions": asked})
        case Patch(text):
            return _named("exec_command", {"cmd": f"apply_patch <<'{_HEREDOC}'\n{text.strip()}\n{_HEREDOC}\n"})
        case _:
            assert_never(step)


def _exec_arguments(step: Run) -> JsonObject:
    optional = {"justification": step.why, "yield_time_ms": step.yield_ms, "workdir": step.workdir}
    arguments: JsonObject = {"cmd": step.cmd}
    if step.escalate:
        arguments["sandbox_permissions"] = "require_escalated"
    return arguments | {key: value for key, value in optional.items() if value is not None}


def _named(name: str, arguments: JsonObject) -> JsonObject:
    return {"name": name, "arguments": json.dumps(arguments)}


def pieces(text: str) -> list[str]:
    """Text in the pieces in which it streams: words with the space after them.

    >>> pieces("Looking around.")
    ['Looking ', 'around.']
    """
    return re.findall(r"\s*\S+\s*", text) or ([text] if text else [])
