"""Effects as calls: what goes over the wire for each, and what becomes of it."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rawr.codex.client import CodexClient
from rawr.codex.driver import HISTORY_PAGES, CodexDriver
from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.requests import TimeTold
from rawr.ports.harness import Done, HarnessEffect, Told, Undone

from .servers import stand_in
from .watch import Watch, connected

THREAD = {"id": "t", "cwd": "/w", "ephemeral": False, "status": {"type": "idle"}}
GIVEN = {"thread": THREAD, "model": "m", "cwd": "/w"}


def server(*results: object) -> str:
    """Answers calls with these results, one after the other, and then says nothing. Tells each call as a warning."""
    return f"""
        greet()
        for result in json.loads({msgspec.json.encode(results).decode()!r}):
            call = read()
            warn(json.dumps([call["method"], call["params"]]))
            send({{"id": call["id"], **result}})
        read()
    """


Call = tuple[str, dict[str, Any]]


async def carried_out(effect: HarnessEffect, *results: object) -> tuple[Done | Undone, list[Call]]:
    """What came of an effect, and the calls it took."""
    async with connected(stand_in(server(*({"result": one} for one in results)))) as (client, watch):
        outcome = await CodexDriver(client).carry_out("t:5.0", "t", Real(effect))
        calls = [msgspec.json.decode(one.message, type=Call) for one in watch.all(facts.WarningReported)]
        return without_server(outcome, client.server), calls


def without_server(outcome: Done | Undone, server: str) -> Done | Undone:
    """Which process served us is told, and is another one each time."""
    if isinstance(outcome, Undone):
        return outcome
    told: list[Told] = []
    for thread, fact in outcome.told:
        if isinstance(fact, facts.ThreadJoined) or (isinstance(fact, facts.ThreadOpened) and fact.ours):
            assert fact.server == server != ""
            told.append((thread, replace(fact, server="")))
        else:
            told.append((thread, fact))
    return Done(outcome.result, tuple(told))


def features(*, token_budget: bool) -> dict[str, object]:
    return {"data": [{"name": "goals", "enabled": True}, {"name": "token_budget", "enabled": token_budget}]}


FEATURES = ("experimentalFeature/list", {"threadId": "t", "limit": 1_000})
CONFIG = ("config/read", {"cwd": "/w"})
KEY = "model_post_turn_compact_threshold_percent"


def config(**values: object) -> dict[str, object]:
    """What Codex says of its configuration. One that knows a key has it there, set or not."""
    return {"config": {KEY: None, **values}}


@pytest.mark.parametrize("budget", [True, False])
async def test_a_thread_is_started_with_our_tools_and_the_plan_tool(budget: bool) -> None:
    """A3: whether Codex's token budget is on is known from the beginning."""
    limits = Limits(sandbox=Sandboxing("workspace-write"), approvals="on-request", reviewer="user", model="m")
    start = effects.StartThread(ticket="1", cwd="/w", limits=limits)
    outcome, [read, (method, params), asked] = await carried_out(start, config(), GIVEN, features(token_budget=budget))
    opened = facts.ThreadOpened(
        cwd="/w",
        model="m",
        ours=True,
        token_budget=budget,
        limits=limits,
        in_force=InForce(cwd="/w", model="m"),
        native=Native(),
    )
    assert outcome == Done("t", (("t", opened),))
    assert (read, asked) == (CONFIG, FEATURES)
    assert method == "thread/start"
    assert {tool["name"] for tool in params.pop("dynamicTools")} == {"phase_complete"}
    assert params == {
        "cwd": "/w",
        "model": "m",
        "approvalPolicy": "on-request",
        "approvalsReviewer": "user",
        "sandbox": "workspace-write",
        "config": {"tools.update_plan.enabled": True},
    }


