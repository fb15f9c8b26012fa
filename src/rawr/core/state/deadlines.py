"""What rawr waits for, and until when."""

from msgspec import Struct


class Deadline(Struct, frozen=True, gc=False):
    name: str
    at: int
