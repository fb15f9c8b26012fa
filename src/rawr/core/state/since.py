"""What came since the last compaction, kept for a judgment on the next one (A18). It is written at the end of a turn,
and bounded: the model sees the newest.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.state.ledger import Commit, Ledger
from rawr.core.text import tail

MAX_FILES = 100
MAX_SAID = 6
MAX_WORDS = 1_500
MAX_BEFORE = 8


class Spoken(Struct, frozen=True, gc=False):
    """What the agent said last in a turn, by its end."""

    at: int
    text: str


class Since(Struct, frozen=True, gc=False, omit_defaults=True):
    files: tuple[str, ...] = ()
    """Changed in turns of work; the newest last, each once."""
    said: tuple[Spoken, ...] = ()
    before: tuple[str, ...] = ()
    """The newest commits from before. An amended commit has a new id, and counts as new."""
    vetoed: tuple[str, ...] = ()
    """The boundaries that a model vetoed: rawr does not ask about them again, or compact on them."""


def add_turn(since: Since, *, files: tuple[str, ...], said: str, at: int) -> Since:
    """A turn of work has ended."""
    since = add_files(since, files)
    said = said.strip()
    return replace(since, said=(*since.said, Spoken(at, tail(said, MAX_WORDS)))[-MAX_SAID:]) if said else since


def add_files(since: Since, files: Iterable[str]) -> Since:
    """Files that a turn of work changed, found in the working tree."""
    found = dict.fromkeys(files)
    if not found:
        return since
    changed = dict.fromkeys(one for one in since.files if one not in found) | found
    return replace(since, files=tuple(changed)[-MAX_FILES:])


def after_compaction(ledger: Ledger) -> Since:
    return Since(before=tuple(one.sha for one in ledger.commits[-MAX_BEFORE:]))


def commits(since: Since, ledger: Ledger) -> tuple[Commit, ...]:
    """The commits made since, oldest first."""
    known = frozenset(since.before)
    older = max((n for n, one in enumerate(ledger.commits, start=1) if one.sha in known), default=0)
    return ledger.commits[older:]
