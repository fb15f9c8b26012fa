"""What the server asks of a client, and the shapes of the answers. rawr refuses all other kinds at once."""

from typing import Any

from msgspec import Raw

from rawr.codex.wire.base import Wire
from rawr.codex.wire.items import CommandAction

# -- approvals --------------------------------------------------------------------------------------------------


class CommandApproval(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item_id: str
    command: str | None = None
    cwd: str | None = None
    reason: str | None = None
    command_actions: list[CommandAction] | None = None
    available_decisions: list[Any] | None = None
    network_approval_context: Any = None
    additional_permissions: Any = None
    kind: str = "command"


class FileChangeApproval(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item_id: str
    reason: str | None = None
    grant_root: str | None = None


class PermissionsApproval(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item_id: str
    cwd: str
    permissions: Raw
    reason: str | None = None


class OldCommandApproval(Wire, frozen=True):
    conversation_id: str
    call_id: str
    command: list[str]
    cwd: str
    reason: str | None = None


class OldPatchApproval(Wire, frozen=True):
    conversation_id: str
    call_id: str
    file_changes: dict[str, Raw]
    reason: str | None = None
    grant_root: str | None = None


# -- questions --------------------------------------------------------------------------------------------------


class QuestionOption(Wire, frozen=True):
    label: str
    description: str


class UserQuestion(Wire, frozen=True):
    id: str
    header: str
    question: str
    is_other: bool = False
    is_secret: bool = False
    options: list[QuestionOption] | None = None


class UserInput(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item_id: str
    questions: list[UserQuestion]


class Elicitation(Wire, frozen=True):
    thread_id: str
    server_name: str
    mode: str = ""
    turn_id: str | None = None
    message: str = ""
    title: str = ""
    """With ``description``, what the verification modes have instead of a message."""
    description: str = ""


# -- services ---------------------------------------------------------------------------------------------------


class ToolCall(Wire, frozen=True):
    thread_id: str
    turn_id: str
    call_id: str
    tool: str
    arguments: Raw


class CurrentTime(Wire, frozen=True):
    thread_id: str


class TokensRefresh(Wire, frozen=True):
    reason: str


class Attestation(Wire, frozen=True):
    pass


SERVER_REQUESTS: dict[str, type[Wire]] = {
    "item/commandExecution/requestApproval": CommandApproval,
    "item/fileChange/requestApproval": FileChangeApproval,
    "item/permissions/requestApproval": PermissionsApproval,
    "execCommandApproval": OldCommandApproval,
    "applyPatchApproval": OldPatchApproval,
    "item/tool/requestUserInput": UserInput,
    "mcpServer/elicitation/request": Elicitation,
    "item/tool/call": ToolCall,
    "currentTime/read": CurrentTime,
    "account/chatgptAuthTokens/refresh": TokensRefresh,
    "attestation/generate": Attestation,
}


# -- answers ----------------------------------------------------------------------------------------------------


class Decided(Wire, frozen=True):
    """For command, file and the two old approvals (the old ones use other words)."""

    decision: Any


class PermissionsGranted(Wire, frozen=True):
    permissions: dict[str, Any]
    scope: str = "turn"


class Replied(Wire, frozen=True):
    answers: dict[str, dict[str, list[str]]]


class Elicited(Wire, frozen=True):
    action: str


class ToolOutput(Wire, frozen=True):
    content_items: list[dict[str, str]]
    success: bool


class TimeTold(Wire, frozen=True):
    current_time_at: int


Answer = Decided | PermissionsGranted | Replied | Elicited | ToolOutput | TimeTold
