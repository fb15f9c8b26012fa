"""What an agent did inside a turn, as rawr keeps it: small, typed, free of wire shapes.

Texts are bounded where they enter (``rawr.codex.translate``), so that a state that holds items cannot grow forever.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.answers import is_answer

Status = Literal["running", "completed", "failed", "declined"]
ChangeKind = Literal["add", "delete", "update"]


class Item(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    """Base of all items; ``id`` is Codex's own."""

    id: str


class UserMessage(Item, frozen=True):
    text: str
    client_id: str = ""
    """The id from the sender. Ours are effect ids, which identify a synthetic turn."""


class AgentMessage(Item, frozen=True):
    text: str
    phase: str = ""


class Command(Item, frozen=True):
    command: str
    cwd: str
    status: Status
    exit_code: int | None = None
    output_tail: str = ""
    duration_ms: int | None = None
    inner: str = ""
    """The command inside Codex's ``bash -lc`` wrapper, as the agent meant it; empty if there is no wrapper."""
    reads_only: bool = False
    """Codex classified every part of it as reading, listing or searching. A hint for display, never a permission."""

    @property
    def meant(self) -> str:
        return self.inner or self.command

    @property
    def went_wrong(self) -> bool:
        if self.status != "failed" and self.exit_code in (0, None):
            return False
        return not is_answer(self.meant, self.exit_code, self.output_tail)


class Change(Struct, frozen=True, gc=False):
    path: str
    kind: ChangeKind
    moved_to: str = ""


class FileChange(Item, frozen=True):
    changes: tuple[Change, ...]
    status: Status
    changes_omitted: int = 0


class ToolCall(Item, frozen=True):
    tool: str
    status: Status
    server: str = ""
    """The MCP server that has the tool; empty for a tool that a client of the app-server serves."""
    arguments: str = ""
    success: bool | None = None


class SubAgent(Item, frozen=True):
    status: Status
    threads: tuple[str, ...] = ()


class Reasoning(Item, frozen=True):
    pass


class WebSearch(Item, frozen=True):
    query: str


class Compaction(Item, frozen=True):
    pass


class ReviewEntered(Item, frozen=True):
    review: str


class ReviewExited(Item, frozen=True):
    review: str


class OtherItem(Item, frozen=True):
    """An item kind that this version does not know or use."""

    wire_type: str


AnyItem = (
    UserMessage
    | AgentMessage
    | Command
    | FileChange
    | ToolCall
    | SubAgent
    | Reasoning
    | WebSearch
    | Compaction
    | ReviewEntered
    | ReviewExited
    | OtherItem
)
