"""Finished and unfinished turns, as they are told by their last words and checks (A5, B8). The messages are made up."""

from pathlib import Path

import pytest
from calibration.endings import Ending, judge, read

WRITTEN = read(Path(__file__).with_name("endings.json"))
UNFINISHED = (
    "Almost done; two tests remain.",
    "Fixed two of the five bugs.",
    "Updated the parser. It does not compile yet.",
    "Done with the first half. The second half follows.",
    "Changed the schema. Next I need your password for the database.",
    "Added the exporter. The CSV part is a stub.",
    "Implemented login; logout is left to do.",
    "Updated the client. Three tests are failing.",
    "Rewrote the query. It throws an exception on empty input.",
    "Wrote the migration. I could not run it here.",
    "Two options: (a) keep the cache, (b) drop it. Pick one.",
    "Phase 1 of 3 is done.",
    "Refactored the loader. The build is broken.",
    "Created the page, with a TODO for the footer.",
)
FINISHED = (
    "Done. The list is sorted by date now, and the tests pass.",
    "Done. All 14 tests pass.",
    "Fixed the failing login test; the suite is green again.",
    "Added the retry. A failed upload is tried three times.",
    "Renamed the flag everywhere; nothing of the old name is left.",
)


@pytest.mark.parametrize("text", UNFINISHED)
@pytest.mark.parametrize("check", ["passed", "none"])
def test_unfinished_work_is_not_a_boundary(text: str, check: str) -> None:
    assert not judge(Ending(text, done=False, files=2, check="passed" if check == "passed" else "none")).done


@pytest.mark.parametrize("text", FINISHED)
def test_plainly_finished_work_is_one_and_settled(text: str) -> None:
    assert judge(Ending(text, done=True, files=2, check="passed")).done


@pytest.mark.parametrize("text", FINISHED)
def test_a_check_that_is_known_to_fail_leaves_it_open(text: str) -> None:
    assert not judge(Ending(text, done=False, files=2, check="failed")).done


def test_an_answer_is_no_work() -> None:
    assert not judge(Ending("Done. The lock is taken in two places.", done=False, files=0)).done


@pytest.mark.parametrize("ending", WRITTEN, ids=[f"{one.language}-{one.text[:24]}" for one in WRITTEN])
def test_endings_in_many_languages(ending: Ending) -> None:
    judged = judge(ending)
    assert judged.done == ending.done, judged.why
