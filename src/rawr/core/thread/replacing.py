"""A thread of rawr's of which Codex has kept nothing, because it died before the first turn was written down.

Its work continues in a new thread, under the same limits and in the same run. Nothing was said in the old one, so
nothing is sent twice. This happens once there is something to do, and only before the first turn has ended: a thread
that was lost later took its work with it, and a person must know.
"""

from operator import attrgetter

from rawr.core.draft import ThreadDraft
from rawr.core.speech import NOTHING
from rawr.core.state.messages import Queued
from rawr.core.state.thread import ThreadState
from rawr.core.thread import spoken
from rawr.core.thread.unattended import FORM
from rawr.core.vocabulary.effects import Notify, StartThread
from rawr.core.vocabulary.facts import ThreadTookOver
from rawr.core.vocabulary.limits import Limits
from rawr.core.vocabulary.reasons import Reason


def possible(state: ThreadState) -> bool:
    return state.started and state.turns == 0 and not state.ephemeral


def lost(draft: ThreadDraft) -> None:
    """Codex does not know the thread."""
    draft.change(unborn=True, online=False, turn=None, compacting=None)
    attempt(draft)


def attempt(draft: ThreadDraft) -> None:
    """Start a replacement thread, if something waits for one."""
    state, run = draft.state, draft.state.run
    messages = _messages(state)
    if not state.unborn or state.replacing or not (run.active if run is not None else messages):
        return
    carried = ThreadTookOver(
        origin=state.id,
        run=run.number if run is not None else 0,
        order=run.order if run is not None else None,
        messages=tuple(one.text for one in messages),
    )
    draft.note(Reason.THREAD_REPLACED_UNBORN, run=run.id if run is not None else "", messages=len(messages))
    # The same ticket would belong to whoever requested the old thread.
    ticket, limits = f"{state.id}:{draft.seq}", state.limits or Limits()
    told = FORM if run is not None else NOTHING
    draft.change(
        replacing=draft.do(
            StartThread(
                ticket=ticket,
                cwd=state.cwd,
                limits=limits,
                instructions=told,
                carried=carried,
                link=state.link,
            )
        )
    )


def _messages(state: ThreadState) -> list[Queued]:
    """A person's words that no agent has seen, without those that the run itself sends."""
    unheard = (*(one.message for one in state.sent), *state.queue)
    own = [one for one in unheard if one.purpose == "user" and not spoken.of_run(one, state.run)]
    return sorted(own, key=attrgetter("seq"))


def succeeded(draft: ThreadDraft, thread: str) -> None:
    for deadline in draft.state.deadlines:
        draft.cancel_deadline(deadline.name)
    draft.change(closed=True, wanted=False, run=None, queue=(), sent=(), replacing="", replaced_by=thread)
    text = f"[rawr] Codex died before it had saved the thread; the work continues in a new one, {thread}."
    draft.do(Notify(level="warning", text=text))
