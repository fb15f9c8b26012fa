"""JSON Schemas as Codex writes them, read into shapes that can be compared and checked.

Only what those schemas use is understood; anything else is an error, so that a check never passes by not looking.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

Schema = Mapping[str, object] | bool
Kind = Literal["any", "null", "boolean", "integer", "number", "string", "array", "object"]
KINDS: tuple[Kind, ...] = ("null", "boolean", "integer", "number", "string", "array", "object")

_NOTES = frozenset({"$schema", "title", "description", "default", "format", "minimum", "maximum", "definitions"})
_LIMITS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "pattern"})
_KNOWN = _NOTES | _LIMITS | {"$ref", "allOf", "anyOf", "oneOf", "type", "enum", "const"}
_KNOWN |= {"items", "properties", "required", "additionalProperties"}


class Shape(Struct, frozen=True):
    """One form that a value may take. A schema with alternatives has several."""

    kind: Kind
    enum: tuple[object, ...] | None = None
    items: Schema = True
    properties: Mapping[str, Schema] = {}
    required: frozenset[str] = frozenset()
    additional: Schema = True


class Document:
    """A schema file with the definitions that its references point to."""

    def __init__(self, root: dict[str, object]) -> None:
        self.root = root

    @classmethod
    def load(cls, file: Path) -> "Document":
        return cls(msgspec.json.decode(file.read_bytes(), type=dict[str, object]))

    def changed(self) -> "Document":
        """A copy to damage."""
        return Document(msgspec.json.decode(msgspec.json.encode(self.root), type=dict[str, object]))

    def holders(self, name: str) -> list[dict[str, object]]:
        """Every object schema, anywhere in the file, that has a property of this name."""
        return list(_holders(self.root, name))

    def definition(self, name: str) -> dict[str, object]:
        return _object(_object(self.root["definitions"])[name])

    def methods(self) -> dict[str, Schema]:
        """In a file that is one big choice of messages: the schema of the parameters by method."""
        found: dict[str, Schema] = {}
        for variant in _list(self.root["oneOf"]):
            properties = _object(_object(variant)["properties"])
            (method,) = _list(_object(properties["method"])["enum"])
            found[str(method)] = as_schema(properties.get("params", True))
        return found

    def shapes(self, schema: Schema) -> list[Shape]:
        """Every form that the schema allows."""
        if isinstance(schema, bool):
            assert schema, "nothing at all is allowed here"
            return [Shape("any")]
        unknown = set(schema) - _KNOWN
        assert not unknown, f"this reader does not know {sorted(unknown)}"
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix("#/definitions/")
            return self.shapes(self.definition(name))
        choices = [as_schema(one) for key in ("anyOf", "oneOf", "allOf") for one in _list(schema.get(key, []))]
        if not choices:
            return list(_plain(schema))
        assert "allOf" not in schema or len(choices) == 1, "several parts in one allOf"
        inner = [shape for choice in choices for shape in self.shapes(choice)]
        return [_with_common(shape, schema) for shape in inner] if "properties" in schema else inner

    def enum(self, name: str) -> set[object]:
        """The words of an enumeration, or the tags of a choice of objects."""
        words: set[object] = set()
        for shape in self.shapes(self.definition(name)):
            words |= set(shape.enum or ()) if shape.kind != "object" else set(self.tags(shape))
        return words

    def tags(self, shape: Shape, field: str = "type") -> tuple[object, ...]:
        if field not in shape.properties:
            return ()
        return tuple(tag for one in self.shapes(shape.properties[field]) for tag in one.enum or ())


def _holders(node: object, name: str) -> Iterator[dict[str, object]]:
    if isinstance(node, dict):
        properties = node.get("properties")
        if node.get("type") == "object" and isinstance(properties, dict) and name in properties:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from _holders(part, name)


def as_schema(value: object) -> Schema:
    return value if isinstance(value, bool) else _object(value)


def _plain(schema: Mapping[str, object]) -> Iterator[Shape]:
    enum = tuple(_list(schema["enum"])) if "enum" in schema else None
    if "const" in schema:
        enum = (schema["const"],)
    kinds = schema.get("type", "any")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        assert kind == "any" or kind in KINDS, kind
        yield Shape(
            kind,
            enum,
            as_schema(schema.get("items", True)),
            {name: as_schema(one) for name, one in _object(schema.get("properties", {})).items()},
            frozenset(str(name) for name in _list(schema.get("required", []))),
            as_schema(schema["additionalProperties"]) if "additionalProperties" in schema else True,
        )


def _with_common(shape: Shape, schema: Mapping[str, object]) -> Shape:
    """A choice of objects that share the properties written beside it."""
    (common,) = _plain(schema)
    assert shape.kind == common.kind == "object", (shape.kind, common.kind)
    return Shape(
        "object",
        properties={**common.properties, **shape.properties},
        required=common.required | shape.required,
        additional=shape.additional,
    )


def _object(value: object) -> dict[str, object]:
    assert isinstance(value, dict), value
    return value


def _list(value: object) -> list[object]:
    assert isinstance(value, list), value
    return value


# -- values -----------------------------------------------------------------------------------------------------


def violations(document: Document, schema: Schema, value: object, where: str = "$") -> list[str]:
    """What is wrong with a value, by a schema. Empty is good. Limits on numbers and lengths are not looked at.

    A field that the schema does not name is a violation too: Codex ignores it, and then rawr sent it for nothing.
    """
    attempts = [_against(document, shape, value, where) for shape in document.shapes(schema)]
    return min(attempts, key=len)


def _against(document: Document, shape: Shape, value: object, where: str) -> list[str]:
    if shape.kind == "any":
        return []
    if _kind_of(value) != shape.kind and (_kind_of(value), shape.kind) != ("integer", "number"):
        return [f"{where}: {value!r} is no {shape.kind}"]
    if shape.enum is not None and value not in shape.enum:
        return [f"{where}: {value!r} is none of {list(shape.enum)}"]
    if isinstance(value, list):
        return [
            problem
            for at, one in enumerate(value)
            for problem in violations(document, shape.items, one, f"{where}[{at}]")
        ]
    if isinstance(value, dict):
        return _members(document, shape, value, where)
    return []


def _members(document: Document, shape: Shape, value: dict[str, object], where: str) -> list[str]:
    found = [f"{where}: {name} is missing" for name in sorted(shape.required - set(value))]
    for name, member in value.items():
        if name in shape.properties:
            found += violations(document, shape.properties[name], member, f"{where}.{name}")
        elif shape.additional is False or (shape.additional is True and shape.properties):
            found.append(f"{where}: {name} is not known")
        else:
            found += violations(document, shape.additional, member, f"{where}.{name}")
    return found


def _kind_of(value: object) -> Kind:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            raise AssertionError(f"not JSON: {value!r}")
