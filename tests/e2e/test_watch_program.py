"""``rawr watch`` as a program of its own beside another client of the same app-server (D1)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.codex.wire import methods
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import Verdict
from rawr.journal.kept import FILE as KEPT
from rawr.testing import ScriptedCodex
from tests.cli.program import rawr
from tests.e2e.beside import (
    COMMITTED,
    MORNING,
    WORK,
    Person,
    Watching,
    in_order,
    person,
    rawr_watch,
    served,
    watch_command,
    watch_env,
)
from tests.e2e.golden import CONTINUE, GOES_ON, NOTED, PACKET, SUMMARY, answers
from tests.e2e.terminal import terminal

GOLDEN = WORK + answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE


@asynccontextmanager
async def watched(
    replies: str, folder: Path, *arguments: str, asks: bool = False
) -> AsyncIterator[tuple[ScriptedCodex, Person, Watching]]:
    """Somebody at work whose thread rawr has joined."""
    async with (
        served(MORNING + replies, folder, asks=asks) as (codex, server),
        rawr_watch(codex, folder / "rawr", *arguments, server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        yield codex, ada, watching


async def test_a_thread_that_appears_later_is_taken_down_the_golden_path(tmp_path: Path) -> None:
    """D1, A9: joined at its first turn; its client sees heads-up, packet, compaction and handoff, each once."""
    async with watched(GOLDEN, tmp_path) as (_codex, ada, watching):
        await ada.say("three phases please")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        told = [one.item for one in ada.heard.all(facts.ItemCompleted)]
        shown = ["Context compacted" if isinstance(one, items.Compaction) else getattr(one, "text", "") for one in told]
        assert in_order("\n".join(shown))
        assert watching.reasons(thread=ada.thread).count("handoff.sent.compacted") == 1


async def test_ephemeral_threads_are_left_alone(tmp_path: Path) -> None:
    """D1: helpers that a terminal program keeps for itself are not joined, whatever happens in them."""
    async with (
        served(MORNING, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
        person(server, codex.home.workspace, ephemeral=True) as helper,
        person(server, codex.home.workspace) as ada,
    ):
        await helper.until_over(await helper.say("good morning"))
        await watching.joins(ada)
        assert watching.facts("ThreadOpened", thread=helper.thread)
        assert watching.reasons(thread=helper.thread) == []
        assert {one["thread"] for one in watching.facts("ThreadJoined")} == {ada.thread}


async def test_one_thread_and_no_other(tmp_path: Path) -> None:
    """D1: ``--thread``."""
    async with (
        served(MORNING, tmp_path) as (codex, server),
        person(server, codex.home.workspace) as ada,
        person(server, codex.home.workspace) as bob,
        rawr_watch(codex, tmp_path / "rawr", "--thread", bob.thread, server=server) as watching,
    ):
        await ada.until_over(await ada.say("good morning"))
        await watching.joins(bob)
        assert watching.reasons(thread=ada.thread) == []


async def test_approvals_stay_the_users(tmp_path: Path) -> None:
    """D1, C10: rawr sees the question, leaves it to the one whose it is, and their answer counts."""
    asks = '- { run: { cmd: "echo allowed > proof.txt", escalate: true, why: "I need to write." } }\n'
    async with watched(asks + '- { say: "Over." }\n', tmp_path, asks=True) as (codex, ada, watching):
        turn = await ada.say("Write the proof.")
        asked = await ada.heard.wait(facts.RequestReceived)
        await watching.decided("request.left.others")
        assert not (codex.home.workspace / "proof.txt").exists()
        await ada.client.answer(asked.request, Verdict(verdict="accept"))
        await ada.until_over(turn)
        await watching.fact("RequestResolved", thread=ada.thread)
        assert "AnswerRequest" not in watching.effects()
        assert (codex.home.workspace / "proof.txt").read_text() == "allowed\n"


async def test_ctrl_c_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """D1: the running turn goes on, the thread stays, and neither config nor history was touched."""
    async with watched('- { say: "Slow.", fault: hang }\n', tmp_path) as (codex, ada, watching):
        config = codex.home.config_file.read_bytes()
        turn = await ada.say("Take your time.")
        await watching.fact("TurnStarted", thread=ada.thread, turn=turn)
        assert (await watching.ctrl_c(), watching.warnings) == (130, [])
        codex.model.release()
        await ada.until_over(turn)
        assert ada.heard.all(facts.TurnCompleted)[-1].status == "completed"
        assert codex.model.requests[-1].user_texts == ("good morning", "Take your time.")
        loaded = await ada.client.call(methods.THREAD_LOADED_LIST, methods.Page())
        assert loaded.data == [ada.thread]
        assert codex.home.config_file.read_bytes() == config
        assert list(codex.home.workspace.iterdir()) == []


async def test_ctrl_c_in_the_middle_of_it_and_the_next_watch_goes_on(tmp_path: Path) -> None:
    """D1, D5: left while the agent writes its packet, taken up where it stood; every message came once."""
    packet = answers("Heads-up", COMMITTED).replace(" }\n", ", fault: hang }\n")
    script = MORNING + WORK + packet + SUMMARY + CONTINUE
    async with served(script, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.joins(ada)
            await ada.say("three phases please")
            await codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
            assert await watching.ctrl_c() == 130
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            codex.model.release()
            await ada.until_told(GOES_ON)
            await watching.decided("compact.audited.sequence")
        told = [one.item.text for one in ada.heard.all(facts.ItemCompleted) if isinstance(one.item, items.UserMessage)]
        assert [sum(mark in text for text in told) for mark in ("Heads-up: we", "Handoff: the")] == [1, 1]
        assert "Write the draft." in codex.model.requests[-1].last_user


async def test_a_turn_is_landed_before_codex_compacts_by_itself(tmp_path: Path) -> None:
    """A19: on somebody else's thread Codex compacts at nine tenths of the model's window; rawr is there before."""
    script = """