@pytest.mark.parametrize(
    ("said", "sent", "left"),
    [
        (config(), {KEY: 0}, Native()),
        (config(**{KEY: 30}), {KEY: 0}, Native()),
        ({"config": {}}, {}, Native()),
        ({"config": {KEY: "30"}}, {KEY: 0}, Native()),
    ],
    ids=["not set", "set", "not known there", "not understood"],
)
@pytest.mark.parametrize("resumes", [False, True])
async def test_a_thread_of_ours_is_not_compacted_at_turns_ends(
    said: object, sent: dict[str, object], left: Native, *, resumes: bool
) -> None:
    """A19: on every start, and on every resume, where it would be lost; and only to a Codex that knows the key."""
    limits = Limits(cwd="/w", native_last=True)
    effect = (
        effects.ResumeThread(limits=limits) if resumes else effects.StartThread(ticket="1", cwd="/w", limits=limits)
    )
    more: list[object] = [{"data": []}] if resumes else []
    outcome, [read, (_, params), *_] = await carried_out(effect, said, GIVEN, *more, features(token_budget=False))
    assert read == CONFIG
    assert params["config"] == {
        "tools.update_plan.enabled": True,
        "model_auto_compact_token_limit": 1_000_000_000,
        "model_auto_compact_token_limit_scope": "body_after_prefix",
        **sent,
    }
    assert isinstance(outcome, Done)
    [(_, told)] = outcome.told
    assert isinstance(told, facts.ThreadOpened | facts.ThreadJoined)
    assert told.native == left


async def test_where_the_config_cannot_be_read_a_thread_starts_and_it_is_said() -> None:
    """A19: a thread that rawr only joins keeps what it has."""
    answers = [
        {"result": GIVEN},
        {"error": {"code": -1, "message": f"invalid type: string, expected u8\nin `{KEY}`"}},
        {"result": {"data": []}},
        {"result": features(token_budget=False)},
    ]
    async with connected(stand_in(server(*answers))) as (client, _):
        outcome = await CodexDriver(client).carry_out("t:5.0", "t", Real(effects.ResumeThread()))
    assert isinstance(outcome, Done)
    [(_, told)] = outcome.told
    assert isinstance(told, facts.ThreadJoined)
    assert told.native == Native(problem=f"invalid type: string, expected u8 in `{KEY}`")


@pytest.mark.parametrize(
    ("turns", "last"), [([], ("", "")), ([{"id": "u", "status": "interrupted", "items": []}], ("u", "interrupted"))]
)
async def test_a_thread_is_joined_with_what_its_history_says(turns: list[object], last: tuple[str, str]) -> None:
    active = GIVEN | {"thread": THREAD | {"status": {"type": "active", "activeFlags": []}}}
    told = config(**{KEY: 30}) | {"origins": {KEY: {"name": {"type": "user", "file": "/c.toml"}}}}
    outcome, calls = await carried_out(
        effects.ResumeThread(), active, told, {"data": turns}, features(token_budget=True)
    )
    joined = facts.ThreadJoined(
        cwd="/w",
        model="m",
        idle=False,
        last_turn=last[0],
        last_status=last[1],
        token_budget=True,
        in_force=InForce(cwd="/w", model="m"),
        fresh=True,
        native=Native(30, "/c.toml"),
    )
    assert outcome == Done("t", (("t", joined),))
    assert calls == [
        ("thread/resume", {"threadId": "t", "excludeTurns": True}),
        CONFIG,
        ("thread/turns/list", {"threadId": "t", "limit": 1, "itemsView": "full", "sortDirection": "desc"}),
        FEATURES,
    ]


