"""What is on record of a thread, for any surface (B3)."""

from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state import ledger
from rawr.core.state.ledger import Commit, Ledger
from rawr.core.state.thread import PhaseMark, Plan, Repo, StepDone
from rawr.views.record import SHOWN_FILES, ChangedFile, InvariantView, PhaseView, RecordView, StepView
from rawr.views.threads import thread_view
from tests.core.samples import AT, IDLE


def test_nothing_is_on_record_of_a_new_thread() -> None:
    assert thread_view(IDLE, Policy(), last_seen=AT, now=AT).record == RecordView()


def test_everything_that_is_on_record() -> None:
    kept = ledger.add_file(Ledger(commits=(Commit("abc", "First"),)), "/p/a.py", "add", shared=True)
    for text in ("Build it.", "Never push.", "What about tea?"):
        kept = ledger.add_message(kept, text, at=AT)
    state = replace(
        IDLE,
        session_id="s",
        repo=Repo("/p", "main", "abc"),
        ledger=ledger.add_pin(kept, "Use tabs.", at=AT),
        phases=(PhaseMark("research", "", "", (), "T", AT, by="user"),),
        plan=Plan(trail=(StepDone("a", AT, "T", ("make",), 3),)),
    )
    assert thread_view(state, Policy(), last_seen=AT, now=AT).record == RecordView(
        session_id="s",
        root="/p",
        branch="main",
        commits=1,
        files=(ChangedFile("/p/a.py", "add", shared=True),),
        invariants=(InvariantView("Use tabs.", "user", pinned=True), InvariantView("Never push.", "user")),
        phases=(PhaseView("research", "", "", (), "user"),),
        steps=(StepView("a", AT, ("make",), 3),),
    )


def test_files_are_bounded() -> None:
    kept = Ledger()
    for n in range(SHOWN_FILES + 3):
        kept = ledger.add_file(kept, f"/p/{n}", "add")
    found = thread_view(replace(IDLE, ledger=kept), Policy(), last_seen=AT, now=AT).record.files
    assert (len(found), found[0].path) == (SHOWN_FILES, "/p/3")
