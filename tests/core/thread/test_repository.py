"""What the repository says: commits, branches and pull requests, as signals and as record (B6)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.ledger import Commit
from rawr.core.state.thread import MAX_OBSERVING, Repo, ThreadState
from rawr.core.state.turn import Purpose
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.reasons import Reason
from tests.core.runs import Auto, ordered
from tests.core.samples import GOLDEN, IDLE, RUNNING, WORDS, Story, bare, why

WATCHING = replace(GOLDEN, watch_repositories=True)
RAN = items.Command(id="i", command="bash -lc 'git commit'", cwd="/project/sub", status="completed", exit_code=0)
SHA = "0a1b2c3d4e5f6071"


def ran(command: items.Command = RAN, *, state: ThreadState = RUNNING, policy: Policy = WATCHING) -> Story:
    return Story(state, policy=policy).tell(facts.ItemCompleted(turn="T1", item=command))


def seen(*commits: facts.CommitSeen, turn: str = "T1") -> facts.CommandObserved:
    return facts.CommandObserved(turn=turn, item="i", root="/project", branch="main", head=SHA, commits=commits)


def kinds(story: Story) -> list[tuple[str, str]]:
    return [(one.kind, one.detail) for one in story.newest.boundaries]


# -- looking --------------------------------------------------------------------------------------------------------


def test_a_command_is_followed_by_a_look() -> None:
    """B6: known from the repository itself and from the command."""
    look = ObserveCommand(turn="T1", item="i", command=RAN.command, cwd="/project/sub", exit_code=0, output="")
    story = ran()
    assert story.wanted(ObserveCommand) == [look]
    assert story.state.observing == ("t:101.0",)


@pytest.mark.parametrize(
    ("command", "state", "policy"),
    [
        (replace(RAN, reads_only=True), RUNNING, WATCHING),
        (replace(RAN, status="declined"), RUNNING, WATCHING),
        (RAN, replace(RUNNING, wanted=False), WATCHING),
        (RAN, RUNNING, GOLDEN),
    ],
    ids=["it only read", "it never ran", "not our thread", "switched off"],
)
def test_what_changed_nothing_is_not_followed(command: items.Command, state: ThreadState, policy: Policy) -> None:
    assert ran(command, state=state, policy=policy).wanted(ObserveCommand) == []


def test_a_failed_command_is_looked_after_too() -> None:
    """B6: several in one line; the first may have committed."""
    assert len(ran(replace(RAN, status="failed", exit_code=1)).wanted(ObserveCommand)) == 1


def test_a_command_without_a_folder_ran_in_the_threads() -> None:
    [look] = ran(replace(RAN, cwd="")).wanted(ObserveCommand)
    assert look.cwd == "/project"


def test_the_repository_is_watched_from_the_beginning() -> None:
    """B6: what happened before is nobody's news."""
    opened = facts.ThreadOpened(cwd="/project", ours=True)
    assert Story(ThreadState("t"), policy=WATCHING).tell(opened).wanted(WatchRepository) == [
        WatchRepository(cwd="/project")
    ]


def test_looks_under_way_are_bounded() -> None:
    story = Story(RUNNING, policy=WATCHING)
    for n in range(MAX_OBSERVING + 5):
        story.tell(facts.ItemCompleted(turn="T1", item=replace(RAN, id=str(n))))
    assert len(story.state.observing) == MAX_OBSERVING


# -- what was seen --------------------------------------------------------------------------------------------------


def test_a_commit_is_a_boundary_and_on_record() -> None:
    """B6, A5."""
    story = Story(RUNNING).tell(seen(facts.CommitSeen(SHA, "Add a"), facts.CommitSeen("ffff", "Add b")))
    assert kinds(story) == [("commit", "0a1b2c3d4e Add a"), ("commit", "ffff Add b")]
    assert story.state.signals == bare(*story.newest.boundaries)
    assert {one.source for one in story.newest.boundaries} == {"repository"}
    assert story.state.ledger.commits == (Commit(SHA, "Add a", "main"), Commit("ffff", "Add b", "main"))
    assert story.state.repo == Repo("/project", "main", SHA)


def test_an_amended_commit_is_one_commit() -> None:
    """B6: ``--amend``."""
    story = Story(RUNNING).tell(seen(facts.CommitSeen("aaa", "First")))
    story.tell(seen(facts.CommitSeen("bbb", "Better", amends="aaa")))
    assert story.state.ledger.commits == (Commit("bbb", "Better", "main"),)


