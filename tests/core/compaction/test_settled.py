"""A turn that leaves its result in the conversation, or for the user to try, is no place to compact (D8)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import GOLDEN, IDLE, WINDOW, Story

UNSETTLED = Reason.COMPACT_DEFERRED_UNSETTLED
DONE = "Added the line and tidied up around it. The page shows both columns now."
THEIRS = replace(IDLE, ours=False)
ROOM, LITTLE = WINDOW * 79 // 200, WINDOW * 60 // 100
"""Tokens in asap: one and a half more turns like the first fit; they do not."""


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


MEASURED = rules()


def story(asked: str = "Add a line.", *, policy: Policy = MEASURED) -> Story:
    return Story(THEIRS, policy=policy).begin("W", asked).runs("W", "ls")


def ended(work: Story, *, says: str = DONE, tokens: int = ROOM) -> Story:
    return work.uses("W", tokens).says("W", says).end("W")


def wrote(work: Story) -> Story:
    return work.changes("W", "src/page.py")


def outcome(work: Story) -> tuple[Reason, list[str]]:
    """What was decided at the turn's end, and on what."""
    decided = next(one for one in work.records if "boundaries" in one.evidence)
    return decided.reason, [str(one) for one in decided.evidence["satisfied"]]  # type: ignore[union-attr]


AT_A_BOUNDARY = (Reason.COMPACT_DECIDED_BOUNDARY, ["agent_done"])
PUT_OFF = (UNSETTLED, ["agent_done"])


def test_a_result_in_files_is_settled() -> None:
    assert outcome(ended(wrote(story()))) == AT_A_BOUNDARY


def test_what_was_only_explained_is_in_the_conversation_alone() -> None:
    assert outcome(ended(story(), says="Fixed in 1.3 already: the lock is taken twice.")) == PUT_OFF


def test_files_that_a_command_wrote_count_as_well() -> None:
    """The look at the working tree says so; not where it may be somebody else's work."""
    change = items.Change("/project/src/page.py", "update")
    for shared, settled in ((False, True), (True, False)):
        work = Story(THEIRS, policy=replace(MEASURED, watch_files=True, watch_repositories=True))
        work.begin("W", "Add a line.").runs("W", "./generate").uses("W", ROOM).says("W", DONE).end("W")
        work.tell(facts.TreeSeen(turn="W", digest="d", files=1, changes=(change,), shared=shared))
        assert work.state.last_turn is not None
        assert work.state.last_turn.changed_tree is settled


@pytest.mark.parametrize(
    "asked",
    [
        "It still doesn't work, the list is empty.",
        "I get the following error when I start it:\nKeyError: 'x'",
        "Why is the column missing?",
        "Ça ne marche pas, la liste est vide.",
        "Es geht immer noch nicht.",
        "Всё ещё не работает.",
        "还是不行,列表是空的",
        "エラーが出ます。",
        "여전히 안 돼요.",
        "Vẫn bị lỗi khi mở trang.",
    ],
)
def test_a_fix_that_nobody_has_seen_work_is_an_attempt(asked: str) -> None:
    assert outcome(ended(wrote(story(asked)))) == PUT_OFF
    assert outcome(ended(wrote(story(asked)).runs("W", "make test"))) == AT_A_BOUNDARY


@pytest.mark.parametrize(
    "asked",
    ["Add the error handling of the parser.", "Work on issue 12.", "Add an error page.", "Make the list run faster."],
)
def test_an_order_that_speaks_of_errors_reports_none(asked: str) -> None:
    assert outcome(ended(wrote(story(asked)))) == AT_A_BOUNDARY


@pytest.mark.parametrize(
    "says",
    [
        f"{DONE} Please run it again and compare the two.",
        f"{DONE} Restart the server and check the page.",
        f"{DONE} The cache is empty now; if the old one still shows, reload it.",
        f"{DONE} 重新运行即可看到日志。",
        f"{DONE} Relance le serveur pour voir la page.",
    ],
)
def test_what_the_user_is_to_try_is_an_attempt(says: str) -> None:
    assert outcome(ended(wrote(story()), says=says)) == PUT_OFF
    assert outcome(ended(wrote(story()).runs("W", "make test"), says=says)) == AT_A_BOUNDARY


@pytest.mark.parametrize("says", ["Please run it again and send me the log.", "ログを共有してください。"])
def test_what_it_waits_for_is_no_end(says: str) -> None:
    for work in (wrote(story()), wrote(story()).runs("W", "make test")):
        assert outcome(ended(work, says=f"{DONE} {says}")) == (Reason.COMPACT_SKIPPED_NO_BOUNDARY, [])


def test_a_check_that_fails_leaves_it_open_until_one_passes() -> None:
    """However it was fixed in between: nobody has seen it pass."""
    failing = wrote(wrote(story()).runs("W", "make test", code=2))
    assert outcome(ended(failing)) == PUT_OFF
    passing = wrote(story()).runs("W", "make test", code=2).changes("W", "src/page.py").runs("W", "make test")
    assert outcome(ended(passing)) == AT_A_BOUNDARY


def test_a_check_that_failed_without_a_change_leaves_it_open_too() -> None:
    assert outcome(ended(steps(wrote(story()).runs("W", "make test", code=127))))[0] is UNSETTLED


