"""A model's reply as an opinion, or exactly why it is not one.

A reply is one JSON object, alone or in one code fence. Nothing is repaired or guessed: a reply that is cut off, has
prose around it or has another type cannot be read. The one exception: a number or a boolean that is sent as text is
taken as the value it spells.
"""

import json
import re
from typing import NoReturn

import msgspec
from msgspec import Struct, inspect

from rawr.core.text import head
from rawr.core.vocabulary.opinions import AnyOpinion, flaw

MAX_REPLY = 200_000
SHOWN = 80

_FENCED = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\r?\n(.*)\n[ \t]*```", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_PLACE = re.compile(r"\(byte (\d+)\)")


class Reading(Struct, frozen=True):
    opinion: AnyOpinion | None = None
    problem: str = ""
    """Why there is no opinion."""
    notes: tuple[str, ...] = ()
    """What was ignored."""


class _Unreadable(Exception):
    pass


def read(shape: type[AnyOpinion], reply: str) -> Reading:
    try:
        return take(shape, _object(reply))
    except _Unreadable as error:
        return Reading(problem=str(error))


def take(shape: type[AnyOpinion], fields: dict[str, object]) -> Reading:
    """The opinion from these fields."""
    known = {field.name: field.type for field in _fields(shape)}
    unknown = [name for name in fields if name not in known]
    notes = (f"ignored unknown fields: {head(', '.join(unknown), SHOWN)}",) if unknown else ()
    told = {name: _literal(fields[name], kind) for name, kind in known.items() if name in fields}
    missing = [name for name in known if name not in told]
    if missing:
        return Reading(problem=f"missing: {', '.join(missing)}", notes=notes)
    try:
        opinion = msgspec.convert(told, shape)
    except msgspec.ValidationError as error:
        return Reading(problem=f"wrong type or value: {head(str(error), 300)}", notes=notes)
    wrong = flaw(opinion)
    return Reading(problem=wrong, notes=notes) if wrong else Reading(opinion, notes=notes)


def _fields(shape: type[AnyOpinion]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)  # noqa: S101
    return info.fields


def _literal(value: object, kind: inspect.Type) -> object:
    """A number or a boolean sent as text."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if isinstance(kind, inspect.FloatType) and _NUMBER.fullmatch(text):
        return float(text)
    if isinstance(kind, inspect.BoolType) and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return value


def _object(reply: str) -> dict[str, object]:
    if len(reply) > MAX_REPLY:
        raise _Unreadable(f"the reply is longer than {MAX_REPLY} characters")
    text = reply.strip()
    if not text:
        raise _Unreadable("the reply is empty")
    fenced = _FENCED.fullmatch(text)
    if fenced:
        text = fenced[1].strip()
    if not text.startswith(("{", "[")):
        raise _Unreadable(
            "there is text before the JSON object" if "{" in text else "there is no JSON object in the reply"
        )
    try:
        value = msgspec.json.decode(text.encode(errors="replace"))
        json.loads(text, object_pairs_hook=_once)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _Unreadable(_malformed(error, text)) from None
    if not isinstance(value, dict):
        raise _Unreadable("the reply is a JSON array, not an object")
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A field that is given twice says two things; neither counts."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        _reject(f"“{head(twice, SHOWN)}” is given twice")
    return fields


def _reject(problem: str) -> NoReturn:
    raise _Unreadable(problem)


def _malformed(error: Exception, text: str) -> str:
    said = str(error)
    if "truncated" in said:
        return "the JSON ends in the middle"
    if "trailing characters" in said:
        place = _PLACE.search(said)
        rest = text.encode(errors="replace")[int(place[1]) - 1 :].decode(errors="replace") if place else ""
        more = "another JSON value" if rest.lstrip().startswith(("{", "[")) else "text"
        return f"there is {more} after the JSON object"
    return f"the JSON is malformed: {head(said.removeprefix('JSON is malformed: '), 200)}"
