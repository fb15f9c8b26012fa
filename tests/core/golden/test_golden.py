"""The committed journals, told again (C17, D5)."""

from rawr.core.vocabulary.reasons import Reason
from tests.core.golden.lines import FORGED, TOLD, read, tell_again

MOST_BYTES = 60_000


def test_a_recorded_day_leads_to_the_same_again() -> None:
    """C17: what was decided then follows from the same facts now; a rule that changed shows here first."""
    lines = list(read(TOLD))
    result = tell_again(lines)
    assert result.divergences == ()
    assert result.facts == len(lines)


def test_a_forged_day_is_found_out() -> None:
    """C17: a changed effect, a decision that is gone and a fact that was another, and nothing else."""
    forgeries = {line.seq for line, real in zip(read(FORGED), read(TOLD), strict=True) if line != real}
    assert len(forgeries) == 3
    result = tell_again(read(FORGED))
    assert forgeries <= {one.seq for one in result.divergences}
    assert {one.what for one in result.divergences} == {"decisions", "effects"}


def test_the_day_holds_much_of_what_can_happen() -> None:
    reasons = {record.reason for line in read(TOLD) for record in line.because}
    assert len(reasons) > 25
    assert {Reason.TURN_CONFIRMED_HISTORY, Reason.TURN_REQUEUED_UNSENT, Reason.COMPACT_DONE_BOTH} <= reasons


def test_the_files_stay_small() -> None:
    assert all(file.stat().st_size < MOST_BYTES for file in (TOLD, FORGED))
