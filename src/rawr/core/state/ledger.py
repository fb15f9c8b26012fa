"""What really happened in a thread, kept for the handoff: files, commits, failed commands, the user's decisions.

An agent's packet is checked against the ledger (D2), and every handoff includes it (D3). It is bounded: when it is
full, the oldest entries of a kind are dropped, and their number is reported.
"""

import re
from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.state.ran import Runs
from rawr.core.text import head
from rawr.core.vocabulary.items import Change, ChangeKind

MAX_FILES = 200
MAX_COMMITS = 60
MAX_FAILURES = 20
MAX_DECISIONS = 40
MAX_PULLS = 20
MAX_DIRECTIVES = 60
MAX_TEXT = 300
MAX_DIRECTIVE = 4_000
"""A longer message, in characters, is not kept in full."""
MAX_RULES = 8
MAX_GOAL = 24_000


class Commit(Struct, frozen=True, gc=False):
    sha: str
    subject: str
    branch: str = ""


class Touched(Struct, frozen=True, gc=False, omit_defaults=True):
    path: str
    kind: ChangeKind
    shared: bool = False
    """Another thread was at work in the same tree, and it may be that one's."""


class Failure(Struct, frozen=True, gc=False):
    """A command that failed and has not succeeded since."""

    command: str
    exit_code: int | None
    last_line: str = ""


class UserDecision(Struct, frozen=True, gc=False):
    """What a person answered when Codex asked."""

    question: str
    answer: str


class Directive(Struct, frozen=True, gc=False):
    """A message of the user, verbatim. A standing one applies until it is withdrawn; others were for their moment."""

    text: str
    at: int
    standing: bool
    pinned: bool = False


class Pull(Struct, frozen=True, gc=False):
    """Something that was done to a pull request."""

    done: str
    url: str = ""


class Ledger(Struct, frozen=True, gc=False, omit_defaults=True):
    goal: str = ""
    """The first message of the thread, verbatim."""
    directives: tuple[Directive, ...] = ()
    files: tuple[Touched, ...] = ()
    commits: tuple[Commit, ...] = ()
    failures: tuple[Failure, ...] = ()
    decisions: tuple[UserDecision, ...] = ()
    dropped: int = 0
    """How many entries were dropped."""
    runs: Runs = Runs()
    pulls: tuple[Pull, ...] = ()
    added: tuple[str, ...] = ()
    """Invariants that the agent's packets added to the user's. ``invariants`` has all of them."""


T = TypeVar("T", bound=Struct)


def _bounded(ledger: Ledger, entries: tuple[T, ...], limit: int) -> tuple[tuple[T, ...], int]:
    over = max(len(entries) - limit, 0)
    return entries[over:], ledger.dropped + over


def add_file(ledger: Ledger, path: str, kind: ChangeKind, *, shared: bool = False) -> Ledger:
    """A file that was added and then changed is still a new one; the newest change moves it to the end."""
    before = next((one for one in ledger.files if one.path == path), None)
    if before is not None and before.kind == "add" and kind == "update":
        kind = "add"
    shared = shared and (before is None or before.shared)
    others = tuple(one for one in ledger.files if one.path != path)
    files, dropped = _bounded(ledger, (*others, Touched(path, kind, shared)), MAX_FILES)
    return replace(ledger, files=files, dropped=dropped)


def add_found(ledger: Ledger, changes: Iterable[Change], *, shared: bool, more: int) -> Ledger:
    """Add what was found in the working tree. Of a file that came and went nothing is left to record."""
    for one in changes:
        path = one.moved_to or one.path
        known = {file.path: file.kind for file in ledger.files}
        if one.kind == "delete" and known.get(path) == "add":
            ledger = replace(ledger, files=tuple(file for file in ledger.files if file.path != path))
        else:
            kind = "add" if one.moved_to and known.get(one.path) == "add" else one.kind
            if one.moved_to:
                ledger = replace(ledger, files=tuple(file for file in ledger.files if file.path != one.path))
            ledger = add_file(ledger, path, kind, shared=shared)
    return replace(ledger, dropped=ledger.dropped + more) if more else ledger


def add_commit(ledger: Ledger, commit: Commit, *, amends: str = "") -> Ledger:
    """Add a commit, replacing the one that it amends."""
    others = tuple(one for one in ledger.commits if one.sha not in (commit.sha, amends))
    commits, dropped = _bounded(ledger, (*others, commit), MAX_COMMITS)
    return replace(ledger, commits=commits, dropped=dropped)


def rename_commit(ledger: Ledger, commit: Commit, *, before: str) -> Ledger:
    """The commit has another name now; one that is not on record stays off it."""
    if not any(one.sha == before for one in ledger.commits):
        return ledger
    commits = tuple(replace(commit, branch=one.branch) if one.sha == before else one for one in ledger.commits)
    return replace(ledger, commits=commits)


def add_command(
    ledger: Ledger, command: str, *, exit_code: int | None, failed: bool, output: str, behind: int = 0
) -> Ledger:
    """Add a command that ran. A success removes its own earlier failure from the list. ``behind``: how many of those in
    the list failed after it."""
    command = head(command, MAX_TEXT)
    others = tuple(one for one in ledger.failures if one.command != command)
    if not failed:
        return ledger if len(others) == len(ledger.failures) else replace(ledger, failures=others)
    lines = [line for line in output.splitlines() if line.strip()]
    failure = Failure(command, exit_code, head(lines[-1].strip(), MAX_TEXT) if lines else "")
    place = max(len(others) - behind, 0)
    failures, dropped = _bounded(ledger, (*others[:place], failure, *others[place:]), MAX_FAILURES)
    return replace(ledger, failures=failures, dropped=dropped)


