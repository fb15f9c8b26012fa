"""Reports what a command could not read in the journal to the person who asked: nothing is left out silently."""

from collections import Counter

from rawr.cli.terminal.output import counted, warn
from rawr.journal.reader import JournalReader

_ONE = {
    "facts": "fact",
    "decisions": "decision",
    "effects": "effect",
    "boundaries": "boundary event",
    "frames": "raw frame",
    "snapshots": "snapshot",
}


def tell_of_damage(reader: JournalReader) -> int:
    """Report on stderr what was left out so far, if anything. Returns how many rows."""
    rows = list(reader.unreadable.values())
    if not rows:
        return 0
    kinds = Counter(_ONE[row.table] for row in rows)
    what = " and ".join(counted(count, f"damaged {kind}") for kind, count in kinds.items())
    first = rows[0]
    where = f"the first is {_ONE[first.table]} {first.key} of thread {first.thread or '(rawr itself)'}: {first.problem}"
    warn(f"{what} left out; {where}. `rawr doctor --journal` lists all of them.")
    return len(rows)