@pytest.mark.parametrize(("note", "counts"), [("Blocked by the missing key.", False), ("Parser first.", True)])
def test_a_plan_that_says_that_it_is_blocked_is_not_settled(note: str, *, counts: bool) -> None:
    first = facts.PlanUpdated(turn="W", steps=(PlanStep("Parse", "in_progress"), PlanStep("Print", "pending")))
    done = facts.PlanUpdated(
        turn="W", steps=(PlanStep("Parse", "completed"), PlanStep("Print", "pending")), explanation=note
    )
    reason, satisfied = outcome(ended(wrote(story()).tell(first, done)))
    assert (reason is Reason.COMPACT_DECIDED_BOUNDARY) is counts
    assert "plan_checkpoint" in satisfied


def after(asked: str, then: str) -> Story:
    """A turn on a message of the user's, and the last one on the next."""
    work = story(asked).uses("W", ROOM - 9_000).says("W", "I see. Which of the two do you mean?").end("W")
    return work.begin("X", then).runs("X", "ls").changes("X", "src/page.py")


@pytest.mark.parametrize(
    ("asked", "then", "settled"),
    [
        ("It still doesn't work.", "The second one.", False),
        ("It still doesn't work.", "Thanks, it works now. Take out the log lines.", True),
        ("Add a column.", "The second one.", True),
        ("还是不行", "现在可以了,删去日志", True),
    ],
    ids=["still open", "gone", "never there", "gone, in Chinese"],
)
def test_a_problem_is_open_until_the_user_says_that_it_is_gone(asked: str, then: str, *, settled: bool) -> None:
    work = after(asked, then).uses("X", ROOM).says("X", DONE).end("X")
    assert (Reason.COMPACT_DECIDED_BOUNDARY in work.reasons()) is settled
    assert (UNSETTLED in work.reasons()) is not settled


def test_a_turn_that_ended_without_a_last_word_is_not_settled() -> None:
    work = story().says("W", DONE).changes("W", "src/page.py").uses("W", ROOM).end("W")
    assert outcome(work) == PUT_OFF


def test_what_codex_adds_after_the_last_words_hides_none_of_them() -> None:
    added = f"<oai-mem-citation>{'x' * 700}</oai-mem-citation>"
    assert outcome(ended(wrote(story()), says=f"{DONE} Please run it again now.\n\n{added}")) == PUT_OFF


def test_a_check_before_the_last_change_says_nothing_about_it() -> None:
    work = wrote(wrote(story("It still doesn't work.")).runs("W", "make test"))
    assert outcome(ended(work)) == PUT_OFF


def test_what_was_wrong_before_a_run_went_on_by_itself_says_nothing() -> None:
    """Only a message of the user's in the turn itself speaks of it."""
    work = ended(wrote(story("It still doesn't work.")))
    work.tell(facts.TurnStarted(turn="X"), facts.ItemCompleted(turn="X", item=items.UserMessage(id="u", text="")))
    work.changes("X", "src/page.py").uses("X", ROOM + 9_000).says("X", DONE).end("X")
    assert Reason.COMPACT_DECIDED_BOUNDARY in work.reasons()


def test_with_little_room_it_waits_all_the_same() -> None:
    """A6: until the last resort, which is called that."""
    assert outcome(ended(wrote(story("It still fails.")), tokens=LITTLE)) == PUT_OFF
    assert outcome(ended(wrote(story()), tokens=LITTLE)) == AT_A_BOUNDARY


@pytest.mark.mission("A7a")
def test_where_a_list_names_the_end_of_a_turn_any_end_counts() -> None:
    """A6: explicit lists are law."""
    asap = TierPolicy(65, ("agent_done", "turn_complete"))
    reason, satisfied = outcome(ended(wrote(story("It still fails.", policy=rules(asap=asap)))))
    assert (reason, satisfied) == (Reason.COMPACT_DECIDED_BOUNDARY, ["agent_done", "turn_complete"])


# -- other boundaries -------------------------------------------------------------------------------------------------


def steps(work: Story) -> Story:
    first = facts.PlanUpdated(turn="W", steps=(PlanStep("Parse", "in_progress"), PlanStep("Print", "pending")))
    done = facts.PlanUpdated(turn="W", steps=(PlanStep("Parse", "completed"), PlanStep("Print", "in_progress")))
    return work.tell(first, done)


@pytest.mark.parametrize(
    ("says", "counts"),
    [
        ("The parser reads everything now. Next I will write the printer.", True),
        ("The parser reads everything now; what I found is in my notes.", True),
        ("The parser is there. Which of the two printers shall I write?", False),
        ("The parser is there. Please run it again and send me the log.", False),
    ],
    ids=["announces the next step", "only read", "asks", "is to be tried"],
)
def test_a_step_of_the_plan_counts_unless_the_turn_waits_for_the_user(says: str, *, counts: bool) -> None:
    """A7: what a step leaves to the next one is what a plan is for."""
    reason, satisfied = outcome(ended(steps(story()), says=says))
    assert (reason is Reason.COMPACT_DECIDED_BOUNDARY, "plan_checkpoint" in satisfied) == (counts, True)
    assert counts or reason is UNSETTLED


def test_a_commit_settles_it() -> None:
    seen = facts.CommandObserved(turn="W", item="i", commits=(facts.CommitSeen("abc1234", "Parser"),))
    work = ended(steps(story("It still fails.")).tell(seen), says="Committed. Which part is next?")
    assert outcome(work)[0] is Reason.COMPACT_DECIDED_BOUNDARY
