"""What Codex does not report: commands that its sandbox denies are in its session file only (C2)."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.cli.terminal.lines import lines_of
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import ReadSession
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.session import Found
from rawr.views.following import Following
from tests.e2e.beside import person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers, policy, until_it_says
from tests.e2e.rig import Rig, Transport, rig
from tests.e2e.test_full_auto import ended, result, rules

COMMIT = "git commit --allow-empty -m one"
DENIED = "Read-only file system"
RAN = "echo hi"
REFUSED = f'{{ run: {{ cmd: "{COMMIT}", escalate: true, why: "It is denied." }} }}'
"""Where nobody may be asked, Codex refuses it."""


@asynccontextmanager
async def sandboxed(script: str, folder: Path, *, transport: Transport = "stdio") -> AsyncIterator[Rig]:
    """A workspace under git, which Codex's sandbox makes read-only."""
    async with rig(script, folder, transport=transport) as it:
        subprocess.run(["git", "init", "-q", "."], cwd=it.workspace, check=True)  # noqa: ASYNC221
        yield it


async def thread_of(it: Rig) -> str:
    return await it.thread(approvals="on-request", sandbox="workspace-write")


def commands(it: Rig) -> list[tuple[items.Command, Found | None]]:
    told = it.facts(facts.ItemCompleted)
    return [(one.item, one.found) for one in told if isinstance(one.item, items.Command)]


async def test_a_denied_commit_is_on_record_once(tmp_path: Path, transport: Transport) -> None:
    """B6, C2: with exit code and output, and not as a commit. Codex reports it only if it took more than 0.1 s, as it
    may on a busy machine: then the file has nothing to add."""
    script = f"""
    - {{ run: "{RAN}" }}
    - {{ run: "{COMMIT}" }}
    - {{ run: "sleep 0.3; touch .git/x" }}
    - {{ say: "It does not let me." }}
    """
    async with sandboxed(script, tmp_path, transport=transport) as it, it.running(policy=policy(enabled=False)):
        thread = await thread_of(it)
        over = await it.turn(thread, "Commit it.")
        found = {one.meant: (one, source) for one, source in commands(it)}
        assert (sorted(found), len(commands(it))) == (sorted([RAN, COMMIT, "sleep 0.3; touch .git/x"]), 3)
        denied, source = found[COMMIT]
        assert (denied.exit_code, DENIED in denied.output_tail) == (128, True)
        assert source is None or (source.after, source.behind, source.at > 0) == (found[RAN][0].id, 1, True)
        state = it.state(thread)
        assert state.last_turn is not None
        assert (state.last_turn.id, state.last_turn.commands, state.last_turn.commands_failed) == (over.turn, 3, 2)
        assert [one.command for one in state.ledger.failures] == [COMMIT, "sleep 0.3; touch .git/x"]
        assert state.ledger.commits == ()


async def test_a_refused_command_is_on_record_and_shown(tmp_path: Path) -> None:
    """C2: Codex never reports one that may not ask. The next read goes on from there, and finds nothing."""
    script = f'- {REFUSED}\n- {{ say: "It does not let me." }}\n- {{ say: "Still not." }}\n'
    async with sandboxed(script, tmp_path) as it, it.running(policy=policy(enabled=False)):
        thread = await it.thread(approvals="never", sandbox="workspace-write")
        await it.turn(thread, "Commit it.")
        await it.turn(thread, "Try something else.")
        [(refused, source)] = commands(it)
        assert (refused.meant, refused.status, refused.exit_code, source is not None) == (COMMIT, "failed", None, True)
        reads = it.facts(facts.SessionRead)
        assert [one.found for one in reads] == [1, 0]
        assert 0 < reads[1].lines < reads[0].lines
        following = Following()
        shown = [line.text for one in it.seen for event in following.take(one) for line in lines_of(event, marks={})]
        assert f"$ {COMMIT}  (no exit code, denied by Codex)" in shown


async def test_three_turns_that_end_on_the_same_denial_stop_a_run(tmp_path: Path) -> None:
    """C6: each of them words the message differently."""
    turns = "".join(
        f'- {{ run: "git commit --allow-empty -m {n}" }}\n- {{ say: "Attempt {n} went wrong." }}\n' for n in range(3)
    )
    async with sandboxed(turns, tmp_path) as it, it.running(policy=rules(same_error_turns=3)):
        run = await ended(it, await thread_of(it), Order(goal="Commit it.", tree=True))
        assert result(run)[:2] == ("stopped", "run.stopped.error")
        assert [DENIED in one.problem for one in run.history] == [True] * 3


async def test_a_run_with_room_does_not_wait_for_the_file_and_misses_nothing(tmp_path: Path) -> None:
    """C2: each denial counts for its turn, though the file is read while the next one runs; the last one at the end."""
    turns = "".join(
        f'- {{ run: "echo {n} > part-{n}.txt", usage: 1000 }}\n- {{ run: "git commit --allow-empty -m {n}" }}\n'
        f'- {{ say: "Part {n} is written." }}\n'
        for n in range(4)
    )
    async with sandboxed(turns, tmp_path) as it, it.running(policy=rules()):
        order = Order(goal="Write it.", tree=True, budgets=Budgets(turns=4))
        thread = await thread_of(it)
        last = it.expect(facts.SessionRead, lambda _: len(commands(it)) == 8)
        assert result(await ended(it, thread, order))[:2] == ("stopped", "run.stopped.turns")
        await last
        reads = [one.effect for taken in it.seen for one in taken.effects if isinstance(one.effect, ReadSession)]
        assert [one.late for one in reads] == [True] * 4
        run = it.state(thread).run
        assert run is not None
        assert [(one.commands, one.commands_failed, DENIED in one.problem) for one in run.history] == [(2, 1, True)] * 4


