"""The ledger: what really happened, bounded, with nothing dropped unsaid (B3, D2, D3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.state.ledger import (
    MAX_COMMITS,
    MAX_DECISIONS,
    MAX_DIRECTIVES,
    MAX_FAILURES,
    MAX_FILES,
    MAX_TEXT,
    Commit,
    Directive,
    Failure,
    Ledger,
    Touched,
    UserDecision,
    add_command,
    add_commit,
    add_decision,
    add_file,
    add_message,
    add_pin,
    sounds_standing,
)
from rawr.core.vocabulary.items import ChangeKind

EMPTY = Ledger()
KINDS: list[ChangeKind] = ["add", "delete", "update"]


# -- files and commits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        (["add"], "add"),
        (["add", "update"], "add"),
        (["add", "update", "delete"], "delete"),
        (["delete", "add"], "add"),
        (["update", "update"], "update"),
        (["update", "delete"], "delete"),
    ],
)
def test_a_file_stands_once_with_what_became_of_it(changes: list[ChangeKind], kind: ChangeKind) -> None:
    """D2: a new file that was changed again is still a new one."""
    kept = EMPTY
    for change in changes:
        kept = add_file(kept, "a.py", change)
    assert kept == Ledger(files=(Touched("a.py", kind),))


def test_the_newest_change_stands_last() -> None:
    kept = add_file(add_file(add_file(EMPTY, "a", "add"), "b", "add"), "a", "update")
    assert [one.path for one in kept.files] == ["b", "a"]


@given(st.lists(st.tuples(st.integers(0, 300), st.sampled_from(KINDS)), max_size=700))
def test_files_are_bounded_and_the_rest_is_counted(changes: list[tuple[int, ChangeKind]]) -> None:
    """D3: the newest stay, and how many made room is said."""
    kept = EMPTY
    for name, kind in changes:
        kept = add_file(kept, str(name), kind)
    newest = list(dict.fromkeys(str(name) for name, _ in reversed(changes)))[:MAX_FILES]
    assert [one.path for one in kept.files] == newest[::-1]
    assert kept.dropped >= len({name for name, _ in changes}) - len(kept.files)


def test_an_amended_commit_takes_the_place_of_the_one_before() -> None:
    """B6, D2: the packet must not be asked for a commit that is not there any more."""
    kept = add_commit(EMPTY, Commit("aaa", "First"))
    kept = add_commit(kept, Commit("bbb", "First, better"), amends="aaa")
    assert kept == Ledger(commits=(Commit("bbb", "First, better"),))


def test_a_commit_that_is_told_twice_stands_once() -> None:
    kept = add_commit(add_commit(EMPTY, Commit("aaa", "First")), Commit("aaa", "First"))
    assert kept == Ledger(commits=(Commit("aaa", "First"),))


# -- commands and decisions -----------------------------------------------------------------------------------------


def test_a_failure_is_kept_with_its_last_word() -> None:
    kept = add_command(EMPTY, "pytest", exit_code=1, failed=True, output="E  boom\n\n 1 failed \n\n")
    assert kept == Ledger(failures=(Failure("pytest", 1, "1 failed"),))


def test_a_success_takes_its_own_failure_off() -> None:
    """D2: a command that passes now is no failure any more; others stay."""
    kept = add_command(EMPTY, "pytest", exit_code=1, failed=True, output="")
    kept = add_command(kept, "make", exit_code=2, failed=True, output="")
    kept = add_command(kept, "pytest", exit_code=0, failed=False, output="ok")
    assert kept == Ledger(failures=(Failure("make", 2),))


def test_a_success_without_a_failure_leaves_no_trace() -> None:
    assert add_command(EMPTY, "ls", exit_code=0, failed=False, output="a\nb") is EMPTY


def test_a_long_command_is_cut_and_still_known_by_its_success() -> None:
    command = "python -c '" + "x" * 1_000 + "'"
    kept = add_command(EMPTY, command, exit_code=1, failed=True, output="y" * 1_000)
    [failure] = kept.failures
    assert failure.command.startswith(command[:MAX_TEXT])
    assert max(len(failure.command), len(failure.last_line)) < MAX_TEXT + 50
    assert add_command(kept, command, exit_code=0, failed=False, output="") == EMPTY


def test_decisions_of_the_user_stand_in_order() -> None:
    kept = add_decision(add_decision(EMPTY, "Which?", "the blue one"), "Sure?", "yes")
    assert kept.decisions == (UserDecision("Which?", "the blue one"), UserDecision("Sure?", "yes"))


def test_every_kind_has_its_bound() -> None:
    kept = EMPTY
    for n in range(400):
        kept = add_commit(kept, Commit(str(n), "x"))
        kept = add_command(kept, str(n), exit_code=1, failed=True, output="")
        kept = add_decision(kept, str(n), "x")
    assert (len(kept.commits), len(kept.failures), len(kept.decisions)) == (MAX_COMMITS, MAX_FAILURES, MAX_DECISIONS)
    assert kept.dropped == 3 * 400 - MAX_COMMITS - MAX_FAILURES - MAX_DECISIONS
    assert (kept.commits[-1].sha, kept.failures[-1].command, kept.decisions[-1].question) == ("399", "399", "399")


# -- the user's own words -------------------------------------------------------------------------------------------


def test_the_first_message_is_the_goal_and_later_ones_are_directives() -> None:
    """B3: verbatim, in order, each marked standing or one-off."""
    kept = EMPTY
    for at, text in enumerate(["  Build the thing.\n\n- fast ", "Always use tabs.", "Now run it"]):
        kept = add_message(kept, text, at=at)
    assert kept == Ledger(
        goal="  Build the thing.\n\n- fast ",
        directives=(Directive("Always use tabs.", 1, standing=True), Directive("Now run it", 2, standing=False)),
    )


def test_a_pin_is_a_standing_directive_and_never_the_goal() -> None:
    """D3."""
    kept = add_message(add_pin(EMPTY, "blue", at=1), "Build it", at=2)
    assert kept == Ledger(goal="Build it", directives=(Directive("blue", 1, standing=True, pinned=True),))


@pytest.mark.parametrize(
    "text",
    [
        "Always use tabs.",
        "never push to main",
        "Never, ever push to main.",
        "Push to main? Never.",
        "please don't touch the schema",
        "please don’t touch the schema",
        "Do not\n  touch the schema",
        "You must: keep the API.",
        "From now on, answer in German.",
        "Fix it (and remember: no new dependencies).",
        "IMPORTANT: the port is 8080",
        "Make sure the docs follow.",
        "one thing —always— test first",
    ],
)
def test_a_rule_sounds_like_one(text: str) -> None:
    """B3, D3: by its words, whatever stands around them."""
    assert sounds_standing(text)


@pytest.mark.parametrize("text", ["", "Now run the tests.", "nevertheless, go on", "mustard", "Go on", "undo nothing"])
def test_the_next_thing_to_do_is_no_rule(text: str) -> None:
    assert not sounds_standing(text)


def test_one_off_messages_make_room_first_then_rules_then_pins() -> None:
    """D3: what a person pinned outlives what only sounded like a rule."""
    kept = add_pin(add_message(EMPTY, "goal", at=0), "pinned", at=0)
    kept = add_message(kept, "go on", at=0)
    for n in range(MAX_DIRECTIVES - 2):
        kept = add_message(kept, f"always {n}", at=n)
    assert (len(kept.directives), kept.dropped) == (MAX_DIRECTIVES, 0)
    kept = add_message(kept, "never 1", at=0)
    assert [one.text for one in kept.directives[:2]] == ["pinned", "always 0"]
    kept = add_message(kept, "never 2", at=0)
    assert [one.text for one in kept.directives[:2]] == ["pinned", "always 1"]
    assert (len(kept.directives), kept.dropped) == (MAX_DIRECTIVES, 2)


@given(st.lists(st.tuples(st.sampled_from(["always ", "do ", ""]), st.booleans()), max_size=3 * MAX_DIRECTIVES))
def test_no_standing_directive_is_lost_while_a_one_off_is_kept(messages: list[tuple[str, bool]]) -> None:
    """D3: up to the bound all of them stay, verbatim and in order."""
    kept = add_message(EMPTY, "goal", at=0)
    for n, (start, pinned) in enumerate(messages):
        kept = (add_pin if pinned else add_message)(kept, f"{start}{n}", at=n)
    standing = [f"{start}{n}" for n, (start, pinned) in enumerate(messages) if pinned or start == "always "]
    pins = [f"{start}{n}" for n, (start, pinned) in enumerate(messages) if pinned]
    texts = [one.text for one in kept.directives]
    assert len(texts) == min(len(messages), MAX_DIRECTIVES)
    assert kept.dropped == len(messages) - len(texts)
    assert texts == sorted(texts, key=lambda text: int(text.split()[-1]))
    if len(standing) <= MAX_DIRECTIVES:
        assert [one for one in texts if one in standing] == standing
    if len(pins) <= MAX_DIRECTIVES:
        assert [one for one in texts if one in pins] == pins


def test_the_ledger_knows_nothing_of_the_thread() -> None:
    """B3: it is a value; adding to it leaves the old one as it was."""
    before = add_file(EMPTY, "a", "add")
    after = add_file(before, "b", "add")
    assert (before.files, len(after.files)) == ((Touched("a", "add"),), 2)
