"""A finished turn whose result is in the conversation alone waits; one that wrote something does not (D8). On the real
Codex."""

from pathlib import Path

from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers, golden, policy, until_it_says

EXPLAINS = "Fixed in the newest version already: the lock was taken twice, once in each of the two branches."
WRITES = "Added the list of colours. The page shows both columns, and the old one is gone."


def turn(user: str, command: str, says: str, *, usage: int) -> str:
    return (
        f'- {{ when: {{ user: "{user}" }}, run: "{command}", usage: {usage} }}\n- {{ say: "{says}", usage: {usage} }}\n'
    )


async def test_what_was_explained_waits_for_a_turn_that_writes(tmp_path: Path) -> None:
    """The file is written by a command: only the look at the working tree knows of it."""
    script = (
        turn("^why$", "true", EXPLAINS, usage=104_000)
        + turn("^do it$", "echo red > colours.txt", WRITES, usage=108_000)
        + answers("Heads-up", PACKET + "colours.txt was written.", usage=110_000)
        + SUMMARY
        + CONTINUE
    )
    async with golden(script, tmp_path, rules=policy()) as (it, thread):
        await until_it_says(it, thread, prompt="why", says=EXPLAINS)
        [put_off] = it.evidence("compact.deferred.unsettled", thread=thread)
        assert put_off["satisfied"] == ["agent_done"]
        await until_it_says(it, thread, prompt="do it", says=GOES_ON)
        [decided] = it.evidence("compact.decided.boundary", thread=thread)
        assert decided["satisfied"] == ["agent_done"]
        last = it.rawr.state(thread).ledger.files
        assert [Path(one.path).name for one in last] == ["colours.txt"]


async def test_a_fix_waits_until_a_check_has_passed(tmp_path: Path) -> None:
    """The user had reported a problem: whether it is gone, a passing check says."""
    patch = "*** Begin Patch\\n*** Add File: a.py\\n+x = 1\\n*** End Patch"
    again = "*** Begin Patch\\n*** Update File: a.py\\n@@\\n-x = 1\\n+x = 2\\n*** End Patch"
    script = (
        f'- {{ when: {{ user: "still fails" }}, patch: "{patch}", usage: 104000 }}\n'
        f'- {{ say: "{WRITES}", usage: 104000 }}\n'
        f'- {{ when: {{ user: "^once more$" }}, patch: "{again}", usage: 106000 }}\n'
        '- { run: "python3 -m py_compile a.py", usage: 107000 }\n'
        f'- {{ say: "{WRITES}", usage: 108000 }}\n'
        + answers("Heads-up", PACKET + "a.py was written.", usage=110_000)
        + SUMMARY
        + CONTINUE
    )
    async with golden(script, tmp_path, rules=policy()) as (it, thread):
        await until_it_says(it, thread, prompt="It still fails.", says=WRITES)
        assert it.evidence("compact.deferred.unsettled", thread=thread)
        await until_it_says(it, thread, prompt="once more", says=GOES_ON)
        [decided] = it.evidence("compact.decided.boundary", thread=thread)
        assert decided["satisfied"] == ["agent_done"]
