"""A turn is judged when Codex's session file has been read: what only the file has counts like the rest (C2)."""

import pytest
from msgspec.structs import replace

from rawr.core.handover.check import check
from rawr.core.handover.claims import Known
from rawr.core.handover.handoff import recorded
from rawr.core.handover.packet import Packet
from rawr.core.state.session import MAX_TOLD, SessionFile
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import Notify, ObserveCommand, ObserveTree, ReadSession, StartTurn
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import Found, SessionMark, SessionTrouble, plan_digest
from tests.core.runs import GOAL, RULES, Auto, ordered
from tests.core.samples import IDLE, QUIET, Story

FOUND = Found()
LATER = SessionMark(10, "c")
PATH = "/codex/sessions/r.jsonl"
FRESH = replace(IDLE, session=SessionFile(PATH, SessionMark()))
LOOKING = replace(QUIET, watch_repositories=True, watch_files=True)
DENIED = items.Command(
    id="denied",
    command="git commit -m x",
    cwd="/project",
    status="failed",
    exit_code=128,
    output_tail="fatal: Unable to create '.git/index.lock': Read-only file system\n",
)
ORDER = Order(goal=GOAL)
TOLD = items.Command(id="told", command="/bin/bash -lc 'make'", inner="make", cwd="/project", status="completed")


def found(item: items.AnyItem = DENIED, *, turn: str = "T1", place: Found = FOUND) -> facts.ItemCompleted:
    return facts.ItemCompleted(turn=turn, item=item, found=place)


def read(
    story: Story,
    *told: facts.AnyFact,
    mark: SessionMark = LATER,
    ended: bool = True,
    trouble: SessionTrouble = "",
) -> Story:
    """The read that is under way comes back with these."""
    effect = story.name(ReadSession)
    count = sum(isinstance(one, facts.ItemCompleted) for one in told)
    last = facts.SessionRead(effect=effect, mark=mark, found=count, ended=ended, trouble=trouble, problem=trouble)
    return story.tell(*told, last, facts.EffectSucceeded(effect=effect))


def worked() -> Story:
    story = Story(FRESH, policy=QUIET).begin("T1", "Do it.")
    return story.tell(facts.ItemStarted(turn="T1", item=TOLD), facts.ItemCompleted(turn="T1", item=TOLD)).end("T1")


# -- when it is read --------------------------------------------------------------------------------------------------


def test_a_turn_is_judged_when_the_file_has_been_read() -> None:
    story = worked().tell(facts.UserSubmitted(text="next"))
    assert story.wanted(ReadSession) == [ReadSession(path=PATH, turn="T1", mark=SessionMark(), told=("told",))]
    assert (story.state.unweighed, story.wanted(StartTurn)) == (True, [])
    read(story, found())
    assert (story.state.unweighed, len(story.wanted(StartTurn))) == (False, 1)
    assert story.state.session == SessionFile(PATH, SessionMark(10, "c"), found=("denied",), read="T1")


def test_without_a_file_nothing_is_read() -> None:
    story = Story(IDLE, policy=QUIET).begin("T1", "Do it.").end("T1")
    assert (story.wanted(ReadSession), story.state.unweighed) == ([], False)


def test_a_thread_of_ours_is_read_from_its_beginning_and_another_from_where_it_was_joined() -> None:
    ours = Story(replace(IDLE, ours=False), policy=QUIET)
    ours.tell(facts.ThreadOpened(cwd="/project", ours=True, session_file=PATH))
    assert ours.state.session == SessionFile(PATH, SessionMark())
    theirs = Story(replace(IDLE, online=False), policy=QUIET)
    theirs.tell(facts.ThreadJoined(cwd="/project", session_file=PATH))
    assert theirs.wanted(ReadSession) == [ReadSession(path=PATH)]
    steps = (PlanStep("a", "completed"), PlanStep("b", "pending"))
    read(theirs, facts.PlanUpdated(turn="T0", steps=steps, found=Found()))
    assert (theirs.state.plan.steps, theirs.state.plan.trail, theirs.state.signals) == (steps, (), ())
    assert not any(step.boundaries for step in theirs.steps)


