"""A name for the shape of a type, so that only code with the same state reads a snapshot back.

This module knows types, not journals.
"""

import hashlib

import msgspec


def shape_of(kind: type) -> str:
    """A digest of a struct's fields, types and defaults, including nested ones. Docstrings do not count."""
    schema = msgspec.json.schema(kind)
    canonical = msgspec.json.encode(_without_prose(schema), order="sorted")
    return hashlib.sha256(canonical).hexdigest()[:16]


def _without_prose(node: object) -> object:
    if isinstance(node, dict):
        # The value of a property called "description" is a schema; prose is a string.
        return {
            key: _without_prose(value)
            for key, value in node.items()
            if not (key == "description" and isinstance(value, str))
        }
    if isinstance(node, list):
        return [_without_prose(value) for value in node]
    return node