@pytest.mark.parametrize(
    ("effect", "result", "outcome", "call"),
    [
        (
            effects.StartTurn(text="go"),
            {"turn": {"id": "u", "status": "inProgress", "items": []}},
            Done("u"),
            (
                "turn/start",
                {"threadId": "t", "input": [{"type": "text", "text": "go"}], "clientUserMessageId": "t:5.0"},
            ),
        ),
        (
            effects.SteerTurn(turn="u", text="left"),
            {"turnId": "u"},
            Done("u"),
            (
                "turn/steer",
                {
                    "threadId": "t",
                    "expectedTurnId": "u",
                    "input": [{"type": "text", "text": "left"}],
                    "clientUserMessageId": "t:5.0",
                },
            ),
        ),
        (effects.InterruptTurn(turn="u"), {}, Done(), ("turn/interrupt", {"threadId": "t", "turnId": "u"})),
        (effects.StartCompaction(), {}, Done(), ("thread/compact/start", {"threadId": "t"})),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_effects_on_turns(effect: HarnessEffect, result: object, outcome: Done, call: Call) -> None:
    """The effect's name goes along as the message's client id: that is how it is known again after a crash (D5)."""
    assert await carried_out(effect, result) == (outcome, [call])


PICTURE = {"type": "image", "url": "data:image/png;base64,AA=="}


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ([{"type": "text", "text": "look"}, PICTURE], [{"type": "text", "text": "look"}, PICTURE]),
        (None, [{"type": "text", "text": "as it was shown"}]),
    ],
)
@pytest.mark.mission("A15")
async def test_what_a_message_carries_goes_out_as_codex_has_it(said: object, sent: list[object]) -> None:
    """Behind rawr's own words; if the history does not have it, as it was shown."""
    item = {"type": "userMessage", "id": "i", "content": said}
    entries = [{"turnId": "u2", "item": {"type": "agentMessage", "id": "a", "text": "no"}}]
    entries += [{"turnId": "u1", "item": item}] if said is not None else []
    carried = effects.Carried("u1", "as it was shown")
    turn = {"turn": {"id": "u", "status": "inProgress", "items": []}}
    handoff = effects.StartTurn(text="Handoff", own=True, carries=(carried,))
    alone = effects.StartTurn(text=carried.text, carries=(carried,))
    for effect, before in ((handoff, [{"type": "text", "text": "Handoff"}]), (alone, [])):
        outcome, calls = await carried_out(effect, {"data": entries, "nextCursor": None}, turn)
        assert (outcome, calls[-1][0]) == (Done("u"), "turn/start")
        assert calls[-1][1]["input"] == [*before, *sent]


@pytest.mark.mission("A15")
async def test_what_was_said_in_a_turn_is_looked_for() -> None:
    """No notification has shown it: then this does."""
    item = {"type": "userMessage", "id": "i", "content": [{"type": "text", "text": "look"}, PICTURE]}
    page = {"data": [{"turnId": "u1", "item": item}], "nextCursor": None}
    message = facts.ItemCompleted(turn="u1", item=items.UserMessage(id="u1", text="look\n[image]"))
    outcome, _ = await carried_out(effects.FindSaid(turn="u1"), page)
    assert outcome == Done("u1", (("t", message),))
    outcome, _ = await carried_out(effects.FindSaid(turn="u2"), page)
    assert outcome == Done()


@pytest.mark.mission("A15")
async def test_no_compaction_is_asked_for_where_a_turn_has_just_begun() -> None:
    """The core may not know of it yet."""
    begun = {"method": "turn/started", "params": {"threadId": "t", "turn": {"id": "u", "status": "inProgress"}}}
    async with connected(stand_in(f"greet(); send({begun}); read()")) as (client, watch):
        await watch.wait(facts.TurnStarted)
        driver = CodexDriver(client)
        asked = Real(effects.StartCompaction())
        assert await driver.carry_out("t:5.0", "t", asked) == Undone("A turn has just begun.", "moot")
        assert client.runs("t")
        assert not client.runs("other")


def entry(client_id: str | None, turn: str) -> dict[str, object]:
    return {"turnId": turn, "item": {"type": "userMessage", "id": "i", "content": [], "clientId": client_id}}


def newest(turn: str, status: str) -> dict[str, object]:
    return {"data": [{"id": turn, "status": status, "items": []}], "nextCursor": None}


def found(*, completed: bool = True) -> Told:
    return "t", facts.MessageFound(message="t:5.0", turn="u7", completed=completed)


async def test_a_message_is_looked_for_page_by_page() -> None:
    strange = {"turnId": "x", "item": {"type": "telepathy"}}
    pages = [
        {"data": [entry(None, "u9"), strange, entry("t:7.0", "u8")], "nextCursor": "c1"},
        {"data": [entry("t:5.0", "u7")], "nextCursor": "c2"},
    ]
    outcome, calls = await carried_out(effects.FindMessage(message="t:5.0"), *pages, newest("u9", "inProgress"))
    assert outcome == Done("u7", (found(completed=False),))
    asked = {"threadId": "t", "sortDirection": "desc", "limit": 100}
    assert calls[:2] == [("thread/items/list", asked), ("thread/items/list", asked | {"cursor": "c1"})]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("inProgress", ("t", facts.TurnStarted(turn="u7"))),
        ("completed", found()),
        ("interrupted", found(completed=False)),
    ],
)
async def test_a_message_and_how_its_turn_stands(status: str, told: Told) -> None:
    """D5: what a turn that runs holds may not have been written down yet."""
    page = {"data": [entry("t:5.0", "u7")], "nextCursor": None}
    outcome, calls = await carried_out(effects.FindMessage(message="t:5.0"), page, newest("u7", status))
    assert outcome == Done("u7", (told,))
    assert [method for method, _ in calls] == ["thread/items/list", "thread/turns/list"]


