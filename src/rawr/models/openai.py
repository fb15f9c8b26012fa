"""Any server with OpenAI's chat completions as a way to a model."""

import time
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from rawr.core.text import head
from rawr.models.completion import Stop, Unavailable
from rawr.models.http import Address, Answer, fetch
from rawr.ports.completion import Completed, Completion

TAKES_NO_SCHEMA = (400, 422)
"""The answers of a server that does not know structured output; the prompt has the schema too."""
_SHORTEST_KEY = 8


class Key(Struct, frozen=True):
    """A secret. It goes into one header and is never shown."""

    value: str
    variable: str

    def __repr__(self) -> str:
        return f"Key(from {self.variable})"

    __str__ = __repr__

    def headers(self) -> dict[str, str]:
        if not self.value:
            return {}
        if not (self.value.isascii() and self.value.isprintable()):
            raise Unavailable(
                f"the value of {self.variable} cannot be a key: it has characters not allowed in a header"
            )
        return {"Authorization": f"Bearer {self.value}"}

    def hidden(self, text: str) -> str:
        """The text without the key, in case the other side repeats it."""
        return text.replace(self.value, "[key]") if len(self.value) >= _SHORTEST_KEY else text


class _Part(Struct):
    type: str = ""
    text: str = ""


class _Message(Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


class OpenAi:
    def __init__(self, base: Address, key: Key, env: Mapping[str, str], *, stop: Stop) -> None:
        self._base = base
        self._key = key
        self._env = env
        self._stop = stop

    def __call__(self, completion: Completion) -> Completed:
        ends = time.monotonic() + completion.seconds
        answer = self._post(completion, structured=True, seconds=completion.seconds)
        if answer.status in TAKES_NO_SCHEMA:
            answer = self._post(completion, structured=False, seconds=ends - time.monotonic())
        if answer.status != 200:
            reason = head(self._key.hidden(answer.reason), 200) + self._unset(answer.status)
            raise Unavailable(f"HTTP {answer.status}: {reason}")
        try:
            body = msgspec.json.decode(answer.body, type=_Body)
            choice = body.choices[0]
        except (msgspec.DecodeError, ValueError, IndexError):
            raise Unavailable("its answer is not a chat completion") from None
        usage = body.usage or _Usage()
        out = max(usage.completion_tokens or 0, 0)
        return Completed(
            self._key.hidden(choice.message.refusal or _text(choice.message)),
            self._key.hidden(body.model or completion.model),
            max(usage.prompt_tokens or 0, 0) + out,
            out,
            refused=bool(choice.message.refusal) or choice.finish_reason == "content_filter",
        )

    def _post(self, completion: Completion, *, structured: bool, seconds: float) -> Answer:
        return fetch(
            self._base.below("/chat/completions"),
            body=_request(completion, structured=structured),
            headers={"Content-Type": "application/json", **self._key.headers()},
            seconds=seconds,
            env=self._env,
            stop=self._stop,
        )

    def _unset(self, status: int) -> str:
        return f" ({self._key.variable} is not set)" if status in (401, 403) and not self._key.value else ""


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(part.text for part in message.content if part.type == "text")
    return message.content or ""


def _request(completion: Completion, *, structured: bool) -> bytes:
    messages = [{"role": "system", "content": completion.system}]
    messages += [{"role": one.role, "content": one.text} for one in completion.messages]
    request: dict[str, object] = {"model": completion.model, "messages": messages}
    if completion.temperature is not None:
        request["temperature"] = completion.temperature
    if structured:
        schema = {"name": "answer", "strict": True, "schema": msgspec.Raw(completion.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": schema}
    return msgspec.json.encode(request)
