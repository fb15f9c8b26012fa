"""The report on a run, from its journal and its repository (C17, C18)."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.terminal.numbers import clock_time
from rawr.cli.terminal.report_words import on_terminal
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import Verdict
from rawr.journal.reader import JournalReader
from rawr.views.changes import changes_of
from rawr.views.recorded import called, recall
from rawr.views.report import ApprovalsView, OpenQuestion, RunReport, report_of
from tests.core.runs import RULES, rules
from tests.views.reported_journal import GOAL, THREAD, Night, a_night, git, repository

SUBJECTS = ("Add the thing", "Fix the thing")


def reported(home: Path, policy: Policy = RULES, *, live: bool = False) -> RunReport:
    with JournalReader.open(home) as reader:
        (one,) = recall(reader, policy, most=9)
        assert one.state is not None
        return report_of(reader, one.state, policy, last_seen=one.span.last_at, now=one.span.last_at, live=live)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "repo"


@pytest.fixture
def night(own_home: Path, folder: Path) -> RunReport:
    made = repository(folder, *SUBJECTS)
    a_night(own_home / "rawr", folder, list(zip(made, SUBJECTS, strict=True)))
    return reported(own_home / "rawr")


def test_what_came_of_it(night: RunReport, folder: Path) -> None:
    """C18."""
    assert (night.goal, night.until, night.allow, night.folder) == (GOAL, "make check", ("git commit",), str(folder))
    assert (night.status, night.done, night.verdict) == ("done", "checked", "Done, and the check passed.")
    assert night.why == "The job is done: the check passed."
    assert (night.turns, night.max_turns, night.tokens, night.cost) == (2, 200, 250_000, None)
    assert (night.seconds > 0, night.whole, night.retries) == (True, True, 0)
    assert [one.what for one in night.happenings] == ["started", "done"]
    assert night.continue_with == f'rawr override {night.run} "…"'


def test_commits_and_what_is_not_committed(night: RunReport) -> None:
    """C18, B6: the commits that rawr saw, with their size, and the files beside them."""
    changes = night.changes
    assert [(one.subject, one.files, one.added, one.removed) for one in changes.commits] == [
        (SUBJECTS[0], 2, 3, 0),
        (SUBJECTS[1], 2, 3, 0),
    ]
    assert (changes.files, changes.added, changes.removed, changes.problem) == (3, 6, 0, "")
    left = changes.uncommitted
    assert (left.files, left.changed, left.staged, left.untracked) == (2, ("kept.txt",), (), ("new.txt",))


def test_checks_and_compactions(night: RunReport) -> None:
    """C7, A20."""
    assert [(one.passed, one.exit_code, one.output) for one in night.checks] == [
        (False, 2, "compiling\n1 test failed"),
        (True, 0, "ok"),
    ]
    (one,) = night.compactions
    assert (one.ok, one.by_codex, one.tokens_before, one.tokens_after) == (True, True, 250_000, 8_400)


def test_who_decided_what(night: RunReport) -> None:
    """C10, C11: counted, and those of a person in their words."""
    assert night.approvals == ApprovalsView(
        by_rule=1, by_person=0, declined=1, answered_by_person=1, answered_by_model=0
    )
    assert [(one.asked, one.by, one.answer) for one in night.answers] == [
        ("approval of: git push", "person", "decline"),
        ("a question: Which colour?", "person", "Blue"),
    ]
    assert night.waiting == ()


def test_a_price_if_there_is_one(own_home: Path, night: RunReport) -> None:
    assert reported(own_home / "rawr", rules(price_input=2_000_000)).cost == 0.0


# -- a run that is not over -----------------------------------------------------------------------------------------


def test_what_waits_for_a_person(own_home: Path, folder: Path) -> None:
    """C11, C18: with the command that answers; only a running rawr can pass the answer on."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.asks("1/0", "rm x").judged("1/0", safe=False)
    asked, grounds = "approval of: rm x", ("in /", "not proved safe: it only reads")
    live = reported(own_home / "rawr", live=True)
    assert live.waiting == (OpenQuestion(asked, grounds, ("rawr approve 1/0", "rawr deny 1/0")),)
    assert (live.status, live.verdict, live.why) == ("running", "Still under way.", "")
    gone = reported(own_home / "rawr")
    assert gone.waiting == (OpenQuestion(asked, grounds, (f"rawr resume {gone.run}",)),)
    assert (gone.status, gone.continue_with) == ("cut off", f"rawr resume {gone.run}")
    assert gone.verdict == "Cut off: rawr exited while it was under way."


def test_a_request_is_named_as_a_shell_needs_it(own_home: Path, folder: Path) -> None:
    """Codex names it, and a person pastes the command."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.asks("1; echo", "rm x").judged("1; echo", safe=False)
    (one,) = reported(own_home / "rawr", live=True).waiting
    assert one.commands == ("rawr approve '1; echo'", "rawr deny '1; echo'")


def test_an_approval_by_a_person(own_home: Path, folder: Path) -> None:
    """C10."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.asks("1/0", "rm x").judged("1/0", safe=False)
        told.tell(THREAD, facts.AnswerSubmitted(request="1/0", answer=Verdict(verdict="accept")))
    found = reported(own_home / "rawr")
    assert (found.approvals.by_person, found.approvals.declined) == (1, 0)