def test_who_joins_again_reads_on_and_starts_nothing_before() -> None:
    story = read(worked(), found()).tell(facts.ServerLost(epoch=1, problem="gone"), facts.UserSubmitted(text="next"))
    story.tell(facts.ThreadJoined(cwd="/project", session_file="/codex/archived_sessions/r.jsonl"))
    again = story.wanted(ReadSession)[-1]
    assert (again.path, again.mark) == ("/codex/archived_sessions/r.jsonl", SessionMark(10, "c"))
    assert (story.state.reading, story.wanted(StartTurn)) == (True, [])
    read(story, mark=SessionMark(20, "d"))
    assert len(story.wanted(StartTurn)) == 1


def test_a_read_that_was_cut_off_is_repeated_once() -> None:
    """D5: rawr was killed between the end of the turn and the read."""
    story = worked()
    lost = facts.EffectFailed(effect=story.name(ReadSession), problem="rawr ended", code="lost")
    story.tell(facts.RuntimeStarted(version="1", policy=""), lost)
    first, second = story.wanted(ReadSession)
    assert (second, story.state.unweighed) == (first, True)
    read(story, found())
    assert [one.command for one in story.state.ledger.failures] == ["git commit -m x"]
    # Nobody may have the thread open: what follows waits until it is joined.
    assert story.state.unweighed
    story.tell(facts.ThreadJoined(cwd="/project", session_file=PATH))
    assert not story.state.unweighed


def test_nothing_is_decided_for_a_thread_that_nobody_has_open() -> None:
    """D5: rawr and Codex were killed between a turn's end and the look at its tree. The moment to compact comes when
    somebody is there again, and not before."""
    policy = replace(LOOKING, compaction=replace(LOOKING.compaction, enabled=True))
    story = Story(FRESH, policy=policy).begin("T1", "Do it.").uses("T1", 150_000)
    story.tell(facts.PlanUpdated(turn="T1", steps=(PlanStep("a", "in_progress"), PlanStep("b", "pending"))))
    story.tell(facts.PlanUpdated(turn="T1", steps=(PlanStep("a", "completed"), PlanStep("b", "pending"))))
    story.tell(facts.ItemCompleted(turn="T1", item=replace(TOLD, reads_only=True))).says("T1", "So far.").end("T1")
    lost = [
        facts.EffectFailed(effect=story.name(kind), problem="rawr ended", code="lost")
        for kind in (ObserveTree, ReadSession)
    ]
    story.tell(facts.RuntimeStarted(version="1", policy=""), *lost)
    read(story)
    assert (story.state.unweighed, story.state.sequence) == (True, None)
    story.tell(facts.ThreadJoined(cwd="/project", idle=True))
    assert story.state.sequence is not None


def test_a_read_that_fails_holds_nothing_up() -> None:
    story = worked()
    story.tell(facts.EffectFailed(effect=story.name(ReadSession), problem="slow", code="timed_out"))
    assert (story.state.unweighed, story.state.reading) == (False, False)
    assert Reason.SESSION_FAILED_READ in story.reasons()


# -- when a run does not wait for it ----------------------------------------------------------------------------------


def driven(order: Order = ORDER) -> Auto:
    """A run with room, and the end of its first turn of work."""
    run = Auto(FRESH, policy=RULES).tell(facts.RunSubmitted(order=order))
    run.begin("T1", GOAL, ours=True).uses("T1", 1_000).tell(facts.ItemCompleted(turn="T1", item=TOLD))
    run.says("T1", "On I go.").end("T1")
    return run


