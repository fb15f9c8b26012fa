"""A thread over time, folded from what a kernel takes (D4)."""

from pathlib import Path

import msgspec
import pytest

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts, items
from rawr.journal.reader import JournalReader
from rawr.pages.report import report_page
from rawr.views.timeline import Timeline, TimelineFold
from rawr.views.timeline.journaled import timeline_of
from tests.core.golden.lines import HERE, read
from tests.core.runs import RULES
from tests.core.samples import PACKET, worked
from tests.views.followed import Followed
from tests.views.reported_journal import THREAD, a_night

RECORDED = sorted((HERE / "recorded").glob("*.ndjson"))
WINDOW = 258_400


def told(path: Path) -> dict[str, Timeline]:
    """The threads of a recorded session, taken by a kernel of today."""
    kernel, folds = Kernel(), dict[str, TimelineFold]()
    for line in read(path):
        kernel.seq = line.seq - 1
        taken = kernel.take(line.thread, line.fact, at=line.at)
        if line.thread:
            folds.setdefault(line.thread, TimelineFold(line.thread, kernel.policy))
        for fold in folds.values():
            fold.take(taken)
    return {name: fold.so_far for name, fold in folds.items()}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_sessions_of_the_real_codex(path: Path) -> None:
    """Each has its turns in order, points within them, and a page."""
    for name, timeline in told(path).items():
        assert timeline.thread == name
        assert timeline.turns
        assert [one.number for one in timeline.turns] == list(range(1, len(timeline.turns) + 1))
        assert all(0 < one.turn <= len(timeline.turns) for one in timeline.points)
        moments = [one.at for one in timeline.points]
        assert moments == sorted(moments)
        assert timeline.left_out == {}
        assert timeline.folder
        assert timeline.tokens > 0
        assert msgspec.json.decode(msgspec.json.encode(timeline), type=Timeline) == timeline
        assert report_page(timeline).endswith("</html>\n")


def test_what_a_recorded_session_tells() -> None:
    """A23: a compaction that a person wanted, and that failed."""
    (timeline,) = told(HERE / "recorded" / "a_failed_compaction.ndjson").values()
    (made,) = timeline.compactions
    assert (made.by, made.ok, made.tokens_before, made.tokens_after, made.tier) == (
        "person",
        False,
        90_000,
        None,
        "ready",
    )
    assert [(one.purpose, one.status) for one in timeline.turns] == [("", "completed"), ("compaction", "failed")]


class Followings(Followed):
    """A story of which a timeline is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.fold = TimelineFold(self.state.id, self.policy)

    def _taken(self, fact: facts.AnyFact) -> Taken:
        taken = super()._taken(fact)
        self.fold.take(taken)
        return taken


def test_the_golden_path() -> None:
    """A9, A13, A23: whose the turns are, what the compaction took and brought, and who wrote the packet."""
    story = Followings()
    worked(story)
    story.answers("P", PACKET)
    story.compacts()
    story.answers("H", "On I go.")
    timeline = story.fold.so_far
    assert [(one.id, one.purpose, one.synthetic) for one in timeline.turns] == [
        ("W", "", False),
        ("P", "heads_up", True),
        ("C", "compaction", True),
        ("H", "handoff", False),
    ]
    assert [(one.tokens, one.percent_left) for one in timeline.points] == [(100_000, 64), (20_000, 97)]
    (made,) = timeline.compactions
    assert (made.by, made.ok, made.tier, made.packet, made.percent_left) == ("rawr", True, "asap", "agent", 64)
    assert (made.tokens_before, made.tokens_after, made.in_work, made.turn) == (100_000, 20_000, False, 3)
    assert [(one.came_to, one.found) for one in timeline.packets] == [("taken", ())]
    assert [(one.kind, one.gating) for one in timeline.boundaries if one.gating] == [("phase_boundary", True)]
    decided = next(one for one in timeline.decisions if one.reason == "compact.decided.boundary")
    assert (decided.area, decided.turn, decided.evidence["tier"], decided.against) == ("Compaction", 1, "asap", ())


def test_a_packet_against_the_facts() -> None:
    """D2: what the check found, and what the record adds where the agent did not."""
    story = Followings()
    changed = items.FileChange(id="f", changes=(items.Change("/w/kept.py", "update"),), status="completed")
    story.tell(facts.TurnStarted(turn="V"), facts.ItemCompleted(turn="V", item=changed))
    story.tell(facts.TurnCompleted(turn="V", status="completed"))
    worked(story)
    story.answers("P", PACKET)
    story.answers("Q", PACKET)
    timeline = story.fold.so_far
    assert [(one.path, one.kind) for one in timeline.files] == [("/w/kept.py", "update")]
    lacks = "The changed file “/w/kept.py” is not mentioned."
    assert [(one.came_to, one.found) for one in timeline.packets] == [("returned", (lacks,)), ("taken", (lacks,))]


def test_a_night(own_home: Path, tmp_path: Path) -> None:
    """Requests by whom, checks, commits, Codex's own compaction in the middle of a turn."""
    a_night(own_home / "rawr", tmp_path, [("a" * 40, "Add it"), ("b" * 40, "Fix it")])
    with JournalReader.open(own_home / "rawr") as reader:
        timeline = timeline_of(reader, THREAD, policy=RULES)
    assert [(one.asked, one.verdict, one.by, one.approval) for one in timeline.requests] == [
        ("approval of: ls", "approved", "rule", True),
        ("approval of: git push", "declined", "person", True),
        ("a question: Which colour?", "Blue", "person", False),
    ]
    assert [one.grounds for one in timeline.requests][:1] == [("it only reads",)]
    assert [(one.passed, one.exit_code, one.turn) for one in timeline.checks] == [(False, 2, 1), (True, 0, 2)]
    assert [(one.sha[:2], one.subject) for one in timeline.commits] == [("aa", "Add it"), ("bb", "Fix it")]
    (made,) = timeline.compactions
    assert (made.by, made.in_work, made.items_before, made.turn) == ("codex", True, 1, 2)
    assert (made.tokens_before, made.tokens_after) == (250_000, 8_400)
    assert (timeline.tokens, timeline.cost) == (250_000, None)
    settled = {name: count for name, count in timeline.counts.items() if " by " in name}
    assert settled == {"approved by rule": 1, "declined by person": 1, "answered by person": 1}
    assert timeline.counts["turns of work"] == 2


