"""What must stay true is one ordered list: pins, standing directives, and what packets add as the agent's (B3)."""

from hypothesis import given
from hypothesis import strategies as st

from rawr.core.state.invariants import MAX_ADDED, add, listed
from rawr.core.state.ledger import MAX_TEXT, Ledger, add_message, add_pin

SAID = add_pin(add_message(Ledger(goal="Ship."), "Never push to main.", at=1), "Tabs, not spaces.", at=2)
SECTION = """\
- The signature of `read_rows` stays as it is.
- Never push to main.
* Rows keep their order,
  also where they are empty.

No dependencies are added.
1. the signature of read_rows stays as it is
"""


def texts(ledger: Ledger) -> list[tuple[str, str, bool]]:
    return [(one.text, one.by, one.pinned) for one in listed(ledger)]


def test_pins_come_first_then_the_users_rules_then_the_agents() -> None:
    assert texts(add(SAID, SECTION)) == [
        ("Tabs, not spaces.", "user", True),
        ("Never push to main.", "user", False),
        ("The signature of `read_rows` stays as it is.", "agent", False),
        ("Rows keep their order, also where they are empty.", "agent", False),
        ("No dependencies are added.", "agent", False),
    ]


def test_each_is_there_once() -> None:
    once = add(SAID, SECTION)
    assert add(once, SECTION) is once


def test_none_is_none() -> None:
    for nothing in ("None.", "", "- None\n", "N/A", "None recorded.", "No invariants."):
        assert add(SAID, nothing) is SAID


@given(st.lists(st.text(max_size=400), max_size=60))
def test_they_are_bounded(lines: list[str]) -> None:
    kept = add(SAID, "\n".join(f"- {one}" for one in lines))
    assert len(kept.added) <= MAX_ADDED
    assert all(len(one) <= MAX_TEXT + 40 for one in kept.added)
    assert texts(kept)[:2] == texts(SAID)