- { run: "true", usage: 237000 }
- { run: "true", usage: 238000, fault: hang }
"""
    script += answers("nearly full", PACKET, usage=239000) + SUMMARY + CONTINUE
    async with watched(script, tmp_path) as (codex, ada, watching):
        turn = await ada.say("Fill the window.")
        await watching.done("SteerTurn")
        await codex.model.wait_for_async(lambda request: request.number == 3, deadline=30)
        codex.model.release()
        assert (await ada.until_told("Write the draft.")).turn == turn
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        assert "compact.seen.upstream" not in watching.reasons()


async def test_suggesting_only(tmp_path: Path) -> None:
    """D1, A2: ``--mode suggest`` says it and does nothing."""
    async with watched(WORK, tmp_path, "--mode", "suggest") as (_codex, ada, watching):
        await ada.say("three phases please")
        await watching.decided("compact.suggested.boundary")
        await watching.noticed("compact now")
        assert watching.effects().count("StartTurn") == 0


async def test_marking_only(tmp_path: Path) -> None:
    """A2, A21: ``--mode tag`` marks the moment where a person sees it, and does nothing."""
    home = tmp_path / "rawr"
    async with served(MORNING + WORK, tmp_path) as (codex, server):
        watch = watch_command("--plain", "--mode", "tag", server=server)
        async with (
            terminal(watch, env=watch_env(codex, home), cwd=tmp_path, rows=100) as shown,
            person(server, codex.home.workspace) as ada,
        ):
            await shown.until(lambda text: "connected to Codex" in text)
            await ada.until_over(await ada.say("good morning"))
            await shown.until(lambda text: "watching the thread" in text)
            await ada.say("three phases please")
            await shown.until(lambda text: "marked: a moment to compact (plan checkpoint, research), 51 % left" in text)


async def test_the_end_of_a_turn_as_a_boundary(tmp_path: Path) -> None:
    """A16, D1: what a person types next cannot be held back, so it is compacted when the turn has ended."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    tier = '[rawr_auto_compaction.policy.asap]\nrequires_any_boundary = ["turn_complete"]\n'
    (tmp_path / "rawr" / "config.toml").write_text(tier)
    script = '- { say: "I have read all of it, and the draft comes next.", usage: 150000 }\n'
    async with watched(script + answers("Heads-up", PACKET) + SUMMARY + CONTINUE, tmp_path) as (_codex, ada, watching):
        await ada.say("read it all")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        assert "compact.held.preflight" not in watching.reasons()


