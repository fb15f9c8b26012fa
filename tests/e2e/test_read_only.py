"""``--sandbox read-only`` is read-only on the real Codex: whoever asks for more gets nothing by rule (D11, C10)."""

from pathlib import Path

import pytest

from rawr.core.policy.full_auto import Unsafe
from rawr.core.requests.wording import grounds
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import Verdict
from tests.e2e.golden import policy
from tests.e2e.rig import rig
from tests.e2e.test_full_auto import GOAL, ended, is_over, run_of
from tests.e2e.test_full_auto_approvals import rules

DONE = '- { say: "Nothing is left to do: all tests pass.", times: always }\n'
"""Why something was declined may be told in a model call of its own."""
PATCH = "*** Begin Patch\\n*** Add File: proof.txt\\n+here\\n*** End Patch"
PATCHES = f'- {{ patch: "{PATCH}" }}\n' + DONE


def asks(command: str) -> str:
    return f'- {{ run: {{ cmd: "{command}", escalate: true, why: "I need it." }} }}\n' + DONE


WRITES = [
    PATCHES,
    asks("touch proof.txt"),
    asks("mkdir -p proof.txt"),
    asks("cp there.txt proof.txt"),
    asks("make proof.txt"),
]
NAMES = ["patch", "touch", "mkdir", "cp", "allowed by a rule"]


def order(unsafe: Unsafe) -> Order:
    return Order(goal=GOAL, unsafe=unsafe)


@pytest.mark.parametrize("script", WRITES, ids=NAMES)
async def test_nothing_is_written_by_rule(tmp_path: Path, script: str) -> None:
    """Neither a file change nor a command, and no rule of the user's speaks for one."""
    async with rig(script, tmp_path, transport="stdio") as it, it.running(policy=rules(allow=("make",))):
        (it.workspace / "there.txt").write_text("here\n")
        (it.workspace / "Makefile").write_text("proof.txt:\n\ttouch proof.txt\n")
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        run = await ended(it, thread, order("decline"))
        assert run.status == "done"
        assert "request.declined.unsafe" in it.reasons(thread)
        assert "request.judged.safe" not in it.reasons(thread)
        assert not (it.workspace / "proof.txt").exists()


async def test_a_person_is_told_that_it_leaves_read_only_and_may_say_yes(tmp_path: Path) -> None:
    async with rig(PATCHES, tmp_path, transport="stdio") as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        over = it.rawr.expect(is_over(it, thread), deadline=30)
        waits = it.decided("request.waits.person", thread=thread)
        await it.rawr.record(thread, facts.RunSubmitted(order=order("wait")))
        await waits
        [opened] = it.state(thread).requests
        assert any("leaves read-only" in line for line in grounds(opened))
        assert not (it.workspace / "proof.txt").exists()
        it.rawr.answer(thread, opened.request, Verdict(verdict="accept"))
        await over
        assert run_of(it, thread).status == "done"
        assert any("leaves read-only" in text for _, text in it.notices)
        assert (it.workspace / "proof.txt").read_text() == "here\n"


@pytest.mark.parametrize(("command", "safe"), [("cat there.txt", True), ("git status", False)])
async def test_what_provably_reads_is_still_approved(tmp_path: Path, command: str, *, safe: bool) -> None:
    """And a reading command that may write on the way, as git does with its index, is not."""
    async with rig(asks(command), tmp_path, transport="stdio") as it, it.running(policy=policy()):
        (it.workspace / "there.txt").write_text("here\n")
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        await ended(it, thread, order("decline"))
        assert ("request.judged.safe" in it.reasons(thread)) == safe
