"""The JSON schema of an opinion, in the narrow form that servers with structured output accept.

Every field is required, no other is allowed, and only keywords that all servers know are used; ranges are checked when
the reply is read.
"""

from functools import cache

import msgspec

from rawr.core.vocabulary.opinions import SHAPES, SignatureName

_KEPT = ("type", "enum", "items", "properties")


@cache
def schema_of(name: SignatureName) -> bytes:
    shape = SHAPES[name]
    (outer,), parts = msgspec.json.schema_components([shape])
    schema = _narrow(outer, parts)
    properties = schema["properties"]
    assert isinstance(properties, dict)  # noqa: S101
    properties.pop("opinion")  # the tag is the journal's; no model writes it
    schema["required"] = list(properties)
    return msgspec.json.encode(schema)


def _narrow(node: dict[str, object], parts: dict[str, dict[str, object]]) -> dict[str, object]:
    reference = node.get("$ref")
    if isinstance(reference, str):
        return _narrow(parts[reference.rpartition("/")[2]], parts)
    kept = {key: node[key] for key in _KEPT if key in node}
    items, properties = kept.get("items"), kept.get("properties")
    if isinstance(items, dict):
        kept["items"] = _narrow(items, parts)
    if isinstance(properties, dict):
        kept["properties"] = {key: _narrow(value, parts) for key, value in properties.items()}
        kept |= {"required": list(properties), "additionalProperties": False}
    if "enum" in kept:
        kept["type"] = "string"
    return kept