WRITES = '- { patch: "*** Begin Patch\\n*** Add File: notes.md\\n+It works.\\n*** End Patch", usage: 140000 }\n'
READ = '- { say: "I have read all of it and took some notes on the way. Which part comes first?", usage: 150000 }\n'
"""Settled, and not done by its words."""
CHANGED = r"*** Begin Patch\n*** Update File: notes.md\n@@\n-It works.\n+It does.\n*** End Patch"


async def test_a_user_who_stays_away(tmp_path: Path) -> None:
    """D9, D1: a finished turn, no boundary, and nobody says anything: that is a moment to compact."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nidle_seconds = 1\n")
    script = WRITES + READ
    async with watched(script + answers("Heads-up", NOTED) + SUMMARY + CONTINUE, tmp_path) as (_codex, ada, watching):
        await ada.say("read it all")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        [decided] = watching.evidence("compact.decided.boundary")
        assert decided["satisfied"] == ["idle"]


async def test_a_user_who_comes_back_is_not_in_the_way(tmp_path: Path) -> None:
    """D9, A15: their words come as the time is up. They are said once, answered, and nothing is compacted meanwhile."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nidle_seconds = 2\n")
    script = """
- { when: { user: "and now" }, run: "sleep 3", usage: 151000 }
- { when: { user: "and now" }, patch: "CHANGED", usage: 151500 }
- { when: { user: "and now" }, say: "Now I have looked again, and it is as before. Shall I go on?", usage: 152000 }
"""
    script = WRITES + READ + script.replace("CHANGED", CHANGED) + answers("Heads-up", NOTED) + SUMMARY + CONTINUE
    async with watched(script, tmp_path) as (codex, ada, watching):
        await ada.until_over(await ada.say("read it all"))
        await ada.until_over(await ada.say("and now"))
        assert watching.effects().count("StartCompaction") == 0
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        assert sum(one.last_user == "and now" for one in codex.model.requests) == 3


def put(file: Path, text: str) -> None:
    """In one go, as an editor does it: a turn may be ending just now."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


async def test_edited_prompts_and_broken_ones_count_from_the_next_turn_on(tmp_path: Path) -> None:
    """A22: read again at each turn's end; what cannot be read is told with file and line, and the session goes on."""
    async with watched(GOLDEN, tmp_path) as (codex, ada, watching):
        prompts = tmp_path / "rawr" / "auto-compact"
        put(prompts / "heads-up.md", "[rawr {sequence}] Heads-up, in the user's own words. Why: {reason}.")
        handoff = (prompts / "handoff.md").read_text()
        put(prompts / "handoff.md", handoff.replace("---\n", "---\nbroken: [\n", 1))
        await ada.say("three phases please")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        [warning] = watching.warnings
        assert "handoff.md:" in warning
        assert "this is not YAML" in warning
        heads_up = next(text for text in codex.model.requests[-1].user_texts if "Heads-up" in text)
        assert "in the user's own words. Why: this is a good place, and 51 % of the context is left." in heads_up
        assert "Write the draft." in codex.model.requests[-1].last_user


async def test_words_from_outside(tmp_path: Path) -> None:
    """B9, D3: hold, release, phase and pin reach the running watch, and what they change is seen in the thread."""
    done = '- { say: "The research is finished and all that I found is in my notes.", usage: 100000 }\n'
    script = done + answers("Heads-up", PACKET) + SUMMARY + CONTINUE

    async def tell(*arguments: str) -> object:
        env = {"RAWR_HOME": str(tmp_path / "rawr")}
        ended = await asyncio.to_thread(rawr, *arguments, "--json", env=env)
        return ended.lines[0]["reasons"]

    async with watched(script, tmp_path) as (codex, ada, watching):
        await ada.until_over(await ada.say("Do the research."))
        await watching.decided("compact.skipped.no_boundary")
        assert await tell("pin", "Never push to main.") == ["directive.pinned.submitted"]
        assert await tell("hold", "--until", "the release is out") == ["hold.set.submitted"]
        assert await tell("phase", "research") == ["phase.marked.user", "compact.deferred.guard"]
        assert await tell("hold", "--release") == ["hold.released.submitted"]
        assert await tell("compact") == ["compact.decided.submitted", "turn.started.sequence"]
        await ada.until_told(GOES_ON)
        told = codex.model.requests[-1].user_texts
        assert "- Never push to main.\n" in told[-1]
        assert "phase boundary, research" in next(text for text in told if "Heads-up: we" in text)