def test_a_run_that_goes_on_does_not_wait_for_a_read_that_decides_nothing() -> None:
    """C2: it is made up for when the next turn has begun, up to where that begins, and counts for the turn before."""
    run = driven()
    assert (len(run.sent), run.wanted(ReadSession), run.state.unweighed) == (2, [], False)
    run.begin("T2", run.sent[-1], ours=True)
    [late] = run.wanted(ReadSession)
    assert late == ReadSession(path=PATH, turn="T1", late=True, mark=SessionMark(), told=("told",))
    next_one = replace(TOLD, id="next")
    run.tell(facts.ItemStarted(turn="T2", item=next_one))
    read(run, found())
    last = run.run.history[-1]
    assert (last.turn, last.commands, last.commands_failed) == ("T1", 2, 1)
    assert "Read-only file system" in last.problem
    assert run.state.turn is not None
    assert (run.state.turn.commands, run.state.turn.commands_failed) == (0, 0)
    # Of the turn that runs, what was told meanwhile is known at its end.
    file = run.state.session
    assert file == SessionFile(PATH, LATER, told=("next",), found=("denied",), read="T1")
    run.tell(facts.ItemCompleted(turn="T2", item=next_one)).end("T2")
    run.begin("T3", run.sent[-1], ours=True)
    assert run.wanted(ReadSession)[-1].told == ("next", "denied")


def test_a_late_read_finds_no_call_that_was_told_before_it() -> None:
    run = driven().begin("T2", GOAL, ours=True)
    read(run, found(replace(TOLD, status="failed", exit_code=1)))
    assert (run.state.ledger.failures, Reason.IGNORED_KNOWN_CALL in run.reasons()) == ((), True)


def test_what_is_told_during_a_read_is_known_after_it() -> None:
    """C2: the user was quick, and the next turn has run a command before the read is back."""
    story = worked().begin("T2", "More.")
    other = replace(TOLD, id="other")
    read(story.tell(facts.ItemStarted(turn="T2", item=other), facts.ItemCompleted(turn="T2", item=other)))
    assert story.end("T2").wanted(ReadSession)[-1].told == ("other",)


def test_a_late_read_that_does_not_reach_the_end_forgets_nothing() -> None:
    run = driven().begin("T2", GOAL, ours=True)
    read(run.tell(facts.ItemStarted(turn="T2", item=replace(TOLD, id="next"))), ended=False)
    run.end("T2").begin("T3", GOAL, ours=True)
    assert run.wanted(ReadSession)[-1].told == ("told", "next")


def test_the_guards_know_of_a_denial_in_time() -> None:
    """C6: three turns with the same error, of which the first was read late, are three."""
    run = driven()
    for n in (1, 2, 3):
        if n > 1:
            run.uses(f"T{n}", 1_000).tell(facts.ItemCompleted(turn=f"T{n}", item=replace(TOLD, id=f"t{n}")))
            run.says(f"T{n}", f"Attempt {n}.").end(f"T{n}")
        if run.state.session is not None and run.state.session.owed:
            run.begin(f"T{n + 1}", GOAL, ours=True)
        read(run, found(replace(DENIED, id=f"d{n}", command=f"git commit -m {n}"), turn=f"T{n}"))
    assert run.run.stop is not None
    assert run.run.stop.reason == Reason.RUN_STOPPED_ERROR


@pytest.mark.parametrize(
    "order",
    [Order(goal=GOAL, review="on-error"), Order(goal=GOAL, done="make test", check="every-turn", tree=True)],
)
def test_where_it_may_decide_it_is_waited_for(order: Order) -> None:
    run = driven(order)
    assert (len(run.wanted(ReadSession)), run.state.unweighed, len(run.sent)) == (1, True, 1)


def test_a_turn_that_seems_to_have_done_nothing_is_judged_when_it_is_read() -> None:
    """C12: it may have been denied."""
    run = Auto(FRESH, policy=RULES).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    run.begin("T1", GOAL, ours=True).uses("T1", 1_000).says("T1", "On I go.").end("T1")
    assert (len(run.wanted(ReadSession)), run.state.unweighed) == (1, True)


