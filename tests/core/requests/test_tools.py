"""The phase tool (B9): what the agent sends is data, and is checked."""

import msgspec
import pytest

from rawr.core.requests.tools import MAX_ARTIFACTS, MAX_FIELD, OUR_TOOLS, PHASE_COMPLETE, PHASE_TOOL, Phase, read_phase


def test_a_phase_is_read() -> None:
    assert read_phase(
        '{"phase":" research ","summary":"Read it all.","next_phase":"draft","artifacts":["notes.md"]}'
    ) == (Phase("research", "Read it all.", "draft", ("notes.md",)))
    assert read_phase('{"phase":"p"}') == Phase("p")
    assert read_phase('{"phase":"p","mood":"good"}') == Phase("p")


NONSENSE = {
    "nothing": "",
    "no JSON": "no json",
    "a list": "[]",
    "null": "null",
    "no phase": '{"summary":"s"}',
    "a number": '{"phase":7}',
    "artifacts as a text": '{"phase":"p","artifacts":"a"}',
    "half a character": '"\ud800"',
    "a deep nest": '{"phase":"p","x":' + "[" * 8_000 + "]" * 8_000 + "}",
}


@pytest.mark.parametrize("arguments", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_answered_in_words_for_the_agent(arguments: str) -> None:
    answer = read_phase(arguments)
    assert isinstance(answer, str)
    assert answer.startswith("phase_complete was not understood: ")
    assert answer.endswith("Send phase and summary as strings.")


@pytest.mark.parametrize("name", ["", "   ", "\n"])
def test_a_phase_needs_a_name(name: str) -> None:
    arguments = msgspec.json.encode({"phase": name, "summary": "s"}).decode()
    assert read_phase(arguments) == "phase_complete needs the name of the phase that is finished."


def test_what_is_kept_is_bounded() -> None:
    long = "x" * (MAX_FIELD + 1)
    arguments = {"phase": long, "summary": long, "next_phase": long, "artifacts": [long] * (MAX_ARTIFACTS + 1)}
    cut = "x" * MAX_FIELD + " […1 more characters]"
    assert read_phase(msgspec.json.encode(arguments).decode()) == Phase(cut, cut, cut, (cut,) * MAX_ARTIFACTS)


def test_the_tool_says_what_it_takes() -> None:
    assert OUR_TOOLS == (PHASE_TOOL,)
    assert PHASE_TOOL.name == PHASE_COMPLETE
    assert set(PHASE_TOOL.schema["properties"]) == {field.name for field in msgspec.structs.fields(Phase)}
