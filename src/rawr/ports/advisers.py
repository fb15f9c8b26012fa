"""Advice before a decision: what a command did, if a request is safe, what a model thinks."""

from collections.abc import Mapping
from typing import Protocol

from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel, JudgeApproval, ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import ApprovalJudged, CommandObserved, ModelAnswered, TreeSeen


class Observer(Protocol):
    """Says what commands did to repositories, and turns to working trees. It blocks; the runtime calls it in a separate
    thread."""

    def look(
        self, effect: Real[WatchRepository | ObserveCommand | ObserveTree], /, *, thread: str
    ) -> tuple[CommandObserved | TreeSeen, ...]:
        """``thread``: whose command or turn it is. Several may work in one place."""
        ...


class Approvals(Protocol):
    """Says if a request is provably safe. It blocks; the runtime calls it in a separate thread."""

    def __call__(self, effect: Real[JudgeApproval], /, *, env: Mapping[str, str] | None) -> ApprovalJudged:
        """``env``: the variables under which it would run; None: those of this process."""
        ...


class Models(Protocol):
    """Puts a typed question to a model. It does not raise: the answer says what went wrong."""

    async def ask(self, name: str, real: Real[AskModel], /) -> ModelAnswered:
        """``name`` is the effect that asks; the answer carries it."""
        ...
