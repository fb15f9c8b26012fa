"""When ``rawr watch`` begins and when it does not, with nothing configured: in the host, on the real Codex."""

from pathlib import Path

import pytest

from rawr.codex.wire import methods
from tests.e2e.agent_tools import ends, mark, set_up
from tests.e2e.beside import COMMITTED, MORNING, WORK, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, HAPPY, PACKET, SUMMARY, answers
from tests.e2e.shipped import COMMIT, REST, SAYS, spoken, turn, watched
from tests.e2e.test_host import Hosted, over

PATH = answers("Heads-up", COMMITTED) + answers("does not agree", COMMITTED) + SUMMARY + CONTINUE
GOLDEN = WORK + PATH

# -- what is a boundary -----------------------------------------------------------------------------------------------

STEPS = ('plan: ["doing: research", "todo: draft"]', 'plan: ["done: research", "doing: draft"]')
SHIP = "run: \"echo 'echo Pull request created: https://github.com/acme/work/pull/7' > ship.sh; sh ship.sh\""
WRITES = r'patch: "*** Begin Patch\n*** Add File: a.txt\n+red\n*** End Patch"'
BOUNDARIES = {
    "commit": (turn(f'run: "{COMMIT}"', usage=80_000), "ready"),
    "plan_checkpoint": (
        turn(*STEPS, usage=100_000, text="The research is finished, and the tables stand in my notes."),
        "asap",
    ),
    "pr_checkpoint": (turn(SHIP, usage=60_000), "early"),
    "agent_done": (
        turn(WRITES, usage=100_000, text="Done. The list of colours is in a.txt."),
        "asap",
    ),
    "concluding": (
        turn(WRITES, usage=100_000, text="In summary, the list of colours is in a.txt."),
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
        await ada.until_told("Heads-up: we pause")


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
        told = spoken(watching, ada.thread)
        assert told[: told.index("handoff") + 1][-6:] == ["user", "agent", *HAPPY[2:-1]]


async def test_a_user_who_stays_away(tmp_path: Path) -> None:
    """D9. Its one setting is how long the test waits: by default five minutes."""
    (tmp_path / "rawr").mkdir(mode=0o700)
    (tmp_path / "rawr" / "config.toml").write_text("[rawr_auto_compaction]\nidle_seconds = 1\n")
    path = PATH.replace("Commit: Research done.", "a.txt was written.")
    async with watched(turn(WRITES, usage=150_000) + path, tmp_path) as (_, watching, ada):
        await ada.say("read it all")
        await ada.until_told("Heads-up: we pause")
        await watching.decided("compact.decided.boundary")
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
        await watching.decided("compact.skipped.review")
        await ada.until_over(await ada.say("And now?"))
        await watching.decided("compact.skipped.no_boundary")
        assert {"compact.skipped.review", "compact.decided.boundary"} & {*watching.reasons()} == {
            "compact.skipped.review"
        }


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
