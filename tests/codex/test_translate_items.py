"""Items of a turn to facts: every kind, and those that rawr does not know."""

import pytest

from rawr.codex import translate
from rawr.codex.wire.items import KnownItem
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import FaultRecorded
from rawr.ports.harness import Told

from .telling import completed, item, tell

# -- items ------------------------------------------------------------------------------------------------------


def test_a_command_that_only_reads() -> None:
    def command(*actions: str) -> tuple[Told, ...]:
        parts = [{"type": action, "command": "c"} for action in actions]
        return item("commandExecution", command="c", cwd="/w", status="failed", exitCode=2, commandActions=parts)

    def expected(*, reads_only: bool) -> tuple[Told, ...]:
        return completed(
            items.Command(id="i", command="c", cwd="/w", status="failed", exit_code=2, reads_only=reads_only)
        )

    assert command("read", "listFiles", "search") == expected(reads_only=True)
    assert command("read", "unknown") == expected(reads_only=False)
    assert command("teleport") == expected(reads_only=False)
    assert command() == expected(reads_only=False)


def test_file_changes() -> None:
    changes = [
        {"path": "a", "kind": {"type": "update", "move_path": "b"}, "diff": ""},
        {"path": "c", "kind": {"type": "delete"}, "diff": ""},
        {"path": "d", "kind": {"type": "entangle"}, "diff": ""},
    ]
    assert item("fileChange", changes=changes, status="declined") == completed(
        items.FileChange(
            id="i",
            changes=(items.Change("a", "update", "b"), items.Change("c", "delete"), items.Change("d", "update")),
            status="declined",
        )
    )


def test_tools_and_agents() -> None:
    assert item("mcpToolCall", server="s", tool="t", status="failed", arguments=[1, "ä"]) == completed(
        items.ToolCall(id="i", server="s", tool="t", status="failed", arguments='[1,"ä"]')
    )
    assert item(
        "collabAgentToolCall", status="interrupted", receiverThreadIds=["a", "b"], tool="spawnAgent"
    ) == completed(items.SubAgent(id="i", status="failed", threads=("a", "b")))
    assert item("subAgentActivity", kind="interacted", agentThreadId="a", agentPath="p") == completed(
        items.SubAgent(id="i", status="running", threads=("a",))
    )


def test_small_items() -> None:
    assert item("webSearch", query="why") == completed(items.WebSearch(id="i", query="why"))
    assert item("enteredReviewMode", review="changes") == completed(items.ReviewEntered(id="i", review="changes"))
    assert item("exitedReviewMode", review="good") == completed(items.ReviewExited(id="i", review="good"))
    assert item("agentMessage", text="hi", phase="final_answer") == completed(
        items.AgentMessage(id="i", text="hi", phase="final_answer")
    )


def test_a_user_message_of_several_parts() -> None:
    parts = [
        {"type": "text", "text": "look at", "text_elements": []},
        {"type": "image", "url": "data:…"},
        {"type": "mention", "name": "notes.md", "path": "p"},
        {"type": "text"},
        "?",
    ]
    assert item("userMessage", content=parts) == completed(
        items.UserMessage(id="i", text="look at\n[image]\n[mention]\n[text]\n[?]")
    )


@pytest.mark.parametrize(
    "kind", ["plan", "hookPrompt", "functionCallOutput", "imageView", "sleep", "imageGeneration", "telepathy"]
)
def test_an_item_of_an_unknown_kind_is_another_item_and_no_fault(kind: str) -> None:
    assert item(kind, anything=[1]) == completed(items.OtherItem(id="i", wire_type=kind))
    assert tell("item/started", {"threadId": "t", "turnId": "u", "item": {"type": kind, "id": "i"}}) == (
        ("t", facts.ItemStarted(turn="u", item=items.OtherItem(id="i", wire_type=kind))),
    )


def test_a_known_item_in_another_shape_is_another_item_and_a_fault() -> None:
    told = item("commandExecution", command=["ls"], cwd="/w", status="completed", commandActions=[])
    raw = '{"type":"commandExecution","id":"i","command":["ls"],"cwd":"/w","status":"completed","commandActions":[]}'
    assert told == (
        ("t", facts.ItemCompleted(turn="u", item=items.OtherItem(id="i", wire_type="commandExecution"))),
        (
            "t",
            FaultRecorded(
                where="item/completed",
                problem="Expected `str`, got `array` - at `$.command`",
                sample=raw,
                size=len(raw),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("raw", "other"),
    [
        ({"type": 5, "id": "i"}, items.OtherItem(id="?", wire_type="?")),
        ({"type": "telepathy", "id": 5}, items.OtherItem(id="?", wire_type="?")),
        ({"id": "i"}, items.OtherItem(id="i", wire_type="?")),
        ({"type": "telepathy"}, items.OtherItem(id="?", wire_type="telepathy")),
        ([], items.OtherItem(id="?", wire_type="?")),
        (None, items.OtherItem(id="?", wire_type="?")),
    ],
)
def test_an_item_without_shape_is_still_an_item(raw: object, other: items.OtherItem) -> None:
    told = tell("item/completed", {"threadId": "t", "turnId": "u", "item": raw})
    assert told[0] == ("t", facts.ItemCompleted(turn="u", item=other))


def test_every_known_item_has_a_translation() -> None:
    assert set(translate._ITEMS) == set(KnownItem.__args__)
