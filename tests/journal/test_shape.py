"""The name of a state's shape."""

from msgspec import Struct

from rawr.core.vocabulary.facts import AnyFact, TurnCompleted
from rawr.core.vocabulary.items import Command
from rawr.journal.shape import shape_of


def test_the_same_shape_has_the_same_name_whatever_its_prose_says() -> None:
    class State(Struct):
        """Once upon a time."""

        description: str
        count: int = 0

    first = shape_of(State)

    class State(Struct):  # type: ignore[no-redef]
        """Otherwise."""

        description: str
        count: int = 0

    assert shape_of(State) == first


def test_fields_types_and_defaults_make_the_shape() -> None:
    def make(fields: dict[str, type], **defaults: object) -> str:
        return shape_of(type("State", (Struct,), {"__annotations__": fields, **defaults}))

    shapes = [
        make({"count": int}),
        make({"count": str}),
        make({"total": int}),
        make({"count": int}, count=1),
        make({"count": int}, count=2),
        make({"description": int}),
        shape_of(Command),
        shape_of(TurnCompleted),
    ]
    assert len(set(shapes)) == len(shapes)
    assert all(len(shape) == 16 for shape in shapes)
    assert shape_of(AnyFact) == shape_of(AnyFact)  # type: ignore[arg-type]
