"""The calls rawr makes: name, parameters, result. ``CALLS`` is what the contract test and the capability probe read."""

from typing import Any, Generic, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType, field

from rawr.codex.wire.base import Wire
from rawr.codex.wire.items import TextInput, WireTurn


class Nothing(Wire, frozen=True):
    """An empty object."""


# -- the connection ---------------------------------------------------------------------------------------------


class ClientInfo(Wire, frozen=True):
    name: str
    title: str
    version: str


class Capabilities(Wire, frozen=True):
    experimental_api: bool = False


class Initialize(Wire, frozen=True):
    client_info: ClientInfo
    capabilities: Capabilities


class Initialized(Wire, frozen=True):
    user_agent: str
    codex_home: str


# -- threads ----------------------------------------------------------------------------------------------------


class WireThread(Wire, frozen=True):
    id: str
    cwd: str
    ephemeral: bool
    status: Raw
    parent_thread_id: str | None = None
    model: str | None = None
    path: str | None = None
    """The session file."""
    session_id: str | None = None
    turns: list[WireTurn] = field(default_factory=list)


class DynamicTool(Wire, frozen=True, tag_field="type", tag="function"):
    name: str
    description: str
    input_schema: dict[str, Any]


class ThreadStart(Wire, frozen=True):
    cwd: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    approval_policy: Any | UnsetType = UNSET
    approvals_reviewer: str | UnsetType = UNSET
    sandbox: str | UnsetType = UNSET
    permissions: str | UnsetType = UNSET
    ephemeral: bool | UnsetType = UNSET
    base_instructions: str | UnsetType = UNSET
    developer_instructions: str | UnsetType = UNSET
    environments: list[Any] | UnsetType = UNSET
    """Empty: no access to any machine, so no shell and no files."""
    config: dict[str, Any] | UnsetType = UNSET
    dynamic_tools: list[DynamicTool] | UnsetType = UNSET


class ThreadGiven(Wire, frozen=True):
    """The answer to start, resume and fork."""

    thread: WireThread
    model: str
    cwd: str
    approval_policy: Raw = Raw(b"null")
    approvals_reviewer: str | None = None
    sandbox: Raw = Raw(b"null")
    active_permission_profile: Raw = Raw(b"null")
    runtime_workspace_roots: list[str] = field(default_factory=list)


class ThreadResume(Wire, frozen=True):
    thread_id: str
    exclude_turns: bool | UnsetType = UNSET
    model: str | UnsetType = UNSET
    approval_policy: Any | UnsetType = UNSET
    approvals_reviewer: str | UnsetType = UNSET
    sandbox: str | UnsetType = UNSET
    permissions: str | UnsetType = UNSET
    config: dict[str, Any] | UnsetType = UNSET


class ThreadSettings(Wire, frozen=True):
    """Settings for the turns to come."""

    thread_id: str
    approval_policy: Any | UnsetType = UNSET
    approvals_reviewer: str | UnsetType = UNSET
    sandbox_policy: Any | UnsetType = UNSET
    permissions: str | UnsetType = UNSET


class ThreadFork(Wire, frozen=True):
    thread_id: str
    ephemeral: bool | UnsetType = UNSET
    exclude_turns: bool | UnsetType = UNSET


class ThreadOnly(Wire, frozen=True):
    thread_id: str


class ThreadRead(Wire, frozen=True):
    thread_id: str
    include_turns: bool | UnsetType = UNSET


class ThreadFound(Wire, frozen=True):
    thread: WireThread


class Page(Wire, frozen=True):
    cursor: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class LoadedThreads(Wire, frozen=True):
    data: list[str]
    next_cursor: str | None = None


class ThreadList(Wire, frozen=True):
    data: list[WireThread]
    next_cursor: str | None = None


class TurnsList(Wire, frozen=True):
    thread_id: str
    items_view: str | UnsetType = UNSET
    sort_direction: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    cursor: str | UnsetType = UNSET


class TurnsPage(Wire, frozen=True):
    data: list[WireTurn]
    next_cursor: str | None = None


class ItemsList(Wire, frozen=True):
    thread_id: str
    sort_direction: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    cursor: str | UnsetType = UNSET


class ItemEntry(Wire, frozen=True):
    turn_id: str
    item: Raw


class ItemsPage(Wire, frozen=True):
    data: list[ItemEntry]
    next_cursor: str | None = None


class InjectItems(Wire, frozen=True):
    thread_id: str
    items: list[Any]


# -- turns ------------------------------------------------------------------------------------------------------


class TurnStart(Wire, frozen=True):
    thread_id: str
    input: list[TextInput | Raw]
    client_user_message_id: str | UnsetType = UNSET
    output_schema: Any | UnsetType = UNSET
    model: str | UnsetType = UNSET
    approval_policy: Any | UnsetType = UNSET
    approvals_reviewer: str | UnsetType = UNSET
    sandbox_policy: Any | UnsetType = UNSET
    permissions: str | UnsetType = UNSET


class TurnGiven(Wire, frozen=True):
    turn: WireTurn


