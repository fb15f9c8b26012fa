"""Suggested settings: as TOML to paste, and in a sentence what they trade for what."""

from collections.abc import Iterator

from rawr.backtest.scoring import dearer
from rawr.backtest.summary import Summary
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import TIERS

_SECTION = "rawr_auto_compaction"


def toml(before: AutoCompaction, after: AutoCompaction) -> str:
    """What differs, as in ``config.toml``."""
    lines: list[str] = []
    cooldowns = [
        f"{name} = {now}"
        for name, was, now in (
            ("cooldown_turns", before.cooldown_turns, after.cooldown_turns),
            ("cooldown_seconds", before.cooldown_seconds, after.cooldown_seconds),
        )
        if was != now
    ]
    if cooldowns:
        lines += [f"[{_SECTION}]", *cooldowns]
    for tier in TIERS:
        was, now = before.acting(tier), after.acting(tier)
        changed: list[str] = []
        if was.percent_remaining_lt != now.percent_remaining_lt:
            changed.append(f"percent_remaining_lt = {now.percent_remaining_lt}")
        if was.requires_any_boundary != now.requires_any_boundary:
            kinds = ", ".join(f'"{kind}"' for kind in now.requires_any_boundary)
            changed.append(f"requires_any_boundary = [{kinds}]")
        if changed:
            lines += ["", f"[{_SECTION}.policy.{tier}]", *changed]
    return "\n".join(lines).strip() + "\n"


def traded(before: Summary, after: Summary) -> str:
    """One sentence: what gets better, and what gets worse for it."""
    compared = [_change(name, was, now) for name, was, now, _ in _compared(before, after) if was != now]
    better = [text for text, good in zip(compared, _signs(before, after), strict=True) if good]
    worse = [text for text, good in zip(compared, _signs(before, after), strict=True) if not good]
    if not compared:
        return "Nothing that is counted here changes."
    gains = "; ".join(better) or "nothing"
    return f"Better: {gains}. In exchange: {'; '.join(worse) or 'nothing'}."


def _compared(before: Summary, after: Summary) -> Iterator[tuple[str, float, float, int]]:
    """Name, before, after, and 1 if more is better."""
    yield "cost of all requests against the record, in percent", *_costs(before, after), -1
    yield "Codex's compactions that rawr comes before", before.preceded, after.preceded, 1
    yield "compactions of Codex's that are left", before.still_native, after.still_native, -1
    yield "compactions at a place of choice, in percent", _share(before), _share(after), 1
    yield "compactions soon after another", before.thrash, after.thrash, -1


def _costs(before: Summary, after: Summary) -> tuple[float, float]:
    return round(dearer(before), 1), round(dearer(after), 1)


def _signs(before: Summary, after: Summary) -> list[bool]:
    return [(now - was) * sign > 0 for _, was, now, sign in _compared(before, after) if was != now]


def _share(total: Summary) -> int:
    return 100 * total.at_boundary // total.would_compact if total.would_compact else 0


def _change(name: str, was: float, now: float) -> str:
    return f"{name}: {was:g} → {now:g}"
