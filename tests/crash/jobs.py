"""What is being done when something is killed: small jobs whose model answers by what it sees, not by what came before.

After a crash a turn may be repeated, so a script of replies in order would not do: each reply has a condition, and may
be given any number of times.
"""

from typing import Literal

from msgspec import Struct

from tests.e2e.golden import ENDED, PACKET, quoted

Command = Literal["run", "watch"]
Transport = Literal["stdio", "socket"]

GOAL = "Do the job in three phases, as agreed."
"""What a run is ordered to do, or what the person asks for in their own thread."""
GREETING = "good morning"
ONE_MORE = "one more thing"
GO_ON = "please go on, for the time number"
ASIDE = "by the way, number"
"""How a message begins that a person sends while rawr is away."""
HANDOFF = r"\\] Handoff: the context was compacted"
COMPACTED = "Another language model started"
DONE = "Nothing is left to do: it is all there."
LOST = "I do not know what I was doing."
CHECK = "echo checked >> ../checks"

READ_ONLY = {"sandbox": "read-only", "approval": "on-request"}
FREE = {"sandbox": "danger-full-access", "approval": "never"}
WIDE_OPEN: dict[str, object] = {
    # The opposite of what a run is ordered with: whatever is not said again after a crash shows.
    "approval_policy": "never",
    "sandbox_mode": "danger-full-access",
    "model_auto_compact_token_limit": 50_000,
    "tools": {"update_plan": {"enabled": False}},
}


class Job(Struct, frozen=True, kw_only=True):
    name: str
    command: Command
    transports: tuple[Transport, ...]
    replies: str
    flags: tuple[str, ...] = ()
    config: dict[str, object] = {}
    """The user's own settings of Codex."""
    settings: str = ""
    """The user's own settings of rawr."""
    limits: dict[str, str] | None = None
    """What must be in force in every turn of the run."""
    native: bool = False
    """Codex is to compact by itself here."""

    def script(self, *, delay: float) -> str:
        """The scenario; the summary takes so many seconds."""
        summary = f'- {{ when: {{ compaction: true }}, say: "A summary.", delay: {delay}, times: always }}\n'
        return f"name: {self.name}\nreplies:\n{summary}{self.replies}"


def _says(text: str, *, usage: int, user: str = "", seen: str = "", tool: str = "") -> str:
    found = {"user": user, "any": seen, "tool": tool}
    when = ", ".join(f'{key}: "{value}"' for key, value in found.items() if value)
    condition = f"when: {{ {when} }}, " if when else ""
    return f"- {{ {condition}say: {quoted(text)}, usage: {usage}, times: always }}\n"


_SMALL_TALK = "".join(
    _says("Noted.", user=f"^({ASIDE}|{GREETING}|{ONE_MORE})", seen=seen, usage=usage)
    for seen, usage in ((COMPACTED, 20_000), ("research is finished", 100_000), ("", 20_000))
)
_MARK = "call: { tool: phase_complete, arguments: { phase: research, summary: Read., next_phase: draft } }"

GOLDEN_RUN = Job(
    name="run",
    command="run",
    transports=("stdio", "socket"),
    flags=("--sandbox", "read-only", "--done", CHECK),
    config=WIDE_OPEN,
    limits=READ_ONLY,
    replies=(
        _SMALL_TALK
        + _says(PACKET, user="Heads-up: we pause", usage=104_000)
        + _says(DONE, seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + _says(ENDED, tool="Recorded: research is finished", usage=100_000)
        + f"- {{ do: [{{ plan: ['done: research', 'doing: draft'] }}, {{ {_MARK} }}], usage: 90000, times: always }}\n"
    ),
)

_COMMIT = "git init -q . && git commit -q --allow-empty -m 'Research done' && echo committed"
COMMITTED = "The research is finished, committed as Research done, and the draft comes next."

GOLDEN_WATCH = Job(
    name="watch",
    command="watch",
    transports=("socket",),
    config={"approval_policy": "never", "sandbox_mode": "danger-full-access"},
    replies=(
        _SMALL_TALK
        + _says(f"{PACKET}Commit: Research done.", user="Heads-up: we pause", usage=104_000)
        + _says("I go on with the draft.", seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + _says(COMMITTED, tool="committed", usage=100_000)
        + f"- {{ do: [{{ run: {quoted(_COMMIT)} }}, {{ plan: ['done: research', 'doing: draft'] }}],"
        + " usage: 80000, times: always }\n"
    ),
)

JOBS = {job.name: job for job in (GOLDEN_RUN, GOLDEN_WATCH)}
