"""The label file: one line per turn end, without any words of anybody's.

``half`` follows from the id alone, so that nobody chooses what is tuned on: a quarter is held out.
"""

import hashlib
from pathlib import Path
from typing import Literal, TypeVar, get_args

from msgspec import Struct

from calibration.ends import HASH

FILE = Path(__file__).with_name("labels.tsv")
Kind = Literal["done", "not_done", "question", "partly", "unknown"]
Answer = Literal["yes", "no", "unknown"]
Half = Literal["tune", "held_out"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ANSWERS: tuple[Answer, ...] = get_args(Answer)
_Word = TypeVar("_Word", bound=str)
_HELD_OUT = 4
"""One in so many."""
_COLUMNS = ("hash", "line", "label", "shift", "concluding", "language", "half")


class Label(Struct, frozen=True, order=True):
    file: str
    line: int
    kind: Kind
    shift: Answer = "unknown"
    concluding: Answer = "unknown"
    language: str = "en"

    @property
    def id(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def half(self) -> Half:
        return half(self.id)


class BadLabel(Exception):
    """What a person gave is no label; the message says what to give instead."""


def half(name: str) -> Half:
    digest = hashlib.sha256(name.encode()).digest()
    return "held_out" if digest[0] % _HELD_OUT == 0 else "tune"


def parse_id(text: str) -> tuple[str, int]:
    file, _, line = text.partition(":")
    if len(file) != HASH or not set(file) <= set("0123456789abcdef") or not line.isdigit():
        raise BadLabel(f"{text} is not an id. Give one as `sample` prints it: {HASH} hex digits, a colon, a line.")
    return file, int(line)


def read(path: Path = FILE) -> dict[str, Label]:
    """All labels by id. A missing file has none."""
    if not path.exists():
        return {}
    found: dict[str, Label] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if number == 1 or not text.strip():
            continue
        one = _parsed(text, f"{path.name}, line {number}")
        found[one.id] = one
    return found


def _parsed(text: str, where: str) -> Label:
    columns = text.split("\t")
    if len(columns) != len(_COLUMNS):
        raise BadLabel(f"{where} has {len(columns)} columns; there are {len(_COLUMNS)}: {', '.join(_COLUMNS)}.")
    file, line = parse_id(":".join(columns[:2]))
    _, _, kind, shift, concluding, language, _ = columns
    return label(f"{file}:{line}", kind, shift=shift, concluding=concluding, language=language)


def label(name: str, kind: str, *, shift: str = "", concluding: str = "", language: str = "en") -> Label:
    """A label of words that somebody typed. Raises ``BadLabel``."""
    file, line = parse_id(name)
    return Label(
        file=file,
        line=line,
        kind=_one_of(kind, KINDS, "label"),
        shift=_one_of(shift or "unknown", ANSWERS, "shift"),
        concluding=_one_of(concluding or "unknown", ANSWERS, "concluding"),
        language=language or "en",
    )


def _one_of(given: str, words: tuple[_Word, ...], what: str) -> _Word:
    for word in words:
        if word == given:
            return word
    raise BadLabel(f"{given} is not a value of {what}. Give one of {', '.join(words)}.")


def write(labels: dict[str, Label], path: Path = FILE) -> None:
    lines = ["\t".join(_COLUMNS)]
    for one in sorted(labels.values()):
        columns = (one.file, str(one.line), one.kind, one.shift, one.concluding, one.language, one.half)
        lines.append("\t".join(columns))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
