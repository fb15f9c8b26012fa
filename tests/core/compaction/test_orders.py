"""What a user's message asks for, by its numbers and by how it begins and ends (A5). The messages here are made up."""

import pytest

from rawr.core.compaction.orders import PREPARED, next_piece, order, request, same_prompt
from rawr.core.state.topic import Order, Unit

RULES = "Read the plan first. Keep the style of the files around. Write a test for each change, run them all. " * 9


def units(text: str) -> tuple[Unit, ...]:
    found = order(text)
    return found.units if found is not None else ()


def known(*texts: str) -> tuple[Order, ...]:
    return tuple(found for text in texts if (found := order(text)) is not None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Implement phase 3.", (Unit("phase", 3_000, 3_000),)),
        ("do tasks 4 to 7", (Unit("task", 4_000, 7_000),)),
        ("implement T012-T020", (Unit("T", 12_000, 20_000),)),
        ("Write the spec for ./cases/UC-07.md", (Unit("UC", 7_000, 7_000),)),
        ("story 3.2 please", (Unit("story", 3_002, 3_002),)),
        ("Setze Aufgabe 5 um", (Unit("aufgabe", 5_000, 5_000),)),
        ("完成任务3", (Unit("任务", 3_000, 3_000),)),
        ("タスク 4 を実装", (Unit("タスク", 4_000, 4_000),)),
        ("save it as UTF-8, 20 lines, 3 px", ()),
        ("make it 20% wider", ()),
        ("yes", ()),
    ],
)
def test_the_pieces_that_a_message_names(text: str, expected: tuple[Unit, ...]) -> None:
    assert units(text) == expected


@pytest.mark.parametrize(
    ("before", "text", "piece"),
    [
        (["Implement phase 2."], "Implement phase 3.", "phase 3 after 2"),
        (["implement T012-T020"], "now T021-T030", "T 21 after 20"),
        (["implement T012-T020"], "why is T015 not checked off", ""),
        (["Implement phase 2."], "Implement phase 2 again", ""),
        (["Implement phase 2."], "task 3 is wrong", ""),
        (["Write the spec for UC-07"], "Clarify use case 7", ""),
        ([], "Implement phase 3.", ""),
    ],
)
def test_the_next_piece(before: list[str], text: str, piece: str) -> None:
    new = order(text)
    assert new is not None
    assert next_piece(new, known(*before)) == piece


def test_the_same_prompt_about_something_else() -> None:
    first, second = f"Add a login page.\n{RULES}", f"Speed up the search.\n{RULES}"
    assert len(RULES) > PREPARED
    for one, another in ((first, second), (f"{RULES}\nAdd a login page.", f"{RULES}\nSpeed up the search.")):
        new = order(another)
        assert new is not None
        assert same_prompt(new, known(one))
        assert not same_prompt(new, known(another)), "the same once more"
    new = order(first)
    assert new is not None
    assert not same_prompt(new, known("Something quite different. " * 50))
    again = order(f"Clarify UC-07.\n{RULES}")
    assert again is not None
    assert not same_prompt(again, known(f"Specify UC-07.\n{RULES}")), "the same piece of work"


def test_what_the_user_typed() -> None:
    """Editors and prompt collections put something around it."""
    assert request("# Context from my IDE setup:\n## Open tabs:\n- a\n\n## My request for Codex:\nFix it") == "Fix it"
    assert request("## User Input\n\n```text\nT012, 13\n```\n\n## Outline\n1. Read it") == "T012, 13"
    assert request("  Fix it\n") == "Fix it"


def test_a_short_message_without_a_number_is_no_order() -> None:
    assert order("Speed up the search.") is None
