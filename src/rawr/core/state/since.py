"""What came since the last compaction, kept for a judgment on the next one (A18). It is written at a turn's end, and
bounded: what a model is told of is the newest.
"""

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
    """The newest commits that were there already. An amended one has a new name, and counts as made since."""
    vetoed: tuple[str, ...] = ()
    """The boundaries that a model has said no to: they are not asked about again, and not compacted on."""


def add_turn(since: Since, *, files: tuple[str, ...], said: str, at: int) -> Since:
    """A turn of work has ended."""
    changed = dict.fromkeys(one for one in since.files if one not in files) | dict.fromkeys(files)
    words = (*since.said, Spoken(at, tail(said.strip(), MAX_WORDS))) if said.strip() else since.said
    return replace(since, files=tuple(changed)[-MAX_FILES:], said=words[-MAX_SAID:])


def after_compaction(ledger: Ledger) -> Since:
    return Since(before=tuple(one.sha for one in ledger.commits[-MAX_BEFORE:]))


def commits(since: Since, ledger: Ledger) -> tuple[Commit, ...]:
    """Those that were made since, oldest first."""
    known = frozenset(since.before)
    older = max((n for n, one in enumerate(ledger.commits, start=1) if one.sha in known), default=0)
    return ledger.commits[older:]
