"""Every kind of secret in every place: what is planted, and what must not be left of it."""

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from tests.journal.secret_kinds import ADDRESSES, COMMANDS, FILES, NAMES, card, mixed, mnemonic, word
from tests.journal.secret_places import AROUND_NAMES, AROUND_TOKENS, WRAPPINGS, Place
from tests.journal.secret_shapes import TOKENS

_TOLD_BY_A_SET = ("aws configure", "git config", "setx")
_AROUND_MNEMONICS: dict[str, Callable[[str], str]] = {
    "alone": lambda words: words,
    "named": lambda words: f"seed phrase: {words}\n",
    "quoted": lambda words: f'MNEMONIC="{words}"',
}


class Planted(NamedTuple):
    place: str
    text: str
    secret: str


def kinds() -> list[str]:
    names = [f"name {name}" for name in NAMES]
    commands = [f"command {command}" for command in COMMANDS]
    addresses = [f"address {address}" for address in ADDRESSES]
    files = [f"file {file}" for file in FILES]
    return [*(f"token {token}" for token in TOKENS), *names, *commands, *addresses, *files, "mnemonic", "card"]


def planted(kind: str, chance: Random) -> Iterator[Planted]:
    """One kind in all of its places, each of them plain and wrapped in all ways."""
    for place, text, secret in bare(kind, chance):
        for wrapping, wrap in WRAPPINGS.items():
            yield Planted(f"{place}, {wrapping}", wrap(text), secret)


def bare(kind: str, chance: Random, *, around: Place | None = None) -> Iterator[tuple[str, str, str]]:
    """One kind in all of its places, or in the one that is given."""
    places = AROUND_TOKENS if around is None else {"given": around}
    family, _, name = kind.partition(" ")
    match family:
        case "token":
            for place, put in places.items():
                token = TOKENS[name](chance)
                yield place, put(token), _core(token)
        case "name":
            for place, under in AROUND_NAMES.items():
                value = mixed(chance)
                yield place, under(name, value), value
        case "command" | "address":
            value = word(chance) if family == "command" and not name.startswith(_TOLD_BY_A_SET) else mixed(chance)
            yield "line", name.format(*[value] * 2), value
        case "file":
            text = FILES[name](chance)
            yield "file", text, _material(text)
        case "mnemonic":
            for place, put in _AROUND_MNEMONICS.items():
                words = mnemonic(chance)
                yield place, put(words), words
        case _:
            for place, put in places.items():
                number = card(chance)
                yield place, put(number), number


def _core(token: str) -> str:
    """The part of a token that has to be gone whatever is kept around it."""
    if "://" in token:
        return token.rstrip("/").rpartition("/")[2]
    return max((run[0] for run in re.finditer(r"[A-Za-z0-9+/_.~-]{6,}", token)), key=len)


def _material(text: str) -> str:
    if text.startswith('{"kty"'):
        return str(json.loads(text)["d"])
    return max((run[0] for run in re.finditer(r"[A-Za-z0-9+/]{20,}", text)), key=len)[:40]
