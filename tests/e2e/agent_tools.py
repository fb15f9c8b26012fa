"""The user's own Codex with rawr's tools for the agent, as ``rawr setup codex`` adds them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rawr.testing import ScriptedCodex

ENDED = "What I read stands in my notes, table by table. Next comes the draft; shall I go on with it now?"
"""Words that are no boundary."""


def set_up(home: Path) -> Callable[[ScriptedCodex], None]:
    """``rawr setup codex``, for a rawr with this home."""

    def run(codex: ScriptedCodex) -> None:
        rawr_setup(codex, home, "--yes")

    return run


def rawr_setup(codex: ScriptedCodex, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**codex.env(), "RAWR_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    command = [sys.executable, "-m", "rawr", "setup", "codex", *words, "--codex-bin", str(codex.binary)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def call(tool: str, arguments: str = "{}", *, server: str = "rawr", user: str = "", usage: int = 90000) -> str:
    """The agent calls a tool of an MCP server."""
    when = f'when: {{ user: "{user}" }}, ' if user else ""
    made = f"call: {{ tool: {tool}, namespace: mcp__{server}, arguments: {arguments} }}"
    return f"- {{ {when}{made}, usage: {usage} }}\n"


def mark(phase: str = "research", *, server: str = "rawr", user: str = "", usage: int = 90000) -> str:
    arguments = f'{{ phase: {phase}, summary: "All read.", next_phase: draft }}'
    return call("phase_complete", arguments, server=server, user=user, usage=usage)


def ends(*, usage: int = 100000) -> str:
    return f'- {{ say: "{ENDED}", usage: {usage} }}\n'
