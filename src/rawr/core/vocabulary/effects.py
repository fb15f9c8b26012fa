"""What to do, in the imperative. The core requests effects; the runtime's executor carries them out.

An effect is written to the journal before it is carried out. Its id, ``"{thread}:{fact seq}.{n}"``, goes to Codex as
the client id of a message, so that after a crash Codex's own history shows whether it was sent.
"""

from msgspec import Struct
from msgspec.structs import force_setattr

from rawr.core.speech import NOTHING, Own, one_line
from rawr.core.vocabulary.facts import Level, ThreadTookOver
from rawr.core.vocabulary.limits import Limits, Sandboxing
from rawr.core.vocabulary.opinions import SignatureName
from rawr.core.vocabulary.requests import Answer, Decider
from rawr.core.vocabulary.session import SessionMark, SessionTrouble


class Effect(Struct, frozen=True, kw_only=True, tag_field="effect", tag=True, omit_defaults=True):
    """Base of all effects."""


class StartThread(Effect, frozen=True):
    ticket: str
    cwd: str
    limits: Limits = Limits()
    ephemeral: bool = False
    instructions: Own = NOTHING
    """What the agent is told beside the user's words, from the first turn on."""
    carried: ThreadTookOver | None = None
    """It replaces another thread, whose work continues here."""
    link: str = ""


class ListThreads(Effect, frozen=True):
    """Ask which threads are live on the server; each is reported as opened."""

    link: str = ""


class LookAtThread(Effect, frozen=True):
    """Look up a thread that nobody announced; it is reported as opened."""


class ResumeThread(Effect, frozen=True):
    """Join the thread's event stream, also again after a lost connection."""

    history: bool = False
    """Include what the user said there before."""
    since: str = ""
    """Include what came after this turn."""
    unseen: str = ""
    """And this turn itself, whose end was not seen, if no other turn's end was."""
    whole: bool = False
    """Include everything: it is rawr's own thread, and rawr saw no turn of it end."""
    limits: Limits | None = None
    """Set these; none for a thread that rawr only watches."""
    take_goal: bool = False
    """Clear a goal of Codex's own first: on joining, Codex would begin a turn for it at once (measured)."""


class FindMessage(Effect, frozen=True):
    """Look in Codex's own history for a message of ours whose fate is not known."""

    message: str
    text: str = ""
    """The message may be there without its id."""


class FindSaid(Effect, frozen=True):
    """Look in Codex's own history for what a user said in a turn that ended before it was shown."""

    turn: str


class Carried(Struct, frozen=True, gc=False):
    """What a user said in a turn that was cut off before it was answered. It goes out again as Codex has it, with
    pictures and all."""

    turn: str
    text: str = ""
    """The words, as far as they were shown, if Codex's history does not have them."""


class StartTurn(Effect, frozen=True):
    text: str
    own: bool = False
    """rawr's own words. They may quote a secret that was lost with an earlier run, and are then sent without it."""
    limits: Limits | None = None
    carries: tuple[Carried, ...] = ()
    """Goes out behind rawr's own text, in the same turn; in the place of the user's, which is then the same."""


class SteerTurn(Effect, frozen=True):
    turn: str
    text: str
    own: bool = False
    carries: tuple[Carried, ...] = ()


class InterruptTurn(Effect, frozen=True):
    turn: str


class RestartCodex(Effect, frozen=True):
    """Stop the Codex that rawr started, and start another. rawr only reconnects to one that it did not start; the
    result says which."""


class InjectPacket(Effect, frozen=True):
    """Put a packet that rawr wrote into the model's history, in the assistant's role and labelled as rawr's (A12)."""

    text: Own
    heads_up: Own = NOTHING
    """Goes in before it, in the user's role, if there is no room for a separate turn."""


class StartCompaction(Effect, frozen=True):
    pass


class ObserveCommand(Effect, frozen=True):
    """Look at the repository after a command."""

    turn: str
    item: str
    command: str
    cwd: str
    exit_code: int | None
    output: str
    took_ms: int | None = None
    tool: str = ""
    """It was a call of this tool, which is no command line but may do the same."""


class ObserveTree(Effect, frozen=True):
    """Look at the working tree after a turn: did anything in it change?"""

    turn: str
    cwd: str
    commits: bool = False
    """Also tell which files changed, and which commits were made that no command accounts for."""
    files: bool = True
    """Otherwise nothing was done in the turn, and only its end counts."""
    begun: bool = False
    """The next turn has begun since."""


