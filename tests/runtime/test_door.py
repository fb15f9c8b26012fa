"""What a refused process wrote is short where it is recorded and told (C10)."""

import asyncio

import pytest

from rawr.core.kernel import Kernel, Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import CommandApproval, Verdict
from rawr.local.peers import Peer
from rawr.runtime.door import MOST_NAMED, Door

pytestmark = pytest.mark.mission("C10")
LONG = "request-" * 20
QUESTION = CommandApproval(command="ls", cwd="/")


class OneThread:
    def __init__(self) -> None:
        self.kernel = Kernel()
        self.told: list[facts.AnyFact] = []
        self.record("t", facts.RequestReceived(request=LONG, question=QUESTION))

    def find_thread(self, name: str) -> str:
        return "t" if name == "t" else ""

    def record(self, thread: str, fact: facts.AnyFact) -> "asyncio.Future[Taken]":
        self.told.append(fact)
        future: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        future.set_result(self.kernel.take(thread, fact, at=1))
        return future

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        return tuple(Real(one) for one in self.kernel.threads[thread].requests)


@pytest.mark.parametrize("thread", ["t", "other", ""])
@pytest.mark.parametrize("named", ["7/1", LONG, "password: x1 " * 300_000])
async def test_a_request_is_named_whole_only_if_the_thread_has_asked_it(thread: str, named: str) -> None:
    commands = OneThread()
    agent = Peer(5, "agent", "the agent's sandbox", program="p" * 4000)
    Door(commands).refusal(agent, facts.AnswerSubmitted(named, Verdict("accept")), thread=thread, surface="x" * 9999)
    refused = commands.told[-1]
    assert isinstance(refused, facts.OrderRefused)
    assert refused.request == (named if named == LONG and thread == "t" else named[:MOST_NAMED])
    assert refused.origin is not None
    assert (len(refused.origin.program), len(refused.origin.surface)) == (MOST_NAMED, 20)
