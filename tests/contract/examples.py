"""Values made from a schema: for each of its forms one with as little in it as is allowed, and ones with everything."""

from .schema import Document, Schema, Shape

DEPTH = 12
"""Deeper than any message; schemas that contain themselves end here."""


def examples(document: Document, schema: Schema, depth: int = DEPTH) -> list[object]:
    """Every alternative, wherever it is nested, occurs in at least one of them."""
    return [value for shape in document.shapes(schema) for value in _of_shape(document, shape, depth)]


def _of_shape(document: Document, shape: Shape, depth: int) -> list[object]:
    if shape.enum is not None:
        return list(shape.enum)
    match shape.kind:
        case "any":
            return [{"any": ["thing", None]}]
        case "null":
            return [None]
        case "boolean":
            return [False, True]
        case "integer" | "number":
            return [7]
        case "string":
            return ["text"]
        case "array":
            return [[], *([one] for one in examples(document, shape.items, depth - 1))] if depth > 0 else [[]]
        case "object":
            return _objects(document, shape, depth)


def _objects(document: Document, shape: Shape, depth: int) -> list[object]:
    bare = {name: examples(document, shape.properties[name], depth - 1)[0] for name in sorted(shape.required)}
    if depth <= 0:
        return [bare]
    members = {name: examples(document, one, depth - 1) for name, one in shape.properties.items()}
    if not members and shape.additional is not False:
        members = {"key": examples(document, shape.additional, depth - 1)}
    # The n-th value has the n-th form of each member, so that every form of every member is met.
    most = max((len(forms) for forms in members.values()), default=0)
    return [bare, *({name: forms[at % len(forms)] for name, forms in members.items()} for at in range(most))]
