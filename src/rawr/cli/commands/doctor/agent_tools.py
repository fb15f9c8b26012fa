"""Whether the agent in the user's own Codex has rawr's tools. Nobody has to want that."""

from rawr.cli.commands.agent_setup import look
from rawr.cli.commands.doctor.check import Check
from rawr.cli.commands.setting_up import described
from rawr.cli.places import Places

_WAYS_OUT = {
    "other": "To have this one: rawr setup codex",
    "gone": "Write the entry anew, or take it out: rawr setup codex, rawr setup codex --undo",
    "changed": "Take it out, then write it anew: rawr setup codex --undo, rawr setup codex",
    "foreign": "To use rawr's, rename the other one first.",
    "unreadable": "Fix the file; Codex reads it too.",
}


def agent_tools_check(places: Places) -> Check:
    now = look(places.codex_home, home=places.home)
    way_out = _WAYS_OUT.get(now.status, "")
    return Check("agent tools", "warn" if way_out else "ok", described(now).rstrip("."), way_out)
