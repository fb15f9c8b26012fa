"""Reading a request: what the user wrote, what Codex added, what tools gave back."""

from typing import Any

from rawr.testing import ModelRequest, ToolOutput


def request(*items: dict[str, Any], metadata: str = "", **body: Any) -> ModelRequest:
    headers = {"x-codex-turn-metadata": metadata} if metadata else {}
    return ModelRequest(number=1, conversation="t", at_ms=0, headers=headers, body={"input": list(items), **body})


def message(role: str, *texts: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text} for text in texts]}


def call(call_id: str, name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": '{"cmd": "make"}'}


def output(call_id: str, value: object) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def test_the_users_words_are_told_from_codexs_own() -> None:
    asked = request(
        message("developer", "Base."),
        message("user", "# AGENTS.md instructions for here"),
        message("user", "<environment_context>…"),
        message("user", "first", "part two"),
        message("user", "<turn_aborted>…"),
        message("user", "second"),
        message("user", "Another language model started to solve this problem…\nsummary"),
    )
    assert asked.user_texts == ("first\npart two", "second")
    assert (asked.first_user, asked.last_user) == ("first\npart two", "second")
    assert asked.summary == "Another language model started to solve this problem…\nsummary"
    assert len(asked.texts("user")) == 6
    assert asked.instructions == "Base."


def test_new_outputs_are_those_since_the_models_last_word() -> None:
    asked = request(
        message("user", "go"),
        call("a", "exec_command"),
        output("a", "old"),
        message("assistant", "and now"),
        call("b", "exec_command"),
        call("c", "phase_complete"),
        output("b", "built"),
        output("c", [{"type": "input_text", "text": "noted"}]),
        message("user", "a steer"),
    )
    new = (ToolOutput("b", "exec_command", "built"), ToolOutput("c", "phase_complete", "noted"))
    assert asked.new_tool_outputs() == new
    assert asked.tool_outputs() == (ToolOutput("a", "exec_command", "old"), *new)
    assert "make" in asked.all_text
    assert "noted" in asked.all_text


def test_a_compaction_is_known_by_codexs_word_or_by_its_prompt() -> None:
    prompt = message("user", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create…")
    assert request(prompt).is_compaction
    assert not request(prompt, metadata='{"request_kind": "turn"}').is_compaction
    assert request(metadata='{"request_kind": "compaction"}').is_compaction
    assert not request(prompt, message("user", "what was that?")).is_compaction


def test_tools_schema_and_what_is_not_there() -> None:
    schema = {"type": "object"}
    asked = request(
        tools=[{"name": "a"}, {"type": "web_search"}], text={"format": {"schema": schema}}, instructions="I"
    )
    assert (asked.tools, asked.schema, asked.instructions) == (("a", "web_search"), schema, "I")
    group = {"type": "namespace", "name": "functions", "tools": [{"name": "exec"}, {"name": "wait"}]}
    assert request({"type": "additional_tools", "tools": [group, {"name": "alone"}]}).tools == ("exec", "wait", "alone")
    odd = ModelRequest(number=1, conversation="", at_ms=0, headers={}, body={"input": "text", "tools": None, "text": 3})
    assert (odd.input, odd.tools, odd.schema, odd.last_user, odd.metadata, odd.is_compaction) == (
        (),
        (),
        None,
        "",
        {},
        False,
    )
