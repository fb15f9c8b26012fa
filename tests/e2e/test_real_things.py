"""What is judged, shown to the person who decides, run or sent is the real thing; what is written is redacted (D12)."""

import json
from pathlib import Path

import pytest

from rawr.core.state.run import Run
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval, Verdict
from rawr.journal.home import database
from rawr.journal.kept import FILE as KEPT
from tests.e2e.golden import policy
from tests.e2e.rig import Rig, rig
from tests.e2e.test_full_auto import DONE, GOAL, ended, is_over, result, rules, run_of

PASSWORD = "tr0ub4dor" + "-and-3"
KEY = "AKIA" + "QX7Z" * 4


def asks(command: str) -> str:
    return f"- {{ run: {{ cmd: {json.dumps(command)}, escalate: true, why: I need it. }} }}\n" + DONE + DONE


def written(it: Rig) -> bytes:
    """Everything that the journal has on the disk."""
    path = database(it.home)
    return b"".join(one.read_bytes() for one in path.parent.glob(path.name + "*"))


@pytest.mark.parametrize(
    "line",
    [
        'rg "mysql -pfoo$(echo${IFS}pwned>%s)"',
        'grep "PASSWORD=$(echo pwned>%s)" notes.txt',
        'grep "--token=`echo${IFS}pwned>%s`" notes.txt',
        "cat 'a' token=x;echo${IFS}pwned>%s",
        'ls "https://u:$(touch${IFS}%s)@host/"',
    ],
)
async def test_a_command_is_judged_as_it_will_run(tmp_path: Path, line: str) -> None:
    """C10, D12: what a redactor would take out is the part that does the harm."""
    proof = tmp_path / "proof.txt"
    async with rig(asks(line % proof), tmp_path, transport="stdio", check=False) as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        await ended(it, thread, Order(goal=GOAL, unsafe="decline"))
        assert not proof.exists()
        [judged] = it.facts(facts.ApprovalJudged)
        assert not judged.safe


async def test_who_decides_sees_the_real_line_and_the_disk_does_not(tmp_path: Path) -> None:
    """D12: the same line, whole for the person and without its secret in the journal; what runs is what was shown."""
    line = f"curl -u me:{PASSWORD} --version > ../shown.txt; echo done >> ../shown.txt"
    async with rig(asks(line), tmp_path, transport="stdio", check=False) as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        over = it.rawr.expect(is_over(it, thread), deadline=60)
        waits = it.decided("request.waits.person", thread=thread)
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL)))
        await waits
        [shown] = it.rawr.waiting(thread)
        question = shown.thing.question
        assert isinstance(question, CommandApproval)
        assert f"me:{PASSWORD}" in question.command
        [kept] = it.state(thread).requests
        assert PASSWORD not in str(kept)
        it.rawr.answer(thread, shown.thing.request, Verdict(verdict="accept"))
        await over
        assert run_of(it, thread).status == "done"
        assert PASSWORD.encode() not in written(it)


async def test_a_file_change_goes_nowhere_that_it_does_not_name(tmp_path: Path) -> None:
    """C10, D11, D12: a link whose name looks like a secret leads out of the workspace; and read-only is read-only."""
    outside = tmp_path / "outside"
    outside.mkdir()
    name = f"d?token={PASSWORD}"
    patch = {"patch": f"*** Begin Patch\n*** Add File: {name}/x\n+pwned\n*** End Patch"}
    script = f"- {json.dumps(patch)}\n" + DONE + DONE
    async with rig(script, tmp_path, transport="stdio", check=False) as it, it.running(policy=policy()):
        (it.workspace / name).symlink_to(outside)
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        await ended(it, thread, Order(goal=GOAL, unsafe="decline"))
        assert list(outside.iterdir()) == []
        assert "request.declined.unsafe" in it.reasons(thread)


async def _done(it: Rig, check: str) -> Run:
    thread = await it.thread()
    return await ended(it, thread, Order(goal=GOAL, done=check))


