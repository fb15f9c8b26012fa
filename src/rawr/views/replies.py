"""How a running rawr responded to a command, in words."""

from msgspec import UNSET, Struct, UnsetType

from rawr.core.state.run import Run
from rawr.runtime.control import Answered
from rawr.views.codes import is_about_no_run, leaves_undone, meaning


class ReplyView(Struct, frozen=True, tag_field="type", tag="answer"):
    thread: str
    reasons: tuple[str, ...]
    problem: str
    run: str | UnsetType = UNSET
    """The run that the command was about, and its state now."""
    status: str | UnsetType = UNSET

    @property
    def ignored(self) -> bool:
        """It changed nothing, and the request will not be carried out."""
        return bool(self.reasons) and all(map(leaves_undone, self.reasons))

    @property
    def refused(self) -> bool:
        """It failed, or found no run to receive it."""
        return bool(self.problem) or is_about_no_run(self.reasons)

    @property
    def in_words(self) -> tuple[str, ...]:
        """The decisions, one sentence each."""
        return tuple(f"{meaning(reason)} ({reason})" for reason in self.reasons)


def reply_view(answer: Answered, run: Run | None = None) -> ReplyView:
    return ReplyView(
        thread=answer.thread,
        reasons=answer.reasons,
        problem=answer.problem,
        run=run.id if run is not None else UNSET,
        status=run.status if run is not None else UNSET,
    )
