"""``rawr watch`` beside the user's own Codex, with nothing configured: in the host, on the real Codex, on real git.

What stands here has its corners in the tests beside it, which set what they need; here everything is as users get it.
"""

import os
import signal
from pathlib import Path

from rawr.core.vocabulary import facts, items
from tests.e2e.beside import COMMITTED, WORK, in_order, rawr_watch
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers
from tests.e2e.shipped import COMMIT, turn, watched
from tests.e2e.test_host import Hosted

PATH = answers("Heads-up", COMMITTED) + answers("does not agree", COMMITTED) + SUMMARY + CONTINUE
GOLDEN = WORK + PATH


async def test_a_thread_is_joined_and_taken_down_the_golden_path(tmp_path: Path) -> None:
    """D1, A9, A23: its own client sees heads-up, packet, compaction and handoff, each once."""
    async with watched(GOLDEN, tmp_path) as (_, watching, ada):
        await ada.say("three phases please")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        told = [one.item for one in ada.heard.all(facts.ItemCompleted)]
        shown = ["Context compacted" if isinstance(one, items.Compaction) else getattr(one, "text", "") for one in told]
        assert in_order("\n".join(shown))
        assert watching.reasons(thread=ada.thread).count("handoff.sent.compacted") == 1
        [audit] = watching.evidence("compact.audited.sequence")
        assert (audit["tier"], audit["packet_author"], audit["outcome"]) == ("asap", "agent", "compacted")
        assert not (tmp_path / "rawr" / "config.toml").exists()


async def test_words_from_outside(tmp_path: Path) -> None:
    """B9, D3: hold, release, phase, pin and compact reach the watch, and what they change is seen in the thread."""
    script = turn(usage=100_000) + PATH.replace("Commit: Research done.", "")
    async with watched(script, tmp_path) as (codex, watching, ada):
        it = Hosted(codex, tmp_path / "rawr")

        async def tell(*words: str) -> object:
            told = await it.rawr(*words, "--json")
            assert told.code == 0, told.err
            return told.lines[0]["reasons"]

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


async def test_where_nothing_is_left_to_do(tmp_path: Path) -> None:
    """A14: the handoff says so, instead of telling the agent to go on."""
    work = """
- { plan: ["doing: research"], usage: 60000 }
- { run: "git commit -q --allow-empty -m 'Research done'", usage: 80000 }
- { plan: ["done: research"], usage: 90000 }
- { say: "The research is finished, and committed as Research done.", usage: 132000 }
"""
    path = PATH.replace("Plan: research; draft; ship.", "Plan: research.").replace(
        "Write the draft.", "Nothing is left to do."
    )
    async with watched(work + path, tmp_path) as (codex, _, ada):
        await ada.say("the research please")
        await ada.until_told(GOES_ON)
        handoff = codex.model.requests[-1].last_user
        assert "Nothing is left to do on the plan: do not start new work" in handoff
        assert "Continue from here." not in handoff


# -- the user, and Codex itself, in between ---------------------------------------------------------------------------


async def test_what_the_user_says_meanwhile_is_heard_once(tmp_path: Path) -> None:
    """A15: they type while the agent writes its packet; the path comes to its end, and their words are answered."""
    packet = answers("Heads-up", COMMITTED).replace(" }\n", ", fault: hang }\n")
    heard = (
        answers("mind the tests", COMMITTED)
        + SUMMARY
        + '- { when: { user: "." }, say: "I mind the tests.", usage: 20000, times: always }\n'
    )
    async with watched(WORK + packet + heard, tmp_path) as (codex, watching, ada):
        await ada.say("three phases please")
        await codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
        await ada.say("  and mind the tests ")
        codex.model.release()
        await ada.until_told("I mind the tests.")
        await watching.decided("compact.audited.sequence")
        texts = codex.model.requests[-1].user_texts
        assert texts.count("  and mind the tests ") == 1
        handoff = texts[-1]
        assert "What of it is not answered or done yet comes first:\n\n```\n  and mind the tests \n```\n" in handoff


