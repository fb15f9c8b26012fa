"""Our wire types against the schemas that the installed Codex writes of itself.

A field that we need and that vanishes, changes its type or becomes nullable fails here, by name.
"""

from collections.abc import Callable
from typing import get_args

import pytest
from msgspec import Struct, inspect

from rawr.codex import questions, translate
from rawr.codex.wire import items, methods, notifications, server_requests
from rawr.codex.wire.base import Wire
from rawr.core.vocabulary import facts

from .protocol import Protocol
from .schema import Document, Schema
from .schema_check import check_read, check_written, reachable

READ = notifications.NOTIFICATIONS | notifications.DELTAS


@pytest.mark.parametrize("method", READ)
def test_notifications_are_as_we_read_them(protocol: Protocol, method: str) -> None:
    document = protocol.notifications
    assert method in document.methods(), "the installed Codex has no such notification"
    assert check_read(document, document.methods()[method], READ[method]) == []


def test_all_server_requests_are_known(protocol: Protocol) -> None:
    """C11: all server request kinds are answered. A new one in Codex fails here; until then it is refused at once."""
    assert set(protocol.server_requests.methods()) == set(server_requests.SERVER_REQUESTS)


@pytest.mark.parametrize("method", server_requests.SERVER_REQUESTS)
def test_server_requests_are_as_we_read_them(protocol: Protocol, method: str) -> None:
    document = protocol.server_requests
    assert check_read(document, document.methods()[method], server_requests.SERVER_REQUESTS[method]) == []


@pytest.mark.parametrize("call", [*methods.CALLS, *methods.OPTIONAL], ids=lambda call: call.method)
def test_calls_are_as_we_make_them(protocol: Protocol, call: methods.Call[Wire, Wire]) -> None:
    document = protocol.calls
    assert check_written(document, document.methods()[call.method], call.params) == []
    result = protocol.result_of(call.method)
    assert check_read(result, result.root, call.result) == []


def test_the_item_types_are_these(protocol: Protocol) -> None:
    """Types that we do not read become ``OtherItem``; a new one is worth a look."""
    assert protocol.notifications.enum("ThreadItem") - items.KNOWN_TYPES == {
        "functionCallOutput",
        "hookPrompt",
        "imageGeneration",
        "imageView",
        "plan",
        "sleep",
    }


# -- words that we translate ------------------------------------------------------------------------------------

ITEM_STATUSES = (
    "CommandExecutionStatus",
    "PatchApplyStatus",
    "McpToolCallStatus",
    "DynamicToolCallStatus",
    "CollabAgentToolCallStatus",
    "SubAgentActivityKind",
)


def test_every_word_has_its_translation(protocol: Protocol) -> None:
    enum = protocol.notifications.enum
    assert set(translate._STEP_STATUSES) == enum("TurnPlanStepStatus")
    assert set(translate._THREAD_STATUSES) == enum("ThreadStatus")
    assert set(translate._CHANGE_KINDS) == enum("PatchChangeKind")
    assert set(translate._READING) | {"unknown"} == enum("CommandAction")
    # A turn that completed is never still in progress; if it were, that would be a fault.
    assert set(translate._TURN_STATUSES) | {"inProgress"} == enum("TurnStatus")


def test_every_item_status_has_its_translation(protocol: Protocol) -> None:
    """The default is "running": a new word for an end would leave the item open for ever."""
    words = [protocol.notifications.enum(name) for name in ITEM_STATUSES]
    assert set(translate._STATUSES) == set().union(*words)


def sent(effect: type[Struct], field: str) -> set[object]:
    return set(get_args(effect.__annotations__[field]))


def test_the_words_that_we_send_are_known(protocol: Protocol) -> None:
    enum = protocol.calls.enum
    assert sent(facts.ThreadRequested, "approvals") <= enum("AskForApproval")
    assert sent(facts.ThreadRequested, "sandbox") <= enum("SandboxMode")
    assert {"desc"} <= enum("SortDirection")
    assert {"full", "notLoaded"} <= enum("TurnItemsView")
    assert {"active", "paused", "complete"} <= enum("ThreadGoalStatus")


def test_every_verdict_is_a_word_of_the_server(protocol: Protocol) -> None:
    command = protocol.answer_to("item/commandExecution/requestApproval").enum("CommandExecutionApprovalDecision")
    files = protocol.answer_to("item/fileChange/requestApproval").enum("FileChangeApprovalDecision")
    assert set(questions._VERDICTS.values()) <= command & files


# -- the check itself can fail ----------------------------------------------------------------------------------

Damage = Callable[[dict[str, object], str], None]
"""Does something to one property of an object schema."""


