"""``rawr watch``: is the thread there that was named (D1), and does the user know that the agent can mark phases?"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.commands.watch import _Listening, _offer_tools
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
