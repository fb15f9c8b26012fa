"""What is being done when something is killed: small jobs whose model answers by what it sees, not by what came before.

After a crash a turn may be repeated, so a script of replies in order would not do: each reply has a condition, and may
be given any number of times.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tests.e2e.golden import ENDED, PACKET, quoted

Command = Literal["run", "watch"]
Transport = Literal["stdio", "socket"]

GOAL = "Do the job in three phases, as agreed."
"""What a run is ordered to do, or what the person asks for in their own thread."""
GREETING = "good morning"
GREETING_AGAIN = "good morning once more"
ONE_MORE = "one more thing"
GO_ON = "please go on, for the time number"
RIGHT_THEN = "and mind the tests"
"""What a person says in the moment in which rawr compacts."""
ASIDE = "by the way, number"
"""How a message begins that a person sends while rawr is away."""
HANDOFF = r"\\] Handoff: the context was compacted"
COMPACTED = "Another language model started"
DONE = "Nothing is left to do: it is all there."
LOST = "I do not know what I was doing."
CHECK = "echo checked >> ../checks"

READ_ONLY = {"sandbox": "read-only", "approval": "on-request"}
FREELY: dict[str, object] = {"approval_policy": "never", "sandbox_mode": "danger-full-access"}
WIDE_OPEN: dict[str, object] = {
    # The opposite of what a run is ordered with: whatever is not said again after a crash shows.
    **FREELY,
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
    compacts: bool = True
    """A compaction is part of it."""
    goal: str = GOAL
    """The first message, as the agent gets it."""
    summary: str = "say: A summary."
    """What the model does when it is asked for one."""
    vetoed: bool = False
    """Whoever is asked for a judgment says no."""
    interrupted: str = ""
    """The user interrupts the turn in which this is said to the agent."""
    overtaken: bool = False
    """The user says something as the first compaction is about to go out."""
    before: Literal["", "goal", "restart"] = ""
    """What the user did in their Codex before rawr comes: gave the thread a goal of Codex's own; started it anew."""

    def script(self, *, delay: float) -> str:
        """The scenario; the summary takes so many seconds."""
        summary = f"- {{ when: {{ compaction: true }}, {self.summary}, delay: {delay}, times: always }}\n"
        return f"name: {self.name}\nreplies:\n{summary}{self.replies}"


def _says(text: str, *, usage: int, user: str = "", seen: str = "", tool: str = "", delay: float = 0) -> str:
    found = {"user": user, "any": seen, "tool": tool}
    when = ", ".join(f'{key}: "{value}"' for key, value in found.items() if value)
    condition = f"when: {{ {when} }}, " if when else ""
    return f"- {{ {condition}say: {quoted(text)}, usage: {usage}, delay: {delay}, times: always }}\n"


_SMALL_TALK = "".join(
    _says("Noted.", user=f"^({ASIDE}|{GREETING}|{ONE_MORE})", seen=seen, usage=usage)
    for seen, usage in ((COMPACTED, 20_000), ("research.? is finished", 100_000), ("", 20_000))
)
UNREPORTED = "telepathy"
"""A tool that there is not: Codex tells the model so, and nobody else. Only its session file has the call."""
_MARK = "call: { tool: phase_complete, arguments: { phase: research, summary: Read., next_phase: draft } }"

