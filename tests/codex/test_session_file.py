"""Which turns were compacted, by the only file that always knows. What cannot be read in it is passed over (D5)."""

from pathlib import Path

import pytest

from rawr.codex import session_file
from rawr.codex.session_file import compacted_turns

STARTED = '{"timestamp":"t","ordinal":1,"type":"event_msg","payload":{"type":"task_started","turn_id":"%s"}}'
ATTRIBUTED = (
    '{"timestamp":"t","type":"event_msg","payload":{"type":"task_started","turn_attribution":{"turn_id":"%s"}}}'
)
CONTEXT = '{"timestamp":"t","type":"turn_context","payload":{"turn_id":"%s","cwd":"/"}}'
COMPACTED = '{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[]}}'
SAID = '{"timestamp":"t","type":"response_item","payload":{"type":"message","text":"\\"type\\":\\"compacted\\""}}'


def of(folder: Path, *lines: str | bytes) -> frozenset[str]:
    path = folder / "rollout.jsonl"
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return compacted_turns(path)


def test_a_compaction_belongs_to_the_turn_that_was_begun_last(tmp_path: Path) -> None:
    lines = (STARTED % "a", SAID, ATTRIBUTED % "b", COMPACTED, CONTEXT % "c", SAID, STARTED % "d", COMPACTED, COMPACTED)
    assert of(tmp_path, *lines) == {"b", "d"}


def test_a_line_that_was_cut_off_is_none(tmp_path: Path) -> None:
    """Codex passes over it as well, and goes on with the context as it was."""
    assert of(tmp_path, STARTED % "a", COMPACTED[:-9]) == frozenset()


def test_dirt_is_passed_over(tmp_path: Path) -> None:
    lines = (b"\0" * 50, b"\xff\xfe", STARTED % "a", "[]", '{"type":"compacted"', COMPACTED, '"compacted"')
    assert of(tmp_path, *lines) == {"a"}


def test_no_file_tells_nothing(tmp_path: Path) -> None:
    assert compacted_turns(tmp_path / "none") == frozenset()
    assert compacted_turns(tmp_path) == frozenset()


def test_only_the_end_of_a_long_one_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_file, "TAIL", 300)
    assert of(tmp_path, STARTED % "a", COMPACTED, "x" * 500, STARTED % "b", COMPACTED) == {"b"}
