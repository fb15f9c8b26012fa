"""The scripted model against the real Codex: what the script says is what Codex reports, and the other way round."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rawr.testing import (
    Ask,
    Call,
    Option,
    Question,
    Raw,
    Reply,
    Run,
    Say,
    Scenario,
    ScenarioMismatch,
    Usage,
    When,
    end_daemons,
    parse_scenario,
    scripted_codex,
)
from tests.stand_ins import path_with_ps

from .app_server import AppServer

SCENARIOS = Path(__file__).parent.parent / "scenarios"
PHASE_TOOL = {
    "name": "phase_complete",
    "description": "Says that a phase is done.",
    "inputSchema": {"type": "object", "properties": {"phase": {"type": "string"}}},
}


def test_it_says_hello(tmp_path: Path) -> None:
    with scripted_codex(SCENARIOS / "hello.yaml", tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        turn = server.turn(thread, "hi there")

        assert turn["status"] == "completed"
        assert [item["text"] for item in server.items("agentMessage")] == ["Hello from the scripted model."]
        deltas = [params["delta"] for params in server.params("item/agentMessage/delta")]
        assert deltas == ["Hello ", "from ", "the ", "scripted ", "model."]

        (request,) = codex.model.requests
        assert (request.number, request.conversation) == (1, thread)
        assert (request.first_user, request.last_user) == ("hi there", "hi there")
        assert request.instructions.startswith("You are a coding agent")
        assert {"exec_command", "update_plan", "request_user_input"} <= {*request.tools}
        assert request.metadata["turn_id"] == turn["id"]
        assert (request.tool_outputs(), request.summary, request.schema) == ((), None, None)
        codex.model.check(all_used=True)


def test_a_whole_working_day(tmp_path: Path) -> None:
    with scripted_codex(SCENARIOS / "research_then_ship.yaml", tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread(dynamicTools=[PHASE_TOOL])

        server.start_turn(thread, "please research this")
        call = server.wait(lambda message: message.get("method") == "item/tool/call")
        assert (call["params"]["tool"], call["params"]["arguments"]) == ("phase_complete", {"phase": "research"})
        noted = {"contentItems": [{"type": "inputText", "text": "phase noted"}], "success": True}
        server.send({"id": call["id"], "result": noted})
        assert server.notification("turn/completed", thread)["turn"]["status"] == "completed"

        assert [item["summary"] for item in server.items("reasoning")] == [["**Looking** I should see what is there."]]
        (command,) = server.items("commandExecution")
        assert (command["exitCode"], command["aggregatedOutput"]) == (0, "found-42\n")
        assert server.params("turn/plan/updated")[-1]["plan"] == [
            {"step": "research", "status": "completed"},
            {"step": "draft", "status": "inProgress"},
            {"step": "ship", "status": "pending"},
        ]
        second, third, fourth = codex.model.requests[1:]
        assert [out.tool for out in second.new_tool_outputs()] == ["exec_command"]
        assert [out.text for out in third.new_tool_outputs()] == ["Plan updated"]
        assert [out.tool for out in fourth.tool_outputs()] == ["exec_command", "update_plan", "phase_complete"]

        assert server.turn(thread, "now draft")["status"] == "completed"
        (change,) = server.items("fileChange")
        assert [Path(entry["path"]).name for entry in change["changes"]] == ["notes.md"]
        assert (codex.home.workspace / "notes.md").read_text() == "# Notes\n"

        server.call("thread/compact/start", threadId=thread)
        assert server.notification("turn/completed", thread)["turn"]["status"] == "completed"
        assert [request.is_compaction for request in codex.model.requests] == [False] * 6 + [True]

        assert server.turn(thread, "ship it")["status"] == "completed"
        last = codex.model.requests[-1]
        assert last.user_texts == ("please research this", "now draft", "ship it")
        assert last.summary is not None
        assert last.summary.endswith("Researched and drafted; notes.md is there; shipping is left.")
        assert last.tool_outputs() == ()
        codex.model.check(all_used=True)


def test_a_raw_item_is_sent_as_it_is(tmp_path: Path) -> None:
    content = [{"type": "output_text", "text": "Word for word."}]
    item: dict[str, object] = {
        "type": "message",
        "role": "assistant",
        "id": "mine",
        "content": content,
        "phase": "commentary",
    }
    with scripted_codex(Scenario.of("raw", [Raw(item)]), tmp_path) as codex, AppServer(codex) as server:
        server.turn(server.start_thread(), "go")
        (message,) = server.items("agentMessage")
        assert (message["id"], message["text"], message["phase"]) == ("mine", "Word for word.", "commentary")


def test_usage_is_reported_to_the_token(tmp_path: Path) -> None:
    replies = [
        Reply(steps=(Say("one"),), usage=Usage(input=12_345, cached=6_000, output=55, reasoning=5)),
        Reply(steps=(Say("two"),), usage=Usage(input=20_000)),
    ]
    scenario = Scenario.of("usage", replies, window=100_000)
    with scripted_codex(scenario, tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "one")
        server.turn(thread, "two")

        first, second = (params["tokenUsage"] for params in server.params("thread/tokenUsage/updated"))
        assert first["last"] == {
            "totalTokens": 12_400,
            "inputTokens": 12_345,
            "cachedInputTokens": 6_000,
            "cacheWriteInputTokens": 0,
            "outputTokens": 55,
            "reasoningOutputTokens": 5,
        }
        assert (second["last"]["totalTokens"], second["total"]["totalTokens"]) == (20_000, 32_400)
        assert second["modelContextWindow"] == 95_000


def test_an_escalated_command_asks_the_user(tmp_path: Path) -> None:
    steps = Run(cmd="echo out", escalate=True, why="It must leave the sandbox."), Run(cmd="echo in", yield_ms=5_000)
    scenario = Scenario.of("escalation", [Reply(steps=steps), Say("Fine.")])
    with scripted_codex(scenario, tmp_path) as codex, AppServer(codex) as server:
        thread = server.call("thread/start", cwd=str(codex.home.workspace), approvalPolicy="on-request")["thread"]["id"]
        server.start_turn(thread, "go")
        asked = server.wait(lambda message: message.get("method") == "item/commandExecution/requestApproval")
        assert asked["params"]["reason"] == "It must leave the sandbox."
        server.send({"id": asked["id"], "result": {"decision": "decline"}})
        assert server.notification("turn/completed", thread)["turn"]["status"] == "completed"
        assert [out.tool for out in codex.model.requests[1].new_tool_outputs()] == ["exec_command", "exec_command"]


def test_a_question_to_the_user(tmp_path: Path) -> None:
    options = Option("Red", "The warm one."), Option("Blue", "The cold one.")
    question = Question(id="colour", header="Colour", question="Which colour?", options=options)
    scenario = Scenario.of("question", [Ask((question,)), Reply(steps=(Say("Red it is."),), when=When(tool="Red"))])
    extra = {"features": {"default_mode_request_user_input": True}}
    with scripted_codex(scenario, tmp_path, extra_config=extra) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.start_turn(thread, "ask me")
        asked = server.wait(lambda message: message.get("method") == "item/tool/requestUserInput")
        (shown,) = asked["params"]["questions"]
        assert (shown["id"], [option["label"] for option in shown["options"]]) == ("colour", ["Red", "Blue"])
        server.send({"id": asked["id"], "result": {"answers": {"colour": {"answers": ["Red"]}}}})
        assert server.notification("turn/completed", thread)["turn"]["status"] == "completed"
        codex.model.check(all_used=True)


def test_an_unwritten_compaction_gets_a_short_summary(tmp_path: Path) -> None:
    # The reply without `when` is there for the taking, and yet it is not given to Codex's own request.
    scenario = Scenario.of("compact", [Say("before"), Say("after")])
    with scripted_codex(scenario, tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "one")
        server.call("thread/compact/start", threadId=thread)
        server.notification("turn/completed", thread)
        server.turn(thread, "two")

        assert [item["text"] for item in server.items("agentMessage")] == ["before", "after"]
        assert str(codex.model.requests[-1].summary).endswith("\nSummary by the scripted model.")
        codex.model.check(all_used=True)


def test_codex_compacts_by_itself_when_the_script_fills_the_window(tmp_path: Path) -> None:
    scenario = parse_scenario(
        """
        name: pressure
        window: 50000
        replies:
          - { run: "true", usage: 47000 }
          - { when: { compaction: true }, say: "Halfway.", usage: 47500 }
          - { say: "Done.", usage: 9000 }
        """
    )
    with scripted_codex(scenario, tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "go")
        assert [request.is_compaction for request in codex.model.requests] == [False, True, False]
        assert codex.model.requests[-1].last_user == "go"
        assert str(codex.model.requests[-1].summary).endswith("\nHalfway.")


def test_two_threads_at_once_have_their_own_cursors(tmp_path: Path) -> None:
    scenario = Scenario.of("two threads", [Run(cmd="echo one"), Say("The end.")])
    with scripted_codex(scenario, tmp_path) as codex, AppServer(codex) as server:
        left, right = server.start_thread(), server.start_thread()
        for thread in (left, right):
            server.begin("turn/start", threadId=thread, input=[{"type": "text", "text": f"in {thread}"}])
        for thread in (left, right):
            assert server.notification("turn/completed", thread, past=True)["turn"]["status"] == "completed"

        talks: dict[str, list[str]] = {left: [], right: []}
        for request in codex.model.requests:
            talks[request.conversation].append(request.last_user)
        assert talks == {left: [f"in {left}"] * 2, right: [f"in {right}"] * 2}


def test_a_fork_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    with scripted_codex(Scenario.of("fork", [Say("once for each")]), tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "first")
        fork = server.call("thread/fork", threadId=thread, ephemeral=True, excludeTurns=True)["thread"]["id"]
        server.turn(fork, "second")
        assert [request.conversation for request in codex.model.requests] == [thread, fork]
        assert codex.model.requests[1].user_texts == ("first", "second")


def test_a_subagent_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    spawn = Call(tool="spawn_agent", namespace="multi_agent_v1", arguments={"message": "a small task"})
    replies = [
        Reply(steps=(spawn,), when=When(user="delegate")),
        Reply(steps=(Say("Delegated."),), when=When(tool="agent")),
        Reply(steps=(Say("The task is done."),), when=When(user="a small task")),
        # Codex tells the one who delegated of it, within the turn or after it, and asks again.
        Reply(steps=(Say("Good."),), times="always"),
    ]
    with scripted_codex(Scenario.of("subagent", replies), tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "delegate this")
        task = codex.model.wait_for(lambda request: request.last_user == "a small task", deadline=10)
        assert task.conversation != thread
        assert task.body["prompt_cache_key"] == thread


REPORTED: list[tuple[str, dict[str, Any]]] = [
    (
        "too many requests",
        {
            "message": "exceeded retry limit, last status: 429 Too Many Requests",
            "codexErrorInfo": {"responseTooManyFailedAttempts": {"httpStatusCode": 429}},
        },
    ),
    (
        "server error",
        {
            "message": "We\u2019re currently experiencing high demand, which may cause temporary errors.",
            "codexErrorInfo": "internalServerError",
        },
    ),
    ("bad request", {"message": "the scripted model does not like this", "codexErrorInfo": "other"}),
    (
        "cut it",
        {
            "message": "stream disconnected before completion: Transport error: network error: "
            "error decoding response body",
            "codexErrorInfo": "other",
        },
    ),
    (
        "garbage please",
        {
            "message": "stream disconnected before completion: UTF8 error: "
            "invalid utf-8 sequence of 1 bytes from index 0",
            "codexErrorInfo": "other",
        },
    ),
    (
        "overflow",
        {
            "message": "Codex ran out of room in the model's context window. Start a new thread or clear earlier "
            "history before retrying.",
            "codexErrorInfo": "contextWindowExceeded",
        },
    ),
]


@pytest.mark.parametrize(("word", "error"), REPORTED, ids=[word for word, _ in REPORTED])
def test_a_fault_is_tried_once_and_reported(tmp_path: Path, word: str, error: dict[str, Any]) -> None:
    with scripted_codex(SCENARIOS / "faults.yaml", tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        turn = server.turn(thread, word)
        assert (turn["status"], {key: turn["error"][key] for key in error}) == ("failed", error)
        assert [params["willRetry"] for params in server.params("error")] == [False]
        assert len(codex.model.requests) == 1

        assert server.turn(thread, "are you well?")["status"] == "completed"
        assert [item["text"] for item in server.items("agentMessage")][-1] == "All is well."


@pytest.mark.parametrize(
    ("word", "text"), [("hang at once", "Here I am again."), ("hang midway", "Slowly now.")], ids=["at once", "midway"]
)
def test_a_hanging_reply_goes_on_when_released(tmp_path: Path, word: str, text: str) -> None:
    with scripted_codex(SCENARIOS / "faults.yaml", tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.start_turn(thread, word)
        codex.model.wait_for(lambda request: request.last_user == word, deadline=10)
        assert "turn/completed" not in server.methods()
        codex.model.release()
        assert server.notification("turn/completed", thread)["turn"]["status"] == "completed"
        assert [item["text"] for item in server.items("agentMessage")] == [text]


@pytest.mark.parametrize("word", ["hang at once", "hang midway"])
def test_an_interrupt_ends_a_hanging_reply(tmp_path: Path, word: str) -> None:
    with scripted_codex(SCENARIOS / "faults.yaml", tmp_path) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        turn = server.start_turn(thread, word)
        codex.model.wait_for(lambda request: request.last_user == word, deadline=10)
        server.call("turn/interrupt", threadId=thread, turnId=turn)
        ended = server.notification("turn/completed", thread, past=True)["turn"]
        assert (ended["status"], ended["error"]) == ("interrupted", None)
        codex.model.wait_idle(deadline=10)
        assert server.turn(thread, "are you well?")["status"] == "completed"


def test_what_no_reply_fits_is_reported(tmp_path: Path) -> None:
    scenario = Scenario.of("strict", [Reply(steps=(Say("yes"),), when=When(user="^expected$"))])
    with scripted_codex(scenario, tmp_path, check=False) as codex, AppServer(codex) as server:
        thread = server.start_thread()
        server.turn(thread, "expected")
        turn = server.turn(thread, "something else")
        assert turn["status"] == "failed"
        assert turn["error"]["message"] == "the scenario 'strict' has no reply left for user: 'something else'"
        assert [request.number for request in codex.model.unexpected] == [2]
        with pytest.raises(ScenarioMismatch) as failure:
            codex.model.check()
    assert str(failure.value) == (
        "request #2 was not expected.\n"
        "scenario 'strict'\n"
        "asked:\n"
        f"  #1 [{thread[-8:]}] user: 'expected'\n"
        "      → reply 0: say 'yes'\n"
        f"  #2 [{thread[-8:]}] user: 'something else'\n"
        "      → UNEXPECTED: no reply is left that fits\n"
        "replies:\n"
        "  0. used 1 of 1 | when user: '^expected$' | say 'yes'"
    )


def test_the_block_itself_fails_on_the_unexpected_and_explains_its_own_errors(tmp_path: Path) -> None:
    def off_script(base: Path) -> None:
        with scripted_codex(Scenario.of("silent", []), base) as codex, AppServer(codex) as server:
            server.turn(server.start_thread(), "hello?")

    with pytest.raises(ScenarioMismatch, match="request #1 was not expected"):
        off_script(tmp_path / "one")
    with pytest.raises(AssertionError) as failure, scripted_codex(SCENARIOS / "hello.yaml", tmp_path / "two"):
        raise AssertionError("a test's own failure")
    assert failure.value.__notes__[0].startswith("scenario 'hello'")


def test_neither_codex_nor_its_commands_can_reach_another_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_API_KEY", "CODEX_SANDBOX"):
        monkeypatch.setenv(name, "leaked")
    monkeypatch.setenv("NO_PROXY", "*")
    with scripted_codex(Scenario.of("env", [Run(cmd="env"), Say("ok")]), tmp_path) as codex, AppServer(codex) as server:
        server.turn(server.start_thread(), "show me")
        (command,) = server.items("commandExecution")
        seen = dict(line.partition("=")[::2] for line in command["aggregatedOutput"].splitlines())
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            assert seen[name] == "http://127.0.0.1:9"
        assert (seen["NO_PROXY"], seen["no_proxy"]) == ("127.0.0.1,localhost", "127.0.0.1,localhost")
        assert seen["HOME"] == str(codex.home.user_home)
        assert seen["GIT_AUTHOR_EMAIL"] == "agent@example.invalid"
        assert "leaked" not in command["aggregatedOutput"]
        assert codex.model.requests[0].headers["authorization"] == "Bearer no-secret"


def test_the_daemon_and_its_updater_are_ended_by_their_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path_with_ps(tmp_path / "bin"))
    with scripted_codex(SCENARIOS / "hello.yaml", tmp_path) as codex:
        started = subprocess.run(
            codex.command("app-server", "daemon", "start"), env=codex.env(), capture_output=True, timeout=60
        )
        assert started.returncode == 0, started.stderr
        pids = end_daemons(codex.home.path)
        assert len(pids) == 2
        for pid in pids:
            assert not _alive(pid)
        assert end_daemons(codex.home.path) == ()
        shutil.rmtree(codex.home.path / "packages")  # the daemon's own copy of Codex, 363 MB


def test_a_pid_that_changed_hands_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "app-server-daemon"
    folder.mkdir()
    identity = '"processIdentity": {"bootId": "x", "startTicks": 1}'
    (folder / "daemon.pid").write_text(f'{{"pid": {os.getpid()}, {identity}}}')
    (folder / "broken.pid").write_text("not JSON")
    assert end_daemons(tmp_path) == ()


def _alive(pid: int) -> bool:
    """Running, and not merely waiting for its parent to look."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
