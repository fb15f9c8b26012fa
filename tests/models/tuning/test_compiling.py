"""A signature learns from receipts: the score before and after, and what is asked of whom."""

import asyncio
import json
import threading
from pathlib import Path

import dspy
import pytest

from rawr.core.vocabulary.opinions import FullAutoDecision, SignatureName
from rawr.models.desk import ModelDesk
from rawr.models.tuning.compiling import AT_ONCE, EXAMPLES, Asked, NotTuned, Outcome, tune
from rawr.models.tuning.examples import SCORED, Receipt
from rawr.models.tuning.report import Score, report_of
from rawr.models.tuning.tuned import Tuned, load
from rawr.ports.completion import Completed, Completion
from tests.models.questions import GOOD, desk, question, settings
from tests.models.receipts import RED, answering, decisions, judgment, learner, plan, taught
from tests.models.servers import Fail, Hang, ModelServer, Request, Say, Turn, model_server
from tests.models.test_desk import until

NAME: SignatureName = "full_auto_decision"


async def learn(
    server: ModelServer,
    receipts: list[Receipt],
    *,
    using: Tuned | None = None,
    models: tuple[str, ...] = (),
    shown: list[Asked] | None = None,
    seconds: int = 10,
) -> Outcome:
    return await tune(
        receipts[0].signature,
        receipts,
        using=using or Tuned(),
        models=models or (server.model,),
        seconds=seconds,
        ask=desk(server).ask,
        show=(shown if shown is not None else []).append,
        at=1_700_000_000_000,
    )


def kept(folder: Path, outcome: Outcome, name: SignatureName = NAME) -> Tuned:
    (folder / f"{name}.json").write_bytes(outcome.content)
    found = load(folder, name)
    assert found is not None
    assert not found.problem
    return found


async def test_it_learns_what_a_person_confirmed(tmp_path: Path) -> None:
    """It went on whatever the tests said; with three examples of what to do in the prompt it does not."""
    shown: list[Asked] = []
    with answering(learner) as server:
        outcome = await learn(server, decisions(9), shown=shown)
    report = outcome.report
    assert (report.before, report.after) == (Score(3, 9, 9), Score(9, 9, 9))
    assert (report.good, report.bad, report.examples, report.questions) == (6, 3, 6, 18)
    assert (report.method, report.model, report.tokens) == ("leave-one-out", server.model, 18 * 120)
    assert report.better
    assert [(one.stage, one.done, one.of) for one in shown] == [
        (stage, n, 9) for stage in ("before", "after") for n in range(1, 10)
    ]
    kept(tmp_path, outcome)
    assert report_of(tmp_path, NAME) == report


async def test_what_was_learned_is_used_from_then_on(tmp_path: Path) -> None:
    with answering(learner) as server:
        outcome = await learn(server, decisions(9))
        kept(tmp_path, outcome)
        server.requests.clear()
        policy = settings(server)
        clerk = ModelDesk(lambda: policy, None, tuned=tmp_path, env={})
        answer = await clerk.ask("e1", question(NAME, server.model, last_message=RED))
    assert (answer.diagnostics, answer.problem) == ((), "")
    assert isinstance(answer.opinion, FullAutoDecision)
    assert answer.opinion.action == "pause"
    (request,) = server.requests
    examples = [json.loads(one["content"])["action"] for one in request.messages if one["role"] == "assistant"]
    assert sorted(examples) == ["continue"] * 3 + ["pause"] * 3


async def test_dspy_itself_can_load_what_is_saved(tmp_path: Path) -> None:
    from rawr.models.signatures.programs import predictor

    with answering(learner) as server:
        outcome = await learn(server, decisions(9))
    kept(tmp_path, outcome)
    program = predictor(NAME)
    program.load(tmp_path / f"{NAME}.json")
    assert len(program.demos) == outcome.report.examples


def goals_in(request: Request) -> tuple[set[str], str]:
    """The goals of the examples, and that of the question."""
    goals = [
        one["content"].partition("<goal ")[2].partition(">")[0] for one in request.messages if one["role"] == "user"
    ]
    return set(goals[:-1]), goals[-1]


async def test_no_receipt_is_scored_by_a_program_that_has_seen_it(tmp_path: Path) -> None:
    """Neither by the new one, nor by the one that is in use."""
    with answering(learner) as server:
        first = kept(tmp_path, await learn(server, decisions(9)))
        second = await learn(server, decisions(9), using=first)
        many = await learn(server, decisions(60))
    assert second.report.before == second.report.after == Score(9, 9, 9)
    assert many.report.method == "held-out"
    for request in server.requests:
        seen, asked = goals_in(request)
        assert asked not in seen


async def test_what_it_costs_is_bounded() -> None:
    with answering(learner) as server:
        outcome = await learn(server, decisions(300))
    assert len(server.requests) == outcome.report.questions == 2 * SCORED
    assert outcome.report.examples == EXAMPLES
    assert max(len(json.dumps(one.messages)) for one in server.requests) < 60_000


