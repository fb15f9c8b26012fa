"""Where Codex compacts by itself before its window is full, as its configuration has it. Values only."""

from msgspec import Struct


class Native(Struct, frozen=True, gc=False, omit_defaults=True):
    percent: int = 0
    """Codex compacts at the end of a turn once this share of its window is used. 0: it does not."""
    origin: str = ""
    """The file that says so."""
    limit: int = 0
    """The user has told Codex to compact at so many tokens, in the middle of a turn too. 0: where it does by itself."""
    token_budget: bool = False
    """Codex's feature of this name is on: then compaction means something else, and rawr leaves it alone."""
    problem: str = ""
    """Why it is not known, or what in the configuration is not understood."""


def in_words(native: Native | None) -> str:
    """What a person should know of it, as the end of a sentence; empty if Codex waits until its window is full."""
    if native is None:
        return ""
    told: list[str] = []
    if native.percent:
        told.append(f"Codex compacts by itself at a turn's end from {native.percent} % used")
    if native.limit:
        told.append(f"Codex compacts by itself from {native.limit:,} tokens on, inside a turn too")
    if native.token_budget:
        told.append("Codex's token budget is on, so rawr does not compact")
    if native.problem:
        told.append(f"whether Codex compacts by itself at a turn's end is not known: {native.problem}")
    return "; ".join(told)
