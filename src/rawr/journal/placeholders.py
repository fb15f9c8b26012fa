"""Placeholders for secrets, and the vault that remembers the secrets, in memory only.

A placeholder reads ``[redacted:api-key:3f9a1c2e77d0b41c]``. Its tail is a digest under a random key of this process:
nobody can guess the secret from the journal, and a secret keeps its placeholder for the life of the process.

A person may type, or an agent may print, text that looks like a placeholder; anyone who has read a journal can even use
a real one. Such text is *quoted* on its way in, ``[quoted-09af:redacted:api-key:…]``, and unquoted when it is restored,
even by a later process: everything in the journal has passed through here, so a mark in it is a placeholder unless it
is quoted. This module must not know what secrets look like.
"""

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable

CAPACITY = 4096

MARK = re.compile(r"(\[(?:quoted-[0-9a-f]{4}:)*redacted:[a-z]+(?:-[a-z]+)*:[0-9a-f]{16}\])")
_QUOTED = re.compile(r"\[quoted-([0-9a-f]{4}):(.*)\]")


class Vault:
    """Secrets by placeholder, the least recently used dropped first; recalled ones are never dropped."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._key = secrets.token_bytes(32)
        self._capacity = capacity
        self._originals: OrderedDict[str, str] = OrderedDict()
        self._recalled: dict[str, str] = {}

    def hide(self, secret: str, *, kind: str) -> str:
        placeholder = f"[redacted:{kind}:{self._digest(secret, digits=16)}]"
        self._originals[placeholder] = secret
        self._originals.move_to_end(placeholder)
        if len(self._originals) > self._capacity:
            self._originals.popitem(last=False)
        return placeholder

    def quote(self, text: str) -> str:
        """Quote every mark, even one of this vault: text from outside never holds a placeholder, whatever it says."""
        return MARK.sub(lambda found: self._quoted(found[1]), text)

    def originals(self, text: str) -> dict[str, str]:
        """The secrets behind the placeholders of a text, as far as they are known."""
        known = self._recalled | self._originals
        return {mark: known[mark] for mark in MARK.findall(text) if mark in known}

    def recall(self, originals: dict[str, str]) -> None:
        """Keep placeholders for good: those of an earlier process, and those that a later process must know."""
        self._recalled.update(originals)

    def restore(self, text: str, *, only: Callable[[str], bool] | None = None, otherwise: str = "") -> str:
        """Put back the secrets that this vault holds and ``only`` accepts. ``otherwise``, if given, replaces the rest;
        ``unresolved`` lists what cannot be put back."""

        def original(mark: str) -> str:
            restored = self._original(mark)
            known = restored != mark and (only is None or only(restored))
            return restored if known else otherwise or mark

        return MARK.sub(lambda found: original(found[1]), text)

    def unresolved(self, text: str) -> list[str]:
        """Placeholders that cannot be put back: another process made them, or the vault has dropped them."""
        marks: list[str] = MARK.findall(text)
        placeholders = [mark for mark in dict.fromkeys(marks) if not _QUOTED.fullmatch(mark)]
        return [mark for mark in placeholders if mark not in self._originals and mark not in self._recalled]

    def _quoted(self, mark: str) -> str:
        return f"[quoted-{self._digest(mark[1:-1], digits=4)}:{mark[1:-1]}]"

    def _original(self, mark: str) -> str:
        quoted = _QUOTED.fullmatch(mark)
        if quoted is not None:
            return f"[{quoted[2]}]"
        if mark in self._originals:
            self._originals.move_to_end(mark)
            return self._originals[mark]
        return self._recalled.get(mark, mark)

    def _digest(self, text: str, *, digits: int) -> str:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self._key, digest_size=16).hexdigest()[:digits]