async def test_a_judgment_learns_the_opposite_of_what_was_bad(tmp_path: Path) -> None:
    def answer(request: Request) -> Turn:
        said = json.dumps({"should_compact": not taught(request), "reason": "so"})
        return Say(said)

    receipts = [judgment(n, True, "bad", note=f"note {n}") for n in range(7)]
    receipts += [judgment(n, True, "good") for n in range(7, 9)]
    with answering(answer) as server:
        outcome = await learn(server, receipts)
    assert (outcome.report.before, outcome.report.after) == (Score(2, 9, 9), Score(7, 9, 9))
    examples = {(one["should_compact"], one["reason"]) for one in kept(tmp_path, outcome, "compaction_judgment").demos}
    assert examples == {(True, "so"), *((False, f"note {n}") for n in range(1, 7))}


async def test_free_text_is_scored_by_whether_it_can_be_read(tmp_path: Path) -> None:
    def answer(request: Request) -> Turn:
        return Say(json.dumps(GOOD["planning"]) if taught(request) else "Sure! First I would")

    with answering(answer) as server, pytest.raises(NotTuned, match="No usable answer from openai:tiny:1b"):
        await learn(server, [plan(n) for n in range(8)])
    with model_server("openai", Say(json.dumps(GOOD["planning"]))) as server:
        outcome = await learn(server, [plan(n) for n in range(8)])
    assert (outcome.report.before, outcome.report.after) == (Score(8, 8, 8), Score(8, 8, 8))
    assert len(kept(tmp_path, outcome, "planning").demos) == 8


async def test_worse_is_said_to_be_worse() -> None:
    def answer(request: Request) -> Turn:
        """Right without examples, muddled by them."""
        red = RED in request.messages[-1]["content"]
        action = "continue" if taught(request) or not red else "pause"
        return Say(json.dumps({"action": action, "next_input": "", "reason": "so", "confidence": 0.8}))

    with answering(answer) as server:
        report = (await learn(server, decisions(9))).report
    assert (report.before, report.after, report.better) == (Score(9, 9, 9), Score(3, 9, 9), False)


async def test_as_many_right_and_fewer_readable_is_worse() -> None:
    def answer(request: Request) -> Turn:
        if taught(request) and RED in request.messages[-1]["content"]:
            return Say("{")
        return Say(json.dumps({"action": "continue", "next_input": "", "reason": "so", "confidence": 0.8}))

    with answering(answer) as server:
        report = (await learn(server, decisions(9))).report
    assert (report.before, report.after, report.better) == (Score(3, 9, 9), Score(3, 3, 9), False)


async def test_the_first_model_that_answers_is_asked_everything() -> None:
    with answering(learner) as server:
        outcome = await learn(server, decisions(9), models=("codex", "ollama:gone", server.model))
    assert (outcome.report.model, len(server.requests)) == (server.model, 18)


class Codex:
    """The user's Codex, as far as a question goes."""

    def __init__(self) -> None:
        self.at_once = self.most = 0

    async def complete(self, completion: Completion, /) -> Completed:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1
        pause = "=== answered ===" in completion.prompt and RED in completion.prompt.rpartition("=== asked ===")[2]
        said = {"action": "pause" if pause else "continue", "next_input": "", "reason": "so", "confidence": 0.8}
        return Completed(json.dumps(said), "gpt", 50, 10)


async def test_the_users_own_codex_can_be_asked() -> None:
    codex = Codex()
    outcome = await tune(
        NAME,
        decisions(9),
        using=Tuned(),
        models=("codex",),
        seconds=10,
        ask=desk(completer=codex).ask,
        show=lambda asked: None,
        at=0,
    )
    report = outcome.report
    assert (report.before.right, report.after.right, report.model, report.tokens) == (3, 9, "codex", 900)
    assert 1 < codex.most <= AT_ONCE["codex"]


async def test_without_a_model_nothing_is_learned() -> None:
    with model_server("openai", Fail(500)) as server, pytest.raises(NotTuned) as raised:
        await learn(server, decisions(9), models=("codex", server.model))
    assert "Codex cannot be asked from here" in str(raised.value)
    assert "HTTP 500" in str(raised.value)
    assert str(raised.value).endswith("Nothing was changed.")


async def test_a_model_that_goes_away_is_no_wrong_answer() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Turn:
        asked.append(request)
        return Fail(503) if len(asked) > 4 else learner(request)

    with answering(answer) as server, pytest.raises(NotTuned, match="HTTP 503"):
        await learn(server, decisions(9))


async def test_a_model_that_stumbles_once_is_asked_again() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Turn:
        asked.append(request)
        return Fail(503) if len(asked) == 5 else learner(request)

    with answering(answer) as server:
        report = (await learn(server, decisions(9))).report
    assert (report.after, report.questions) == (Score(9, 9, 9), 19)


async def test_it_can_be_given_up_at_any_time() -> None:
    with model_server("openai", Hang()) as server:
        task = asyncio.create_task(learn(server, decisions(9), seconds=60))
        await until(lambda: bool(server.requests))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not any(one.name == "rawr-model" for one in threading.enumerate()))


def test_it_leaves_no_trace_beside_its_result(own_home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with answering(learner) as server:
        asyncio.run(learn(server, decisions(9)))
    assert list(own_home.rglob("*")) == []
    assert capfd.readouterr() == ("", "")
    assert dspy.settings.lm is None
