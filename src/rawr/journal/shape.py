"""A name for the shape of a type, so that a snapshot is read back only by code whose state looks the same.

It knows types, not journals.
"""

import hashlib

import msgspec


def shape_of(kind: type) -> str:
    """A digest of a struct's fields, types and defaults, down to the last nested one. Docstrings do not count."""
    schema = msgspec.json.schema(kind)
    canonical = msgspec.json.encode(_without_prose(schema), order="sorted")
    return hashlib.sha256(canonical).hexdigest()[:16]


def _without_prose(node: object) -> object:
    if isinstance(node, dict):
        # A property that is called "description" has a schema as its value; prose is a string.
        return {
            key: _without_prose(value)
            for key, value in node.items()
            if not (key == "description" and isinstance(value, str))
        }
    if isinstance(node, list):
        return [_without_prose(value) for value in node]
    return node
