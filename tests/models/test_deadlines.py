"""Whatever the other side does, a deadline is one for all of it, and who is silent leaves time for the next."""

import gc
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rawr.models import desk as desks
from rawr.models.completion import Stop, Unavailable
from rawr.models.http import Address, fetch
from rawr.models.progress import Progress
from tests.models.questions import desk, question
from tests.models.servers import MODEL, Hang, Say, model_server
from tests.models.test_desk import ScriptedCodex, opinion, said, until


@contextmanager
def trickling(text: bytes) -> Iterator[Address]:
    """A server that sends this, and then a byte every 0.1 s without an end."""
    closing = threading.Event()

    def serve(listening: socket.socket) -> None:
        with listening.accept()[0] as taken:
            taken.sendall(text)
            while not closing.wait(0.1):
                try:
                    taken.sendall(b"x")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield Address(f"http://127.0.0.1:{listening.getsockname()[1]}")
        finally:
            closing.set()
            thread.join(5)


TRICKLES = {
    "status": b"",
    "header": b"HTTP/1.1 200 OK\r\nX-Slow: ",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1",
    "no length": b"HTTP/1.0 200 OK\r\n\r\n",
}


@pytest.mark.parametrize("where", TRICKLES)
async def test_a_server_that_trickles_is_left_in_time(where: str) -> None:
    began = time.monotonic()
    with trickling(TRICKLES[where]) as address:
        with pytest.raises(Unavailable, match=r"did not answer within 0\.5 s"):
            fetch(address, seconds=0.5, env={})
        assert time.monotonic() - began < 3
        await until(lambda: not _exchanges())
        gc.collect()  # a socket that nobody closed is told of here, and not in a test that comes later


async def test_whoever_is_told_to_stop_does_not_wait_for_a_trickle() -> None:
    stop = Stop()
    with trickling(TRICKLES["header"]) as address:
        threading.Timer(0.2, stop.set).start()
        began = time.monotonic()
        with pytest.raises(Unavailable):
            fetch(address, seconds=30, env={}, stop=stop)
        assert time.monotonic() - began < 10
        await until(lambda: not _exchanges())


def _exchanges() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "rawr-http"]


# -- who is silent ----------------------------------------------------------------------------------------------------


async def test_a_silent_server_leaves_time_for_the_next_model() -> None:
    with model_server("ollama", Hang()) as silent, model_server("openai", Say(said("planning"))) as second:
        asked = question("planning", silent.model, second.model, seconds=3)
        answer = await desk(silent, second).ask("e1", asked)
    assert (answer.opinion, answer.code, answer.model) == (opinion("planning"), "", second.model)
    (told,) = answer.diagnostics
    assert told.startswith(f"{silent.model}: 127.0.0.1:")
    assert "did not answer within 1." in told


async def test_a_silent_codex_leaves_time_for_the_next_model() -> None:
    with model_server("ollama", Say(said("planning"))) as second:
        clerk = desk(second, completer=ScriptedCodex(30.0))
        answer = await clerk.ask("e1", question("planning", "codex", second.model, seconds=3))
    assert (answer.opinion, answer.model) == (opinion("planning"), second.model)
    assert answer.diagnostics[0].startswith("codex: it did not answer within 1.")


async def test_where_all_are_silent_each_was_asked_and_the_time_is_up() -> None:
    with model_server("ollama", Hang()) as first, model_server("openai", Hang()) as second:
        asked = question("planning", first.model, second.model, seconds=3)
        began = time.monotonic()
        answer = await desk(first, second).ask("e1", asked)
        assert time.monotonic() - began < 3
    assert (answer.code, answer.problem) == ("timed_out", "no usable answer within 3 s")
    assert (len(first.requests), len(second.requests)) == (1, 1)


async def test_a_silent_model_before_one_that_is_not_there_is_unavailable() -> None:
    with model_server("ollama", Hang()) as first:
        answer = await desk(first).ask("e1", question("planning", first.model, "openai:gone", seconds=3))
    assert answer.code == "unavailable"
    assert [one.partition(": ")[0] for one in answer.diagnostics] == [first.model, "openai:gone"]


async def test_a_reply_that_cannot_be_read_is_told_though_the_time_is_up() -> None:
    with model_server("ollama", Say("hm"), Hang()) as server:
        answer = await desk(server).ask("e1", question("planning", server.model, attempts=2, seconds=1))
    assert (answer.code, answer.problem) == ("unreadable", "there is no JSON object in the reply")


def test_shares_of_the_time() -> None:
    progress = Progress(question("planning").thing, seconds=60)
    shares = []
    for left in (3, 2, 1):
        progress.take_turn(left)
        shares.append(round(progress.turn_seconds_left))
    assert shares == [20, 30, 60]
    hurried = Progress(question("planning").thing, seconds=1.5)
    hurried.take_turn(4)
    assert round(hurried.turn_seconds_left, 1) == 1.0


# -- DSPy -------------------------------------------------------------------------------------------------------------


def _without_dspy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    import rawr.models

    for module in [name for name in sys.modules if name.startswith(("dspy", "rawr.models.inquiry"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr(rawr.models, "inquiry", raising=False)


BREAKS = "raise RuntimeError('its native part\\n is gone')"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (BREAKS, "RuntimeError: its native part is gone"),
        ("import no_such_part", "ModuleNotFoundError: No module named 'no_such_part'"),
    ],
)
async def test_a_broken_dspy_is_not_called_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, source: str, reason: str
) -> None:
    folder = tmp_path_factory.mktemp("broken")
    (folder / "dspy.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    _without_dspy(monkeypatch)
    answer = await desk().ask("e1", question("planning", f"ollama:{MODEL}"))
    assert (answer.code, answer.problem) == ("unavailable", desks.BROKEN.format(reason=reason))


async def test_an_import_that_takes_all_the_time_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("slow")
    (folder / "dspy.py").write_text("import time; time.sleep(2); raise RuntimeError")
    monkeypatch.syspath_prepend(folder)
    _without_dspy(monkeypatch)
    began = time.monotonic()
    answer = await desk().ask("e1", question("planning", f"ollama:{MODEL}", seconds=1))
    assert time.monotonic() - began < 1
    assert answer.code == "timed_out"
    assert answer.problem.startswith("importing DSPy took all 1 s, and no model was asked; ")
    await until(lambda: not [one for one in threading.enumerate() if one.name == "rawr-model"])
