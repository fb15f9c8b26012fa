"""The agent in the user's own Codex marks phases and holds compactions off, through rawr's MCP server (D10)."""

import json
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.testing import ScriptedCodex
from tests.cli.program import rawr
from tests.e2e.agent_tools import ENDED, call, ends, mark, set_up
from tests.e2e.beside import MORNING, Watching, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers, policy
from tests.e2e.test_backtest import from_file

pytestmark = pytest.mark.mission("D10")

PATH = answers("Heads-up", PACKET) + SUMMARY + CONTINUE


def marked(watching: Watching, thread: str) -> list[object]:
    """The phases that are on record as over, on this thread."""
    told = [one for one in watching.lines if one["type"] == "fact" and one["thread"] == thread]
    decided = [each for one in told for each in one["decisions"]]  # type: ignore[attr-defined]
    return [each["evidence"]["phase"] for each in decided if each["reason"] == "phase.marked.tool"]


def told_the_agent(codex: ScriptedCodex) -> list[str]:
    """What came back from the tools, as the model read it last. Older versions give it the parts as JSON."""
    outputs = [one.text.rpartition("Output:\n")[2] for one in codex.model.requests[-1].tool_outputs()]
    return [json.loads(one)[0]["text"] if one.startswith('[{"type":"text"') else one for one in outputs]


@pytest.mark.parametrize("asks", [False, True], ids=["never", "on-request"])
async def test_a_phase_that_the_agent_marks_leads_to_a_compaction(tmp_path: Path, *, asks: bool) -> None:
    """The only boundary is the mark, and nobody is asked for an approval, whatever the user's policy is."""
    home = tmp_path / "rawr"
    async with (
        served(MORNING + mark() + ends() + PATH, tmp_path, asks=asks, prepare=set_up(home)) as (codex, server),
        rawr_watch(codex, home, server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.say("three phases please")
        await ada.until_told(ENDED)
        assert told_the_agent(codex) == ["Noted: “research” is finished."]
        await ada.until_told(GOES_ON)
        await watching.decided("compact.audited.sequence")
        assert marked(watching, ada.thread) == ["research"]
        assert watching.evidence("compact.decided.boundary")[0]["satisfied"] == ["phase_boundary"]
        assert ada.heard.all(facts.RequestReceived) == []
    found = from_file(codex, policy(), ada.thread)
    assert [(one.kind, one.turn) for one in found.boundaries] == [("phase_boundary", 2)], "a backtest sees it too"
    assert [(one.turn, one.kinds) for one in found.would_compact] == [(2, ("phase_boundary",))]


async def test_each_mark_is_on_the_thread_whose_agent_made_it(tmp_path: Path) -> None:
    """Two agents at once in one Codex: both are in the middle of their turns when they call."""
    home = tmp_path / "rawr"
    script = mark("alpha", user="^ada$", usage=20000) + mark("beta", user="^bob$", usage=20000)
    script += '- { say: "Over.", usage: 20000, times: always }\n'
    async with (
        served(MORNING + script, tmp_path, prepare=set_up(home)) as (codex, server),
        rawr_watch(codex, home, server=server) as watching,
        person(server, codex.home.workspace) as ada,
        person(server, codex.home.workspace) as bob,
    ):
        await watching.joins(ada)
        await watching.joins(bob)
        turns = (await ada.say("ada"), await bob.say("bob"))
        await ada.until_over(turns[0])
        await bob.until_over(turns[1])
        await watching.fact("TurnCompleted", turn=turns[0])
        await watching.fact("TurnCompleted", turn=turns[1])
        assert (marked(watching, ada.thread), marked(watching, bob.thread)) == (["alpha"], ["beta"])


async def test_a_tool_of_the_same_name_on_another_server_says_nothing(tmp_path: Path) -> None:
    home = tmp_path / "rawr"

    def two_servers(codex: ScriptedCodex) -> None:
        set_up(home)(codex)
        text = codex.home.config_file.read_text()
        entry = text[text.index("[mcp_servers.rawr]") :]
        codex.home.config_file.write_text(text + entry.replace("mcp_servers.rawr", "mcp_servers.impostor"))

    async with (
        served(MORNING + mark("forged", server="impostor") + ends(), tmp_path, prepare=two_servers) as (codex, server),
        rawr_watch(codex, home, server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        turn = await ada.say("three phases please")
        await ada.until_over(turn)
        await watching.fact("TurnCompleted", turn=turn)
        called = watching.facts("ItemCompleted", turn=turn)
        assert [one["item"]["server"] for one in called if one["item"]["kind"] == "toolcall"] == ["impostor"]  # type: ignore[index]
        assert marked(watching, ada.thread) == []
        await watching.decided("compact.skipped.no_boundary")


async def test_the_agent_holds_and_asks_what_is_on_record(tmp_path: Path) -> None:
    """The hold prevents the compaction, the user sees whose it is and lifts it, and the agent reads the record."""
    home = tmp_path / "rawr"
    script = mark() + call("hold", "{ until: the tables are copied, turns: 2 }") + call("recorded") + ends()
    async with (
        served(MORNING + script, tmp_path, prepare=set_up(home)) as (codex, server),
        rawr_watch(codex, home, server=server) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        turn = await ada.say("three phases please")
        await ada.until_over(turn)
        await watching.decided("compact.deferred.guard")
        _, held, record = told_the_agent(codex)
        assert held == "Passed on: no compaction until “the tables are copied”, for 2 turns."
        on_record = json.loads(record)
        assert (on_record["thread"], on_record["watched"]) == (ada.thread, True)
        assert [one["phase"] for one in on_record["phases"]] == ["research"]
        assert [one["by"] for one in on_record["holds"]] == ["agent"]
        env = {"RAWR_HOME": str(home), "CODEX_HOME": str(codex.home.path)}
        shown = rawr("status", ada.thread, env=env).out
        assert "hold by the agent: no compaction until “the tables are copied”, for 2 more turns" in shown
        assert rawr("hold", ada.thread, "--release", env=env).code == 0
        assert "hold by the agent" not in rawr("status", ada.thread, env=env).out


async def test_a_mark_that_nobody_watched_counts_when_rawr_joins(tmp_path: Path) -> None:
    """The agent is told that nobody watches; the mark is in Codex's own file, and rawr finds it there."""
    home = tmp_path / "rawr"
    waits = ends().replace(" }\n", ", fault: hang }\n")
    async with (
        served(MORNING + mark() + waits + PATH, tmp_path, prepare=set_up(home)) as (codex, server),
        person(server, codex.home.workspace) as ada,
    ):
        await ada.until_over(await ada.say("good morning"))
        await ada.say("three phases please")
        asked = await codex.model.wait_for_async(lambda request: bool(request.tool_outputs()), deadline=30)
        assert "No rawr is watching this session now" in asked.tool_outputs()[-1].text
        async with rawr_watch(codex, home, server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            await watching.decided("phase.marked.tool")
            codex.model.release()
            await ada.until_told(GOES_ON)
            assert marked(watching, ada.thread) == ["research"]