# -- however long it is -----------------------------------------------------------------------------------------------


def a_long_run(turns: int) -> Timeline:
    """Without a kernel: what the fold keeps does not depend on it."""
    fold, seq = TimelineFold("t", Policy()), 0

    def take(fact: facts.AnyFact) -> None:
        nonlocal seq
        seq += 1
        fold.take(Taken(facts.Recorded(seq, seq * 1_000, "t", fact)))

    for number in range(turns):
        turn = f"T{number}"
        take(facts.TurnStarted(turn=turn))
        tokens = 20_000 + number % 50 * 4_000
        tokens = 257_000 if number == turns // 2 else tokens
        take(facts.UsageUpdated(turn=turn, in_context=tokens, spent=number * 9, window=WINDOW))
        steps = (facts.PlanStep(f"step {number}", "completed"),)
        take(facts.PlanUpdated(turn=turn, steps=steps))
        seen = facts.CommitSeen(f"{number:040x}", f"subject {number}")
        take(facts.CommandObserved(turn=turn, item="i", commits=(seen,)))
        failed = facts.Problem(message="no") if number == turns // 3 else None
        take(facts.TurnCompleted(turn=turn, status="failed" if failed else "completed", problem=failed))
    return fold.so_far


def test_a_very_long_run_stays_small_and_keeps_its_extremes() -> None:
    timeline = a_long_run(100_000)
    assert timeline.counts["turns"] == timeline.counts["points"] == timeline.counts["commits"] == 100_000
    assert len(timeline.points) + timeline.left_out["points"] == 100_000
    assert len(timeline.turns) + timeline.left_out["turns"] == 100_000
    assert max(one.tokens for one in timeline.points) == 257_000
    assert (timeline.points[0].at, timeline.points[-1].turn) == (2_000, 100_000)
    assert [one.number for one in timeline.turns if one.status == "failed"] == [33_334]
    assert timeline.commits[-1].subject == "subject 99999"
    assert len(report_page(timeline)) < 1_500_000


def test_short_runs_are_whole() -> None:
    timeline = a_long_run(200)
    assert timeline.left_out == {}
    assert len(timeline.points) == len(timeline.turns) == len(timeline.commits) == 200


def test_other_threads_are_not_on_it() -> None:
    fold = TimelineFold("t")
    fold.take(Taken(facts.Recorded(1, 5, "other", facts.TurnStarted(turn="T"))))
    adopted = facts.PolicyAdopted(policy=RULES)
    fold.take(Taken(facts.Recorded(2, 6, "", adopted)))
    assert (fold.so_far.turns, fold.so_far.began) == ((), 0)
    assert fold.so_far.bands == dict(RULES.compaction.thresholds)