def test_a_command_that_committed_nothing_is_no_boundary() -> None:
    """B6: failures, ``--dry-run``, text that merely mentions it."""
    story = Story(RUNNING).tell(seen())
    assert (story.newest.boundaries, story.state.signals, story.state.ledger.commits) == ((), (), ())
    assert story.records == []


def test_outside_of_a_repository_nothing_is_known() -> None:
    known = replace(RUNNING, repo=Repo("/project", "main", SHA))
    story = Story(known).tell(facts.CommandObserved(turn="T1", item="i"))
    assert story.state == known


def test_a_pull_request_is_a_checkpoint_and_a_branch_is_only_recorded() -> None:
    """B6, A5, B2."""
    url = "https://example.org/pr/1"
    fact = replace(seen(), created=("topic",), switched_to=("topic",), pull_request=("pr_create",), url=url)
    story = Story(RUNNING).tell(fact)
    assert kinds(story) == [
        ("branch_created", "topic"),
        ("branch_switched", "topic"),
        ("pr_opened", url),
        ("pr_checkpoint", f"pr_create, {url}"),
    ]
    assert [one.kind for one in story.state.signals] == ["pr_checkpoint"]


@pytest.mark.parametrize(
    ("done", "kind"), [("pr_create", "pr_opened"), ("pr_merge", "pr_merged"), ("pr_ready", "pr_updated")]
)
def test_what_became_of_a_pull_request(done: str, kind: str) -> None:
    """B2."""
    story = Story(RUNNING).tell(replace(seen(), pull_request=(done,)))
    assert [one for one, _ in kinds(story)] == [kind, "pr_checkpoint"]


def test_graphites_stack_is_followed() -> None:
    """B2, B3: a change of it is recorded; the first sight of it is none."""
    story = Story(RUNNING).tell(replace(seen(), stack=("main", "a")))
    assert kinds(story) == []
    story.tell(replace(seen(), stack=("main", "a", "b")))
    assert kinds(story) == [("stack_changed", "main > a > b")]
    assert story.state.repo is not None
    assert story.state.repo.stack == ("main", "a", "b")


def test_where_the_sources_differ_the_record_says_why() -> None:
    """B6."""
    story = Story(RUNNING).tell(replace(seen(), agreed=False, why="the line says commit, the log does not"))
    assert story.records == [
        why(Reason.COMMIT_DOUBTED_SOURCES, item="i", why="the line says commit, the log does not", commits=0)
    ]


@pytest.mark.parametrize("purpose", ["heads_up", "scratch", "packet", "correction", "landing", "handoff", "recovery"])
def test_in_a_turn_of_rawrs_own_it_is_recorded_and_opens_nothing(purpose: Purpose) -> None:
    """A8, D2: synthetic turns contribute no boundary; what was committed is a fact all the same."""
    assert RUNNING.turn is not None
    story = Story(replace(RUNNING, turn=replace(RUNNING.turn, purpose=purpose)))
    story.tell(replace(seen(facts.CommitSeen(SHA, "Add a")), pull_request=("pr_create",)))
    assert [kind for kind, _ in kinds(story)] == ["commit", "pr_opened", "pr_checkpoint"]
    assert story.state.signals == ()
    assert len(story.state.ledger.commits) == 1


# -- a turn is weighed when the look is back ------------------------------------------------------------------------


def at_its_end(outcome: facts.AnyFact) -> Story:
    """A turn whose last command is still being looked at ends with the context half full."""
    story = Story(IDLE, policy=WATCHING).begin("T1", "Do it.").uses("T1", 110_000)
    story.tell(facts.ItemCompleted(turn="T1", item=RAN)).says("T1", WORDS).end("T1")
    assert (story.state.unweighed, story.state.sequence) == (True, None)
    return story.tell(seen(facts.CommitSeen(SHA, "Add a")), outcome)


def test_a_turn_waits_for_the_look_and_then_counts_the_commit() -> None:
    """B6, A6: a commit that the last command made is not missed."""
    look = "t:104.0"
    story = at_its_end(facts.EffectSucceeded(effect=look))
    assert not story.state.unweighed
    assert story.state.sequence is not None
    assert story.state.sequence.ended == "commit, 0a1b2c3d4e Add a"


def test_a_look_that_fails_holds_nothing_up() -> None:
    story = at_its_end(facts.EffectFailed(effect="t:104.0", problem="no git", code="refused"))
    assert (story.state.unweighed, story.state.observing) == (False, ())


