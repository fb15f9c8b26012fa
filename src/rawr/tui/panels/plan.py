"""Codex's plan, and the run's own."""

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from rawr.core.state.thread import ThreadState
from rawr.tui.desk import Desk
from rawr.tui.panels.panel import Panel
from rawr.tui.rendering.entries import STEPS, flat
from rawr.views.numbers import clock, short
from rawr.views.runs import run_plan, standing
from rawr.views.threads import thread_view

_STYLES = {"completed": "$muted", "in_progress": "bold", "pending": ""}


class PlanPanel(VerticalScroll, Panel, can_focus=True):
    def compose(self):  # type: ignore[no-untyped-def]
        yield Static("", markup=False)

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        lines = [*_of_codex(state), *_of_run(desk, state)] if state is not None else []
        self.query_one(Static).update(Content("\n").join(lines))


def _title(text: str) -> Content:
    return Content.styled(text, "$primary bold")


def _step(text: str, status: str, detail: str = "") -> Content:
    more = Content.styled(f"  {detail}", "$muted") if detail else Content("")
    return Content.assemble(
        Content.styled(f"{STEPS[status]} ", "$success" if status == "completed" else "$accent"),
        Content.styled(flat(text), _STYLES[status]),
        more,
    )


def _of_codex(state: ThreadState) -> list[Content]:
    steps = state.plan.steps
    done = sum(one.status == "completed" for one in steps)
    title = _title(f"Codex's plan  {done}/{len(steps)}" if steps else "Codex's plan")
    none = [Content.styled("It has made none.", "$muted")]
    return [title, *([_step(one.step, one.status) for one in steps] or none)]


def _of_run(desk: Desk, state: ThreadState) -> list[Content]:
    run = state.run
    if run is None:
        return [Content(""), _title("Full Auto"), Content.styled("Off. f starts a run.", "$muted")]
    view = thread_view(state, desk.policy, last_seen=desk.now(), now=desk.now(), live=desk.is_live(state.id)).run
    lines = [Content(""), _title(f"The run's plan  {run.id}")]
    lines += [_step(one.name, one.status, one.detail) for one in run_plan(run)]
    lines += [Content(""), _title("The run"), Content(flat(run.order.goal, 600))]
    lines.append(Content.styled(standing(run, live=desk.is_live(state.id)), "$muted"))
    if view is not None:
        most = [f"{view.turns} of {view.max_turns} turns"]
        most.append(f"{short(view.tokens)}{f' of {short(view.max_tokens)}' if view.max_tokens else ''} tokens")
        most.append(f"{clock(view.seconds)}{f' of {view.max_minutes} min' if view.max_minutes else ''}")
        lines += [Content.styled(", ".join(most), "$muted")]
        done = f"done when this passes: {flat(view.until)}" if view.until else "done when the agent says so"
        lines.append(Content.styled(done, "$muted"))
    lines += [Content.styled(f"pinned: {flat(one.text)}", "$accent") for one in state.ledger.directives if one.pinned]
    lines += [Content.styled(f"hold: no compaction until {flat(one.until)}", "$warning") for one in state.guards]
    return lines
