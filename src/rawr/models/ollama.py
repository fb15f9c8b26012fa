"""Ollama as a way to a model, by its own API.

Its OpenAI-compatible API has no setting for the context length, and silently cuts what does not fit the default; so
this asks for the length that the question needs.
"""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from rawr.core.text import head
from rawr.models.completion import Stop, Unavailable
from rawr.models.http import Address, fetch
from rawr.ports.completion import Completed, Completion

CONTEXTS = (4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
"""Few sizes: Ollama reloads the model for a different one."""
ROOM = 2_048
"""Tokens for the answer."""


class _Message(Struct):
    content: str = ""


class _Body(Struct):
    message: _Message
    model: str = ""
    prompt_eval_count: int = 0
    eval_count: int = 0


class Ollama:
    def __init__(self, base: Address, env: Mapping[str, str], stop: Stop) -> None:
        self._base = base
        self._env = env
        self._stop = stop

    def __call__(self, completion: Completion) -> Completed:
        answer = fetch(
            self._base.below("/api/chat"),
            body=_request(completion),
            headers={"Content-Type": "application/json"},
            seconds=completion.seconds,
            env=self._env,
            stop=self._stop,
        )
        if answer.status != 200:
            raise Unavailable(f"HTTP {answer.status}: {head(answer.reason, 200)}")
        try:
            body = msgspec.json.decode(answer.body, type=_Body)
        except (msgspec.DecodeError, ValueError):
            raise Unavailable("its answer is not an Ollama reply") from None
        out = max(body.eval_count, 0)
        return Completed(
            body.message.content, body.model or completion.model, max(body.prompt_eval_count, 0) + out, out
        )


def _request(completion: Completion) -> bytes:
    messages = [{"role": "system", "content": completion.system}]
    messages += [{"role": one.role, "content": one.text} for one in completion.messages]
    return msgspec.json.encode(
        {
            "model": completion.model,
            "messages": messages,
            "stream": False,
            "format": msgspec.Raw(completion.schema),
            "options": {"temperature": completion.temperature or 0.0, "num_ctx": context(completion)},
        }
    )


def context(completion: Completion) -> int:
    """The length that holds the question, counted cautiously: three bytes per token."""
    size = len(completion.system.encode()) + sum(len(one.text.encode()) for one in completion.messages)
    needed = size // 3 + ROOM
    return next((length for length in CONTEXTS if length >= needed), CONTEXTS[-1])
