"""What a session file says, also one that was cut off in the middle of something."""

import json
from pathlib import Path

from tests.crash.evidence import Event, _events, rollout


def model(role: str, text: str) -> dict[str, object]:
    content = [{"type": "input_text", "text": text}]
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}


def item(text: str, client: str) -> dict[str, object]:
    one = {"type": "UserMessage", "client_id": client, "content": [{"type": "text", "text": text}]}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": one}}


STARTED: dict[str, object] = {"type": "event_msg", "payload": {"type": "task_started"}}
COMPACTED: dict[str, object] = {"type": "compacted", "payload": {"message": "A summary."}}


def test_a_message_is_counted_once_and_has_its_name() -> None:
    lines = [
        STARTED,
        model("developer", "Be good."),
        model("user", "<environment_context>here</environment_context>"),
        model("user", "Hi."),
        item("Hi.", "t:1"),
        model("assistant", "Hello."),
        COMPACTED,
    ]
    said = [Event("user", "Hi.", "t:1"), Event("agent", "Hello.")]
    assert _events(lines) == [Event("turn"), *said, Event("compaction")]


def test_a_message_whose_item_was_not_written_any_more() -> None:
    """Codex was killed between the two: the model has it all the same."""
    assert _events([model("user", "Hi.")]) == [Event("user", "Hi.")]


def test_the_same_words_twice_are_two_messages() -> None:
    lines = [model("user", "Go on."), item("Go on.", "t:1"), model("user", "Go on."), item("Go on.", "t:2")]
    assert _events(lines) == [Event("user", "Go on.", "t:1"), Event("user", "Go on.", "t:2")]


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "2026"
    folder.mkdir(parents=True)
    (folder / "rollout-x-thread.jsonl").write_text(json.dumps(COMPACTED) + '\n{"type": "resp')
    assert rollout(tmp_path, "thread") == [COMPACTED]
    assert rollout(tmp_path, "") == []
