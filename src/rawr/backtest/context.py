"""What the context holds: as it was, and as it would have been had rawr compacted.

The record says how much each model call added. With rawr, the same was added to less: from its first compaction on, the
two part. What a compaction leaves is an estimate: the prompts that are always there, the user's messages, which Codex
keeps, the summary, and rawr's handoff with the packet, which is a message of the user to Codex.
"""

from rawr.core.compaction.room import native_limit

KEPT_MESSAGES = 20_000
"""Tokens of the user's messages that Codex keeps."""
SUMMARY = 3_000
HANDOFF = 2_000
"""A packet, and what rawr says around it, in tokens."""
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
        self.reasoning = self.reasoning_with_rawr = 0
        """Encrypted reasoning of turns before this one, which no count has and Codex's own limit does."""
        self._reasoned = 0
        self._before = self._before_that = (0, 0)
        """What both held before the newest count, and before the one before."""
        self._guessed = False
        """The newest count is a guess of Codex's at what a compaction leaves."""
        self._prompts: int | None = None
        self._user_chars = 0
        self._dropped = False

    def heard(self, text: str) -> None:
        self._user_chars += len(text)

    def reasoned(self, tokens: int) -> None:
        self._reasoned += tokens

    def turn_over(self) -> bool:
        """From the next message on, the reasoning of this turn counts. Return True if there was any."""
        reasoned, self._reasoned = self._reasoned, 0
        self.reasoning += reasoned
        self.reasoning_with_rawr += reasoned
        return bool(reasoned)

    def called(self, in_context: int, window: int | None, *, guessed: bool = False) -> int:
        """A model call ended. Returns what the context would hold with rawr.

        After a compaction Codex first guesses what is left, without prompts and tools.
        """
        if window and window != self.window:
            self.window, self.limit = window, native_limit(window)
        if self._prompts is None and not guessed:
            self._prompts = max(min(in_context - self._user_chars // CHARS_PER_TOKEN, PROMPTS), 0)
        added = in_context - self.recorded
        self._before_that, self._before = self._before, (self.recorded, self.with_rawr)
        self._guessed = guessed and added < 0 and not self._dropped
        self.recorded = in_context
        if not self.parted:
            self.with_rawr = in_context
        elif not self._dropped:
            self.with_rawr = max(self.with_rawr + added, self._prompts or 0)
        if not guessed:
            self._dropped = False
        if self.limit is not None and in_context + self.reasoning >= self.limit:
            self.at_limit = True
        return self.with_rawr

    @property
    def full(self) -> bool:
        """With rawr, Codex would compact by itself here."""
        return self.limit is not None and self.with_rawr + self.reasoning_with_rawr >= self.limit

    @property
    def offset(self) -> int:
        """How much less every request carries with rawr; negative after a compaction of the record's alone."""
        return self.recorded - self.with_rawr

    def compact(self, *, handoff: bool) -> int:
        """rawr compacts, or Codex does where the record does not. Returns what is left."""
        self.parted = True
        self.reasoning_with_rawr = 0
        self.with_rawr = min(self.left_over(handoff=handoff), self.with_rawr)
        if handoff:
            # Codex keeps it like any message of the user's.
            self._user_chars += HANDOFF * CHARS_PER_TOKEN
        return self.with_rawr

    def left_over(self, *, handoff: bool) -> int:
        kept = min(self._user_chars // CHARS_PER_TOKEN, KEPT_MESSAGES)
        prompts = PROMPTS if self._prompts is None else self._prompts
        return prompts + kept + SUMMARY + (HANDOFF if handoff else 0)

    def rejoin(self) -> None:
        """The record has the same compaction: it says what is left."""
        self.parted = False
        self.reasoning_with_rawr = self.reasoning

    def back_before(self, *, summary: bool) -> int:
        """The record compacts. Some versions first report the request for the ``summary``, or write what is left.
        Returns what the record held before that."""
        if self._guessed or summary:
            self.recorded, with_rawr = self._before_that if self._guessed and summary else self._before
            self.with_rawr = with_rawr if self.parted else self.recorded
        self._guessed = False
        return self.recorded

    def compacted_in_record(self) -> None:
        """What the record drops at its next call was not carried along with rawr."""
        self.reasoning = self._reasoned = 0
        self._dropped = True
