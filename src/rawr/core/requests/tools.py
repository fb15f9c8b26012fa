"""Tools that rawr serves to the agent on threads it starts.

``phase_complete`` is the explicit phase boundary (B9): the agent declares that a phase is over, so rawr need not guess
it from words. The agent's input is data and is checked here.
"""

from typing import Any

import msgspec
from msgspec import Struct

from rawr.core.speech import Own, line, say
from rawr.core.text import head

PHASE_COMPLETE = "phase_complete"
MAX_FIELD = 2_000
MAX_ARTIFACTS = 32


class Phase(Struct, frozen=True, omit_defaults=True):
    phase: str
    summary: str = ""
    next_phase: str = ""
    artifacts: tuple[str, ...] = ()


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
