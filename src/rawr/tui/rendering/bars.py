"""Small pieces of content: a bar of what is left, the state of a thread, in the theme's own colours."""

from textual.content import Content

from rawr.core.policy.tiers import Tier
from rawr.views.rows import Standing

TIER_STYLES: dict[Tier | None, str] = {
    None: "$muted",
    "roomy": "$success",
    "early": "$primary",
    "ready": "$warning",
    "asap": "$accent",
    "emergency": "$error bold",
}
STANDINGS: dict[Standing, tuple[str, str]] = {
    "running": ("●", "$success"),
    "waiting": ("?", "$warning bold"),
    "asks there": ("?", "$warning"),
    "compacting": ("◆", "$accent"),
    "paused": ("‖", "$primary"),
    "stopped": ("■", "$muted"),
    "done": ("✓", "$success"),
    "failed": ("✗", "$error"),
    "idle": ("○", "$muted"),
    "cut off": ("✗", "$warning"),
    "away": ("○", "$faint"),
    "closed": ("○", "$faint"),
}
SAID: dict[Standing, str] = {"waiting": "waiting for you", "asks there": "asks in your Codex"}


def left_bar(percent: int | None, tier: Tier | None, *, width: int = 10) -> Content:
    """How much of the context is left."""
    if percent is None:
        return Content.styled("context unknown", "$muted")
    full = round(percent * width / 100)
    bar = Content.styled("━" * full, TIER_STYLES[tier]) + Content.styled("─" * (width - full), "$faint")
    return bar + Content.styled(f" {percent} %", TIER_STYLES[tier])


def standing_mark(standing: Standing) -> Content:
    mark, style = STANDINGS[standing]
    return Content.styled(mark, style)


def standing_words(standing: Standing) -> Content:
    return Content.styled(SAID.get(standing, standing), STANDINGS[standing][1])
