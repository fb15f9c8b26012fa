"""Everything one can do, in one table: keys, the command palette, the help and the reference are made of it."""

import re
from typing import Literal

from msgspec import Struct

Group = Literal["Look", "Speak", "Steer", "Context", "Program"]


class Command(Struct, frozen=True):
    name: str
    """The app's action of that name is called."""
    keys: str
    """As Textual writes them; several separated by commas."""
    title: str
    help: str
    group: Group
    anywhere: bool = False
    """Also while one is typing."""


COMMANDS: tuple[Command, ...] = (
    Command("inbox", "a", "Inbox", "Approvals and questions of all threads.", "Speak"),
    Command("write", "i", "Write a message", "To the agent of this thread.", "Speak"),
    Command("queue", "e", "Queued messages", "Edit or remove messages that wait to be sent.", "Speak"),
    Command("interrupt", "x", "Interrupt the turn", "Codex ends the running turn.", "Speak"),
    Command("full_auto", "f", "Full Auto", "Start a run on this thread, pause it, or let it go on.", "Steer"),
    Command("stop", "s", "Stop the run", "End the run and interrupt its turn.", "Steer"),
    Command("override", "o", "Override the last decision", "Say what comes next, instead of the rules.", "Steer"),
    Command("budgets", "b", "Budgets", "Turns, tokens, minutes and cost of a run that rests.", "Steer"),
    Command("new_thread", "n", "New thread", "Start a thread in a folder.", "Steer"),
    Command("compact", "c", "Compact now", "On the golden path: heads-up, packet, compaction, handoff.", "Context"),
    Command("hold", "h", "Hold", "Do not compact until you release it; or release it.", "Context"),
    Command("phase", "m", "Mark a phase", "The end of a phase is the strongest boundary.", "Context"),
    Command("pin", "p", "Pin", "A directive that every handoff repeats word for word.", "Context"),
    Command("panel('plan')", "1", "Plan", "Codex's plan and the run's plan.", "Look"),
    Command("panel('diff')", "2", "Diff", "What is changed in the workspace.", "Look"),
    Command("panel('decisions')", "3", "Decisions", "What rawr decided, and why; Enter opens one.", "Look"),
    Command("panel('context')", "4", "Context", "How full it was over time, with tiers and compactions.", "Look"),
    Command("panel('')", "0", "No panel", "Close the panel at the right.", "Look"),
    Command("threads", "t", "Threads", "Show or hide the list of threads.", "Look"),
    Command("next_thread(1)", "J,ctrl+down", "Next thread", "Go to the next thread.", "Look", anywhere=True),
    Command("next_thread(-1)", "K,ctrl+up", "Previous thread", "Go to the previous thread.", "Look", anywhere=True),
    Command("help", "question_mark,f1", "Keys", "The keys of where you are.", "Program", anywhere=True),
    Command("connect", "r", "Connect again", "When the host is gone.", "Program"),
    Command("theme", "T", "Light or dark", "Change the colours.", "Program"),
    Command("leave", "q,ctrl+q", "Leave", "Work goes on; a draft is kept.", "Program", anywhere=True),
)

_SHOWN = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "ctrl+": "Ctrl+",
    "alt+": "Alt+",
    "shift+": "Shift+",
    "backspace": "Backspace",
    "delete": "Delete",
    "f1": "F1",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "up": "↑",
    "down": "↓",
}


def shown_keys(keys: str) -> str:
    """As a person would write them."""
    for name, word in _SHOWN.items():
        keys = keys.replace(name, word)
    return re.sub(r"Ctrl\+\w\b", lambda found: found[0].title(), keys).replace(",", " or ")
