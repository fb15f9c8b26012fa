"""The environment in which rawr runs programs for a thread: that of the terminal in which its work was ordered."""

from collections.abc import Mapping
from typing import Protocol


class Environments(Protocol):
    def __call__(self, thread: str, link: str, /) -> Mapping[str, str] | None:
        """The variables for a thread, which this connection reaches. None: those of this process."""
        ...


def own(_thread: str, _link: str, /) -> None:
    """Where there is one terminal, its environment is rawr's own."""
