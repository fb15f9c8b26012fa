"""The completer with app-servers that the real one is not: older, slower, asking, lying."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest
from msgspec import Raw

from rawr.codex import plain_server, plain_thread
from rawr.codex.completing import CodexCompleter, answer_of
from rawr.codex.plain_server import Outcome
from rawr.codex.transport import Dialer
from rawr.codex.wire import methods
from rawr.core.vocabulary import facts
from rawr.ports.completion import Completed, Completer, Completion, CompletionFailed

from .servers import stand_in

DEADLINE = 20.0
QUESTION = ["config/read", "thread/start", "turn/start"]
"""The calls that a question takes."""

_SERVER = """
def say(thread, text):
    item = {"type": "agentMessage", "id": "m", "text": text}
    notify("item/completed", threadId=thread, turnId="u", item=item)

def spend(thread, total, output):
    def tokens(total, output):
        return {"totalTokens": total, "inputTokens": total - output, "cachedInputTokens": 0,
                "outputTokens": output, "reasoningOutputTokens": 0}
    usage = {"total": tokens(total, 0), "last": tokens(output, output)}
    notify("thread/tokenUsage/updated", threadId=thread, turnId="u", tokenUsage=usage)

def end(thread, status="completed"):
    notify("turn/completed", threadId=thread, turn={"id": "u", "status": status, "items": []})

def start_thread(request):
    global threads
    threads += 1
    name = "t" + str(threads)
    thread = {"id": name, "cwd": "/", "ephemeral": True, "status": {"type": "idle"}}
    answer(request, thread=thread, model="stand-in", cwd="/")

def start_turn(request):
    answer(request, turn={"id": "u", "status": "inProgress", "items": []})
    ask(request["params"]["threadId"], request["params"])

def refuse(request):
    send({"id": request["id"], "error": {"code": -32600, "message": "not so"}})

def interrupt(request):
    answer(request)
    end(request["params"]["threadId"], "interrupted")

threads = 0
calls = {
    "config/read": lambda request: answer(request, config={}),
    "thread/start": start_thread,
    "turn/start": start_turn,
    "turn/interrupt": interrupt,
    "thread/unsubscribe": lambda request: answer(request),
}
seen = []

def ask(thread, params):
    say(thread, json.dumps(seen))
    end(thread)

%s

greet()
while True:
    message = read()
    seen.append(message.get("method", message))
    if "method" in message:
        calls[message["method"]](message)
"""


def server(script: str = "") -> Callable[[], Dialer]:
    """An app-server that answers each question with what it has heard so far, except for what the script says."""
    return lambda: stand_in(_SERVER % dedent(script))


def completer(script: str = "") -> CodexCompleter:
    return CodexCompleter(server(script), version="0")


def question(seconds: float = DEADLINE) -> Completion:
    return Completion(system="S", prompt="P", schema=b"", model="", seconds=seconds)


async def answer(it: CodexCompleter, seconds: float = DEADLINE) -> str:
    return (await it.complete(question(seconds))).text


async def test_it_is_the_way_to_a_model_that_typed_questions_look_for() -> None:
    """``rawr.models`` does not know this package; the types are compared here."""
    async with completer() as it:
        way: Completer = it
        reply = await way.complete(question())
        assert (reply.model, reply.tokens, reply.output_tokens) == ("stand-in", 0, 0)


async def test_the_calls_of_two_questions() -> None:
    """Each reads the config as it is then, and leaves its thread."""
    async with completer() as it:
        assert json.loads(await answer(it)) == QUESTION
        assert json.loads(await answer(it)) == [*QUESTION, "thread/unsubscribe", *QUESTION]


async def test_a_question_of_the_server_is_refused_at_once() -> None:
    script = """
        def ask(thread, params):
            asked = {"threadId": thread, "turnId": "u", "itemId": "i", "startedAtMs": 1, "kind": "command"}
            send({"id": 7, "method": "item/commandExecution/requestApproval", "params": asked})
            send({"id": 8, "method": "item/tool/call", "params": {
                "threadId": thread, "turnId": "u", "callId": "c", "tool": "x", "arguments": {}}})
            send({"id": 9, "method": "mcpServer/elicitation/request", "params": {
                "threadId": thread, "serverName": "s", "mode": "form", "message": "?", "requestedSchema": {}}})
            send({"id": 10, "method": "some/new/request", "params": {}})
            replies = [read() for _ in range(4)]
            say(thread, json.dumps({reply["id"]: list(reply)[1] for reply in replies}))
            end(thread)
    """
    async with completer(script) as it:
        assert json.loads(await answer(it)) == dict.fromkeys(("7", "8", "9", "10"), "error")


async def test_only_what_is_said_in_its_own_thread_counts() -> None:
    """The last message, all tokens, and each model call's output once."""
    script = """
        def ask(thread, params):
            say(thread, "let me see")
            spend(thread, 100, 20)
            spend(thread, 100, 20)
            say(thread, "mine")
            spend(thread, 150, 30)
            say("other", "not mine")
            spend("other", 999, 99)
            end("other")
            end(thread)
    """
    async with completer(script) as it:
        assert await it.complete(question()) == Completed(text="mine", model="stand-in", tokens=150, output_tokens=50)


