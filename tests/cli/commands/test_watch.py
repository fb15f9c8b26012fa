"""``rawr watch``: is the thread there that was named (D1), and does the user know that the agent can mark phases?"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.commands import watch
from rawr.cli.commands.watch import Wanted, _Listening, _offer_tools, _watch_in_host
from rawr.cli.places import Places
from rawr.core.kernel import Taken
from rawr.core.vocabulary.effects import Intended, ListThreads
from rawr.core.vocabulary.facts import EffectSucceeded, Recorded, ServerConnected
from rawr.runtime.supervisor import Silent

CONNECTED = ServerConnected(epoch=1, user_agent="", codex_home="", transport="unix")


async def listed(*lists: str) -> bool:
    """Return True if the thread is said to be missing after these lists of threads, one for each connection."""
    listening = _Listening(Silent(), "4e1")
    for number, threads in enumerate(lists, 1):
        asked = (Intended(f":{number}.0", "", ListThreads()),)
        listening.taken(Taken(Recorded(2 * number, 0, "", CONNECTED), effects=asked))
        started = EffectSucceeded(effect=":9.9", result="a thread that somebody started")
        listening.taken(Taken(Recorded(2 * number, 0, "", started)))
        listening.taken(Taken(Recorded(2 * number, 0, "", EffectSucceeded(effect=asked[0].id, result=threads))))
    return listening.missing.is_set()


async def test_only_the_first_list_counts() -> None:
    """A Codex that was started anew has nothing open yet: the thread is waited for, as without a name."""
    assert await listed("a4e1 b000") is False
    assert await listed("a4e1", "") is False
    assert await listed("b000") is True
    assert await listed("") is True


@pytest.mark.mission("D10")
def test_the_tools_are_offered_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, the first time; and none where they are set up already."""
    home, codex_home = tmp_path / "rawr", tmp_path / "codex"
    home.mkdir()
    codex_home.mkdir()
    places = replace(Places.find(), home=home, codex_home=codex_home)
    entry = '[mcp_servers.rawr]\ncommand = "rawr"\nargs = ["mcp"]\n'
    (codex_home / "config.toml").write_text(entry)
    _offer_tools(places, home)
    assert capsys.readouterr().err == ""
    (codex_home / "config.toml").unlink()
    _offer_tools(places, home)
    assert "`rawr setup codex`" in capsys.readouterr().err
    _offer_tools(places, home)
    assert capsys.readouterr().err == ""


class _SlowHost:
    """The client of a host that takes its time to begin the watch; Ctrl-C comes first."""

    link = ""

    def __init__(self) -> None:
        self.unwatched = False

    async def watch(self, _wanted: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(30)

    async def unwatch(self) -> None:
        self.unwatched = True


def test_ctrl_c_ends_a_watch_that_is_only_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host may watch by then, and nobody would know."""
    host = _SlowHost()

    @asynccontextmanager
    async def host_of(*_: object, **__: object) -> AsyncIterator[_SlowHost]:
        yield host

    monkeypatch.setattr(watch, "host_of", host_of)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(_watch_in_host(tmp_path / "codex.sock", Places.find(), Wanted(), Silent()))
    assert host.unwatched
