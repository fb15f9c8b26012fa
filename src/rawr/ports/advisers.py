"""Who is asked before something is decided: what a command did, whether a request is safe, what a model thinks."""

from typing import Protocol

from rawr.core.real import Real
from rawr.core.vocabulary.effects import AskModel, JudgeApproval, ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import ApprovalJudged, CommandObserved, ModelAnswered, TreeSeen


class Observer(Protocol):
    """Says what commands did to repositories, and turns to working trees. It blocks, and is called in a thread of its
    own."""

    def look(
        self, effect: Real[WatchRepository | ObserveCommand | ObserveTree], /
    ) -> CommandObserved | TreeSeen | None: ...


class Approvals(Protocol):
    """Says whether what is asked for is provably safe. It blocks, and is called in a thread of its own."""

    def __call__(self, effect: Real[JudgeApproval], /) -> ApprovalJudged: ...


class Models(Protocol):
    """Puts a typed question to a model. It does not raise: what goes wrong is in the answer."""

    async def ask(self, name: str, real: Real[AskModel], /) -> ModelAnswered:
        """``name`` is the effect that asks; the answer carries it."""
        ...
