"""Any value of the core's types, made from the types themselves.

Names come from a small pool, so that generated facts are often about the same turn, request or effect.
"""

from functools import cache
from typing import TypeVar, cast

import msgspec.inspect as shapes
from hypothesis import strategies as st

NAMES = ("", "T1", "T2", "T3", "1/1", "1/2", "t:3.0", "t:5.0", "t:7.0", "compaction", "request:1/1", "phase_complete")
TEXT = st.sampled_from(NAMES) | st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(-3, 300_000) | st.integers(-(2**63), 2**63 - 1)
T = TypeVar("T")


def values(kind: type[T]) -> st.SearchStrategy[T]:
    return cast("st.SearchStrategy[T]", _of(shapes.type_info(kind)))


@cache
def _struct(cls: type) -> st.SearchStrategy[object]:
    shape = shapes.type_info(cls)
    assert isinstance(shape, shapes.StructType)
    return st.builds(cls, **{field.name: _of(field.type) for field in shape.fields})


def _of(shape: shapes.Type) -> st.SearchStrategy[object]:  # noqa: C901 - one table
    match shape:
        case shapes.StrType():
            return TEXT
        case shapes.IntType(ge=least, le=most) if least is not None or most is not None:
            return st.integers(least, most)
        case shapes.IntType():
            return NUMBER
        case shapes.FloatType():
            return st.floats(0, 1)
        case shapes.BoolType():
            return st.booleans()
        case shapes.NoneType():
            return st.none()
        case shapes.LiteralType(values=options):
            return st.sampled_from(options)
        case shapes.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case shapes.VarTupleType(item_type=item):
            return st.lists(_of(item), max_size=3).map(tuple)
        case shapes.ListType(item_type=item):
            return st.lists(_of(item), max_size=3)
        case shapes.DictType(key_type=key, value_type=value):
            return st.dictionaries(_of(key), _of(value), max_size=3)
        case shapes.UnionType(types=members):
            return st.one_of([_of(member) for member in members])
        case shapes.StructType(cls=cls):
            return _struct(cls)
        case _:
            raise NotImplementedError(shape)
