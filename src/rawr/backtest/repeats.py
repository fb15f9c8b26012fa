"""Which turns of a session another file has too.

A session that is resumed or forked begins with a copy of the one before. A turn is known by what was said in it and by
the names of its calls, which are Codex's own and are copied with it.
"""

from collections.abc import Sequence
from hashlib import blake2b


def fingerprint(words: str, calls: Sequence[str]) -> int:
    """A turn without a call is known by its words alone; a greeting is not enough, and counts as new."""
    if not calls and len(words) < 40:
        return 0
    return int.from_bytes(blake2b("\0".join((words, *calls)).encode("utf-8", "replace"), digest_size=8).digest())


class Repeats:
    def __init__(self) -> None:
        self._seen: set[int] = set()

    def count(self, turns: Sequence[int]) -> int:
        """How many turns at the beginning are known; those after them are known from now on."""
        known = 0
        while known < len(turns) and turns[known] and turns[known] in self._seen:
            known += 1
        self._seen.update(one for one in turns if one)
        return known
