"""Our "percent remaining" against the number that the Codex terminal program itself shows."""

import re
from pathlib import Path

from rawr.core.policy.tiers import percent_remaining
from rawr.testing import Reply, Say, Scenario, Usage, scripted_codex
from tests.e2e.rig import SocketServer
from tests.e2e.terminal import Terminal, terminal

WINDOW = 95_000
"""What Codex makes of a window of 100 000: the last 5 % are its own."""
USED = (3_000, 12_000, 12_416, 47_000, 60_123, 94_600)


async def test_percent_remaining_is_what_codex_shows(tmp_path: Path) -> None:
    """A4: one definition of "percent remaining", Codex's own, read off the real terminal program."""
    replies = [Reply(steps=(Say(f"answer-{used}"),), usage=Usage(input=used)) for used in USED]
    # The last answers pass 90 % of the window, where Codex would compact by itself.
    late = {
        "model_auto_compact_token_limit": 10_000_000,
        "model_auto_compact_token_limit_scope": "body_after_prefix",
    }
    scenario = Scenario.of("filling", replies, window=100_000)
    shown: dict[int, int] = {}
    with scripted_codex(scenario, tmp_path, extra_config=late) as codex:
        server = SocketServer(codex)
        await server.start()
        await server.listening()
        try:
            command = codex.command("--remote", f"unix://{server.path}")
            async with terminal(command, env=codex.env(), cwd=codex.home.workspace) as screen:
                await screen.until(lambda text: "Ask Codex" in text)
                for used in USED:
                    shown[used] = await _ask(screen, used)
        finally:
            await server.close()
    assert shown == {used: percent_remaining(in_context=used, window=WINDOW) for used in USED}


async def _ask(screen: Terminal, used: int) -> int:
    """Have the model answer with that usage, then read what /status says."""
    screen.type(f"fill-{used}")
    await screen.until(lambda text: f"fill-{used}" in text)
    screen.type("\r")
    await screen.until(lambda text: f"• answer-{used}" in text and "Worked for" in text.rpartition("answer-")[2])
    screen.type("/status")
    await screen.until(lambda text: "› /status" in text)
    screen.type("\r")
    text = await screen.until(lambda text: _percents(text, used))
    return int(_percents(text, used)[-1])


def _percents(text: str, used: int) -> list[str]:
    """The percent that stands below the answer."""
    return re.findall(r"Context window:\s+(\d+)% left", text.rpartition(f"answer-{used}")[2])
