"""Placeholders for secrets, and the vault that remembers, in memory only, what they stand for.

A placeholder reads ``[redacted:api-key:3f9a1c2e77d0b41c]``. Its tail is a digest under a random key of this process, so
that nobody can guess the secret back from the journal, while one secret has one placeholder as long as the process
lives; the last four digits check the rest, so that a placeholder of ours is known even when the vault has dropped it.

Somebody may type, or an agent may print, what only looks like a placeholder. Such text is *quoted* on its way in,
``[quoted-09af:redacted:api-key:…]``, and unquoted when it is restored, also by a later process: what is in the journal
has always been through here. It must not know what secrets look like.
"""

import hashlib
import re
import secrets
from collections import OrderedDict

CAPACITY = 4096

MARK = re.compile(r"(\[(?:quoted-[0-9a-f]{4}:)*redacted:[a-z]+(?:-[a-z]+)*:[0-9a-f]{16}\])")
_QUOTED = re.compile(r"\[quoted-([0-9a-f]{4}):(.*)\]")


class Vault:
    """Secrets by placeholder, the least recently used dropped first."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._key = secrets.token_bytes(32)
        self._capacity = capacity
        self._originals: OrderedDict[str, str] = OrderedDict()

    def hide(self, secret: str, *, kind: str) -> str:
        head = f"redacted:{kind}:{self._digest(secret, digits=12)}"
        placeholder = f"[{head}{self._digest(head, digits=4)}]"
        self._originals[placeholder] = secret
        self._originals.move_to_end(placeholder)
        if len(self._originals) > self._capacity:
            self._originals.popitem(last=False)
        return placeholder

    def owns(self, mark: str) -> bool:
        """Whether a placeholder, or a quoted lookalike, was made here."""
        quoted = _QUOTED.fullmatch(mark)
        if quoted is not None:
            return quoted[1] == self._digest(quoted[2], digits=4)
        return mark[-5:-1] == self._digest(mark[1:-5], digits=4)

    def quote(self, mark: str) -> str:
        """Leave a mark of this vault as it is; quote one that somebody wrote."""
        return mark if self.owns(mark) else f"[quoted-{self._digest(mark[1:-1], digits=4)}:{mark[1:-1]}]"

    def restore(self, text: str) -> str:
        """Put back what this vault holds. What it does not hold stays; ``unresolved`` names it."""
        return MARK.sub(lambda found: self._original(found[1]), text)

    def unresolved(self, text: str) -> list[str]:
        """Placeholders that cannot be put back: another process made them, or the vault has dropped them."""
        marks: list[str] = MARK.findall(text)
        return [mark for mark in dict.fromkeys(marks) if not _QUOTED.fullmatch(mark) and mark not in self._originals]

    def _original(self, mark: str) -> str:
        quoted = _QUOTED.fullmatch(mark)
        if quoted is not None:
            return f"[{quoted[2]}]"
        if mark in self._originals:
            self._originals.move_to_end(mark)
            return self._originals[mark]
        return mark

    def _digest(self, text: str, *, digits: int) -> str:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self._key, digest_size=16).hexdigest()[:digits]
