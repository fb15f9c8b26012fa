"""A way to a model as a DSPy LM. Nothing is cached, retried or looked up: rawr does the asking."""

from collections.abc import Iterator
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, TransportError, Usage, response_to_events

from rawr.models.completion import Unavailable
from rawr.models.named import Candidate
from rawr.models.progress import Progress
from rawr.ports.completion import Completed, Completion, Said

# DSPy logs to stderr, onto the user's screen. The diagnostics have everything it could say.
dspy.disable_logging()


class PortEngine:
    """One model for one question, as DSPy's engine. Every reply is recorded as received, before anything reads it."""

    supports_function_calling = False
    supports_reasoning = False
    supports_response_schema = True
    supported_params = frozenset({"response_format", "temperature"})

    def __init__(self, candidate: Candidate, progress: Progress, *, schema: bytes) -> None:
        self._candidate = candidate
        self._progress = progress
        self._schema = schema

    def complete(self, request: Request) -> Response:
        name = self._candidate.name
        try:
            reply = self._candidate.complete(self._completion(request))
        except Unavailable as error:
            self._progress.unreachable(str(name), str(error), tokens=error.tokens)
            raise TransportError(str(error)) from error
        self._progress.replied(name.kind, reply)
        return _response(reply, model=str(name))

    def _completion(self, request: Request) -> Completion:
        system = request.system if isinstance(request.system, str) else "".join(p.text for p in request.system or ())
        messages = tuple(
            Said("assistant" if one.role == "assistant" else "user", one.text or "") for one in request.messages
        )
        return Completion(
            system,
            in_one(messages),
            self._schema,
            self._candidate.name.model,
            max(self._progress.turn_seconds_left, 0.01),
            messages=messages,
            temperature=request.config.temperature,
        )

    def stream(self, request: Request) -> Iterator[Any]:
        return iter(response_to_events(self.complete(request)))

    def close(self) -> None:
        """Nothing to close: each request closes what it opens."""


def in_one(messages: tuple[Said, ...]) -> str:
    """The messages as one text, each with its author if there are several."""
    if len(messages) == 1:
        return messages[0].text
    heads = {"user": "=== asked ===", "assistant": "=== answered ==="}
    return "\n\n".join(f"{heads[one.role]}\n{one.text}" for one in messages)


def language_model(engine: PortEngine, name: str) -> dspy.LM:
    """``name`` is only for display; DSPy must not mistake it for one of its own providers."""
    return dspy.LM(f"rawr/{name}", engine=engine, cache=False, num_retries=0)


def _response(reply: Completed, *, model: str) -> Response:
    spent = max(reply.tokens, 0)
    out = min(max(reply.output_tokens, 0), spent)
    return Response(
        id=None,
        model=reply.model or model,
        message=Message.assistant([TextPart("" if reply.refused else reply.text)]),
        finish_reason="content_filter" if reply.refused else "stop",
        usage=Usage(input_tokens=spent - out, output_tokens=out),
    )
