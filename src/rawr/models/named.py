"""Models by their names in the settings, and the way to each."""

from collections.abc import Callable, Mapping
from typing import Literal, assert_never

from msgspec import Struct

from rawr.core.policy.models import Models
from rawr.core.text import head
from rawr.models.completion import Complete, Stop, Unavailable
from rawr.models.http import Address, address
from rawr.models.ollama import Ollama
from rawr.models.openai import Key, OpenAi

Kind = Literal["codex", "ollama", "openai"]
FORMS = "codex, codex:MODEL, ollama:MODEL or openai:MODEL"


class ModelName(Struct, frozen=True):
    kind: Kind
    model: str
    """Empty: the model that Codex is set up with."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.model}" if self.model else self.kind


def parse_model(text: str) -> ModelName:
    """``ollama:qwen3:8b`` is the model ``qwen3:8b`` of Ollama. Raises ``Unavailable`` if the text is not a name."""
    kind, colon, model = text.strip().partition(":")
    model = model.strip()
    match kind:
        case "codex" if model or not colon:
            return ModelName("codex", model)
        case "ollama" | "openai" if model:
            return ModelName("ollama" if kind == "ollama" else "openai", model)
        case "codex" | "ollama" | "openai":
            raise Unavailable(f"{head(text, 100)!r} is not a model name.", way_out=f"Write {FORMS}.")
        case _:
            raise Unavailable(f"{head(text, 100)!r} is not a model rawr can ask.", way_out=f"Write {FORMS}.")


class Candidate(Struct, frozen=True):
    """A model that can be tried."""

    name: ModelName
    complete: Complete


def ollama_address(settings: Models) -> Address:
    base = address(settings.ollama_url, "ollama_url")
    return Address(base.base.removesuffix("/v1").removesuffix("/api"))


def openai_address(settings: Models) -> Address:
    return address(settings.openai_url, "openai_url")


def openai_key(settings: Models, env: Mapping[str, str]) -> Key:
    return Key(env.get(settings.openai_key_env, "").strip(), settings.openai_key_env)


def candidate(
    text: str, settings: Models, *, env: Mapping[str, str], stop: Stop, codex: Callable[[], Complete]
) -> Candidate:
    """The way to the model with this name. Raises ``Unavailable`` if there is none."""
    name = parse_model(text)
    match name.kind:
        case "codex":
            return Candidate(name, codex())
        case "ollama":
            return Candidate(name, Ollama(ollama_address(settings), env, stop))
        case "openai":
            return Candidate(name, OpenAi(openai_address(settings), openai_key(settings, env), env, stop=stop))
        case _ as never:
            assert_never(never)
