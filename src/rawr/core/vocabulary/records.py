"""What the core decided and why. Every step that decided anything says so here, even if the answer was no."""

from msgspec import Struct, field

from rawr.core.vocabulary.reasons import Reason

Evidence = str | int | float | bool | list[str] | None


class Record(Struct, frozen=True, omit_defaults=True):
    """One reason with its evidence. The evidence is for people and for replay; it is compared literally."""

    reason: Reason
    evidence: dict[str, Evidence] = field(default_factory=dict)


class Decision(Struct, frozen=True):
    """A record in its place: which fact led to it, under which policy and which logic."""

    id: str
    seq: int
    at: int
    thread: str
    record: Record
    policy: str
    logic: int