async def test_a_message_that_is_nowhere() -> None:
    assert (await carried_out(effects.FindMessage(message="m"), {"data": [], "nextCursor": None}))[0] == Done("")
    endless = [{"data": [], "nextCursor": "c"}] * HISTORY_PAGES
    outcome, calls = await carried_out(effects.FindMessage(message="m"), *endless)
    assert (outcome, len(calls)) == (Done(""), HISTORY_PAGES)


# -- when it goes wrong -----------------------------------------------------------------------------------------


async def test_a_refusal_in_the_servers_words() -> None:
    refusal = {"error": {"code": -32600, "message": "no active turn"}}
    async with connected(stand_in(server(refusal))) as (client, _):
        outcome = await CodexDriver(client).carry_out("t:5.0", "t", Real(effects.StartTurn(text="go")))
    assert outcome == Undone("no active turn", "refused")


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        ("session t is archived. Run `codex unarchive t` to unarchive it first.", "archived"),
        ("no rollout found for thread id t", "missing"),
        ("out of order", "refused"),
    ],
)
@pytest.mark.mission("C13")
async def test_why_a_thread_cannot_be_joined(refusal: str, code: str) -> None:
    answer = {"error": {"code": -32600, "message": refusal}}
    async with connected(stand_in(server(answer, answer, answer))) as (client, _):
        outcome = await CodexDriver(client).carry_out("t:5.0", "t", Real(effects.ResumeThread()))
    assert outcome == Undone(refusal, code)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [5, None, [], {"type": 5}])
async def test_an_answer_of_another_shape_is_a_refusal(status: object) -> None:
    given = GIVEN | {"thread": THREAD | {"status": status}}
    outcome, _ = await carried_out(effects.ResumeThread(), given, config(), {"data": []})
    assert isinstance(outcome, Undone)
    assert outcome.code == "refused"
    assert outcome.problem.startswith("The answer does not have the shape rawr expects: ")


async def test_what_was_under_way_when_the_server_died_is_lost() -> None:
    script = "greet(); read(); os.kill(os.getpid(), signal.SIGKILL)"
    async with connected(stand_in(script)) as (client, _):
        outcome = await CodexDriver(client).carry_out("t:5.0", "t", Real(effects.StartTurn(text="go")))
    assert outcome == Undone("The connection was lost: the app-server was killed by SIGKILL.", "lost")


@pytest.mark.parametrize(
    ("effect", "code"),
    [
        (effects.StartTurn(text="go"), "unsent"),
        (effects.StartCompaction(), "unsent"),
        (effects.InterruptTurn(turn="u"), "moot"),
        (effects.AnswerRequest(request="1/0", answer=TimeTold(seconds=1), by="policy"), "moot"),
    ],
)
async def test_without_a_connection(effect: HarnessEffect, code: str) -> None:
    """What is gone with the connection is moot; what is still wanted was merely not sent."""
    outcome = await CodexDriver(CodexClient(stand_in(""), version="0", on_told=Watch())).carry_out(
        "e", "t", Real(effect)
    )
    assert isinstance(outcome, Undone)
    assert outcome.code == code


async def test_an_answer_reaches_the_server() -> None:
    script = """
        greet()
        send({"id": 0, "method": "currentTime/read", "params": {"threadId": "t"}})
        serve()
    """
    async with connected(stand_in(script)) as (client, watch):
        asked = await watch.wait(facts.RequestReceived)
        answer = effects.AnswerRequest(request=asked.request, answer=TimeTold(seconds=7), by="policy")
        assert await CodexDriver(client).carry_out("e", "t", Real(answer)) == Done()
        told = await watch.wait(facts.WarningReported)
        assert msgspec.json.decode(told.message) == {"id": 0, "result": {"currentTimeAt": 7}}
