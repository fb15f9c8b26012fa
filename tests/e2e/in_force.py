"""What really was in force, by Codex's own files and by what the model was offered."""

import json
from pathlib import Path

from rawr.testing import ScriptedCodex
from tests.e2e.rig import Rig

WIDE = {
    "sandbox_mode": "danger-full-access",
    "approval_policy": "never",
    "tools": {"update_plan": {"enabled": False}},
}
"""A user's config that allows everything and has no plan tool: whatever rawr forgets to say comes from there."""
READ_ONLY = ("read-only", "on-request")


def session(codex: ScriptedCodex, thread: str) -> Path:
    [found] = (codex.home.path / "sessions").rglob(f"*{thread}.jsonl")
    return found


def contexts(codex: ScriptedCodex, thread: str) -> list[tuple[str, str]]:
    """Sandbox and approval policy of each turn of a thread, as Codex wrote them down."""
    lines = [json.loads(line) for line in session(codex, thread).read_text().splitlines()]
    turns = [line["payload"] for line in lines if line["type"] == "turn_context"]
    return [(one["sandbox_policy"]["type"], one["approval_policy"]) for one in turns]


def lacking(it: Rig) -> list[int]:
    """The requests to the model, by their number, that did not offer what rawr needs."""
    needed = {"update_plan", "phase_complete"}
    return [one.number for one in it.codex.model.requests if not one.is_compaction and not needed <= set(one.tools)]
