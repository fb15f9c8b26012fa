"""What `rawr demo` checks in its own story: that every step of the golden path came in order, once."""

from typing import Literal

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.views import events as e
from rawr.views.following import Following

Mark = Literal["heads_up", "packet", "compaction", "handoff"]
ORDER: tuple[Mark, ...] = ("heads_up", "packet", "compaction", "handoff")


class GoldenPath(Struct, frozen=True):
    order: tuple[Mark, ...]
    ok: bool


class Story:
    """Follows the demo by its events."""

    def __init__(self) -> None:
        self._following = Following()
        self._marks: list[Mark] = []
        self.vetoes: list[str] = []
        self.tokens_before: int | None = None
        self.tokens_after: int | None = None
        self.handed_over = False

    def take(self, taken: Taken) -> None:
        for event in self._following.take(taken):
            self._happened(event)

    def _happened(self, event: e.AnyEvent) -> None:
        match event:
            case e.UserSaid(purpose="heads_up"):
                self._marks.append("heads_up")
            case e.UserSaid(purpose="handoff"):
                self._marks.append("handoff")
                self.handed_over = True
            case e.CompactionDeferred(by="rules", reason=reason):
                self.vetoes.append(reason)
            case e.PacketReady(author="agent"):
                self._marks.append("packet")
            case e.CompactionEnded(ok=True, by_codex=False, tokens_before=before, tokens_after=after):
                self._marks.append("compaction")
                self.tokens_before, self.tokens_after = before, after
            case _:
                pass

    @property
    def golden_path(self) -> GoldenPath:
        order = tuple(self._marks)
        return GoldenPath(order, order == ORDER)
