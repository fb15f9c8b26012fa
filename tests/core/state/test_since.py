"""What came since the last compaction: bounded, the newest kept, written at a turn's end (A18)."""

from rawr.core.state import since
from rawr.core.state.ledger import Commit, Ledger
from rawr.core.state.since import MAX_BEFORE, MAX_FILES, MAX_SAID, MAX_WORDS, Since, Spoken
from rawr.core.vocabulary import facts, items
from tests.core.samples import GOLDEN, PACKET, Story, decided


def commits(*shas: str) -> Ledger:
    return Ledger(commits=tuple(Commit(sha, f"subject {sha}") for sha in shas))


def test_files_are_listed_once_and_by_their_newest_change() -> None:
    kept = since.add_turn(Since(files=("a", "b", "c")), files=("b", "d"), said="", at=1)
    assert kept == Since(files=("a", "c", "b", "d"))


def test_what_the_agent_said_is_kept_by_its_end() -> None:
    words = "x" * MAX_WORDS
    kept = since.add_turn(Since(), files=(), said=f"  a{words}\n", at=7)
    assert kept == Since(said=(Spoken(7, f"[1 earlier characters…] {words}"),))
    assert since.add_turn(kept, files=(), said=" \n", at=8) == kept


def test_it_is_bounded() -> None:
    kept = Since()
    for n in range(300):
        kept = since.add_turn(kept, files=(f"f{n}", f"g{n}"), said=f"turn {n}", at=n)
    assert len(kept.files) == MAX_FILES
    assert kept.files[-1] == "g299"
    assert [one.at for one in kept.said] == list(range(300 - MAX_SAID, 300))


def test_commits_made_since_are_told_from_those_before() -> None:
    before = since.after_compaction(commits("1", "2", "3"))
    assert before == Since(before=("1", "2", "3"))
    assert [one.sha for one in since.commits(before, commits("1", "2", "3", "4", "5"))] == ["4", "5"]
    assert since.commits(before, commits("1", "2", "3")) == ()
    assert [one.sha for one in since.commits(Since(), commits("1", "2"))] == ["1", "2"]


def test_one_that_was_amended_since_counts_as_made_since() -> None:
    before = since.after_compaction(commits("1", "2"))
    assert [one.sha for one in since.commits(before, commits("1", "2b"))] == ["2b"]


def test_the_marker_is_small() -> None:
    many = commits(*(str(n) for n in range(60)))
    assert since.after_compaction(many).before == tuple(str(n) for n in range(60 - MAX_BEFORE, 60))


def test_turns_of_work_count_and_rawrs_own_do_not() -> None:
    """Also the turn of a handoff: the agent goes on from it for as long as the work takes."""
    story = decided(policy=GOLDEN)
    assert [one.text for one in story.state.since.said] == [
        "The research is finished; everything that was found is in the notes for the draft."
    ]
    story.answers("H", PACKET).compacts()
    assert len(story.state.since.said) == 1
    change = items.FileChange(id="f", changes=(items.Change("a.py", "add"),), status="completed")
    story.begin("G", "Handoff", ours=True).tell(facts.ItemCompleted(turn="G", item=change)).says("G", "On I go.")
    assert story.state.since == Since()
    assert story.end("G").state.since == Since(files=("a.py",), said=(Spoken(story.at, "On I go."),))


def test_another_clients_compaction_begins_it_anew() -> None:
    story = Story().begin("W", "Do it.").says("W", "Done and dusted.").end("W")
    assert len(story.state.since.said) == 1
    item = items.Compaction(id="c")
    story.tell(facts.TurnStarted(turn="C"), facts.ItemStarted(turn="C", item=item))
    story.tell(facts.ItemCompleted(turn="C", item=item)).end("C")
    assert story.state.since == Since()
