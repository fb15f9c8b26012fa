"""A model that misbehaves: every failure ends the turn with its own reason, and the thread goes on."""

from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from tests.e2e.rig import rig

FAULTS = {
    "{ http: 429, retry_after: 1 }": {"responseTooManyFailedAttempts", "rateLimitExceeded", "usageLimitExceeded"},
    "{ http: 500 }": {"responseTooManyFailedAttempts", "internalServerError", "httpConnectionFailed"},
    "garbage": {"responseStreamDisconnected", "responseStreamConnectionFailed", "other"},
    "{ cut_after: 2 }": {"responseStreamDisconnected", "other"},
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_the_model_is_a_clear_reason(tmp_path: Path, fault: str) -> None:
    """C5: the failed turn says what failed, the record has it, and the next message is taken."""
    words = "say: cut, " if "cut" in fault else ""
    script = f"""
    - {{ {words}fault: {fault} }}
    - {{ say: "Better now." }}
    """
    async with rig(script, tmp_path, transport="stdio") as it, it.running():
        thread = await it.thread()
        ended = await it.turn(thread, "Try.")
        assert ended.status == "failed"
        assert ended.problem is not None
        assert ended.problem.message
        assert ended.problem.code in FAULTS[fault]
        assert "turn.failed.problem" in it.reasons(thread)
        assert (await it.turn(thread, "Again.")).status == "completed"
        assert it.facts(facts.FaultRecorded) == []
