"""The router's one sentence, and BestOfN which looks for it."""

import json
from typing import Any

import pytest

from rawr.core.vocabulary.opinions import GuidanceRouter
from rawr.models.signatures.sentence import breaches, reward
from tests.models.questions import desk, question
from tests.models.servers import Fail, Say, Turn, model_server

FINE = "I look into the export, version 2.1, and plan the fix."
TWO = "I look into it. Then I plan the fix."
QUESTION = 'Shall I "plan" it? Then I *start*.'


@pytest.mark.parametrize(
    "text", [FINE, "On it!", "It's planned", "I use e.g. csv for the fix.", "Ich plane das jetzt."]
)
def test_one_plain_sentence_keeps_to_the_rule(text: str) -> None:
    assert (breaches(text), reward(text)) == ((), 1.0)


@pytest.mark.parametrize(
    ("text", "breach"),
    [
        ("", "it is empty"),
        (TWO, "it is more than one sentence"),
        ("First this;\nthen that.", "it is more than one line"),
        ("What do you mean?", "it is a question"),
        ("a" * 141, "it is longer than 140 characters"),
        ("I run `make`.", "it has markdown"),
        ("- I plan it.", "it has markdown"),
        ("See [this](x).", "it has markdown"),
        ("I _really_ plan it.", "it has markdown"),
        ("I fix “it”.", "it has quotes"),
        ('"I plan it."', "it has quotes"),
        ("'I plan it.'", "it has quotes"),
    ],
)
def test_each_breach_is_named_and_costs(text: str, breach: str) -> None:
    assert breach in breaches(text)
    assert reward(text) < 1


def routed(response: str) -> Say:
    return Say(json.dumps({"route": "plan", "response": response}))


@pytest.mark.mission("C15")
@pytest.mark.parametrize(
    ("turns", "attempts", "response", "asked"),
    [
        ((routed(FINE), routed(TWO)), 3, FINE, 1),
        ((routed(TWO), routed(FINE), routed(TWO)), 3, FINE, 2),
        ((Say("hm"), routed(TWO), routed(FINE)), 3, FINE, 3),
        ((routed(QUESTION), routed(TWO), routed(QUESTION)), 3, TWO, 3),
        ((routed(TWO), Say("hm"), Say("hm")), 3, TWO, 3),
        ((routed(TWO), Fail(500)), 3, TWO, 2),
        ((routed(TWO), routed(FINE)), 1, TWO, 1),
    ],
)
async def test_the_best_of_several_is_taken(
    turns: tuple[Turn, ...], attempts: int, response: str, asked: int, capfd: Any
) -> None:
    with model_server("ollama", *turns) as server:
        answer = await desk(server).ask("e1", question("guidance_router", server.model, attempts=attempts))
    assert answer.opinion == GuidanceRouter(route="plan", response=response)
    assert (len(server.requests), answer.code) == (asked, "")
    told = any("one-sentence rule" in one for one in answer.diagnostics)
    assert told is (response != FINE)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("turns", "code", "asked"),
    [((Say("hm"),), "unreadable", 3), ((Fail(500),), "unavailable", 1), ((Say("hm"), Fail(500)), "unreadable", 2)],
)
async def test_none_of_several_is_none(turns: tuple[Turn, ...], code: str, asked: int, capfd: Any) -> None:
    with model_server("ollama", *turns) as server:
        answer = await desk(server).ask("e1", question("guidance_router", server.model, attempts=3))
    assert (answer.opinion, answer.code, len(server.requests)) == (None, code, asked)
    assert capfd.readouterr() == ("", "")
