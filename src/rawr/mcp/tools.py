"""What the tools do: they check what the agent says, and say honestly what will become of it."""

from pathlib import Path

from msgspec import Struct

from rawr.core.requests.tools import (
    HOLD,
    HOLD_TOOL,
    PHASE_COMPLETE,
    PHASE_TOOL,
    RELEASE,
    RELEASE_TOOL,
    ToolSpec,
    read_hold,
    read_phase,
)
from rawr.core.speech import Own, as_json, line, say
from rawr.mcp.protocol import Called, Outcome

RECORDED = "recorded"
RECORDED_TOOL = ToolSpec(
    name=RECORDED,
    description=(
        "What the supervisor has on record of this session: plan, finished phases, commits, changed files, holds, "
        "standing directives, context left, and its last decision. Use it after a compaction, or when in doubt."
    ),
    schema={"type": "object", "properties": {}, "additionalProperties": False},
)
TOOLS = (PHASE_TOOL, HOLD_TOOL, RELEASE_TOOL, RECORDED_TOOL)
INSTRUCTIONS = (
    "rawr supervises this session and compacts its context between phases of the work. Call phase_complete when a "
    "phase is finished and its results are saved. Call hold if the context must stay as it is for the next turns."
)
UNWATCHED = "No rawr is watching this session now, so nothing follows from it until one joins."


class Home(Struct, frozen=True):
    """Serves calls by what is in a home. It only reads there, and only when a call comes."""

    path: Path

    def serve(self, call: Called) -> Outcome | None:
        if call.tool == PHASE_COMPLETE:
            return self._phase(call)
        if call.tool == HOLD:
            return self._hold(call)
        if call.tool == RELEASE:
            return Outcome(self._told(say("Passed on: your hold is lifted."), call.thread))
        if call.tool == RECORDED:
            return self._recorded(call)
        return None

    def _phase(self, call: Called) -> Outcome:
        phase = read_phase(call.arguments)
        if isinstance(phase, str):
            return Outcome(phase, failed=True)
        return Outcome(self._told(say("Noted: {phase} is finished.", phase=line(phase.phase)), call.thread))

    def _hold(self, call: Called) -> Outcome:
        hold = read_hold(call.arguments)
        if isinstance(hold, str):
            return Outcome(hold, failed=True)
        asked = say(
            "Passed on: no compaction until {until}, for {turns} turns.", until=line(hold.until), turns=hold.turns
        )
        return Outcome(self._told(asked, call.thread))

    def _told(self, done: Own, thread: str) -> str:
        """The mark is in Codex's own record either way. What follows depends on who watches."""
        from rawr.mcp.record import is_watched

        return done if is_watched(self.path, thread) else f"{done} {UNWATCHED}"

    def _recorded(self, call: Called) -> Outcome:
        from rawr.mcp.record import so_far

        if not call.thread:
            return Outcome("This Codex does not say which session is asking, so rawr cannot look it up.", failed=True)
        found = so_far(self.path, call.thread)
        if found is None:
            return Outcome("rawr has nothing on record of this session.")
        return Outcome(as_json(found))


def home() -> Home:
    from rawr.journal.home import resolve_home

    return Home(resolve_home())