async def test_a_config_that_breaks_meanwhile_changes_nothing(tmp_path: Path) -> None:
    """A22: half an edit must not turn a suggestion into an act."""
    home = tmp_path / "rawr"
    home.mkdir(mode=0o700)
    put(home / "config.toml", '[rawr_auto_compaction]\nmode = "suggest"\n')
    async with watched(GOLDEN, tmp_path) as (_codex, ada, watching):
        put(home / "config.toml", '[rawr_auto_compaction]\nmode = "sugest"\n')
        await ada.until_over(await ada.say("three phases please"))
        await watching.decided("compact.suggested.boundary")
        [warning] = watching.warnings
        assert "the previous settings stay in force" in warning
        assert "compact.decided.boundary" not in watching.reasons()


@pytest.mark.parametrize("kept", [True, False])
async def test_a_handoff_that_quotes_a_secret_of_an_earlier_run_is_sent(tmp_path: Path, kept: bool) -> None:
    """D3, D12: verbatim if it is kept, and without it if it is gone; a thread without its handoff would be lost."""
    secret = "DEPLOY_TOKEN=tok9f8e7d6c5b4a3f2e1d0c"
    async with served(MORNING + GOLDEN, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await ada.until_over(await ada.say("good morning"))
            await watching.fact("ThreadJoined", thread=ada.thread)
            env = {"RAWR_HOME": str(tmp_path / "rawr")}
            await asyncio.to_thread(rawr, "pin", f"Use {secret} and never push.", env=env)
            assert await watching.ctrl_c() == 130
        if not kept:
            (tmp_path / "rawr" / KEPT).unlink()
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            await ada.say("three phases please")
            await ada.until_told(GOES_ON)
            handoff = codex.model.requests[-1].last_user
            assert "and never push." in handoff
            assert ("tok9f8e7d6c5b4a3f2e1d0c" in handoff) is kept
            assert ("(a secret that was left out)" in handoff) is not kept


async def test_a_thread_that_codex_does_not_have_ends_the_watch(tmp_path: Path) -> None:
    """D1: a slip in the name must not look like a watch."""
    async with served(MORNING, tmp_path) as (codex, server), person(server, codex.home.workspace):
        place = ("--socket", str(server.path), "--thread", "zzz")
        ended = await asyncio.to_thread(rawr, "watch", *place, env={"RAWR_HOME": str(tmp_path / "rawr")}, fresh=True)
    assert ended.code == 69
    assert ended.err.startswith("rawr: Codex has no thread zzz open. Open it in Codex first")


async def test_a_thread_is_watched_by_the_end_of_its_name(tmp_path: Path) -> None:
    """D1: and no other is joined, also where it has had no turn yet."""
    async with (
        served(MORNING, tmp_path) as (codex, server),
        person(server, codex.home.workspace) as bob,
        person(server, codex.home.workspace) as ada,
        rawr_watch(codex, tmp_path / "rawr", "--thread", ada.thread[-8:], server=server) as watching,
    ):
        await bob.until_over(await bob.say("good morning"))
        await ada.until_over(await ada.say("good morning"))
        await watching.fact("ThreadJoined", thread=ada.thread)
        assert {one["thread"] for one in watching.facts("ThreadJoined")} == {ada.thread}


async def test_a_command_that_changes_nothing_fails(tmp_path: Path) -> None:
    """A16, B9: one word on why, and an exit code that a script can see."""
    async with watched("", tmp_path) as (codex, ada, _watching):
        home = {"RAWR_HOME": str(tmp_path / "rawr"), "CODEX_HOME": str(codex.home.path)}
        unpinned = await asyncio.to_thread(rawr, "unpin", ada.thread, "zzz", env=home)
        words = "No pinned directive begins with these words. (ignored.unknown_pin)"
        assert (unpinned.code, unpinned.err) == (1, f"rawr: {ada.thread[-8:]}: {words}\n")
