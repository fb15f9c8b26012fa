"""Our wire types against a JSON Schema: what we read must be promised there, what we write must be known there.

A check gives a list of sentences, one for each thing that does not fit. Empty is good.
"""

from msgspec import inspect

from .schema import Document, Kind, Schema, Shape

_PLAIN: dict[type[inspect.Type], tuple[Kind, ...]] = {
    inspect.NoneType: ("null",),
    inspect.BoolType: ("boolean",),
    inspect.IntType: ("integer",),
    inspect.FloatType: ("integer", "number"),
    inspect.StrType: ("string",),
}


def check_read(document: Document, schema: Schema, ours: type) -> list[str]:
    """Whether every value that the schema allows can be read as our type, and has every field that we look for."""
    return _Reading(document).check(schema, inspect.type_info(ours), ours.__name__)


def check_written(document: Document, schema: Schema, ours: type) -> list[str]:
    """Whether every value of our type is one that the schema allows."""
    return _Writing(document).check(schema, inspect.type_info(ours), ours.__name__)


def _alternatives(ours: inspect.Type) -> tuple[inspect.Type, ...]:
    return tuple(ours.types) if isinstance(ours, inspect.UnionType) else (ours,)


def _takes_anything(ours: inspect.Type) -> bool:
    return isinstance(ours, inspect.AnyType | inspect.RawType)


class _Reading:
    def __init__(self, document: Document) -> None:
        self._document = document

    def check(self, schema: Schema, ours: inspect.Type, where: str) -> list[str]:
        alternatives = _alternatives(ours)
        if any(_takes_anything(one) for one in alternatives):
            return []
        shapes = self._document.shapes(schema)
        structs = [one for one in alternatives if isinstance(one, inspect.StructType)]
        objects = [shape for shape in shapes if shape.kind == "object"] if structs else []
        problems = [] if objects or not structs else [f"{where}: it is no object any more"]
        if objects:
            problems += self._structs(objects, structs, where)
        for shape in shapes:
            if shape not in objects:
                problems += self._shape(shape, alternatives, where)
        return problems

    def _shape(self, shape: Shape, alternatives: tuple[inspect.Type, ...], where: str) -> list[str]:
        for one in alternatives:
            if shape.kind in _PLAIN.get(type(one), ()):
                return []
            if isinstance(one, inspect.ListType) and shape.kind == "array":
                return self.check(shape.items, one.item_type, f"{where}[]")
            if isinstance(one, inspect.DictType) and shape.kind == "object":
                return self.check(shape.additional, one.value_type, f"{where}{{}}")
        return [f"{where}: it may be {shape.kind}, which we do not read"]

    def _structs(self, objects: list[Shape], structs: list[inspect.StructType], where: str) -> list[str]:
        if structs[0].tag_field is None:
            (struct,) = structs
            return self._fields(objects, struct, where)
        problems: list[str] = []
        for struct in structs:
            tag, tag_field = struct.tag, struct.tag_field
            assert tag_field is not None
            tagged = [shape for shape in objects if tag in self._document.tags(shape, tag_field)]
            place = f"{where}<{tag}>"
            problems += self._fields(tagged, struct, place) if tagged else [f"{place}: no such {tag_field} any more"]
        return problems

    def _fields(self, objects: list[Shape], struct: inspect.StructType, where: str) -> list[str]:
        problems: list[str] = []
        for field in struct.fields:
            place = f"{where}.{field.encode_name}"
            holders = [shape for shape in objects if field.encode_name in shape.properties]
            if not holders:
                problems.append(f"{place}: there is no such field any more")
            if field.required and any(field.encode_name not in shape.required for shape in objects):
                problems.append(f"{place}: it may be absent, and we need it")
            for shape in holders:
                problems += self.check(shape.properties[field.encode_name], field.type, place)
        return problems


class _Writing:
    def __init__(self, document: Document) -> None:
        self._document = document

    def check(self, schema: Schema, ours: inspect.Type, where: str) -> list[str]:
        shapes = self._document.shapes(schema)
        problems: list[str] = []
        for one in _alternatives(ours):
            attempts = [self._fits(shape, one, where) for shape in shapes]
            best = min(attempts, key=len)
            problems += best
        return problems

    def _fits(self, shape: Shape, ours: inspect.Type, where: str) -> list[str]:
        if shape.kind == "any" or _takes_anything(ours) or shape.kind in _PLAIN.get(type(ours), ()):
            return []
        match ours:
            case inspect.IntType() if shape.kind == "number":
                return []
            case inspect.ListType() if shape.kind == "array":
                return self.check(shape.items, ours.item_type, f"{where}[]")
            case inspect.DictType() if shape.kind == "object" and _takes_anything(ours.value_type):
                return []
            case inspect.DictType() if shape.kind == "object":
                return self._dictionary(shape, ours, where)
            case inspect.StructType() if shape.kind == "object":
                return self._struct(shape, ours, where)
            case _:
                return [f"{where}: we write {type(ours).__name__}, it must be {shape.kind}"]

    def _dictionary(self, shape: Shape, ours: inspect.DictType, where: str) -> list[str]:
        members = list(shape.properties.values()) or [shape.additional]
        return [problem for one in members for problem in self.check(one, ours.value_type, f"{where}{{}}")]

    def _struct(self, shape: Shape, ours: inspect.StructType, where: str) -> list[str]:
        written = {field.encode_name: field for field in ours.fields}
        always = {name for name, field in written.items() if field.required}
        if ours.tag_field is not None:
            if ours.tag not in self._document.tags(shape, ours.tag_field):
                return [f"{where}: there is no {ours.tag_field} {ours.tag!r} any more"]
            always.add(ours.tag_field)
        # A field with a default is left out when it has that value: see ``Wire``.
        problems = [f"{where}.{name}: it is required, and we may leave it out" for name in shape.required - always]
        for name, field in written.items():
            place = f"{where}.{name}"
            if name in shape.properties:
                problems += self.check(shape.properties[name], field.type, place)
            else:
                problems.append(f"{place}: there is no such field any more")
        return sorted(problems)


def reachable(ours: type) -> set[type]:
    """Every struct that is part of this one, itself included."""
    found: set[type] = set()

    def walk(one: inspect.Type) -> None:
        match one:
            case inspect.StructType() if one.cls not in found:
                found.add(one.cls)
                for field in one.fields:
                    walk(field.type)
            case inspect.UnionType():
                for part in one.types:
                    walk(part)
            case inspect.ListType():
                walk(one.item_type)
            case inspect.DictType():
                walk(one.value_type)
            case _:
                pass

    walk(inspect.type_info(ours))
    return found
