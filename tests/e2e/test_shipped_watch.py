"""``rawr watch`` beside the user's own Codex, with nothing configured: in the host, on the real Codex, on real git.

What stands here has its corners in the tests beside it, which set what they need; here everything is as users get it.
"""

import os
import signal
from pathlib import Path

import pytest

from rawr.codex.wire import methods
from rawr.core.vocabulary import facts, items
from tests.e2e.agent_tools import ends, mark, set_up
from tests.e2e.beside import COMMITTED, MORNING, WORK, in_order, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, HAPPY, PACKET, SUMMARY, answers
from tests.e2e.shipped import spoken, watched
from tests.e2e.test_host import Hosted, over

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


# -- what is a boundary -----------------------------------------------------------------------------------------------

COMMIT = "git commit -q --allow-empty -m 'Research done'"
WRITES = '- {{ run: "echo red > colours.txt", usage: {usage} }}\n'
SAYS = '- {{ say: "{text}", usage: {usage} }}\n'
REST = "I read the three modules, and the tables stand in my notes. Which of them comes first?"
"""Words that are no boundary."""


def turn(*actions: str, usage: int, text: str = REST) -> str:
    return "".join(f"- {{ {one}, usage: {usage} }}\n" for one in actions) + SAYS.format(text=text, usage=usage)


STEPS = ('plan: ["doing: research", "todo: draft"]', 'plan: ["done: research", "doing: draft"]')
SHIP = "run: \"echo 'echo Pull request created: https://github.com/acme/work/pull/7' > ship.sh; sh ship.sh\""
BOUNDARIES = {
    "commit": (turn(f'run: "{COMMIT}"', usage=80_000), "ready"),
    "plan_checkpoint": (
        turn(*STEPS, usage=100_000, text="The research is finished, and the tables stand in my notes."),
        "asap",
    ),
    "pr_checkpoint": (turn(SHIP, usage=60_000), "early"),
    "agent_done": (
        turn('run: "echo red > a.txt"', usage=100_000, text="Done. The list of colours is in a.txt."),
        "asap",
    ),
    "concluding": (
        turn('run: "echo red > a.txt"', usage=100_000, text="In summary, the list of colours is in a.txt."),
        "asap",
    ),
}
"""Each with the highest tier that it opens by default. A marked phase, a new topic and a user who stays away have
stories of their own below."""


@pytest.mark.parametrize("kind", BOUNDARIES)
async def test_what_opens_a_tier(tmp_path: Path, kind: str) -> None:
    """A5, A6, B6, B7, B8"""
    script, tier = BOUNDARIES[kind]
    packet = PACKET + "Commit: Research done. a.txt was written. Pull request 7."
    path = answers("Heads-up", packet) + answers("does not agree", packet) + SUMMARY + CONTINUE
    async with watched(script + path, tmp_path) as (_, watching, ada):
        await ada.say("the colours please")
        await watching.decided("compact.decided.boundary")
        [decided] = watching.evidence("compact.decided.boundary")
        assert decided["tier"] == tier
        assert kind in str(decided["satisfied"])
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")


def does(user: str, text: str) -> str:
    return f'- {{ when: {{ user: "{user}" }}, run: "true", usage: 60000 }}\n- {{ say: "{text}", usage: 60000 }}\n'


async def test_a_user_who_turns_to_something_else(tmp_path: Path) -> None:
    """A5: their message is a running turn already; it is left alone, and its end is the boundary."""
    first, second = "Added the list of colours. The check passes.", "Added the list of shapes. The check passes."
    async with watched(does("task 1", first) + does("task 2", second) + PATH, tmp_path) as (_, watching, ada):
        await ada.until_over(await ada.say("Do task 1, the colours."))
        await ada.say("Do task 2, the shapes.")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        [decided] = watching.evidence("compact.decided.boundary")
        assert (decided["tier"], decided["satisfied"]) == ("early", ["topic_shift"])
        assert spoken(watching, ada.thread)[-7:] == ["user", "agent", *HAPPY[2:]]


