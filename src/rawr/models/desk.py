"""Where typed questions to models are put, as the runtime needs it (``rawr.ports.advisers.Models``).

DSPy blocks, and is slow to import; so each question runs in its own thread, and their number is limited. Whatever a
model does, its question ends in time: the answer says so, and the thread is told to stop.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from pathlib import Path

from rawr.core.policy.models import Models
from rawr.core.real import Real
from rawr.core.text import head
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.errors import OutsideError
from rawr.models import named
from rawr.models.completion import Complete, Stop, Unavailable
from rawr.models.progress import Progress
from rawr.models.tuning import tuned
from rawr.models.tuning.tuned import Tuned
from rawr.ports.completion import Completed, Completer, Completion, CompletionFailed

THREADS = 8
"""Concurrent questions. An abandoned one holds its place until its thread has noticed."""
MARGIN = 0.2
"""Seconds by which an answer precedes its waiter's timeout: it says more about what happened."""
NOT_INSTALLED = "DSPy is not installed, and rawr needs it to ask a model: pip install 'codex-rawr[llm]'"
BROKEN = "DSPy is installed but cannot be imported: {reason}"


class ModelDesk:
    def __init__(
        self, policy: Callable[[], Models], completer: Completer | None, *, tuned: Path | None, env: Mapping[str, str]
    ) -> None:
        self._policy = policy
        self._completer = completer
        self._tuned = tuned
        self._env = env
        self._places = asyncio.Semaphore(THREADS)
        self._asked: set[Progress] = set()
        self._closed = False

    async def ask(self, name: str, real: Real[AskModel], *, trial: Tuned | None = None) -> ModelAnswered:
        """``name`` is the effect that asks; the answer carries it. ``trial`` replaces what was learned."""
        question = real.thing
        seconds = question.seconds - min(MARGIN, question.seconds * 0.1)
        progress = Progress(question, seconds=seconds)
        if self._closed:
            progress.problem = "rawr is closing"
            return progress.answer(name)
        self._asked.add(progress)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._put(question, progress, trial)
            return progress.answer(name)
        finally:
            self._asked.discard(progress)
            progress.stop.set()

    async def close(self) -> None:
        """Ask nothing more, and wait for nothing more."""
        self._closed = True
        for progress in tuple(self._asked):
            progress.stop.set()

    async def _put(self, question: AskModel, progress: Progress, trial: Tuned | None) -> None:
        candidates = self._candidates(question, progress)
        if not candidates:
            return

        def work() -> None:
            learned = trial if trial is not None else tuned.load(self._tuned, question.signature)
            _ask(question, candidates, progress, learned=learned)

        await self._places.acquire()
        await self._in_thread(work)

    def _candidates(self, question: AskModel, progress: Progress) -> list[named.Candidate]:
        """The reachable models, in the question's order. Reports the others."""
        settings, loop = self._policy(), asyncio.get_running_loop()
        found: list[named.Candidate] = []
        for text in question.models:
            try:
                one = named.candidate(
                    text, settings, env=self._env, stop=progress.stop, codex=lambda: self._codex(loop, progress.stop)
                )
            except Unavailable as error:
                progress.unreachable(head(text, 100), str(error))
            else:
                found.append(one)
        return found

    def _codex(self, loop: asyncio.AbstractEventLoop, stop: Stop) -> Complete:
        completer = self._completer
        if completer is None:
            raise Unavailable("Codex cannot be asked from here")
        return CodexPort(completer, loop, stop)

    async def _in_thread(self, work: Callable[[], None]) -> None:
        """Run in a separate thread, which does not keep the program from exiting. Its place is free when it is done."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def finish(error: BaseException | None) -> None:
            self._places.release()
            if done.done():
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        def body() -> None:
            error: BaseException | None = None
            try:
                work()
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop is closed, nobody waits
                loop.call_soon_threadsafe(finish, error)

        threading.Thread(target=body, name="rawr-model", daemon=True).start()
        await done


class CodexPort:
    """Codex as a way to a model: a blocking call here, a coroutine on the loop of Codex's connection."""

    def __init__(self, completer: Completer, loop: asyncio.AbstractEventLoop, stop: Stop) -> None:
        self._completer = completer
        self._loop = loop
        self._stop = stop

    def __call__(self, completion: Completion) -> Completed:
        call = self._call(completion)
        try:
            future: Future[Completed] = asyncio.run_coroutine_threadsafe(call, self._loop)
        except RuntimeError:
            call.close()
            raise Unavailable("rawr is closing") from None
        self._stop.add(lambda: _cancel(future))
        try:
            reply = future.result(completion.seconds)
        except TimeoutError:
            _cancel(future)
            raise Unavailable(f"it did not answer within {completion.seconds:.1f} s") from None
        except CancelledError:
            raise Unavailable("nothing is waiting for it any more") from None
        except OutsideError as error:
            tokens = error.tokens if isinstance(error, CompletionFailed) else 0
            if isinstance(error, CompletionFailed) and error.refused:
                return Completed(error.message, completion.model, tokens, refused=True)
            raise Unavailable(head(str(error), 300), tokens=tokens) from error
        return Completed(reply.text, reply.model or completion.model, reply.tokens, reply.output_tokens)

    def _call(self, completion: Completion) -> Coroutine[object, object, Completed]:
        return self._completer.complete(completion)


def _cancel(future: "Future[Completed]") -> None:
    future.cancel()


def _ask(question: AskModel, candidates: list[named.Candidate], progress: Progress, *, learned: Tuned | None) -> None:
    """In the thread: DSPy is imported only here, and only now."""
    progress.importing = True
    try:
        import dspy  # noqa: F401
    except Exception as error:  # whatever is wrong with it, it is not ours
        progress.problem = _without(error)
    else:
        try:
            from rawr.models import inquiry
        except ImportError as error:
            if error.name is not None and error.name.partition(".")[0] == "rawr":
                raise
            progress.problem = _without(error)
    progress.importing = False
    if progress.problem:
        progress.note(progress.problem)
        return
    if learned is not None and learned.problem:
        progress.note(learned.problem)
    usable = learned if learned is not None and learned.instructions else None
    inquiry.run(question, candidates, progress, tuned=usable)


def _without(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == "dspy":
        return NOT_INSTALLED
    return BROKEN.format(reason=head(" ".join(f"{type(error).__name__}: {error}".split()), 300))