async def test_a_turn_is_landed_before_codex_compacts_by_itself(tmp_path: Path) -> None:
    """A19: on somebody else's thread Codex compacts at nine tenths of the model's window; rawr is there before."""
    script = '- { run: "true", usage: 230000 }\n- { run: "true", usage: 237000 }\n'
    script += '- { run: "true", usage: 238000, fault: hang }\n'
    script += answers("nearly full", PACKET, usage=239_000) + SUMMARY + CONTINUE
    async with watched(script, tmp_path) as (codex, watching, ada):
        turn = await ada.say("Fill the window.")
        await watching.done("SteerTurn")
        await codex.model.wait_for_async(lambda request: request.number == 4, deadline=30)
        codex.model.release()
        assert (await ada.until_told("Write the draft.")).turn == turn
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        assert "compact.seen.upstream" not in watching.reasons()


async def test_where_codex_is_faster_the_record_follows(tmp_path: Path) -> None:
    """A19, A20a: the record goes into the running turn, and rawr starts none of its own."""
    script = '- { run: "true", usage: 60000 }\n- { run: "true", usage: 262000 }\n' + SUMMARY
    script += '- { when: { user: "Fill" }, say: "I go on without it.", usage: 7000, fault: hang }\n' + CONTINUE
    async with watched(script, tmp_path) as (codex, watching, ada):
        await ada.say("Fill the window.")
        await watching.decided("handoff.sent.recovery")
        await codex.model.wait_for_async(lambda request: request.number == 5, deadline=30)
        codex.model.release()
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.outside")
        assert watching.effects().count("StartTurn") == 0


NO_GAIN = f'- {{ when: {{ compaction: true }}, say: "{"x" * 132_000 * 4}" }}\n'
"""A summary as long as what it sums up frees nothing."""


async def test_two_compactions_without_gain_end_it(tmp_path: Path) -> None:
    """A20: the first opens the breaker; a second one, that a person asks for, stops rawr there, with a notice."""
    path = answers("Heads-up", COMMITTED) + NO_GAIN + CONTINUE.replace("20000", "132000")
    script = WORK + path + turn(f'run: "{COMMIT}"', usage=140_000) + path
    async with watched(script, tmp_path) as (codex, watching, ada):
        it = Hosted(codex, tmp_path / "rawr")
        await ada.say("three phases please")
        await watching.decided("gain.opened.breaker")
        await ada.until_over((await ada.until_told(GOES_ON)).turn)
        await ada.until_over(await ada.say("one more commit please"))
        await watching.decided("compact.deferred.breaker")
        told = await it.rawr("compact")
        assert told.code == 0, told.err
        await watching.noticed("2 compactions in a row gained nothing; rawr will not compact this thread again")


# -- over time --------------------------------------------------------------------------------------------------------


async def test_a_host_that_is_killed_says_nothing_twice(tmp_path: Path) -> None:
    """D5: while the agent writes its packet; the next watch takes it up where it stood."""
    packet = answers("Heads-up", COMMITTED).replace(" }\n", ", fault: hang }\n")
    home = tmp_path / "rawr"
    async with watched(WORK + packet + SUMMARY + CONTINUE, tmp_path) as (codex, watching, ada):
        it = Hosted(codex, home)
        await ada.say("three phases please")
        await codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
        status = await it.status()
        os.kill(int(str(status["pid"])), signal.SIGKILL)
        await watching.warned("The host is gone")

        class Server:
            path = Path(str(status["watching"]))

        async with rawr_watch(codex, home, server=Server(), host=True) as again:
            await again.fact("ThreadJoined", thread=ada.thread)
            codex.model.release()
            await ada.until_told(GOES_ON)
            await again.decided("compact.audited.sequence")
        told = [one.item.text for one in ada.heard.all(facts.ItemCompleted) if isinstance(one.item, items.UserMessage)]
        assert [sum(mark in text for text in told) for mark in ("Heads-up: we", "Handoff: the")] == [1, 1]


async def test_a_backtest_of_the_session_finds_the_same_place(tmp_path: Path) -> None:
    """D4: ``rawr backtest`` over the user's own Codex history."""
    async with watched(GOLDEN, tmp_path) as (codex, watching, ada):
        it = Hosted(codex, tmp_path / "rawr")
        await ada.say("three phases please")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        told = await it.rawr("backtest", "--json")
        [session, summary] = told.lines
        assert [one["turn"] for one in session["would_compact"]] == [2], told.err  # type: ignore[attr-defined]
        assert (summary["would_compact"], summary["at_boundary"], summary["by_kind"]["plan_checkpoint"]) == (1, 1, 1)  # type: ignore[index]