async def test_an_older_codex_that_refuses_the_newer_switches() -> None:
    """It is asked with the others alone, and that is remembered; a process that refuses all of them says so."""
    script = """
        def choosy(request):
            refuse(request) if "agents.enabled" in request["params"]["config"] else start_thread(request)

        calls["thread/start"] = choosy
    """
    async with completer(script) as it:
        assert json.loads(await answer(it)) == ["config/read", "thread/start", "thread/start", "turn/start"]
        assert json.loads(await answer(it))[4:] == ["thread/unsubscribe", *QUESTION]
    async with completer('calls["thread/start"] = refuse') as it:
        with pytest.raises(CompletionFailed, match="thread/start was refused: not so"):
            await answer(it)


async def test_a_codex_that_does_not_tell_its_config() -> None:
    async with completer('calls["config/read"] = refuse') as it:
        assert json.loads(await answer(it)) == QUESTION


async def test_a_turn_that_is_refused() -> None:
    """Its thread is left all the same."""
    script = """
        def once(request):
            calls["turn/start"] = start_turn
            refuse(request)

        calls["turn/start"] = once
    """
    async with completer(script) as it:
        with pytest.raises(CompletionFailed, match="turn/start was refused: not so"):
            await answer(it)
        assert json.loads(await answer(it))[3:] == ["thread/unsubscribe", *QUESTION]


async def ended(it: CodexCompleter) -> None:
    """Wait until there is no process, and none is ending."""
    async with asyncio.timeout(DEADLINE):
        while it._server is not None or it._ending:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)


FIRST_ONLY = """
def ask(thread, params):
    if threads == 1:
        say(thread, "fresh")
        end(thread)
"""


@pytest.mark.parametrize("reply", ["answer(request)", "None"], ids=["goes on", "hangs"])
async def test_a_process_that_does_not_end_a_turn_is_ended(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    """At once, if nobody asks just then; the next question is answered by another."""
    monkeypatch.setattr(plain_server, "LEAVE_DEADLINE", 0.1)
    async with completer(f'calls["turn/interrupt"] = lambda request: {reply}\n{FIRST_ONLY}') as it:
        assert await answer(it) == "fresh"
        with pytest.raises(CompletionFailed, match=r"within 0.3 seconds"):
            await answer(it, 0.3)
        await ended(it)
        assert await answer(it) == "fresh"


@pytest.mark.parametrize("reply", ["refuse(request)", "None"], ids=["keeps it", "hangs"])
async def test_a_process_that_does_not_let_go_of_a_thread_is_ended(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    monkeypatch.setattr(plain_server, "LEAVE_DEADLINE", 0.1)
    async with completer(f'calls["thread/unsubscribe"] = lambda request: {reply}\n{FIRST_ONLY}') as it:
        for _ in range(2):
            assert await answer(it) == "fresh"
            await ended(it)


async def test_a_turn_that_has_not_quite_begun_is_interrupted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_server, "INTERRUPT_AGAIN", 0.01)
    script = f"""
def not_yet(request):
    calls["turn/interrupt"] = interrupt
    refuse(request)

calls["turn/interrupt"] = not_yet
{FIRST_ONLY.replace("== 1", "!= 2").replace('"fresh"', "json.dumps(seen)")}
"""
    async with completer(script) as it:
        await answer(it)
        with pytest.raises(CompletionFailed, match=r"within 0.3 seconds"):
            await answer(it, 0.3)
        left = ["turn/interrupt", "turn/interrupt", "thread/unsubscribe"]
        assert it._server is not None
        await it._server._quiet()
        assert json.loads(await answer(it))[-6:] == [*left, *QUESTION]


async def test_a_process_that_takes_no_question_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_server, "OPEN_DEADLINE", 0.5)
    for call in ("config/read", "thread/start", "turn/start"):
        async with completer(f'calls["{call}"] = lambda request: None') as it:
            for _ in range(2):
                with pytest.raises(CompletionFailed, match=f"did not answer {call} within"):
                    await answer(it)


async def test_a_process_that_dies_at_its_first_question() -> None:
    """Another is tried once, and no more."""
    async with completer('calls["thread/start"] = lambda request: sys.exit(3)') as it:
        with pytest.raises(CompletionFailed, match="the app-server exited with code 3"):
            await answer(it)


async def test_a_start_that_takes_longer_than_the_question_may() -> None:
    """The process is not started anew for each question: one that is patient gets its answer."""
    async with completer("time.sleep(0.3)") as it:
        with pytest.raises(CompletionFailed, match=r"within 0.05 seconds"):
            await answer(it, 0.05)
        assert json.loads(await answer(it)) == QUESTION