def test_meanwhile_no_message_starts_a_turn() -> None:
    """A15: it follows when the turn has been weighed."""
    story = Story(IDLE, policy=WATCHING).begin("T1", "Do it.")
    story.tell(facts.ItemCompleted(turn="T1", item=RAN)).end("T1").tell(facts.UserSubmitted(text="next"))
    assert [one.text for one in story.state.queue] == ["next"]
    story.tell(facts.EffectSucceeded(effect="t:103.0"))
    assert story.state.queue == ()


# -- the working tree -------------------------------------------------------------------------------------------------


def in_a_run() -> Auto:
    return ordered(tree=True)


def test_a_turn_of_a_run_that_did_something_is_followed_by_a_look_at_the_tree() -> None:
    """C6: and is weighed once the look is back."""
    story = in_a_run().works("T1", commands=("./append.sh",))
    assert story.wanted(ObserveTree) == [ObserveTree(turn="T1", cwd="/project")]
    assert (story.state.unweighed, story.run.history[-1:]) == (True, ())
    effect = story.name(ObserveTree)
    story.tell(facts.TreeSeen(turn="T1", digest="d1", files=3), facts.EffectSucceeded(effect=effect))
    assert (story.state.tree, story.state.unweighed, len(story.run.history)) == ("d1", False, 1)
    assert len(story.wanted(ObserveTree)) == 1


def test_a_turn_that_did_nothing_is_not() -> None:
    story = in_a_run().works("T1", "Let me think.")
    assert (story.wanted(ObserveTree), story.state.unweighed) == ([], False)


def test_a_look_at_the_tree_that_fails_holds_nothing_up() -> None:
    story = in_a_run().works("T1", commands=("ls",))
    story.tell(facts.EffectFailed(effect=story.name(ObserveTree), problem="no", code="moot"))
    assert (story.state.tree, story.state.unweighed, len(story.run.history)) == ("", False, 1)


def test_an_order_without_it_and_a_thread_without_a_run_are_left_alone() -> None:
    assert ordered().works("T1", commands=("ls",)).wanted(ObserveTree) == []
    assert ran().says("T1", WORDS).end("T1").wanted(ObserveTree) == []


@pytest.mark.parametrize(("digests", "active"), [("12345", True), ("11111", False), ("12121", False)])
def test_a_tree_that_changes_is_progress(digests: str, active: bool) -> None:
    """C6: the same command in every turn, and the script appends a line. To and fro is none."""
    story = in_a_run()
    for n, digest in enumerate(digests):
        if not story.run.active:
            break
        story.works(f"T{n}", commands=("./append.sh",))
        seen_tree = facts.TreeSeen(turn=f"T{n}", digest=digest)
        story.tell(seen_tree, facts.EffectSucceeded(effect=story.name(ObserveTree)))
    assert story.run.active is active


def test_the_same_error_stops_a_run_only_if_nothing_advanced() -> None:
    """C6: a commit in every turn, and at its end a check that fails."""
    story = in_a_run()
    for n in range(6):
        story.works(f"T{n}", commands=("make",), code=2)
        seen_tree = facts.TreeSeen(turn=f"T{n}", digest=f"d{n}")
        story.tell(seen_tree, facts.EffectSucceeded(effect=story.name(ObserveTree)))
    assert story.run.active


# -- whose commit ---------------------------------------------------------------------------------------------------


def test_a_commit_that_a_rebase_wrote_anew_is_on_record_by_its_new_name() -> None:
    """B6: it is no boundary, and nothing of somebody else's comes on record with it."""
    story = Story(RUNNING).tell(seen(facts.CommitSeen("aaa", "Mine")))
    signals = story.state.signals
    rebased = (facts.CommitSeen("bbb", "Mine", amends="aaa"), facts.CommitSeen("ccc", "Theirs", amends="ddd"))
    story.tell(replace(seen(), rewritten=rebased))
    assert story.newest.boundaries == ()
    assert story.state.signals == signals
    assert story.state.ledger.commits == (Commit("bbb", "Mine", "main"),)


@pytest.mark.parametrize(("tool", "looks"), [("git_commit", 1), ("git_log", 0)])
def test_a_tool_that_may_commit_is_followed_by_a_look(tool: str, looks: int) -> None:
    """B6: a server for git has no command line."""
    call = items.ToolCall(id="i", tool=tool, status="completed", server="git")
    story = Story(RUNNING, policy=WATCHING).tell(facts.ItemCompleted(turn="T1", item=call))
    assert len(story.wanted(ObserveCommand)) == looks
