"""A Codex that its user has told to compact at turns' ends, by a percent of its own (A19, A20, A20a).

``make compat`` plays these on every version; one that does not know the setting skips them.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.codex.native import THRESHOLD
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.testing import ScriptedCodex
from tests.cli.program import rawr
from tests.e2e.beside import (
    COMMITTED,
    MORNING,
    TITLE,
    WORK,
    Person,
    Watching,
    greet,
    person,
    rawr_watch,
    say,
    served,
    watch_env,
)
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers, golden, spoken, until_it_says
from tests.e2e.rig import SocketServer
from tests.e2e.terminal import terminal
from tests.e2e.test_full_auto import GOAL, ended

pytestmark = pytest.mark.mission("A19", "A20a")

ASKS = "I wrote the file. Shall I go on with the rest?"
SMALL = f"""
- {{ when: {{ compaction: true }}, say: "A summary.", usage: 100000, times: always }}
- {{ when: {{ user: "begin" }}, run: "echo hello > a.txt", usage: 100000 }}
- {{ when: {{ user: "^take your time$" }}, fault: hang, say: "{ASKS}", usage: 100000 }}
- {{ say: "{ASKS}", usage: 100000, times: always }}
"""
"""One small command, and a question; the context is as full as ever, whatever is compacted."""
STOPPED = "3 compactions without work in between; rawr will not compact this thread again"


def compacts_at(percent: object) -> Callable[[ScriptedCodex], None]:
    """What the user has in their config.toml."""

    def prepare(codex: ScriptedCodex) -> None:
        file = codex.home.config_file
        file.write_text(f"{THRESHOLD} = {percent}\n{file.read_text()}")

    return prepare


@asynccontextmanager
async def watched(
    replies: str, folder: Path, percent: object = 30, *, host: bool = True
) -> AsyncIterator[tuple[ScriptedCodex, SocketServer, Person, Watching]]:
    """Somebody at work with such a Codex, and ``rawr watch`` beside it, as users get it."""
    async with (
        served(MORNING + replies, folder, prepare=compacts_at(percent)) as (codex, server),
        rawr_watch(codex, folder / "rawr", server=server, host=host) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        if not (await ada.client.own_compaction()).knows:
            pytest.skip("this Codex does not know the setting")
        await watching.joins(ada)
        yield codex, server, ada, watching


def turns(ada: Person) -> int:
    """Turns of the thread, without the one in which rawr joined."""
    return len(ada.heard.all(facts.TurnCompleted)) - 1


def compactions(ada: Person) -> int:
    return sum(isinstance(one.item, items.Compaction) for one in ada.heard.all(facts.ItemCompleted))


# -- a Codex that compacts after every turn ----------------------------------------------------------------------------


async def test_one_message_leads_to_one_turn_and_one_compaction(tmp_path: Path) -> None:
    """The record waits, and goes along with the user's next message: told once, in their turn."""
    async with watched(SMALL, tmp_path) as (codex, _, ada, watching):
        await ada.until_over(await ada.say("begin the work please"))
        await watching.decided("handoff.held.recovery")
        later = await ada.say("take your time")
        await watching.decided("handoff.sent.recovery")
        await codex.model.wait_for_async(lambda request: request.last_user == "take your time", deadline=15)
        codex.model.release()
        await ada.until_over(later)
        assert (turns(ada), compactions(ada)) == (2, 2)
        last = [one for one in codex.model.requests if not one.is_compaction][-1]
        [record] = [one for one in last.user_texts if "Handoff" in one]
        assert "a.txt" in record
        assert watching.effects().count("StartTurn") == 0


async def test_three_without_work_stop_rawr_there_and_it_says_so(tmp_path: Path) -> None:
    async with watched(SMALL, tmp_path) as (codex, _, ada, watching):
        for word in ("begin the work please", "yes", "go on", "and?", "well?"):
            await ada.until_over(await ada.say(word))
        await watching.noticed(STOPPED)
        assert turns(ada) == 5
        # A record that gets in right behind the answer makes the turn longer, until rawr stops.
        assert compactions(ada) <= 7
        assert watching.effects().count("StartTurn") == 0
        shown = rawr("status", env=watch_env(codex, tmp_path / "rawr")).out
        assert "rawr has stopped compacting this thread; Codex compacts by itself at a turn's end" in shown


