"""Tools that rawr serves to the agent: on threads it starts by itself, on others through its MCP server (D10).

``phase_complete`` is the explicit phase boundary (B9): the agent declares that a phase is over, so rawr need not guess
it from words. ``hold`` says that this is no time to compact. The agent's input is data and is checked here.
"""

from typing import Any

import msgspec
from msgspec import Struct

from rawr.core.speech import Own, line, say
from rawr.core.text import head

PHASE_COMPLETE = "phase_complete"
MAX_FIELD = 2_000
MAX_ARTIFACTS = 32
HOLD, RELEASE = "hold", "release_hold"
MCP_SERVER = "rawr"
"""What the MCP server is called in Codex's config, and in the items of its calls. No other server's calls count."""
MAX_HELD = 10
"""Turns of work for which the agent may hold compactions off, in all, between two of them."""
MAX_UNTIL = 200


class Phase(Struct, frozen=True, omit_defaults=True):
    phase: str
    summary: str = ""
    next_phase: str = ""
    artifacts: tuple[str, ...] = ()


class Hold(Struct, frozen=True):
    until: str
    turns: int = 1


class ToolSpec(Struct, frozen=True):
    name: str
    description: str
    schema: dict[str, Any]


PHASE_TOOL = ToolSpec(
    name=PHASE_COMPLETE,
    description=(
        "Tell the supervisor that one phase of the work is finished and the next has not begun. "
        "Call it once per phase, after the phase's results are saved, never in the middle of one."
    ),
    schema={
        "type": "object",
        "properties": {
            "phase": {"type": "string", "description": "The phase that is finished, in a few words."},
            "summary": {"type": "string", "description": "What came of it, in one or two sentences."},
            "next_phase": {"type": "string", "description": "What comes next; empty if nothing is left."},
            "artifacts": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Paths of the files that hold the results.",
            },
        },
        "required": ["phase", "summary"],
        "additionalProperties": False,
    },
)

HOLD_TOOL = ToolSpec(
    name=HOLD,
    description=(
        "Ask the supervisor not to compact the context for the next turns, because what is in it is needed word for "
        "word. The user sees the hold and can lift it. It ends by itself, and it does not apply in an emergency."
    ),
    schema={
        "type": "object",
        "properties": {
            "until": {"type": "string", "description": "What has to be finished first, in a few words."},
            "turns": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_HELD,
                "description": f"For so many turns; 1 if omitted. {MAX_HELD} in all until the next compaction.",
            },
        },
        "required": ["until"],
        "additionalProperties": False,
    },
)
RELEASE_TOOL = ToolSpec(
    name=RELEASE,
    description="Lift the holds that you asked for. The user's own holds stay.",
    schema={"type": "object", "properties": {}, "additionalProperties": False},
)

OUR_TOOLS: tuple[ToolSpec, ...] = (PHASE_TOOL,)


def read_phase(arguments: str) -> Phase | Own:
    """The marked phase, or why the arguments cannot be used, in words for the agent."""
    try:
        phase = msgspec.json.decode(arguments, type=Phase)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        why = line(str(error))
        return say("phase_complete was not understood: {why}. Send phase and summary as strings.", why=why)
    if not phase.phase.strip():
        return say("phase_complete needs the name of the phase that is finished.")
    return Phase(
        head(phase.phase.strip(), MAX_FIELD),
        head(phase.summary, MAX_FIELD),
        head(phase.next_phase, MAX_FIELD),
        tuple(head(path, MAX_FIELD) for path in phase.artifacts[:MAX_ARTIFACTS]),
    )


def read_hold(arguments: str) -> Hold | Own:
    """The hold that is asked for, or why the arguments cannot be used, in words for the agent."""
    try:
        hold = msgspec.json.decode(arguments, type=Hold)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return say("hold was not understood: {why}. Send until as a string.", why=line(str(error)))
    if not hold.until.strip():
        return say("hold needs to know what has to be finished first.")
    if not 1 <= hold.turns <= MAX_HELD:
        return say("hold takes 1 to {most} turns.", most=MAX_HELD)
    return Hold(head(hold.until.strip(), MAX_UNTIL), hold.turns)
