"""What the context holds: as it was, and as it would have been had rawr compacted.

The record says how much each model call added. With rawr, the same was added to less: from its first compaction on, the
two part. What a compaction leaves is an estimate: the prompts that are always there, the user's messages, which Codex
keeps, and the packet.
"""

from rawr.core.compaction.room import NATIVE_SHARE

KEPT_MESSAGES = 20_000
"""Tokens of the user's messages that Codex keeps."""
PACKET = 3_000
"""Summary, packet and handoff, in tokens."""
PROMPTS = 24_000
"""The most that prompts, tools and instructions are taken for, if the first call does not say."""
CHARS_PER_TOKEN = 4


class Context:
    def __init__(self) -> None:
        self.recorded = 0
        self.with_rawr = 0
        self.window: int | None = None
        self.limit: int | None = None
        """Where Codex compacts by itself."""
        self.parted = False
        """rawr has compacted, and the two are no longer the same."""
        self.at_limit = False
        """The record came to where Codex compacts by itself."""
        self._before_guess: tuple[int, int] | None = None
        """What both held before the newest count, if that is a guess of Codex's."""
        self._prompts: int | None = None
        self._user_chars = 0
        self._dropped = False

    def heard(self, text: str) -> None:
        self._user_chars += len(text)

    def called(self, in_context: int, window: int | None, *, guessed: bool = False) -> int:
        """A model call ended. Returns what the context would hold with rawr.

        After a compaction Codex first guesses what is left, without prompts and tools.
        """
        if window and window != self.window:
            self.window, self.limit = window, window * NATIVE_SHARE // 100
        if self._prompts is None and not guessed:
            self._prompts = max(min(in_context - self._user_chars // CHARS_PER_TOKEN, PROMPTS), 0)
        added = in_context - self.recorded
        self._before_guess = (self.recorded, self.with_rawr) if guessed and added < 0 else None
        self.recorded = in_context
        if not self.parted:
            self.with_rawr = in_context
        elif not self._dropped:
            self.with_rawr = max(self.with_rawr + added, self._prompts or 0)
        self._dropped = self._dropped and guessed
        if self.limit is not None and in_context >= self.limit:
            self.at_limit = True
        return self.with_rawr

    @property
    def full(self) -> bool:
        """With rawr, Codex would compact by itself here."""
        return self.limit is not None and self.with_rawr >= self.limit

    @property
    def offset(self) -> int:
        """How much less every request carries with rawr; negative after a compaction of the record's alone."""
        return self.recorded - self.with_rawr

    def compact(self) -> int:
        """rawr compacts. Returns what is left."""
        self.parted = True
        self.with_rawr = min(self.left_over(), self.with_rawr)
        return self.with_rawr

    def left_over(self) -> int:
        kept = min(self._user_chars // CHARS_PER_TOKEN, KEPT_MESSAGES)
        return (PROMPTS if self._prompts is None else self._prompts) + kept + PACKET

    def rejoin(self) -> None:
        """The record has the same compaction: it says what is left."""
        self.parted = False

    def back_before_guess(self) -> int:
        """The record compacts. Some versions write what that leaves first. Returns what the record held before."""
        recorded = self.recorded
        if self._before_guess is not None:
            recorded, with_rawr = self._before_guess
            self.with_rawr, self._before_guess = with_rawr if self.parted else self.with_rawr, None
        return recorded

    def back_before_summary(self, recorded: int) -> int:
        """The newest count was that of the record's own request for a summary: none of it was ever in the context."""
        self.with_rawr -= self.recorded - recorded
        self.recorded, self._before_guess = recorded, None
        return recorded

    def compacted_in_record(self) -> None:
        """What the record drops at its next call was not carried along with rawr."""
        self._dropped = True
