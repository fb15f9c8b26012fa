"""Which turns were compacted, by the only file that always knows. What cannot be read in it is passed over (D5)."""

from pathlib import Path

import pytest

from rawr.codex import session_file
from rawr.codex.session_file import compacted_turns, turn_with_unshown

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


# -- messages ----------------------------------------------------------------------------------------------------------

WRITTEN = (
    '{"timestamp":"t","type":"response_item","payload":{"type":"message","id":"m","role":"%s",'
    '"content":[{"type":"input_text","text":"%s"}]}}'
)
ITEM = (
    '{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","turn_id":"x","item":{"type":"UserMessage",'
    '"id":"i","client_id":"c","content":[{"type":"text","text":"%s","text_elements":[]}]}}}'
)
EVENT = '{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"%s"}}'
OTHER = '{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan","text":"go on"}}}'


@pytest.mark.parametrize(
    ("lines", "turn"),
    [
        ((STARTED % "a", WRITTEN % ("user", "go on")), "a"),
        ((STARTED % "a", WRITTEN % ("user", "go on"), ITEM % "go on"), ""),
        ((STARTED % "a", WRITTEN % ("user", "go on"), EVENT % "go on"), ""),
        ((STARTED % "a", WRITTEN % ("user", "go on"), OTHER, ITEM % "something else"), "a"),
        ((STARTED % "a", WRITTEN % ("user", "go on"), ITEM % "go on", STARTED % "b", WRITTEN % ("user", "go on")), "b"),
        ((STARTED % "a", WRITTEN % ("assistant", "go on"), WRITTEN % ("user", "go on now")), ""),
        ((STARTED % "a", (WRITTEN % ("user", "go on"))[:-5]), ""),
    ],
)
def test_a_message_that_is_in_front_of_the_model_and_was_never_shown(
    tmp_path: Path, lines: tuple[str, ...], turn: str
) -> None:
    """A15, D5: its Codex died between the two. Said again, it would be there twice."""
    of(tmp_path, *lines)
    assert turn_with_unshown(tmp_path / "rollout.jsonl", "go on") == turn
