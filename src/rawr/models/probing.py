"""Which model would be asked, and whether it is there: for ``rawr doctor``. Asks it nothing, and does not need DSPy."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import assert_never

import msgspec
from msgspec import Struct

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.core.policy.models import Models
from rawr.core.text import head
from rawr.models.completion import Unavailable
from rawr.models.http import Answer, fetch
from rawr.models.named import ModelName, ollama_address, openai_address, openai_key, parse_model

SECONDS = 2.0
IMPORT_SECONDS = 30.0
_IMPORT = """
import sys
sys.path[:] = sys.argv[1:]
try:
    import dspy
    import rawr.models.inquiry
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


class Probed(Struct, frozen=True):
    """One model of the order."""

    model: str
    answers: bool
    detail: str
    chosen: bool = False
    """The first that answers, which would be asked."""


class _Listed(Struct):
    name: str = ""
    id: str = ""


class _Tags(Struct):
    models: list[_Listed]


class _List(Struct):
    data: list[_Listed]


def installed() -> bool:
    """Check for DSPy, without which rawr asks no model."""
    return find_spec("dspy") is not None


def import_problem(*, seconds: float = IMPORT_SECONDS) -> str:
    """Why DSPy cannot be imported though it is installed; empty if it can. Tried in a separate process, which is slow,
    so only if a model is wanted."""
    try:
        said = ask([sys.executable, "-c", _IMPORT, *sys.path], deadline=seconds)
    except TookTooLong:
        return f"it takes longer than {seconds:g} s"
    except (OSError, SaidTooMuch) as error:
        return head(str(error), 200)
    if said.code == 0:
        return ""
    return head(" ".join(said.stderr.split()), 300) or f"Python exited with code {said.code}"


def probe_order(settings: Models, *, no_codex: str, env: Mapping[str, str]) -> tuple[Probed, ...]:
    """Every model of the order, with the one that would be asked marked."""
    found = [probe(text, settings, no_codex=no_codex, env=env) for text in settings.order]
    first = next((index for index, one in enumerate(found) if one.answers), None)
    return tuple(msgspec.structs.replace(one, chosen=index == first) for index, one in enumerate(found))


def probe(text: str, settings: Models, *, no_codex: str, env: Mapping[str, str]) -> Probed:
    """``no_codex`` says why Codex cannot be asked; empty if it can. Blocks for at most two seconds."""
    try:
        return Probed(text, answers=True, detail=_look(parse_model(text), settings, no_codex=no_codex, env=env))
    except Unavailable as error:
        return Probed(text, answers=False, detail=str(error))


def _look(name: ModelName, settings: Models, *, no_codex: str, env: Mapping[str, str]) -> str:
    match name.kind:
        case "codex":
            if no_codex:
                raise Unavailable(no_codex)
            return f"your Codex, with {name.model}" if name.model else "your Codex, with its own model"
        case "ollama":
            base = ollama_address(settings)
            answer = fetch(base.below("/api/tags"), seconds=SECONDS, env=env)
            there = _names(answer, _Tags, f"{base.base} is not an Ollama server")
            if not there & {name.model, f"{name.model}:latest"}:
                raise Unavailable(
                    f"Ollama at {base.base} does not have it.", way_out=f"Get it with: ollama pull {name.model}"
                )
            return f"Ollama at {base.base}"
        case "openai":
            base, key = openai_address(settings), openai_key(settings, env)
            answer = fetch(base.below("/models"), headers=key.headers(), seconds=SECONDS, env=env)
            if answer.status in (401, 403):
                state = "is not accepted" if key.value else "is not set"
                raise Unavailable(f"{base.base} answered HTTP {answer.status}: {key.variable} {state}")
            listed = name.model in _names(answer, _List, f"{base.base} lists no models")
            return base.base if listed else f"{base.base}, which does not list it"
        case _ as never:
            assert_never(never)


def _names(answer: Answer, shape: type[_Tags] | type[_List], otherwise: str) -> set[str]:
    if answer.status != 200:
        raise Unavailable(f"{otherwise}: HTTP {answer.status}")
    try:
        body = msgspec.json.decode(answer.body, type=shape)
    except (msgspec.DecodeError, ValueError) as error:
        raise Unavailable(f"{otherwise}: {head(str(error), 100)}") from None
    return {one.name for one in body.models} if isinstance(body, _Tags) else {one.id for one in body.data}