async def test_the_packet_check_and_the_handoff_know_it(tmp_path: Path) -> None:
    """D2, D3: a packet that does not mention the denied command goes back, and the handoff has it."""
    script = f"""
    - {{ plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }}
    - {{ run: "{COMMIT}", usage: 80000 }}
    - {{ plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }}
    - {{ say: "The research is finished. Everything I found is in my notes.", usage: 100000 }}
    """
    script = "\n".join(line.removeprefix("    ") for line in script.splitlines()) + "\n"
    script += answers("Heads-up", PACKET) + answers("does not agree", PACKET) + SUMMARY + CONTINUE
    async with sandboxed(script, tmp_path) as it, it.running(policy=policy()):
        thread = await thread_of(it)
        await until_it_says(it, thread)
        [correction] = [
            one.item.text
            for one in it.facts(facts.ItemCompleted, thread=thread)
            if isinstance(one.item, items.UserMessage) and "does not agree" in one.item.text
        ]
        assert f"The failed command “{COMMIT}” is not mentioned." in correction
        handoff = it.codex.model.requests[-1].last_user
        assert f"failed, exit code 128: “{COMMIT}”" in handoff


async def test_a_plan_from_before_rawr_joined_is_in_the_handoff(tmp_path: Path) -> None:
    """D1: nobody touches it again."""
    script = """
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }
- { say: "This is the plan.", usage: 70000 }
- { run: "git init -q . && git commit -q --allow-empty -m 'Research done'", usage: 90000 }
- { say: "Committed as Research done.", usage: 150000 }
"""
    script += answers("Heads-up", PACKET + "Commit: Research done.") + SUMMARY + CONTINUE
    async with served(script, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        await ada.until_over(await ada.say("Make a plan."))
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("SessionRead", thread=ada.thread)
            await ada.say("Go on.")
            await ada.until_told(GOES_ON)
            await watching.decided("compact.audited.sequence")
        handoff = codex.model.requests[-1].last_user
        for told in ("plan, doing: “research”", "plan, to do: “draft”", "plan, to do: “ship”"):
            assert told in handoff


async def test_what_happened_while_rawr_was_away_is_on_record_when_it_is_back(tmp_path: Path) -> None:
    """D5: rawr ends in the middle of a turn, which goes on without it over a socket."""
    script = f"""
    - {{ run: "{RAN}" }}
    - {{ run: "{COMMIT}", fault: hang }}
    - {{ say: "It does not let me." }}
    """
    async with sandboxed(script, tmp_path, transport="socket") as it:
        async with it.running(policy=policy(enabled=False)):
            thread = await it.thread(approvals="never", sandbox="workspace-write")
            began = it.expect(facts.ItemCompleted, lambda fact: "echo" in str(fact.item), thread=thread)
            it.rawr.submit(thread, "Commit it.")
            await began
            await it.codex.model.wait_for_async(lambda request: request.number == 2, deadline=15)
        it.codex.model.release()
        await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=15)
        async with it.running(policy=policy(enabled=False)):
            read = it.expect(facts.SessionRead, lambda fact: fact.found == 1)
            await it.rawr.adopt(thread)
            await read
            assert [one.command for one in it.state(thread).ledger.failures] == [COMMIT]
            assert [one.meant for one, _ in commands(it)] == [RAN, COMMIT]


async def test_a_file_that_cannot_be_read_is_told_once_and_holds_nothing_up(tmp_path: Path) -> None:
    """D5: gone, then garbage: the record says so, and the turns go on."""
    script = "".join(f'- {{ say: "{word}." }}\n' for word in ("One", "Two", "Three"))
    script += f'- {REFUSED}\n- {{ say: "Four." }}\n'
    async with sandboxed(script, tmp_path) as it, it.running(policy=policy(enabled=False)):
        thread = await it.thread(approvals="never", sandbox="workspace-write")
        await it.turn(thread, "one")
        file = it.state(thread).session
        assert file is not None
        path = Path(file.path)
        hidden = path.rename(path.with_name("elsewhere"))  # noqa: ASYNC240
        await it.turn(thread, "two")
        await it.turn(thread, "three")
        assert [one.trouble for one in it.facts(facts.SessionRead)] == ["", "missing"]
        assert [level for level, text in it.notices if "session file" in text] == ["warning"]
        with hidden.rename(path).open("ab") as garbled:
            garbled.write(b"\xff\x00 no json\n")
        await it.turn(thread, "four")
        last = it.facts(facts.SessionRead)[-1]
        assert (last.trouble, last.found, last.unread) == ("garbled", 1, 1)
        assert [one.command for one in it.state(thread).ledger.failures] == [COMMIT]
        assert it.reasons(thread).count("session.doubted.file") == 2


async def test_a_secret_in_the_file_stays_out_of_the_journal(tmp_path: Path) -> None:
    """D12: what is read passes through the redactor like everything else."""
    secret = "ghp_" + "q7R2" * 9
    script = f'- {{ run: "git commit --allow-empty -m {secret}" }}\n- {{ say: "No." }}\n'
    async with sandboxed(script, tmp_path) as it:
        async with it.running(policy=policy(enabled=False)):
            thread = await thread_of(it)
            await it.turn(thread, "Commit it.")
            assert len(it.state(thread).ledger.failures) == 1
        kept = b"".join(one.read_bytes() for one in it.home.rglob("*") if one.is_file())
        assert secret.encode() not in kept
        assert any(isinstance(one.effect, ReadSession) for taken in it.seen for one in taken.effects)