def test_it_is_made_up_for_when_the_run_rests() -> None:
    """D3: whatever ends it."""
    run = driven(Order(goal=GOAL, budgets=Budgets(turns=1)))
    assert run.run.status == "stopped"
    assert run.wanted(ReadSession) == [ReadSession(path=PATH, turn="T1", late=True, mark=SessionMark(), told=("told",))]
    read(run, found())
    assert "Read-only" in run.run.history[-1].problem


def test_it_is_made_up_for_after_a_crash() -> None:
    """D5: from the mark on."""
    run = driven()
    run.tell(facts.RuntimeStarted(version="1", policy=""))
    run.tell(facts.ThreadJoined(cwd="/project", session_file=PATH))
    [again] = run.wanted(ReadSession)
    assert (again.mark, again.told, again.turn) == (SessionMark(), ("told",), "T1")


# -- each call once ---------------------------------------------------------------------------------------------------


def test_a_call_that_codex_told_is_not_found_again() -> None:
    story = read(worked(), found(replace(TOLD, status="failed", exit_code=1)))
    assert (story.state.ledger.failures, Reason.IGNORED_KNOWN_CALL in story.reasons()) == ((), True)
    assert story.state.last_turn is not None
    assert story.state.last_turn.commands == 1


def test_a_call_that_was_found_is_not_told_again() -> None:
    """A late notification after the read."""
    story = read(worked(), found())
    before = story.state
    story.tell(facts.ItemStarted(turn="T1", item=DENIED), facts.ItemCompleted(turn="T1", item=DENIED))
    assert story.state == before
    assert story.reasons().count(Reason.IGNORED_KNOWN_CALL) == 2


def test_a_command_that_runs_on_is_known_from_its_beginning() -> None:
    story = Story(FRESH, policy=QUIET).begin("T1", "Do it.")
    story.tell(facts.ItemStarted(turn="T1", item=replace(TOLD, status="running"))).end("T1")
    assert story.wanted(ReadSession)[-1].told == ("told",)
    read(story).tell(facts.ItemCompleted(turn="T1", item=replace(TOLD, status="failed", exit_code=2)))
    assert [one.exit_code for one in story.state.ledger.failures] == [2]


def test_what_was_told_is_remembered_until_it_is_read_over_and_no_longer() -> None:
    story = read(worked(), ended=False)
    story.begin("T2", "More.")
    for n in range(MAX_TOLD):
        story.tell(facts.ItemStarted(turn="T2", item=replace(TOLD, id=f"c{n}")))
    story.end("T2")
    [*_, effect] = story.wanted(ReadSession)
    assert (len(effect.told), effect.told[0], effect.overflow) == (MAX_TOLD, "c0", True)
    read(story)
    assert story.state.session == SessionFile(PATH, LATER, read="T2")


# -- what was denied is known -----------------------------------------------------------------------------------------


def test_the_packet_check_and_the_handoff_know_what_was_denied() -> None:
    """D2, D3."""
    story = read(worked(), found())
    ledger = story.state.ledger
    packet = Packet(text="All is well.", sections={})
    [finding] = [one for one in check(packet, Known(ledger)) if one.kind == "failure"]
    assert finding.text == "The failed command “git commit -m x” is not mentioned."
    assert "failed, exit code 128: “git commit -m x” (“fatal: Unable to create" in recorded(ledger, ())
    assert ledger.commits == ()


def test_it_is_in_its_place_among_the_others() -> None:
    """A later success of the same command counts, and the newest failure is the newest."""
    story = Story(FRESH, policy=QUIET).begin("T1", "Do it.")
    failed = replace(TOLD, id="t2", inner="ls x", status="failed", exit_code=2)
    story.tell(facts.ItemCompleted(turn="T1", item=failed)).end("T1")
    other = replace(DENIED, id="d2", command="touch /etc/x")
    read(story, found(place=Found(overtaken=True)), found(other, place=Found(behind=1)))
    assert [one.command for one in story.state.ledger.failures] == ["touch /etc/x", "ls x"]