async def test_beside_the_stock_terminal_program(tmp_path: Path) -> None:
    """The person types one message; when they type the next, nothing has come in between."""
    async with (
        served(TITLE + MORNING + SMALL, tmp_path, prepare=compacts_at(30)) as (codex, server),
        person(server, codex.home.workspace) as somebody,
        rawr_watch(codex, tmp_path / "rawr", server=server, host=True) as watching,
        terminal(
            codex.command("--remote", f"unix://{server.path}"), env=codex.env(), cwd=codex.home.workspace, rows=200
        ) as screen,
    ):
        if not (await somebody.client.own_compaction()).knows:
            pytest.skip("this Codex does not know the setting")
        await greet(screen)
        await watching.fact("ThreadJoined")
        await say(screen, "begin the work please")
        await watching.decided("handoff.held.recovery")
        await say(screen, "take your time")
        await watching.decided("handoff.sent.recovery")
        await codex.model.wait_for_async(lambda request: request.last_user == "take your time", deadline=15)
        codex.model.release()
        shown = await screen.until(lambda shown: shown.count("Context compacted") >= 2)
        await watching.fact("TurnCompleted", times=3)
        assert len(watching.facts("TurnCompleted")) == 3
        assert shown.count("Handoff: the context") == 1
        assert watching.effects().count("StartTurn") == 0


# -- along with the golden path ---------------------------------------------------------------------------------------

PACKET_TURN = answers("Heads-up", COMMITTED, usage=160_000)
"""The packet takes the context past 60 %, where the work had stayed below it."""


@pytest.mark.parametrize("host", [False, True], ids=["in the foreground", "in the host"])
async def test_the_packet_written_before_codex_compacted_is_handed_over_once(tmp_path: Path, *, host: bool) -> None:
    async with watched(WORK + PACKET_TURN + SUMMARY + CONTINUE, tmp_path, 60, host=host) as (codex, _, ada, watching):
        await ada.say("three phases please")
        await ada.until_over((await ada.until_told(GOES_ON)).turn)
        await watching.decided("compact.audited.sequence")
        [audit] = watching.evidence("compact.audited.sequence")
        assert (audit["by"], audit["packet_author"], audit["outcome"]) == ("Codex itself", "agent", "compacted")
        assert (audit["tokens_before"], turns(ada), compactions(ada)) == (160_000, 3, 1)
        [handoff] = [one for one in codex.model.requests[-1].user_texts if "Handoff" in one]
        assert "Write the draft." in handoff
        assert watching.effects().count("StartCompaction") == 0


async def test_where_every_turn_ends_full_there_is_one_sequence(tmp_path: Path) -> None:
    """The user's turn, packet and handoff, and no more: not even where the handoff's turn ends in a compaction too."""
    full = CONTINUE.replace("usage: 20000", "usage: 160000, times: always")
    always = '- { when: { compaction: true }, say: "A summary.", times: always }\n'
    later = '- { when: { user: "^and now$" }, say: "Nothing.", usage: 160000 }\n'
    script = later + WORK + PACKET_TURN + always + full
    async with watched(script, tmp_path, 60) as (_, _, ada, watching):
        await ada.say("three phases please")
        await ada.until_over((await ada.until_told(GOES_ON)).turn)
        await watching.decided("handoff.held.recovery")
        await ada.until_over(await ada.say("and now"))
        assert (turns(ada), compactions(ada)) == (4, 3)
        assert watching.reasons(thread=ada.thread).count("handoff.sent.compacted") == 1


# -- on threads that rawr starts --------------------------------------------------------------------------------------


