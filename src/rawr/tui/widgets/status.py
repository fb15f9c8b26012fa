"""The last line: what rawr does now, tokens, time and budget, the rate limit with its countdown."""

from textual.content import Content
from textual.widget import Widget
from textual.widgets import TextArea

from rawr.core.state.host import HostState, RateLimit
from rawr.core.state.thread import ThreadState
from rawr.tui.rendering.entries import flat
from rawr.views.activity import Activity
from rawr.views.context import context_of
from rawr.views.numbers import clock, short
from rawr.views.progress import Progress

HIGH = 80
"""Percent of a limit from which it is shown though nothing waits for it."""
KEYS = ("? keys  ^p commands  q leave", "? keys")
WRITING = ("Esc for keys  ^p commands  ^q leave", "Esc for keys")
"""As much as there is room for; while one writes, letters are letters."""


class Status(Widget):
    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._left = Content("")

    def show(
        self,
        *,
        state: ThreadState | None,
        activity: Activity | None,
        progress: Progress | None,
        host: HostState,
        asks: int,
        now: int,
    ) -> None:
        parts = [
            _asks(asks),
            _doing(activity, host, now=now),
            _used(state, progress),
            _limit(host, now=now),
        ]
        left = Content.styled("  │  ", "$faint").join(one for one in parts if one is not None)
        if left != self._left:
            self._left = left
            self.refresh()

    def lose(self, why: str, *, returns: bool) -> None:
        """Nothing more comes."""
        way_out = "r connects again" if returns else "q leaves"
        self._left = Content.styled(f"✗ {way_out}. {flat(why, 200)} What you see is as it was.", "$error bold")
        self.refresh()

    def render(self) -> Content:
        """Laid out when it is drawn: before that nobody knows how much room there is."""
        room = self.size.width - 2
        choice = WRITING if isinstance(self.screen.focused, TextArea) else KEYS
        keys = next((one for one in choice if self._left.cell_length + len(one) + 2 <= room), choice[-1])
        line = self._left.truncate(max(room - len(keys) - 2, 1), ellipsis=True)
        gap = room - line.cell_length - len(keys)
        return Content.assemble(line, " " * max(gap, 1), Content.styled(keys, "$muted"))


def _asks(count: int) -> Content | None:
    return Content.styled(f"? {count} for you: press a", "$warning bold") if count else None


def _doing(activity: Activity | None, host: HostState, *, now: int) -> Content:
    if activity is None:
        return Content.styled("nothing under way" if host.links else "Codex is not connected", "$muted")
    until = f"{clock(max(activity.until - now, 0) // 1000)} left" if activity.until else ""
    how_long = until or clock((now - activity.since) // 1000)
    return Content.assemble(Content.styled(flat(activity.what, 60), "bold"), f" {how_long}")


def _used(state: ThreadState | None, progress: Progress | None) -> Content | None:
    if progress is not None:
        tokens = f"{short(progress.tokens)}{f'/{short(progress.max_tokens)}' if progress.max_tokens else ''} tokens"
        time = f"{clock(progress.seconds)}{f'/{progress.max_minutes} min' if progress.max_minutes else ''}"
        cost = f"  {progress.cost:.2f}/{progress.max_cost:.2f}" if progress.max_cost else ""
        plan = f"  plan {progress.plan_done}/{progress.plan_steps}" if progress.plan_steps else ""
        return Content(f"turn {progress.turn}/{progress.max_turns}  {tokens}  {time}{cost}{plan}")
    context = context_of(state) if state is not None else None
    if context is None or context.tokens is None:
        return None
    window = f" of {short(context.window)}" if context.window else ""
    return Content(f"{short(context.tokens)}{window} tokens")


def _limit(host: HostState, *, now: int) -> Content | None:
    """The fullest limit, if it matters."""
    full = max(host.rate_limits, key=lambda one: one.used_percent, default=None)
    if full is None or not (full.reached or full.used_percent >= HIGH):
        return None
    return Content.styled(f"{_words(full)}{_resets(full, now)}", "$error" if full.reached else "$warning")


def _words(limit: RateLimit) -> str:
    return "rate limit reached" if limit.reached else f"rate limit {limit.used_percent} % used"


def _resets(limit: RateLimit, now: int) -> str:
    left = limit.resets_at - now // 1000 if limit.resets_at is not None else 0
    return f", resets in {clock(left)}" if left > 0 else ""
