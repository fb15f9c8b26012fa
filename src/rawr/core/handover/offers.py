"""What the agent had just said to the user: if it offers or asks something, a bare “yes” must still have its meaning.

Whether it does is not asked. Offers are made in any language and without a question mark, and one that were overlooked
would cost the user an explanation; words that are quoted for nothing cost a few hundred tokens.
"""

from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import OF_WORK
from rawr.core.text import tail

MOST = 1_500
"""Characters, from the end: what is offered or asked stands last."""


def open_words(state: ThreadState) -> str:
    """Verbatim, cut between characters only. What the agent answers to rawr is not said to the user."""
    last = state.last_turn
    if last is not None and last.purpose in OF_WORK and last.agent_text.strip():
        return tail(last.agent_text.strip(), MOST)
    return tail(state.since.said[-1].text, MOST) if state.since.said else ""