class ReadSession(Effect, frozen=True):
    """Read Codex's session file of the thread, from the mark on: what is in it that Codex did not report? (C2)"""

    path: str
    turn: str = ""
    """The turn that has just ended, or that was running when rawr joined."""
    over: bool = True
    """It has ended."""
    late: bool = False
    """The next one may have begun, and is not to be read."""
    mark: SessionMark | None = None
    """None: rawr has just joined, and what came before the running turn is not news, except the plan."""
    told: tuple[str, ...] = ()
    """The calls since the mark that are known."""
    overflow: bool = False
    """There were more: calls before the first of them may be known too."""
    plan: str = ""
    """A digest of the known plan."""
    trouble: SessionTrouble = ""
    """What was wrong with the file last time: it is not said again."""


class WatchRepository(Effect, frozen=True):
    """Remember the state of a repository, before anything is done in it."""

    cwd: str
    turn: bool = False
    """A turn is under way there."""
    files: bool = False
    """Remember the state of its files, too."""
    since: int = 0
    """A turn began then and was cut off: files changed since then are its own."""


class RunCheck(Effect, frozen=True):
    """Run one of the user's commands in the workspace, to see whether the work is done."""

    command: str
    cwd: str
    seconds: int


class StartReview(Effect, frozen=True):
    """Ask Codex to review the changes."""


class NameThread(Effect, frozen=True):
    """Give the thread a name. Codex keeps a named thread even if nothing was said there yet (measured)."""

    name: str


class ClearGoal(Effect, frozen=True):
    """Remove Codex's own goal from the thread, so that only one of us drives it (C14)."""


class JudgeApproval(Effect, frozen=True):
    """Check whether a request is provably safe. Nothing is run."""

    request: str
    command: str
    cwd: str
    workspace: str
    paths: tuple[str, ...] = ()
    """The paths of a file change; then there is no command."""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    read_only: bool = False
    """Nothing may be written anywhere."""
    protect: tuple[str, ...] = ()
    not_secret: tuple[str, ...] = ()
    sandbox: Sandboxing = Sandboxing()
    """What the agent's own processes may write meanwhile; without a mode it is not known."""
    profile: str = ""
    """The permission profile behind the sandbox, if it is a named one."""


class AskModel(Effect, frozen=True):
    """Put a typed question to a model, outside the conversation. The result comes as ``ModelAnswered``."""

    signature: SignatureName
    inputs: dict[str, str]
    """By the names of the signature's input fields."""
    models: tuple[str, ...]
    """The models to ask, in order: the next one if one cannot be reached."""
    attempts: int
    seconds: int
    instructions: str = ""
    """Replaces the signature's own, if a person has written some."""


class ResearchRepository(Effect, frozen=True):
    """Survey a workspace, so that a model knows where it is. Nothing in it is run (C15)."""

    cwd: str
    seconds: int


class LookUpClaims(Effect, frozen=True):
    """Look up what a packet names: are the files there, and the commits? On which branch are we? (D2)"""

    cwd: str
    paths: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    notes: str = ""
    """The agent's notes, if they were asked for: they are only there if a plain file of the workspace is."""


class AnswerRequest(Effect, frozen=True):
    request: str
    answer: Answer
    by: Decider


class SetDeadline(Effect, frozen=True):
    """``DeadlinePassed(name)`` comes back at ``at`` (ms since the epoch). Setting it again moves it."""

    name: str
    at: int


class CancelDeadline(Effect, frozen=True):
    name: str


class Notify(Effect, frozen=True):
    """Notify the person who watches. Never part of the conversation with the agent, and always one line."""

    level: Level
    text: str

    def __post_init__(self) -> None:
        force_setattr(self, "text", one_line(self.text))


Look = ObserveCommand | ObserveTree | WatchRepository | ReadSession
"""Effects that change nothing: it does no harm to repeat one, or to forget it."""

AnyEffect = (
    StartThread
    | ListThreads
    | LookAtThread
    | ResumeThread
    | FindMessage
    | FindSaid
    | StartTurn
    | SteerTurn
    | InterruptTurn
    | RestartCodex
    | InjectPacket
    | StartCompaction
    | ObserveCommand
    | WatchRepository
    | ObserveTree
    | ReadSession
    | RunCheck
    | StartReview
    | NameThread
    | ClearGoal
    | JudgeApproval
    | AskModel
    | ResearchRepository
    | LookUpClaims
    | AnswerRequest
    | SetDeadline
    | CancelDeadline
    | Notify
)


class Intended(Struct, frozen=True):
    """An effect with its name and its thread, as it is in the journal."""

    id: str
    thread: str
    effect: AnyEffect


def effect_id(thread: str, *, seq: int, n: int) -> str:
    return f"{thread}:{seq}.{n}"
