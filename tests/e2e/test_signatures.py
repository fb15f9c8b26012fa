"""Every signature through the user's own Codex: the real program, an ephemeral thread (A18, C3, C15)."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from rawr import __version__
from rawr.codex.completing import CodexCompleter
from rawr.codex.plain_thread import own_server
from rawr.core.policy.models import Models
from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import SHAPES, NoOpinion, SignatureName
from rawr.models.desk import ModelDesk
from rawr.testing import Fail, Hang, HttpError, Reply, Say, Scenario, ScriptedCodex, When, scripted_codex
from tests.models.questions import GOOD, INPUTS, question

NAMES: tuple[SignatureName, ...] = get_args(SignatureName)
PATIENCE = 60


@asynccontextmanager
async def asked(*replies: Reply, folder: Path) -> AsyncIterator[tuple[ModelDesk, ScriptedCodex]]:
    with scripted_codex(Scenario(name="signatures", replies=replies), folder) as codex:
        server = own_server(codex.binary, configured=None, codex_home=codex.home.path, env=codex.env())
        async with CodexCompleter(server, version=__version__) as completer:
            desk = ModelDesk(Models, completer, tuned=None, env={})
            yield desk, codex
            await desk.close()


def said(*texts: str) -> list[Reply]:
    """Each to a question of its own: every question is a conversation of its own to the model."""
    return [Reply(steps=(Say(text),), when=When(user=f"case {n}:")) for n, text in enumerate(texts)]


def case(name: SignatureName, n: int, *, attempts: int = 1) -> Real[AskModel]:
    return question(name, "codex", attempts=attempts, seconds=PATIENCE, **{INPUTS[name][0]: f"case {n}:"})


def outcome(answer: ModelAnswered) -> tuple[bool, NoOpinion | str, int]:
    return answer.opinion is not None, answer.code, answer.attempts


@pytest.mark.parametrize("name", NAMES)
async def test_what_it_says_is_taken_to_the_letter(tmp_path: Path, name: SignatureName) -> None:
    """C4: good, fenced, numbers as text; malformed, truncated, of the wrong type and empty are no opinions."""
    good = json.dumps(GOOD[name])
    as_text = json.dumps({key: str(value) if isinstance(value, float) else value for key, value in GOOD[name].items()})
    wrong = json.dumps(dict.fromkeys(GOOD[name], 17))
    readable = (good, f"```json\n{good}\n```", as_text)
    unreadable = (f"Here it is: {good}", good[: len(good) * 2 // 3], wrong, "{}", "I would rather not say.")
    async with asked(*said(*readable, *unreadable), folder=tmp_path) as (desk, codex):
        expected = msgspec.convert(GOOD[name], SHAPES[name])
        for n, text in enumerate(readable):
            answer = await desk.ask("t:1.0", case(name, n))
            assert (answer.opinion, answer.raw, answer.model[:6]) == (expected, text, "codex:"), answer
            assert answer.tokens > 0
        for n, text in enumerate(unreadable, len(readable)):
            answer = await desk.ask("t:1.0", case(name, n))
            assert (outcome(answer), answer.raw) == ((False, "unreadable", 1), text)
        codex.model.check(all_used=True)
        assert not list((codex.home.path / "sessions").rglob("*.jsonl")), "nothing of it is in the user's history"


async def test_a_reply_that_cannot_be_read_is_complained_about(tmp_path: Path) -> None:
    """C4: asked once more, with what was wrong; both are paid for."""
    good = json.dumps(GOOD["full_auto_decision"])
    half = Reply(steps=(Say(good[:20]),))
    whole = Reply(steps=(Say(good),), when=When(user="^=== asked ==="))
    async with asked(whole, half, folder=tmp_path) as (desk, codex):
        answer = await desk.ask("t:1.0", case("full_auto_decision", 0, attempts=2))
        assert outcome(answer) == (True, "", 2)
        first, second = codex.model.requests
        assert len(answer.diagnostics) == 1
        assert first.last_user != second.last_user


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(fault=Hang()), "timed_out"),
        (Reply(fault=HttpError(status=401)), "unavailable"),
        (Reply(steps=(Say(""),)), "refused"),
        (Reply(fault=Fail(code="server_error", message="no")), "unavailable"),
    ],
    ids=["slow", "no login", "empty", "failed"],
)
async def test_what_goes_wrong_on_the_way_is_no_opinion(tmp_path: Path, reply: Reply, code: NoOpinion) -> None:
    """C15: and never text that could be taken for one."""
    again = msgspec.structs.replace(reply, times="always")
    async with asked(again, folder=tmp_path) as (desk, _):
        seconds = 3 if code == "timed_out" else PATIENCE
        wanted = question("guidance_directive", "codex", attempts=1, seconds=seconds)
        answer = await desk.ask("t:1.0", wanted)
        assert (answer.opinion, answer.code) == (None, code), answer
        assert answer.problem
