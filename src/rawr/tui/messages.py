"""What the feed tells the app. Widgets get these, never facts."""

from textual.message import Message

from rawr.core.vocabulary.records import Decision
from rawr.core.vocabulary.requests import Answer
from rawr.tui.told import Told


class Happened(Message):
    """A batch of what happened on all threads, in order."""

    def __init__(self, told: tuple[Told, ...], *, threads: frozenset[str], missed: bool) -> None:
        """``threads``: those whose state may have changed. ``missed``: more came than was kept; the journal has it."""
        super().__init__()
        self.told = told
        self.threads = threads
        self.missed = missed


class Streamed(Message):
    """Text that arrived since the last one, by thread and item; one piece each."""

    def __init__(self, pieces: "tuple[Piece, ...]") -> None:
        super().__init__()
        self.pieces = pieces


class Piece:
    """New text of one item."""

    __slots__ = ("item", "kind", "text", "thread")

    def __init__(self, thread: str, item: str, kind: str, text: str) -> None:
        self.thread = thread
        self.item = item
        self.kind = kind
        self.text = text


class DecisionOpened(Message):
    """A person wants to know more about a decision."""

    def __init__(self, decision: Decision) -> None:
        super().__init__()
        self.decision = decision


class Answered(Message):
    """A person answered a question. ``words``: what the agent is to read besides."""

    def __init__(self, thread: str, request: str, answer: Answer, *, words: str = "") -> None:
        super().__init__()
        self.thread, self.request, self.answer, self.words = thread, request, answer, words