async def test_a_user_who_stays_away(tmp_path: Path) -> None:
    """D9. Its one setting is how long the test waits: by default five minutes."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nidle_seconds = 1\n")
    path = PATH.replace("Commit: Research done.", "a.txt was written.")
    async with watched(turn('run: "echo red > a.txt"', usage=150_000) + path, tmp_path) as (_, watching, ada):
        await ada.say("read it all")
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        [decided] = watching.evidence("compact.decided.boundary")
        assert decided["satisfied"] == ["idle"]


async def test_a_phase_that_the_agent_marks(tmp_path: Path) -> None:
    """D10, B9: after ``rawr setup codex``, which configures Codex and not rawr."""
    home = tmp_path / "rawr"
    script = MORNING + mark() + ends() + answers("Heads-up", PACKET) + SUMMARY + CONTINUE
    async with served(script, tmp_path, prepare=set_up(home)) as (codex, server):
        try:
            async with (
                rawr_watch(codex, home, server=server, host=True) as watching,
                person(server, codex.home.workspace) as ada,
            ):
                await watching.joins(ada)
                await ada.say("three phases please")
                await ada.until_told(GOES_ON)
                await watching.decided("compact.audited.sequence")
                assert watching.evidence("compact.decided.boundary")[0]["satisfied"] == ["phase_boundary"]
        finally:
            await over(home)


# -- not now ----------------------------------------------------------------------------------------------------------

LOOKS = '- { when: { user: "^Look into it" }, say: "I looked into it.", usage: 5000, fault: hang }\n'
SPAWN = 'call: { tool: spawn_agent, namespace: multi_agent_v1, arguments: { message: "Look into it." } }'
WAITS = 'run: { cmd: "until [ -e go ]; do sleep 0.05; done", yield_ms: 250 }'
REFUSED = {
    "compact.skipped.no_boundary": turn(usage=150_000),
    "compact.deferred.weak_boundary": turn(STEPS[0], STEPS[0].replace("draft", "write"), usage=100_000),
    "compact.deferred.plan_only": turn(*STEPS, usage=80_000),
    "compact.deferred.command_running": turn(WAITS, f'run: "{COMMIT}"', usage=80_000),
    "compact.deferred.subagent_busy": LOOKS + turn(SPAWN, f'run: "{COMMIT}"', usage=80_000),
}


@pytest.mark.parametrize("reason", REFUSED)
async def test_what_speaks_against_it(tmp_path: Path, reason: str) -> None:
    """A6, A7"""
    async with watched(REFUSED[reason] + PATH, tmp_path) as (codex, watching, ada):
        await ada.until_over(await ada.say("the colours please"))
        await watching.decided(reason)
        assert "compact.decided.boundary" not in watching.reasons()
        (codex.home.workspace / "go").touch()
        codex.model.release()


async def test_a_review_is_left_alone(tmp_path: Path) -> None:
    """A3: its end does not compact, whatever happened in it."""
    reviewed = turn(*STEPS, f'run: "{COMMIT}"', usage=100_000).replace("- {", '- { when: { user: "Look at it" },')
    async with watched(reviewed + SAYS.format(text="After it.", usage=101_000), tmp_path) as (_, watching, ada):
        target = {"type": "custom", "instructions": "Look at it."}
        start = methods.ReviewStart(thread_id=ada.thread, target=target)
        await ada.until_over((await ada.client.call(methods.REVIEW_START, start)).turn.id)
        await ada.until_over(await ada.say("And now?"))
        await watching.decided("compact.skipped.no_boundary")
        assert {"compact.skipped.review", "compact.decided.boundary"} & {*watching.reasons()} == {
            "compact.skipped.review"
        }


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


async def test_a_plan_that_stays_as_it_is_does_not_count_twice(tmp_path: Path) -> None:
    """A8: its boundary is used up with its turn, also where it was put off."""
    again = '- { plan: ["done: research", "doing: draft", "todo: ship"], usage: 133000 }\n' + SAYS.format(
        text=REST, usage=134_000
    )
    async with watched(WORK + again, tmp_path) as (codex, watching, ada):
        it = Hosted(codex, tmp_path / "rawr")
        await it.rawr("hold", "--until", "the release is out")
        await ada.until_over(await ada.say("three phases please"))
        await watching.decided("compact.deferred.guard")
        await it.rawr("hold", "--release")
        await ada.until_over(await ada.say("how are you?"))
        await watching.fact("TurnCompleted", thread=ada.thread, times=3)
        await watching.decided("compact.skipped.no_boundary")
        assert "compact.decided.boundary" not in watching.reasons()


# -- one setting each -------------------------------------------------------------------------------------------------

SETTINGS = {
    "off": ("[features]\nrawr_auto_compaction = false\n", "compact.skipped.disabled"),
    "tag": ('[rawr_auto_compaction]\nmode = "tag"\n', "compact.tagged.boundary"),
    "suggest": ('[rawr_auto_compaction]\nmode = "suggest"\n', "compact.suggested.boundary"),
}


@pytest.mark.parametrize("setting", SETTINGS)
async def test_a_setting_under_which_nothing_is_done(tmp_path: Path, setting: str) -> None:
    """A1, A2: the same gates, and no deed."""
    text, reason = SETTINGS[setting]
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text(text)
    async with watched(GOLDEN, tmp_path) as (_, watching, ada):
        await ada.until_over(await ada.say("three phases please"))
        await watching.decided(reason)
        assert {"StartTurn", "SteerTurn", "StartCompaction", "Inject"}.isdisjoint(watching.effects())


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
    script = '- { run: "true", usage: 237000 }\n- { run: "true", usage: 238000, fault: hang }\n'
    script += answers("nearly full", PACKET, usage=239_000) + SUMMARY + CONTINUE
    async with watched(script, tmp_path) as (codex, watching, ada):
        turn = await ada.say("Fill the window.")
        await watching.done("SteerTurn")
        await codex.model.wait_for_async(lambda request: request.number == 3, deadline=30)
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
    async with watched(WORK + path + turn(f'run: "{COMMIT}"', usage=140_000) + path, tmp_path) as (
        codex,
        watching,
        ada,
    ):
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