class TurnSteer(Wire, frozen=True):
    thread_id: str
    expected_turn_id: str
    input: list[TextInput | Raw]
    client_user_message_id: str | UnsetType = UNSET


class TurnSteered(Wire, frozen=True):
    turn_id: str


class TurnInterrupt(Wire, frozen=True):
    thread_id: str
    turn_id: str


class ReviewStart(Wire, frozen=True):
    thread_id: str
    target: dict[str, Any]


class ReviewGiven(Wire, frozen=True):
    turn: WireTurn
    review_thread_id: str


class ThreadName(Wire, frozen=True):
    thread_id: str
    name: str


# -- goals and the account --------------------------------------------------------------------------------------


class GoalSet(Wire, frozen=True):
    thread_id: str
    objective: str | UnsetType = UNSET
    status: str | UnsetType = UNSET


class WireGoal(Wire, frozen=True):
    objective: str
    status: str


class GoalFound(Wire, frozen=True):
    goal: WireGoal | None = None


class AccountRead(Wire, frozen=True):
    refresh_token: bool | UnsetType = UNSET


class AccountFound(Wire, frozen=True):
    requires_openai_auth: bool
    account: Raw = Raw(b"null")


class RateLimitsFound(Wire, frozen=True):
    rate_limits: Raw


class ConfigRead(Wire, frozen=True):
    cwd: str | UnsetType = UNSET


class ConfigFound(Wire, frozen=True):
    config: Raw
    origins: Raw = Raw(b"null")
    """Where each value is from."""


class FeaturesList(Wire, frozen=True):
    thread_id: str
    limit: int | UnsetType = UNSET


class Feature(Wire, frozen=True):
    name: str
    enabled: bool


class Features(Wire, frozen=True):
    data: list[Feature]


P = TypeVar("P", bound=Wire)
R = TypeVar("R", bound=Wire)


class Call(Struct, Generic[P, R], frozen=True):
    method: str
    params: type[P]
    result: type[R]


INITIALIZE = Call("initialize", Initialize, Initialized)
THREAD_START = Call("thread/start", ThreadStart, ThreadGiven)
THREAD_RESUME = Call("thread/resume", ThreadResume, ThreadGiven)
THREAD_FORK = Call("thread/fork", ThreadFork, ThreadGiven)
THREAD_READ = Call("thread/read", ThreadRead, ThreadFound)
THREAD_LIST = Call("thread/list", Page, ThreadList)
THREAD_LOADED_LIST = Call("thread/loaded/list", Page, LoadedThreads)
THREAD_TURNS_LIST = Call("thread/turns/list", TurnsList, TurnsPage)
THREAD_ITEMS_LIST = Call("thread/items/list", ItemsList, ItemsPage)
THREAD_INJECT_ITEMS = Call("thread/inject_items", InjectItems, Nothing)
THREAD_COMPACT_START = Call("thread/compact/start", ThreadOnly, Nothing)
THREAD_SETTINGS_UPDATE = Call("thread/settings/update", ThreadSettings, Nothing)
THREAD_NAME_SET = Call("thread/name/set", ThreadName, Nothing)
THREAD_UNSUBSCRIBE = Call("thread/unsubscribe", ThreadOnly, Nothing)
TURN_START = Call("turn/start", TurnStart, TurnGiven)
TURN_STEER = Call("turn/steer", TurnSteer, TurnSteered)
TURN_INTERRUPT = Call("turn/interrupt", TurnInterrupt, Nothing)
REVIEW_START = Call("review/start", ReviewStart, ReviewGiven)
GOAL_SET = Call("thread/goal/set", GoalSet, Nothing)
GOAL_GET = Call("thread/goal/get", ThreadOnly, GoalFound)
GOAL_CLEAR = Call("thread/goal/clear", ThreadOnly, Nothing)
ACCOUNT_READ = Call("account/read", AccountRead, AccountFound)
RATE_LIMITS_READ = Call("account/rateLimits/read", Nothing, RateLimitsFound)
CONFIG_READ = Call("config/read", ConfigRead, ConfigFound)
FEATURES_LIST = Call("experimentalFeature/list", FeaturesList, Features)

CALLS: tuple[Call[Any, Any], ...] = (
    INITIALIZE,
    THREAD_START,
    THREAD_RESUME,
    THREAD_FORK,
    THREAD_READ,
    THREAD_LIST,
    THREAD_LOADED_LIST,
    THREAD_TURNS_LIST,
    THREAD_ITEMS_LIST,
    THREAD_INJECT_ITEMS,
    THREAD_COMPACT_START,
    THREAD_NAME_SET,
    THREAD_UNSUBSCRIBE,
    TURN_START,
    TURN_STEER,
    TURN_INTERRUPT,
    REVIEW_START,
    GOAL_SET,
    GOAL_GET,
    GOAL_CLEAR,
    ACCOUNT_READ,
    RATE_LIMITS_READ,
    CONFIG_READ,
    FEATURES_LIST,
)

OPTIONAL: tuple[Call[Any, Any], ...] = (THREAD_SETTINGS_UPDATE,)
"""What rawr calls if it can, and otherwise does without."""