def test_the_repository_is_looked_at_after_it() -> None:
    """B6: what the line says is not taken for done."""
    policy = replace(QUIET, watch_repositories=True)
    story = Story(FRESH, policy=policy).begin("T1", "Do it.").end("T1")
    read(story, found())
    [look] = story.wanted(ObserveCommand)
    assert (look.command, look.exit_code, story.state.unweighed) == ("git commit -m x", 128, True)
    story.tell(facts.EffectSucceeded(effect=story.name(ObserveCommand)))
    assert (story.state.unweighed, story.state.ledger.commits) == (False, ())


def test_the_same_denial_in_three_turns_stops_a_run() -> None:
    """C6: nobody told of it, and the guard knows."""
    story: Auto = ordered()
    story.state = replace(story.state, session=SessionFile(PATH, SessionMark()))
    for n in range(3):
        story.works(f"T{n}", f"I try it in another way, number {n}.")
        item = replace(DENIED, id=f"d{n}", command=f"git commit -m {n}")
        read(story, found(item, turn=f"T{n}"))
    assert story.run.stop is not None
    assert story.run.stop.reason == Reason.RUN_STOPPED_ERROR


def test_files_and_tools_that_were_not_told_count_for_the_turn() -> None:
    change = items.FileChange(id="f", changes=(items.Change("/project/a.py", "add"),), status="completed")
    tool = items.ToolCall(id="x", tool="view_image", status="failed")
    story = read(worked(), found(change), found(tool))
    assert story.state.last_turn is not None
    assert (story.state.last_turn.files, story.state.last_turn.tools) == (("/project/a.py",), 1)
    assert [one.path for one in story.state.ledger.files] == ["/project/a.py"]
    assert story.state.since.files == ("/project/a.py",)


def test_what_belongs_to_an_earlier_turn_counts_for_the_thread_only() -> None:
    story = read(worked(), found(turn="T0"))
    assert story.state.last_turn is not None
    assert (story.state.last_turn.commands, len(story.state.ledger.failures)) == (1, 1)


def test_a_plan_that_was_not_told_is_one_like_any_other() -> None:
    """While the connection was lost, for example."""
    story = Story(FRESH, policy=QUIET).begin("T1", "Do it.")
    before = (PlanStep("a", "in_progress"),)
    story.tell(facts.PlanUpdated(turn="T1", steps=before)).end("T1")
    assert story.wanted(ReadSession)[-1].plan == plan_digest(before)
    done = (PlanStep("a", "completed"),)
    read(story, facts.PlanUpdated(turn="T1", steps=done, found=Found()))
    assert (story.state.plan.steps, [one.step for one in story.state.plan.trail]) == (done, ["a"])


def test_words_count_in_a_turn_that_only_used_tools() -> None:
    """B8: a tool is work as a command or a patch is."""
    said = "The research is done."
    for work, counts in ((items.ToolCall(id="x", tool="find", status="completed"), True), (None, False)):
        story = Story(IDLE).begin("T1", "Do it.")
        if work is not None:
            story.tell(facts.ItemCompleted(turn="T1", item=work))
        story.says("T1", said).end("T1")
        kinds = [one.kind for step in story.steps for one in step.boundaries]
        assert ("agent_done" in kinds) is counts


# -- trouble ----------------------------------------------------------------------------------------------------------


def test_trouble_is_told_once_until_it_is_over() -> None:
    story = read(worked(), trouble="missing")
    read(story.begin("T2", "More.").end("T2"), trouble="missing")
    assert len(story.wanted(Notify)) == 1
    assert story.wanted(ReadSession)[-1].trouble == "missing"
    read(story.begin("T3", "More.").end("T3"))
    read(story.begin("T4", "More.").end("T4"), trouble="replaced")
    assert story.reasons().count(Reason.SESSION_DOUBTED_FILE) == 2


def test_a_read_that_nobody_waits_for_changes_nothing() -> None:
    story = read(worked())
    before = story.state
    story.tell(facts.SessionRead(effect="t:1.0", mark=SessionMark(99, "z")))
    assert story.state == before
