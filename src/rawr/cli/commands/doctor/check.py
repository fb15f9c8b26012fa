"""One check and its result."""

from typing import Literal

from msgspec import Struct

Grade = Literal["ok", "warn", "fail"]


class Check(Struct, frozen=True, tag_field="type", tag="check"):
    """One check and its result. ``way_out`` says what to do about it."""

    name: str
    status: Grade
    detail: str
    way_out: str = ""
