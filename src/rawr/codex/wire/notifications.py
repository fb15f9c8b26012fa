"""The notifications that become facts, each with its method. All others pass through as they came."""

from typing import Any

from msgspec import Raw

from rawr.codex.rpc import RequestId
from rawr.codex.wire.base import Wire
from rawr.codex.wire.items import KnownItem, TurnError, WireTurn
from rawr.codex.wire.methods import WireThread


class ThreadStarted(Wire, frozen=True):
    thread: WireThread


class ThreadStatus(Wire, frozen=True):
    type: str
    active_flags: list[str] | None = None


class ThreadStatusChanged(Wire, frozen=True):
    thread_id: str
    status: ThreadStatus


class ThreadSettings(Wire, frozen=True):
    cwd: str
    model: str
    approval_policy: Raw
    sandbox_policy: Raw
    approvals_reviewer: str | None = None
    active_permission_profile: Raw = Raw(b"null")


class SettingsUpdated(Wire, frozen=True):
    thread_id: str
    thread_settings: ThreadSettings


class ThreadClosed(Wire, frozen=True):
    thread_id: str


class ThreadArchived(Wire, frozen=True):
    thread_id: str


class ThreadDeleted(Wire, frozen=True):
    thread_id: str


class TurnStarted(Wire, frozen=True):
    thread_id: str
    turn: WireTurn


class TurnCompleted(Wire, frozen=True):
    thread_id: str
    turn: WireTurn


class ItemStarted(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item: KnownItem


class ItemCompleted(Wire, frozen=True):
    thread_id: str
    turn_id: str
    item: KnownItem


class UnknownItemEvent(Wire, frozen=True):
    """Either of the two above when the item is not of a known type and shape."""

    thread_id: str
    turn_id: str
    item: Raw


class PlanStep(Wire, frozen=True):
    step: str
    status: str


class PlanUpdated(Wire, frozen=True):
    thread_id: str
    turn_id: str
    plan: list[PlanStep]
    explanation: str | None = None


class DiffUpdated(Wire, frozen=True):
    thread_id: str
    turn_id: str
    diff: str


class Tokens(Wire, frozen=True):
    total_tokens: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int


class TokenUsage(Wire, frozen=True):
    total: Tokens
    last: Tokens
    model_context_window: int | None = None


class TokenUsageUpdated(Wire, frozen=True):
    thread_id: str
    turn_id: str
    token_usage: TokenUsage


class ErrorReported(Wire, frozen=True):
    thread_id: str
    turn_id: str
    error: TurnError
    will_retry: bool


class WarningReported(Wire, frozen=True):
    message: str
    thread_id: str | None = None


class ContextCompacted(Wire, frozen=True):
    thread_id: str
    turn_id: str


class Goal(Wire, frozen=True):
    objective: str
    status: str


class GoalUpdated(Wire, frozen=True):
    thread_id: str
    goal: Goal


class GoalCleared(Wire, frozen=True):
    thread_id: str


class RateLimitWindow(Wire, frozen=True):
    used_percent: int
    resets_at: int | None = None


class RateLimits(Wire, frozen=True):
    limit_id: str | None = None
    primary: RateLimitWindow | None = None
    secondary: RateLimitWindow | None = None
    rate_limit_reached_type: Any = None


class RateLimitsUpdated(Wire, frozen=True):
    rate_limits: RateLimits


class RequestResolved(Wire, frozen=True):
    thread_id: str
    request_id: RequestId


class TextDelta(Wire, frozen=True):
    """Any of the streaming deltas: text that arrives whole again with its item, so it is shown and not recorded."""

    thread_id: str
    turn_id: str
    item_id: str
    delta: str


NOTIFICATIONS: dict[str, type[Wire]] = {
    "thread/started": ThreadStarted,
    "thread/status/changed": ThreadStatusChanged,
    "thread/settings/updated": SettingsUpdated,
    "thread/closed": ThreadClosed,
    "thread/archived": ThreadArchived,
    "thread/deleted": ThreadDeleted,
    "turn/started": TurnStarted,
    "turn/completed": TurnCompleted,
    "item/started": ItemStarted,
    "item/completed": ItemCompleted,
    "turn/plan/updated": PlanUpdated,
    "turn/diff/updated": DiffUpdated,
    "thread/tokenUsage/updated": TokenUsageUpdated,
    "error": ErrorReported,
    "warning": WarningReported,
    "thread/compacted": ContextCompacted,
    "thread/goal/updated": GoalUpdated,
    "thread/goal/cleared": GoalCleared,
    "account/rateLimits/updated": RateLimitsUpdated,
    "serverRequest/resolved": RequestResolved,
}

DELTAS: dict[str, type[TextDelta]] = dict.fromkeys(
    (
        "item/agentMessage/delta",
        "item/plan/delta",
        "item/commandExecution/outputDelta",
        "item/fileChange/outputDelta",
        "item/reasoning/summaryTextDelta",
        "item/reasoning/textDelta",
    ),
    TextDelta,
)
