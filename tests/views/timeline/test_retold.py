"""A session file of Codex's own as a timeline, and what rawr would have done (D4)."""

from pathlib import Path

from rawr.core.policy.policy import Policy
from rawr.views.timeline.retold import MOST_KINDS, retold
from tests.history.full import session, write
from tests.history.rollouts import context, envelope


def test_what_happened_and_what_would_have(tmp_path: Path) -> None:
    """The record has Codex's compaction in the middle of the third turn; rawr comes after the commit, and lands the
    third turn, which would still get full."""
    told = retold(str(write(tmp_path, session())), Policy())
    assert [(one.number, one.status) for one in told.timeline.turns] == [
        (1, "completed"),
        (2, "completed"),
        (3, "completed"),
    ]
    assert [(one.by, one.turn, one.in_work, one.tokens_before) for one in told.timeline.compactions] == [
        ("codex", 3, True, 93_000)
    ]
    assert [one.tokens for one in told.timeline.points][-1] == 20_000
    after_commit, landed = told.instead.compactions
    assert (after_commit.turn, after_commit.percent_left, after_commit.why) == (2, 63, "commit")
    assert (landed.turn, landed.why) == (3, "landing")
    [native] = told.result.native_compactions
    assert (native.inside_turn, native.preceded, native.after, native.by) == (True, True, "a command", "codex")


def test_with_rawr_the_context_is_smaller_from_there_on(tmp_path: Path) -> None:
    told = retold(str(write(tmp_path, session())), Policy())
    before = [one.tokens for one in told.instead.points if one.turn < 3]
    after = [one.tokens for one in told.instead.points if one.turn == 3]
    assert before == [25_000, 45_000]
    assert max(after) < 93_000


def test_it_has_nothing_that_a_rawr_decided(tmp_path: Path) -> None:
    """None was there; and a file does not say when a compaction began."""
    told = retold(str(write(tmp_path, session())), Policy()).timeline
    assert (told.decisions, told.reasons, told.requests, told.packets) == ((), {}, (), ())
    assert [one.duration_ms for one in told.compactions] == [None]
    assert "decisions" not in told.counts


def test_the_model_is_known_only_after_the_first_turn_has_begun(tmp_path: Path) -> None:
    """And it may change: the last one counts."""
    lines = session()
    assert retold(str(write(tmp_path, lines)), Policy()).timeline.model == "m"
    lines[-3] = context("T3").replace(b'"model":"m"', b'"model":"n"')
    assert retold(str(write(tmp_path, lines)), Policy()).timeline.model == "n"


def test_kinds_of_lines_that_are_not_understood_are_bounded(tmp_path: Path) -> None:
    new = [envelope(f"new-{n}-{'x' * 500}", {}) for n in range(40)]
    read = retold(str(write(tmp_path, [*session(), *new])), Policy()).timeline.session
    assert read is not None
    assert (read.not_understood, len(read.kinds)) == (40, MOST_KINDS)
    assert max(map(len, read.kinds)) < 200


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    told = retold(str(tmp_path / "nowhere.jsonl"), Policy())
    assert (told.result.problem, told.result.lines) == ("No such file or directory", 0)
