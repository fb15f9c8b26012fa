"""What one line of a session file says. Texts are as long as in the file; whoever keeps them bounds them."""

from typing import Literal

from msgspec import Raw, Struct

from rawr.history.shapes import Item

Change = tuple[Literal["add", "delete", "update"], str, str]
"""Kind, path, and the path it was moved to."""
StepStatus = Literal["pending", "in_progress", "completed"]
Steps = tuple[tuple[str, StepStatus], ...]


class Entry(Struct, frozen=True, gc=False, kw_only=True):
    """Base of all entries. ``at`` is in ms since the epoch, ``turn`` what the line itself says; older lines say
    neither."""

    at: int = 0
    turn: str = ""


# -- the session and its turns ----------------------------------------------------------------------------------------


class SessionBegan(Entry, frozen=True):
    """May come again: newer versions repeat it, and a fork has those of its ancestors."""

    session: str
    cwd: str = ""
    version: str = ""
    client: str = ""
    """The program that began it."""
    parent: str = ""
    """The session that spawned it, or a word for the kind of sub-agent; empty for a user's own."""


class TurnContext(Entry, frozen=True):
    """Not one per turn in older versions."""

    cwd: str = ""
    model: str = ""


class TurnBegan(Entry, frozen=True):
    pass


class TurnEnded(Entry, frozen=True):
    interrupted: bool = False


class RolledBack(Entry, frozen=True):
    turns: int


class Compacted(Entry, frozen=True):
    summary: str = ""


class Reasoned(Entry, frozen=True):
    """The model thought, and nobody can read it. ``tokens``: what Codex takes it to be in the context."""

    tokens: int


class UsageSeen(Entry, frozen=True):
    """After a model call: ``input``, ``cached`` (a part of it) and ``output`` are this call's own tokens."""

    in_context: int
    spent: int
    window: int | None = None
    input: int = 0
    cached: int = 0
    output: int = 0


# -- what is said and called ------------------------------------------------------------------------------------------


class Said(Entry, frozen=True):
    role: str
    text: str
    phase: str = ""


class UserSpoke(Entry, frozen=True):
    """Codex showed a message of the user's. Older versions have only what the model was told (``Said``), where Codex's
    own additions look the same."""

    text: str
    client: str = ""
    """The id from the sender, if there was one."""


class Reviewed(Entry, frozen=True):
    """A review begins, or ends."""

    began: bool


class Searched(Entry, frozen=True):
    query: str = ""


class Call(Entry, frozen=True):
    """Base of all calls. ``call`` is Codex's own id, which its output and its item have too."""

    call: str


class CommandCalled(Call, frozen=True):
    command: str
    cwd: str = ""
    unread: Item | None = None
    """The call, if it does not matter to a repository and nobody has needed its command yet."""


class PatchCalled(Call, frozen=True):
    changes: tuple[Change, ...]
    unread: Raw | None = None
    """The patch as it is in the file, if nobody has needed its changes yet."""


class PlanCalled(Call, frozen=True):
    steps: Steps
    explanation: str = ""


class ScriptCalled(Call, frozen=True):
    """Code mode: a script that calls tools. Codex shows the tools' calls, under ids that the file does not connect."""

    commands: tuple[str, ...]
    """Those that are written out in it, in order."""
    changes: tuple[Change, ...] = ()
    """The files of the patches that are written out in it."""
    plans: tuple[Steps, ...] = ()
    """The plans that are written out in it."""


class InputWritten(Call, frozen=True):
    """Input for a command that runs on in the background, or a look at its output."""

    session: str


class ToolCalled(Call, frozen=True):
    tool: str
    server: str = ""
    arguments: str = ""
    problem: str = ""
    """Why the arguments of a known tool could not be read."""


class Returned(Entry, frozen=True):
    """What the model was told about a call."""

    call: str
    output: str
    exit_code: int | None = None
    session: str = ""
    """The command runs on, under this name."""
    refused: bool = False
    """It did not run, or was cut off: Codex says why instead of giving its output."""
    cut_off: bool = False
    """It was under way when its turn was interrupted."""
    line: bytes = b""
    """As it is in the file, if it is what such a command returned and nobody has needed that yet."""
    unread: Raw | None = None
    """It is a patch's or a script's: the output as it is in the file, if nobody has needed it yet."""
    results: tuple[tuple[int | None, str], ...] = ()
    """For a script: the exit codes and outputs that it printed."""


class CommandShown(Entry, frozen=True):
    """Codex showed that a command ended. In a script, the id is not the call's."""

    call: str
    command: str
    exit_code: int | None = None
    output: str = ""


class ToolShown(Entry, frozen=True):
    """Codex showed that a call of an MCP server's tool ended. In a script, the id is not the call's."""

    call: str
    server: str
    tool: str
    arguments: str = ""
    failed: bool = False
    """It did not run, or reported an error. What the model was told about it does not always say so."""


# -- the rest ---------------------------------------------------------------------------------------------------------


class Passed(Entry, frozen=True):
    """A kind that is known and not used."""

    kind: str


class Unknown(Entry, frozen=True):
    """A kind that this version does not know."""

    kind: str


class Unreadable(Entry, frozen=True):
    """Not JSON, or a known kind in another shape."""

    problem: str


AnyCall = CommandCalled | PatchCalled | PlanCalled | ScriptCalled | InputWritten | ToolCalled
AnyEntry = (
    SessionBegan
    | TurnContext
    | TurnBegan
    | TurnEnded
    | RolledBack
    | Compacted
    | Reasoned
    | UsageSeen
    | Said
    | UserSpoke
    | Reviewed
    | Searched
    | AnyCall
    | Returned
    | CommandShown
    | ToolShown
    | Passed
    | Unknown
    | Unreadable
)