def test_stops_and_starts(own_home: Path, folder: Path) -> None:
    """C13, C18: each with its reason, and a person's words."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.tell(THREAD, facts.RunPauseSubmitted()).tell(THREAD, facts.TurnCompleted(turn="T1", status="completed"))
        told.tell(THREAD, facts.RunOverridden(text="Do that instead."))
    found = reported(own_home / "rawr")
    assert [one.what for one in found.happenings] == ["started", "paused", "told"]
    assert found.happenings[-1].detail == "Do that instead."


# -- the repository -------------------------------------------------------------------------------------------------


def test_a_folder_that_is_gone(own_home: Path, night: RunReport, folder: Path) -> None:
    """C18: the record is still there, and the report says what is not."""
    shutil.rmtree(folder)
    changes = reported(own_home / "rawr").changes
    assert changes.problem == f"The folder {folder} no longer exists."
    assert [(one.subject, one.files) for one in changes.commits] == [(SUBJECTS[0], None), (SUBJECTS[1], None)]


def test_a_repository_that_is_gone(own_home: Path, night: RunReport, folder: Path) -> None:
    """C18."""
    shutil.rmtree(folder / ".git")
    changes = reported(own_home / "rawr").changes
    assert changes.problem == f"{folder} is not in a git repository."
    assert len(changes.commits) == 2


def test_a_commit_that_is_gone(own_home: Path, night: RunReport, folder: Path) -> None:
    """C18: for example after a rebase."""
    newest = night.changes.commits[-1].sha
    (folder / ".git" / "objects" / newest[:2] / newest[2:]).unlink()
    first, second = reported(own_home / "rawr").changes.commits
    assert (first.files, second.files, second.subject) == (2, None, SUBJECTS[1])


def test_an_amended_commit_counts_once(own_home: Path, folder: Path) -> None:
    """B6."""
    (old,) = repository(folder, "Add it")
    git(folder, "commit", "-q", "--amend", "-m", "Add it well")
    new = git(folder, "rev-parse", "HEAD")
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder).begin(THREAD, "T1")
        told.committed(folder, (old, "Add it")).committed(folder, (new, "Add it well"), amends=old)
    assert [one.subject for one in reported(own_home / "rawr").changes.commits] == ["Add it well"]


def test_there_is_not_always_time(night: RunReport, folder: Path) -> None:
    """C18: a huge repository does not hold up the report."""
    changes = changes_of(str(folder), (), seconds=0.0)
    assert (changes.uncommitted.files, changes.problem) == (0, "")


def test_the_beginning_may_be_gone(own_home: Path, folder: Path, night: RunReport) -> None:
    """C18: a report on half a run says so."""
    with JournalReader.open(own_home / "rawr") as reader:
        (one,) = recall(reader, RULES, most=9)
        assert one.state is not None
        assert one.state.run is not None
        lost = replace(one.state, run=replace(one.state.run, id="r999"))
        found = report_of(reader, lost, RULES, last_seen=0, now=0, live=False)
    assert (found.whole, found.checks) == (False, ())


def test_a_run_over_midnight_has_dates(night: RunReport) -> None:
    """C18: five o'clock is not the same on two mornings."""
    assert checked_at(night) == [clock_time(one.at, "%H:%M") for one in night.checks]
    longer = replace(night, last_seen=night.last_seen + 86_400_000)
    assert checked_at(longer) == [clock_time(one.at, "%m-%d") for one in night.checks]


def checked_at(report: RunReport) -> list[str]:
    ends = (" failed, exit code 2: 1 test failed", " passed")
    return [line.split()[0] for line in on_terminal(report) if line.endswith(ends)]


def test_a_run_after_which_another_was_ordered_on_its_thread(own_home: Path, folder: Path) -> None:
    """C18: as it was then."""
    with Night(own_home / "rawr", RULES) as told:
        told.ordered(folder, "The first job.").begin(THREAD, "T1")
        first = told.run
        told.tell(THREAD, facts.RunStopSubmitted(), facts.TurnCompleted(turn="T1", status="interrupted"))
        told.tell(THREAD, facts.RunSubmitted(order=Order(goal="The second job.")))
        assert told.run != first
    with JournalReader.open(own_home / "rawr") as reader:
        (found,) = called(reader, RULES, first)
        assert found.state is not None
        at = found.span.last_at
        report = report_of(reader, found.state, RULES, last_seen=at, now=at, live=False, until=found.until)
    assert (report.run, report.goal, report.status) == (first, "The first job.", "stopped")
    assert [one.what for one in report.happenings] == ["started", "stopped"]
