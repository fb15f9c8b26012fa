"""Slots in tests, granted as ``runtime/loop.py`` grants them: after a batch of facts, whatever was in it (C12)."""

from collections.abc import Callable

from rawr.core.kernel import Kernel
from rawr.core.vocabulary import facts


def grant(kernel: Kernel, take: Callable[[str, facts.AnyFact], object], *, now: int) -> None:
    """Whose turn it is, is looked at once; each of them takes a fact of its own."""
    for thread in kernel.due(now=now):
        take(thread, facts.SlotGranted())
