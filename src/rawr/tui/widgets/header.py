"""The line above a conversation: which thread, its state, its context, and whether Full Auto is on."""

from textual.content import Content
from textual.widgets import Static

from rawr.core.state.thread import ThreadState
from rawr.tui.rendering.bars import left_bar, standing_mark, standing_words
from rawr.tui.rendering.entries import flat
from rawr.views.progress import Progress
from rawr.views.rows import ThreadRow
from rawr.views.runs import ABOUT_TO


class Header(Static):
    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)

    def show(
        self, row: ThreadRow | None, state: ThreadState | None, progress: Progress | None, *, missing: str = ""
    ) -> None:
        """``missing``: why there is no thread."""
        if row is None or state is None:
            words = "No thread yet. i writes a message, which starts one here.\nn asks where; ? shows the keys."
            self.update(Content.styled(flat(missing, 400) or words, "$warning" if missing else "$muted"))
            return
        tier = Content.styled(f" {row.tier}", "$muted") if row.tier else Content("")
        first = Content.assemble(
            *(standing_mark(row.standing), " ", standing_words(row.standing), "  "),
            *(Content.styled(flat(row.name, 200), "bold"), Content.styled(f"  {flat(state.cwd)}", "$muted")),
        )
        model = Content.styled(f"  {flat(state.model, 40)}", "$muted") if state.model else Content("")
        held = Content.styled("  on hold (h releases)", "$warning") if state.guards else Content("")
        second = Content.assemble(
            *("  ", left_bar(row.percent_left, row.tier), tier, model, held, "  ", _auto(state, progress))
        )
        self.update(Content("\n").join((_cut(first), _cut(second))))


def _cut(line: Content) -> Content:
    return line.truncate(400, ellipsis=True)


def _auto(state: ThreadState, progress: Progress | None) -> Content:
    """Full Auto: its state, and what ends it."""
    run = state.run
    if run is None or progress is None:
        return Content.styled("Full Auto off", "$muted")
    until = f"until {flat(run.order.done, 60)} passes" if run.order.done else "until the agent says it is done"
    if not run.active:
        return Content.styled(f"Full Auto {run.status}", "$primary") + Content.styled(f" · {run.id}", "$muted")
    soon = f" · {ABOUT_TO[progress.about_to]}" if progress.about_to else ""
    turns = f" · turn {progress.turn} of {progress.max_turns}"
    return Content.assemble(
        Content.styled("Full Auto on", "$success bold"), Content.styled(f"{turns}{soon} · {until}", "$muted")
    )
