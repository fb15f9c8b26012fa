"""What the agent says through rawr's MCP server, on threads that rawr did not start (D10).

It is taken from the item that Codex reports for the call: that one is on the right thread, names the server by its key
in the user's config, and is in the session file too. The server itself only checks and acknowledges. A call that failed
or was declined says nothing, and neither does a tool of the same name on any other server.
"""

from rawr.core.compaction import holds
from rawr.core.draft import ThreadDraft
from rawr.core.requests import marking
from rawr.core.requests.tools import HOLD, MCP_SERVER, PHASE_COMPLETE, RELEASE, read_hold, read_phase
from rawr.core.vocabulary.items import ToolCall
from rawr.core.vocabulary.reasons import Reason


def called(draft: ThreadDraft, item: ToolCall, turn: str) -> None:
    if item.server != MCP_SERVER or item.status != "completed" or not draft.policy.hear_tools:
        return
    if item.tool == PHASE_COMPLETE:
        _phase(draft, item, turn)
    elif item.tool == HOLD:
        _hold(draft, item)
    elif item.tool == RELEASE:
        holds.agent_released(draft)


def _phase(draft: ThreadDraft, item: ToolCall, turn: str) -> None:
    phase = read_phase(item.arguments)
    if isinstance(phase, str):
        draft.note(Reason.PHASE_REFUSED_ARGUMENTS, item=item.id, problem=phase)
    elif any(one.turn == turn and one.phase == phase.phase for one in draft.state.phases):
        # On a thread that rawr started the agent has the tool twice, and may call it twice.
        draft.note(Reason.IGNORED_KNOWN_PHASE, item=item.id, phase=phase.phase)
    else:
        marking.mark(draft, phase, turn)


def _hold(draft: ThreadDraft, item: ToolCall) -> None:
    hold = read_hold(item.arguments)
    if isinstance(hold, str):
        draft.note(Reason.HOLD_REFUSED_ARGUMENTS, item=item.id, problem=hold)
    else:
        holds.agent_holds(draft, hold)