async def test_closing_does_not_wait_for_a_question_on_a_process_that_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plain_server, "LEAVE_DEADLINE", 0.1)
    async with completer(f'calls["turn/interrupt"] = lambda request: None\n{FIRST_ONLY}') as it:
        await answer(it)
        old = it._server
        assert old is not None
        slow = asyncio.create_task(answer(it))
        with pytest.raises(CompletionFailed, match=r"within 0.3 seconds"):
            await answer(it, 0.3)
        async with asyncio.timeout(DEADLINE):
            while old.usable:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.01)
        assert await answer(it) == "fresh"
        assert not slow.done()
        async with asyncio.timeout(DEADLINE / 2):
            await it.close()
            with pytest.raises(CompletionFailed, match="dropped: rawr is exiting"):
                await slow


async def test_waiting_for_room_counts() -> None:
    async with CodexCompleter(server("def ask(thread, params): pass"), version="0", at_once=1) as it:
        slow = asyncio.create_task(it.complete(question()))
        await asyncio.sleep(0)
        with pytest.raises(CompletionFailed, match=r"within 0.1 seconds"):
            await answer(it, 0.1)
        slow.cancel()
        await asyncio.wait({slow})


# -- values -----------------------------------------------------------------------------------------------------


def outcome(said: str, *, status: facts.TurnStatus, problem: facts.Problem | None = None) -> Outcome:
    ended = facts.TurnCompleted(turn="u", status=status, problem=problem)
    return Outcome(ended, said, "m", 10, 4)


def test_an_answer_is_what_a_completed_turn_said_last() -> None:
    assert answer_of(outcome("yes", status="completed")) == Completed(text="yes", model="m", tokens=10, output_tokens=4)


@pytest.mark.parametrize(
    ("one", "message", "refused", "tokens"),
    [
        (outcome(" \n", status="completed"), "The model finished without an answer.", True, 10),
        (outcome("yes", status="interrupted"), "The question was interrupted.", False, 10),
        (outcome("yes", status="failed"), "The question was interrupted.", False, 10),
        (
            outcome("yes", status="failed", problem=facts.Problem("cut")),
            "Codex got no answer from the model: cut",
            False,
            10,
        ),
        (
            outcome("", status="failed", problem=facts.Problem("no", "misalignmentPolicyViolation")),
            "Codex got no answer from the model: no",
            True,
            10,
        ),
        (
            outcome("", status="failed", problem=facts.Problem("long", "contextWindowExceeded")),
            "Codex got no answer from the model: long",
            False,
            0,
        ),
    ],
)
def test_no_answer_and_why(one: Outcome, message: str, refused: bool, tokens: int) -> None:
    with pytest.raises(CompletionFailed) as caught:
        answer_of(one)
    assert (caught.value.message, caught.value.refused, caught.value.tokens) == (message, refused, tokens)


def test_the_thread_of_a_question() -> None:
    asked = Completion(system="S", prompt="P", schema=b'{"type":"object"}', model="m", seconds=1)
    start = plain_thread.thread_start(asked, folder="/empty", mcp_servers=["a.b", "c"], quieter=True)
    sent = msgspec.json.decode(msgspec.json.encode(start))
    off = {"mcp_servers": {"a.b": {"enabled": False}, "c": {"enabled": False}}}
    assert sent == {
        "cwd": "/empty",
        "model": "m",
        "approvalPolicy": "never",
        "sandbox": "read-only",
        "ephemeral": True,
        "baseInstructions": "S",
        "developerInstructions": plain_thread.ASIDE,
        "environments": [],
        "config": plain_thread.QUIET | plain_thread.QUIETER | off,
    }
    assert msgspec.json.decode(msgspec.json.encode(plain_thread.turn_start(asked, "t"))) == {
        "threadId": "t",
        "input": [{"type": "text", "text": "P"}],
        "outputSchema": {"type": "object"},
    }


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (b"{}", ()),
        (b'{"mcp_servers": null}', ()),
        (b'{"mcp_servers": {"a": {"command": "x"}, "b.c": 1}}', ("a", "b.c")),
    ],
)
def test_the_mcp_servers_of_a_config(config: bytes, names: tuple[str, ...]) -> None:
    assert plain_thread.mcp_servers(methods.ConfigFound(config=Raw(config))) == names


@pytest.mark.mission("D11")
async def test_it_works_where_it_is_told_to(tmp_path: Path) -> None:
    """In the system's temporary folder, the agent of another thread could leave it instructions."""
    told = """
    def start_turn(request):
        answer(request, turn={"id": "u", "status": "inProgress", "items": []})
        say(request["params"]["threadId"], cwd)
        end(request["params"]["threadId"])

    start_anyhow = start_thread

    def start_thread(request):
        global cwd
        cwd = request["params"]["cwd"]
        start_anyhow(request)

    calls.update({"thread/start": start_thread, "turn/start": start_turn})
    """
    async with CodexCompleter(server(told), version="0", folder=tmp_path) as it:
        assert Path(await answer(it)).parent == tmp_path