def vanish(holder: dict[str, object], name: str) -> None:
    del properties(holder)[name]


def change_type(holder: dict[str, object], name: str) -> None:
    properties(holder)[name] = {"type": "number"}


def become_nullable(holder: dict[str, object], name: str) -> None:
    properties(holder)[name] = {"anyOf": [properties(holder)[name], {"type": "null"}]}


def become_optional(holder: dict[str, object], name: str) -> None:
    required = holder.get("required", [])
    assert isinstance(required, list)
    holder["required"] = [one for one in required if one != name]


def properties(holder: dict[str, object]) -> dict[str, object]:
    found = holder["properties"]
    assert isinstance(found, dict)
    return found


def reads_anything(field: inspect.Field) -> bool:
    return isinstance(field.type, inspect.AnyType | inspect.RawType)


def reads_null(field: inspect.Field) -> bool:
    parts = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
    return reads_anything(field) or any(isinstance(part, inspect.NoneType) for part in parts)


def fields_read() -> list[tuple[str, inspect.Field]]:
    """Every field of every struct that we read in a notification or a server request, with the method."""
    return [
        (method, field)
        for method, kind in (READ | server_requests.SERVER_REQUESTS).items()
        for struct in reachable(kind)
        for field in fields_of(struct)
    ]


def fields_of(struct: type) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def is_reported(protocol: Protocol, method: str, name: str, *, damage: Damage) -> bool:
    """Whether the check sees it when every property of that name, anywhere in the schemas, is damaged."""
    is_request = method in server_requests.SERVER_REQUESTS
    document = (protocol.server_requests if is_request else protocol.notifications).changed()
    kind = server_requests.SERVER_REQUESTS[method] if is_request else READ[method]
    for holder in document.holders(name):
        damage(holder, name)
    return bool(check_read(document, document.methods()[method], kind))


@pytest.mark.parametrize(
    ("damage", "is_harmless"),
    [
        (vanish, lambda field: False),
        (change_type, reads_anything),
        (become_nullable, reads_null),
        (become_optional, lambda field: not field.required),
    ],
    ids=["vanishes", "changes its type", "becomes nullable", "becomes optional"],
)
def test_a_field_that_changes_is_reported(
    protocol: Protocol, damage: Damage, is_harmless: Callable[[inspect.Field], bool]
) -> None:
    """Tried on every field that we read: a check that cannot fail would prove nothing."""
    tried = [(method, field) for method, field in fields_read() if not is_harmless(field)]
    assert len(tried) > 100
    unseen = [
        (method, field.name)
        for method, field in tried
        if not is_reported(protocol, method, field.encode_name, damage=damage)
    ]
    assert unseen == []


def test_the_report_names_the_place_and_the_problem(protocol: Protocol) -> None:
    document = protocol.notifications.changed()
    definition = document.definition("TurnPlanStep")
    vanish(definition, "step")
    become_nullable(definition, "status")
    assert check_read(document, document.methods()["turn/plan/updated"], notifications.PlanUpdated) == [
        "PlanUpdated.plan[].step: there is no such field any more",
        "PlanUpdated.plan[].status: it may be null, which we do not read",
    ]


def test_an_item_type_that_vanishes_is_reported(protocol: Protocol) -> None:
    document = protocol.notifications.changed()
    variants = document.definition("ThreadItem")["oneOf"]
    assert isinstance(variants, list)
    variants[:] = [one for one in variants if one["title"] != "ContextCompactionThreadItem"]
    assert check_read(document, document.methods()["item/completed"], notifications.ItemCompleted) == [
        "ItemCompleted.item<contextCompaction>: no such type any more"
    ]


class _TurnStartWithMore(methods.TurnStart, frozen=True, kw_only=True):
    mood: str


class _TurnStartWithLess(Wire, frozen=True):
    thread_id: int
    input: str = ""


def test_parameters_that_do_not_fit_are_reported(protocol: Protocol) -> None:
    document = protocol.calls
    schema: Schema = document.methods()["turn/start"]
    assert check_written(document, schema, _TurnStartWithMore) == [
        "_TurnStartWithMore.mood: there is no such field any more"
    ]
    assert check_written(document, schema, _TurnStartWithLess) == [
        "_TurnStartWithLess.input: it is required, and we may leave it out",
        "_TurnStartWithLess.input: we write StrType, it must be array",
        "_TurnStartWithLess.threadId: we write IntType, it must be string",
    ]


def test_a_schema_that_this_reader_does_not_know_is_an_error() -> None:
    with pytest.raises(AssertionError, match="does not know \\['if'\\]"):
        Document({}).shapes({"if": True})