def add_pull(ledger: Ledger, done: Iterable[str], url: str) -> Ledger:
    new = [one for one in (Pull(each, head(url, MAX_TEXT)) for each in done) if one not in ledger.pulls]
    pulls, dropped = _bounded(ledger, (*ledger.pulls, *new), MAX_PULLS)
    return replace(ledger, pulls=pulls, dropped=dropped)


def add_decision(ledger: Ledger, question: str, answer: str) -> Ledger:
    entry = UserDecision(head(question, MAX_TEXT), head(answer, MAX_TEXT))
    decisions, dropped = _bounded(ledger, (*ledger.decisions, entry), MAX_DECISIONS)
    return replace(ledger, decisions=decisions, dropped=dropped)


def add_message(ledger: Ledger, text: str, *, at: int) -> Ledger:
    """Add a message of the user. The first that says what to do is the goal; standing ones are never dropped."""
    if not ledger.goal:
        return replace(ledger, goal=head(text, MAX_GOAL))
    if is_greeting(ledger.goal) and not is_greeting(text):
        # Only greetings came before it. They say nothing, and would now stand behind what they preceded.
        pins = tuple(one for one in ledger.directives if one.pinned)
        return replace(ledger, goal=head(text, MAX_GOAL), directives=pins)
    if len(text) <= MAX_DIRECTIVE:
        return _with_directive(ledger, Directive(text, at, standing=sounds_standing(text)))
    # A pasted log or document. Its rules are kept, each verbatim; the whole text would crowd out the rest.
    rules = rules_in(text)
    text = "\n".join(rules) if rules else head(text, MAX_DIRECTIVE)
    return _with_directive(ledger, Directive(text, at, standing=bool(rules)))


def add_pin(ledger: Ledger, text: str, *, at: int) -> Ledger:
    """Add a directive that the user pinned: verbatim, whatever its length, and once."""
    others = tuple(one for one in ledger.directives if not (one.pinned and one.text == text))
    return _with_directive(replace(ledger, directives=others), Directive(text, at, standing=True, pinned=True))


def remove_pin(ledger: Ledger, text: str) -> Ledger:
    """Remove the pins that begin with this text."""
    kept = tuple(one for one in ledger.directives if not (one.pinned and one.text.startswith(text)))
    return replace(ledger, directives=kept)


def _with_directive(ledger: Ledger, directive: Directive) -> Ledger:
    directives = (*ledger.directives, directive)
    dropped = ledger.dropped
    while len(directives) > MAX_DIRECTIVES:
        least = next((one for one in directives if not one.standing and not one.pinned), None)
        least = least or min(directives, key=lambda one: one.standing + one.pinned)
        directives = tuple(one for one in directives if one is not least)
        dropped += 1
    return replace(ledger, directives=directives, dropped=dropped)


_GREETINGS = frozenset(
    (
        "hi",
        "hello",
        "hey",
        "yo",
        "good",
        "morning",
        "afternoon",
        "evening",
        "day",
        "there",
        "codex",
        "thanks",
        "ok",
        "test",
    )
)


_WORD = re.compile(r"\w+")


def is_greeting(text: str) -> bool:
    """Return True if a message says no more than "good morning"."""
    first = _WORD.search(text)
    if first is not None and first.group().isascii() and first.group().lower() not in _GREETINGS:
        return False  # almost always, whatever follows, and some messages are long
    return all(word.group() in _GREETINGS for word in _WORD.finditer(text.lower()))


_STANDING = (
    "always",
    "never",
    "do not",
    "don't",
    "must",
    "must not",
    "from now on",
    "make sure",
    "at all times",
    "in every",
    "only use",
    "remember",
    "keep in mind",
    "important:",
    "dont",
    "ask me",
    "under no circumstances",
)
_ORDERS = ("no", "keep", "stop", "avoid", "only")
"""Rules if a sentence begins with them."""
_ORDERED = r"\s*(?:[-*]\s+)?(?:" + "|".join(_ORDERS) + r")\s"


def _rules() -> str:
    """A pattern that begins with letters, so that all other places in a text are passed over at once; whether a word
    begins there, it sees from the second character on."""
    by_first: dict[str, list[str]] = {}
    for words in _STANDING:
        by_first.setdefault(words[0], []).append(words[1:])
    begun = (rf"{first}(?<!\w{first})(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return f"(?:{'|'.join(begun)})".replace(" ", r"\s+") + r"(?!\w)"


_RULE = re.compile(_rules())
_ORDER_FIRST = re.compile(_ORDERED)
_ORDER_LATER = re.compile(r"[.!?;:\n](?:(?<=\n)|\s)" + _ORDERED)


def rules_in(text: str) -> list[str]:
    """The lines of a long message that read as rules: the first ones, and none that is itself a page."""
    found: dict[str, None] = {}
    for line in map(str.strip, text.splitlines()):
        if 0 < len(line) <= MAX_TEXT and sounds_standing(line):
            found[line] = None
            if len(found) == MAX_RULES:
                break
    return list(found)


def sounds_standing(text: str) -> bool:
    """Return True if a message reads as a rule, not as the next thing to do. A wrong yes costs one line."""
    plain = text.lower().replace("’", "'")
    return bool(_ORDER_FIRST.match(plain) or _RULE.search(plain) or _ORDER_LATER.search(plain))