@pytest.mark.parametrize(
    "check",
    [
        f"PGPASSWORD={PASSWORD} bash -c 'test \"$PGPASSWORD\" = {PASSWORD}'",
        f'test "$(printf %s postgres://u:{PASSWORD}@host/db | wc -c)" -eq {len(f"postgres://u:{PASSWORD}@host/db")}',
        f'[[ "$(<config.py)" == *{KEY}* ]]',
    ],
)
async def test_a_done_check_is_run_as_it_was_ordered(tmp_path: Path, check: str) -> None:
    """C7, D12."""
    async with rig(DONE, tmp_path, transport="stdio") as it, it.running(policy=policy()):
        (it.workspace / "config.py").write_text(f"key = '{KEY}'\n")
        assert result(await _done(it, check))[:2] == ("done", "run.done.checked")
        assert PASSWORD.encode() not in written(it)
        assert KEY.encode() not in written(it)


async def test_a_check_for_a_secret_does_not_pass_while_it_is_there(tmp_path: Path) -> None:
    """C7, D12: the key is still in the file, so the job is not done."""
    again = '- { say: "Still done.", times: always }'
    async with rig(DONE + again, tmp_path, transport="stdio") as it, it.running(policy=rules()):
        (it.workspace / "config.py").write_text(f"key = '{KEY}'\n")
        run = await _done(it, f'! [[ "$(<config.py)" == *{KEY}* ]]')
        assert run.status == "stopped"
        assert run.done == "no"
        assert not any(one.exit_code == 0 for one in it.facts(facts.DoneChecked))


async def test_a_check_with_a_secret_is_the_same_after_a_restart(tmp_path: Path) -> None:
    """C13, D12: kept verbatim for its owner alone, in a file of its own, until the run is done."""
    script = '- { run: "sleep 600" }\n' + DONE
    order = Order(goal=f"Use the password {PASSWORD}.", done=f"test {KEY} = {KEY} && test -f finished.txt")
    async with rig(script, tmp_path, transport="stdio", check=False) as it:
        async with it.running(policy=policy()):
            thread = await it.thread()
            begun = it.expect(facts.ItemStarted, lambda fact: isinstance(fact.item, items.Command), thread=thread)
            await it.rawr.record(thread, facts.RunSubmitted(order=order))
            await begun
        kept = it.home / KEPT
        assert kept.stat().st_mode & 0o077 == 0
        assert KEY in kept.read_text()
        (it.workspace / "finished.txt").touch()
        async with it.running(policy=policy()):
            await it.rawr.record(thread, facts.RunResumed())
            await it.rawr.expect(is_over(it, thread), deadline=60)
            assert result(run_of(it, thread))[:2] == ("done", "run.done.checked")
        assert KEY.encode() not in written(it)
        async with it.running(policy=policy()):
            pass
        assert not kept.exists()


async def test_a_check_whose_secret_is_gone_is_not_run_with_a_placeholder(tmp_path: Path) -> None:
    """D12: the run pauses and says what to do."""
    script = '- { run: "sleep 600" }\n' + DONE
    async with rig(script, tmp_path, transport="stdio", check=False) as it:
        async with it.running(policy=policy()):
            thread = await it.thread()
            begun = it.expect(facts.ItemStarted, lambda fact: isinstance(fact.item, items.Command), thread=thread)
            order = Order(goal=GOAL, done=f'! [[ "$(<config.py)" == *{KEY}* ]]')
            await it.rawr.record(thread, facts.RunSubmitted(order=order))
            await begun
        (it.home / KEPT).unlink()
        async with it.running(policy=policy()):
            await it.rawr.record(thread, facts.RunResumed())
            await it.rawr.expect(is_over(it, thread), deadline=60)
            assert result(run_of(it, thread))[:2] == ("paused", "run.paused.gone")
            assert it.facts(facts.DoneChecked) == []
