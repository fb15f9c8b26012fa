"""A thread without a run in words (C18, D4)."""

from msgspec.structs import replace

from rawr.cli.terminal.timeline_words import on_terminal
from rawr.views.timeline import Counterfactual, SessionRead
from tests.pages.nights import night, with_rawr


def test_compactions_with_rawr() -> None:
    """One line each, as on the page."""
    told = night()
    instead = with_rawr(told)
    lines = list(on_terminal(told, instead=instead))
    at = lines.index("Compactions with rawr")
    made = [line for line in lines[at + 1 :] if ": A boundary was reached." in line]
    assert len(made) == len(instead.compactions)
    assert made[0].endswith(" 102.9 k tokens, 66 % left, turn 4: A boundary was reached.")


def test_only_the_newest_of_many() -> None:
    told = night()
    instead = with_rawr(told)
    many = Counterfactual(instead.name, instead.points, instead.compactions * 10)
    lines = list(on_terminal(told, instead=many))
    at = lines.index("Compactions with rawr")
    assert lines[at + 1] == f"  {len(many.compactions)}; the newest 20:"


def test_a_session_file_has_no_decisions() -> None:
    told = night()
    assert "Decisions" in list(on_terminal(told))
    told = replace(told, session=SessionRead("x.jsonl", 9, 0))
    assert "Decisions" not in list(on_terminal(told))


def test_lines_that_are_not_understood() -> None:
    told = replace(night(), session=SessionRead("x.jsonl", 9, 3, {"unreadable": 2, "new\nkind": 1}))
    assert "  not understood: 3 of 9 lines (unreadable 2, new kind 1)" in list(on_terminal(told))
