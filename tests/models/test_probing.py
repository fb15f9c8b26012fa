"""What ``rawr doctor`` is told."""

import time

import pytest
from msgspec.structs import replace

from rawr.models.probing import Probed, installed, probe, probe_order
from tests.models.questions import settings
from tests.models.servers import MODEL, Fail, Hang, Say, Turn, model_server


def test_the_first_that_answers_would_be_asked() -> None:
    with model_server("ollama", Say()) as ollama, model_server("openai", Say()) as openai:
        policy = replace(settings(ollama, openai), order=("codex", "codx", f"ollama:{MODEL}", f"openai:{MODEL}"))
        found = probe_order(policy, no_codex="no Codex was found", env={})
        assert found == (
            Probed("codex", answers=False, detail="no Codex was found"),
            Probed(
                "codx",
                answers=False,
                detail="'codx' is not a model rawr can ask. Write codex, codex:MODEL, ollama:MODEL or openai:MODEL.",
            ),
            Probed(f"ollama:{MODEL}", answers=True, detail=f"Ollama at {ollama.url}", chosen=True),
            Probed(f"openai:{MODEL}", answers=True, detail=openai.url),
        )
        assert probe_order(policy, no_codex="", env={})[0] == Probed(
            "codex", answers=True, detail="your Codex, with its own model", chosen=True
        )
        assert [request.path for request in ollama.requests] == ["/api/tags", "/api/tags"]
        assert openai.requests[0].path == "/v1/models"


def test_a_model_that_ollama_does_not_have_is_told_with_the_way_out() -> None:
    with model_server("ollama", Say()) as server:
        found = probe("ollama:llama3.2", settings(server), no_codex="no Codex was found", env={})
    assert found.detail == f"Ollama at {server.url} does not have it. Get it with: ollama pull llama3.2"
    assert not found.answers


@pytest.mark.parametrize("turn", [Fail(500), Fail(200, "<html>"), Fail(200, '{"models": 1}')])
def test_what_is_no_server_of_models_does_not_answer(turn: Turn) -> None:
    with model_server("ollama", turn) as ollama, model_server("openai", turn) as openai:
        policy = replace(settings(ollama, openai), order=(f"ollama:{MODEL}", f"openai:{MODEL}"))
        assert [one.answers for one in probe_order(policy, no_codex="no Codex was found", env={})] == [False, False]


def test_a_key_that_is_not_taken_is_told_without_it() -> None:
    with model_server("openai", Fail(401)) as server:
        policy = settings(server)
        unset = probe(f"openai:{MODEL}", policy, no_codex="no Codex was found", env={})
        wrong = probe(f"openai:{MODEL}", policy, no_codex="no Codex was found", env={"RAWR_TEST_KEY": "sk-0123456789"})
    assert unset.detail.endswith("HTTP 401: RAWR_TEST_KEY is not set")
    assert wrong.detail.endswith("HTTP 401: RAWR_TEST_KEY is not accepted")


def test_a_server_that_hangs_is_left_after_two_seconds() -> None:
    began = time.monotonic()
    with model_server("ollama", Hang()) as server:
        found = probe(f"ollama:{MODEL}", settings(server), no_codex="no Codex was found", env={})
    assert (found.answers, "within 2.0 s" in found.detail) == (False, True)
    assert time.monotonic() - began < 10


def test_dspy_is_there() -> None:
    assert installed()
