"""What ``rawr tune`` learned about a signature: instructions and examples, from a file that DSPy's ``save`` wrote.

Only these two are used. No class, model or address is ever loaded from the file.
"""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rawr.core.text import head
from rawr.core.vocabulary.opinions import SHAPES, SignatureName
from rawr.models.reading import take

MAX_FILE = 1_000_000
MAX_DEMOS = 16
MAX_INSTRUCTIONS = 20_000


class _Signature(Struct):
    instructions: str


class _State(Struct):
    signature: _Signature
    demos: list[dict[str, Any]] = []


class Tuned(Struct, frozen=True):
    instructions: str = ""
    demos: tuple[dict[str, Any], ...] = ()
    problem: str = ""
    """Why the file, or a part of it, is not used."""


def load(folder: Path | None, name: SignatureName) -> Tuned | None:
    """What was learned; None if nothing was. An unusable file is ignored, and ``problem`` says so."""
    path = folder / f"{name}.json" if folder is not None else None
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Tuned(problem=f"tuned program {path.name} is not used: {error.strerror}")
    if len(content) > MAX_FILE:
        return Tuned(problem=f"tuned program {path.name} is not used: it is larger than {MAX_FILE} bytes")
    try:
        state = msgspec.json.decode(content, type=_State)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        return Tuned(problem=f"tuned program {path.name} is not used: {head(str(error), 200)}")
    if not state.signature.instructions.strip() or len(state.signature.instructions) > MAX_INSTRUCTIONS:
        return Tuned(problem=f"tuned program {path.name} is not used: its instructions are empty or too long")
    fitting = [demo for demo in state.demos if take(SHAPES[name], demo).opinion is not None][:MAX_DEMOS]
    passed_over = len(state.demos) - len(fitting)
    problem = f"tuned program {path.name}: {passed_over} examples are not used" if passed_over else ""
    return Tuned(state.signature.instructions, tuple(fitting), problem)