GOLDEN_RUN = Job(
    name="run",
    command="run",
    transports=("stdio", "socket"),
    flags=("--sandbox", "read-only", "--done", CHECK, "--check", "on-claim"),
    config=WIDE_OPEN,
    limits=READ_ONLY,
    replies=(
        _SMALL_TALK
        + _says(PACKET, user="Heads-up: we pause", usage=104_000)
        + _says(DONE, seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + _says(ENDED, tool="Recorded: .research. is finished", usage=100_000)
        + f"- {{ do: [{{ plan: ['done: research', 'doing: draft'] }}, {{ {_MARK} }},"
        + f" {{ call: {{ tool: {UNREPORTED}, arguments: {{}} }} }}], usage: 90000, times: always }}\n"
    ),
)

_COMMIT = "git init -q . && git commit -q --allow-empty -m 'Research done' && echo committed"
COMMITTED = "The research is finished, committed as Research done, and the draft comes next."

GOLDEN_WATCH = Job(
    name="watch",
    command="watch",
    transports=("socket",),
    config=FREELY,
    replies=(
        _SMALL_TALK
        + _says(f"{PACKET}Commit: Research done.", user="Heads-up: we pause", usage=104_000)
        + _says("I go on with the draft.", seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + _says(COMMITTED, tool="committed", usage=140_000)
        + f"- {{ do: [{{ run: {quoted(_COMMIT)} }}, {{ plan: ['done: research', 'doing: draft'] }}],"
        + " usage: 80000, times: always }\n"
    ),
)

_POOR = "## Overall goal and scope\nShip it.\n## Current state\nGood.\n## The single next step\nGo on."
_REVIEWED = "Nothing is wrong with it."

GUIDED_RUN = Job(
    name="guided",
    command="run",
    transports=("stdio",),
    flags=("--sandbox", "read-only", "--guidance", "--review", "at-end", "--done", CHECK, "--check", "on-claim"),
    config=WIDE_OPEN,
    limits=READ_ONLY,
    settings="""
[rawr_models]
order = ["codex"]
[rawr_full_auto]
no_progress_turns = 8
[rawr_auto_compaction]
scratch_write_enabled = true
packet_turn = "own"
[rawr_auto_compaction.policy.asap]
decision_prompt_path = "judgment.md"
""",
    replies=(
        _SMALL_TALK
        + _says("Ready.", user="Heads-up: we pause", usage=102_000)
        + _says("Written.", user="Before the compaction, keep", usage=103_000)
        + _says(PACKET, user="The packet does not agree", usage=105_000)
        + _says(_POOR, user="continuation packet", usage=104_000)
        + _says(_REVIEWED, user="^Review the current", usage=20_000)
        + _says(DONE, seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + _says(ENDED, tool="Recorded: .research. is finished", usage=100_000)
        + f"- {{ when: {{ tool: 'exited' }}, {_MARK}, usage: 95000, times: always }}\n"
        + "- { do: [{ plan: ['done: research', 'doing: draft'] }, { run: { cmd: ls, escalate: true, why: look } }],"
        + " usage: 90000, times: always }\n"
    ),
)

STALLED_RUN = Job(
    name="stalled",
    command="run",
    transports=("stdio",),
    flags=("--sandbox", "read-only", "--done", CHECK, "--check", "on-claim"),
    config=WIDE_OPEN,
    limits=READ_ONLY,
    settings="""
[rawr_full_auto]
stall_seconds = 1
retry_seconds = 1
[rawr_auto_compaction]
packet_author = "watcher"
""",
    replies=(
        _says("Ready.", user="Heads-up: we pause", usage=102_000)
        + _says(DONE, seen=HANDOFF, usage=20_000)
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + f'- {{ when: {{ user: "^{GOAL}" }}, say: "Hm.", fault: hang }}\n'
        + _says(ENDED, tool="Recorded: .research. is finished", usage=100_000)
        + f"- {{ do: [{{ plan: ['done: research', 'doing: draft'] }}, {{ {_MARK} }}], usage: 90000, times: always }}\n"
    ),
)

NATIVE_RUN = Job(
    name="native",
    command="run",
    transports=("stdio", "socket"),
    flags=("--sandbox", "read-only", "--done", CHECK, "--check", "on-claim"),
    config=WIDE_OPEN,
    limits=READ_ONLY,
    settings="[rawr_auto_compaction]\nnative_emergency_only = false\n",
    native=True,
    replies=(
        _says("Noted.", user=f"^{ASIDE}", usage=20_000)
        + _says(DONE, seen=HANDOFF, usage=20_000)
        # It works on for a moment, so that the record reaches it in the same turn.
        + f"- {{ when: {{ any: '{COMPACTED}' }}, plan: ['doing: draft'], usage: 20000, delay: 0.1, times: 3 }}\n"
        + _says(LOST, seen=COMPACTED, usage=20_000)
        + "- { plan: ['done: research', 'doing: draft'], usage: 60000, times: always }\n"
    ),
)

RUN_WITH_A_GOAL = Job(
    name="goal",
    command="run",
    transports=("socket",),
    flags=("--take-goal", "--done", CHECK, "--check", "on-claim"),
    config=FREELY,
    before="goal",
    compacts=False,
    replies=_SMALL_TALK + _says(DONE, user=f"(?s){GOAL}", usage=20_000) + _says("Fine.", usage=20_000),
)

LATE_WATCH = replace(GOLDEN_WATCH, name="late", before="restart")

OVERTAKEN_WATCH = replace(
    GOLDEN_WATCH,
    name="overtaken",
    overtaken=True,
    replies=(
        _says("Noted.", user=f"^{RIGHT_THEN}", seen=COMPACTED, usage=20_000)
        # It takes so long that nobody misses that it runs.
        + _says("Noted.", user=f"^{RIGHT_THEN}", usage=105_000, delay=0.4)
        + GOLDEN_WATCH.replies
    ),
)

FORESTALLED_WATCH = replace(
    GOLDEN_WATCH,
    name="forestalled",
    # The packet takes the context past it, and its turn ends in a compaction of Codex's own.
    config={**FREELY, "model_post_turn_compact_threshold_percent": 60},
    replies=_says(f"{PACKET}Commit: Research done.", user="Heads-up: we pause", usage=160_000) + GOLDEN_WATCH.replies,
    native=True,
)

_ON = _says(DONE, user="Go on with the job", usage=20_000)
"""It has nothing left to do when it is sent on."""

FAILING_RUN = replace(
    GOLDEN_RUN,
    name="failing",
    transports=("stdio",),
    summary="fault: { http: 400 }",
    compacts=False,
    replies=_ON + GOLDEN_RUN.replies,
)
VETOED_RUN = replace(
    GOLDEN_RUN,
    name="vetoed",
    transports=("stdio",),
    vetoed=True,
    compacts=False,
    replies=_ON + GOLDEN_RUN.replies,
    settings="""
[rawr_models]
order = ["codex"]
[rawr_auto_compaction.policy.asap]
decision_prompt_path = "judgment.md"
""",
)

_INTERRUPTED = {
    "heads-up": "Heads-up: we pause",
    "scratch": "Before the compaction, keep",
    "packet": "Write the continuation packet now",
}
INTERRUPTED_WATCHES = tuple(
    replace(
        GOLDEN_WATCH,
        name=f"stopped-{name}",
        interrupted=words,
        compacts=False,
        settings='[rawr_auto_compaction]\nscratch_write_enabled = true\npacket_turn = "own"\n',
        replies=_says("Ready.", user="|".join(_INTERRUPTED.values()), usage=102_000, delay=0.4) + GOLDEN_WATCH.replies,
    )
    for name, words in _INTERRUPTED.items()
)

CORE = frozenset({GOLDEN_RUN.name, GOLDEN_WATCH.name})
"""What people do most."""
JOBS = {
    job.name: job
    for job in (
        GOLDEN_RUN,
        GOLDEN_WATCH,
        GUIDED_RUN,
        STALLED_RUN,
        NATIVE_RUN,
        RUN_WITH_A_GOAL,
        LATE_WATCH,
        OVERTAKEN_WATCH,
        FORESTALLED_WATCH,
        FAILING_RUN,
        VETOED_RUN,
        *INTERRUPTED_WATCHES,
    )
}
