"""What `rawr demo` checks of its own story: that the golden path was walked in its order, once."""

from typing import Literal

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn

Mark = Literal["heads_up", "packet", "compaction", "handoff"]
ORDER: tuple[Mark, ...] = ("heads_up", "packet", "compaction", "handoff")


class GoldenPath(Struct, frozen=True):
    order: tuple[Mark, ...]
    ok: bool


class Story:
    """Follows a run by what was recorded: rawr's own decisions name its messages, Codex's items show the rest."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._sent: dict[str, str] = {}
        self.vetoes: list[str] = []
        self.tokens_before: int | None = None
        self.tokens_after: int | None = None
        self.handed_over = False

    def take(self, taken: Taken) -> None:
        for decision in taken.decisions:
            record = decision.record
            if record.reason.value == "turn.started.sequence":
                for intended in taken.effects:
                    if isinstance(intended.effect, StartTurn):
                        self._sent[intended.id] = str(record.evidence.get("purpose"))
            elif record.reason.value.startswith("compact.deferred."):
                self.vetoes.append(record.reason.value)
            elif record.reason.value.startswith("packet.taken."):
                self._marks.append("packet")
            elif record.reason.value == "compact.done.both_signals":
                self._marks.append("compaction")
                before, after = record.evidence.get("tokens_before"), record.evidence.get("tokens_after")
                self.tokens_before = before if isinstance(before, int) else None
                self.tokens_after = after if isinstance(after, int) else None
        match taken.recorded.fact:
            case facts.ItemCompleted(item=items.UserMessage(client_id=client_id)):
                purpose = self._sent.get(client_id)
                if purpose == "heads_up":
                    self._marks.append("heads_up")
                elif purpose == "handoff":
                    self._marks.append("handoff")
                    self.handed_over = True
            case _:
                pass

    @property
    def golden_path(self) -> GoldenPath:
        order = tuple(self._marks)
        return GoldenPath(order, order == ORDER)
