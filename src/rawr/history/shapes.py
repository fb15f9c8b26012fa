"""What is read of a line, as structs, and what may go wrong with it."""

import msgspec
from msgspec import Raw, Struct

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
NOTHING = Raw(b"null")


class Line(Struct, frozen=True, gc=False):
    """An envelope, or one of the bare items of 2025."""

    type: str = ""
    timestamp: str | None = None
    payload: Raw = Raw(b"")
    record_type: str = ""
    id: str | None = None


class Attribution(Struct, frozen=True, gc=False):
    turn_id: str | None = None


class OfTurn(Struct, frozen=True, gc=False):
    """Newer versions say to which turn an item belongs, in one of two places."""

    turn_id: str | None = None
    internal_chat_message_metadata_passthrough: Attribution | None = None

    @property
    def turn(self) -> str:
        passed = self.internal_chat_message_metadata_passthrough
        return self.turn_id or (passed.turn_id if passed is not None else "") or ""


class Part(Struct, frozen=True, gc=False):
    text: str = ""


class Message(OfTurn, frozen=True, kw_only=True):
    """What somebody said, in its usual form."""

    role: str = ""
    content: list[Part]
    phase: str | None = None


class Item(OfTurn, frozen=True):
    """What the model said, called or was told (``response_item``), whatever its kind."""

    type: str = ""
    role: str = ""
    phase: str | None = None
    content: Raw = NOTHING
    name: str = ""
    namespace: str | None = None
    arguments: Raw = NOTHING
    input: Raw = NOTHING
    action: Raw = NOTHING
    call_id: str | None = None
    id: str | None = None
    output: Raw = NOTHING
    encrypted_content: Raw = NOTHING

    @property
    def call(self) -> str:
        return self.call_id or self.id or ""


class Shown(Struct, frozen=True, gc=False):
    """What Codex showed (``event_msg``), whatever its kind, but for counts of tokens."""

    type: str = ""
    turn_id: str | None = None
    turn_attribution: Attribution | None = None
    call_id: str | None = None
    command: Raw = NOTHING
    exit_code: int | None = None
    aggregated_output: str | None = None
    message: str | None = None
    num_turns: int | None = None
    item: Raw = NOTHING

    @property
    def turn(self) -> str:
        return self.turn_id or (self.turn_attribution.turn_id if self.turn_attribution is not None else "") or ""


class Event(Shown, frozen=True):
    info: Raw = NOTHING


class ShownItem(Struct, frozen=True, gc=False):
    type: str = ""
    id: str = ""
    client_id: str | None = None
    content: Raw = NOTHING
    command: Raw = NOTHING
    exit_code: int | None = None
    aggregated_output: str | None = None


class ShownTool(Struct, frozen=True, gc=False):
    """``McpToolCall``"""

    id: str
    server: str
    tool: str
    status: str
    arguments: Raw = NOTHING


class Meta(Struct, frozen=True, gc=False):
    id: str = ""
    cwd: str | None = None
    cli_version: str | None = None
    source: Raw = NOTHING
    originator: str | None = None
    thread_source: str | None = None
    parent_thread_id: str | None = None


class Context(Struct, frozen=True, gc=False):
    turn_id: str | None = None
    cwd: str | None = None
    model: str | None = None


class CompactedLine(Struct, frozen=True, gc=False):
    message: str | None = None


class Tokens(Struct, frozen=True, gc=False):
    total_tokens: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0


class Usage(Struct, frozen=True, gc=False):
    total_token_usage: Tokens = Tokens()
    last_token_usage: Tokens = Tokens()
    model_context_window: int | None = None


class Counted(Shown, frozen=True):
    """An event with its counts, if it has any, read at once."""

    info: Usage | None = None