async def test_on_rawrs_own_threads_codex_leaves_it_to_rawr(tmp_path: Path) -> None:
    """Also after a resume, where Codex would forget it."""
    async with golden(SMALL, tmp_path, extra_config={THRESHOLD: 30}) as (it, thread):
        await until_it_says(it, thread, prompt="begin", says=ASKS)
        await it.kill_server()
        await it.expect(facts.ThreadJoined, thread=thread)
        await until_it_says(it, thread, prompt="And?", says=ASKS)
        assert spoken(it, thread) == ["user", "agent", "user", "agent"]
        native = it.state(thread).native
        assert native is not None
        assert native.percent == 0


async def test_a_run_on_a_thread_that_somebody_else_has_open(tmp_path: Path) -> None:
    """Their settings stay, and Codex compacts at the end of every turn: the run makes no turns of its record, and rests
    in the end."""
    async with (
        golden(SMALL, tmp_path, transport="socket", extra_config={THRESHOLD: 30}) as (it, _),
        person(it.server, it.workspace) as ada,
    ):
        if not (await ada.client.own_compaction()).knows:
            pytest.skip("this Codex does not know the setting")
        await ada.until_over(await ada.say("begin"))
        await it.rawr.adopt(ada.thread, sandbox="danger-full-access")
        run = await ended(it, ada.thread, Order(goal=GOAL))
        assert run.status == "paused"
        assert len(ada.heard.all(facts.TurnCompleted)) <= 5


# -- who compacts, and at which percent -------------------------------------------------------------------------------


async def test_watch_status_and_doctor_say_who_compacts(tmp_path: Path) -> None:
    async with watched(SMALL, tmp_path, host=False) as (codex, _, ada, watching):
        told = await watching.fact("ServerConnected", thread="")
        origin = str(codex.home.config_file)
        assert told["native"] == {"percent": 30, "origin": origin}
        joined = await watching.fact("ThreadJoined", thread=ada.thread)
        assert joined["native"] == told["native"]
        env = watch_env(codex, tmp_path / "rawr")
        words = "rawr compacts at a boundary below 85 % left; Codex compacts by itself at a turn's end from 30 % used"
        assert words in rawr("status", env=env).out
        examined = rawr("doctor", "--codex-bin", str(codex.binary), env=env).out
        assert f"{words}, by {origin}" in " ".join(examined.split())


async def test_a_setting_that_codex_cannot_read_is_reported(tmp_path: Path) -> None:
    async with served(MORNING, tmp_path) as (codex, server):
        compacts_at('"often"')(codex)
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            told = await watching.fact("ServerConnected", thread="")
            native = told["native"]
            assert isinstance(native, dict)
            if not native:
                pytest.skip("this Codex does not know the setting")
            assert THRESHOLD in str(native["problem"])
        examined = rawr("doctor", "--codex-bin", str(codex.binary), env=watch_env(codex, tmp_path / "rawr")).out
        assert "is not known" in " ".join(examined.split())


# -- before, and inside ------------------------------------------------------------------------------------------------

ALWAYS_FULL = """
- { when: { compaction: true }, say: "A summary.", times: always }
- { when: { user: "^begin$" }, run: "echo hello", usage: 250000, times: 12 }
- { when: { user: "Handoff" }, run: "echo hello", usage: 250000, times: 12 }
- { say: "I looked. Shall I go on?", usage: 250000, times: always }
"""
"""Each call finds the window full: Codex compacts before every turn, and inside every one, call by call."""


async def test_a_codex_that_compacts_before_and_inside_every_turn_is_not_driven_on_by_rawr(tmp_path: Path) -> None:
    """Without a threshold of its own. What rawr says into the turn ends with the third compaction without work."""
    async with watched(ALWAYS_FULL, tmp_path, 0) as (codex, _, ada, watching):
        await ada.until_over(await ada.say("begin"))
        await watching.noticed(STOPPED)
        for word in ("and?", "well?"):
            await ada.until_over(await ada.say(word))
        assert turns(ada) == 3
        assert watching.effects().count("StartTurn") == 0
        said = watching.effects().count("SteerTurn")
        assert said <= 3
        told = [one for one in codex.model.requests[-1].user_texts if "Handoff" in one]
        assert len(told) <= said
