"""The arbiter: one pure function from a state, a fact and a policy to the next state, effects and reasons (B1).

It is total. A fact that makes no sense leaves the state unchanged and a record ``ignored.*``. ``routing`` says which
module decides about what.
"""

from rawr.core.draft import HostDraft, Step, ThreadDraft
from rawr.core.policy.policy import Policy
from rawr.core.routing import FACTS, HOST, advance, hand_on
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.facts import Recorded


def step(state: ThreadState, recorded: Recorded, policy: Policy) -> Step[ThreadState]:
    """What one fact means for one thread."""
    return drafted(state, recorded, policy).finish()


def drafted(state: ThreadState, recorded: Recorded, policy: Policy) -> ThreadDraft:
    """The same as a draft, for callers that take it apart at once."""
    rules = policy if state.ours or not policy.watch_mode else policy.for_others
    draft = ThreadDraft(state, recorded.seq, recorded.at, rules, (), (), (), hand_on)
    fact = recorded.fact
    for handler in FACTS[type(fact)]:
        handler(draft, fact)
    if draft.state.queue and not draft.held:
        advance(draft)
    return draft


def step_host(state: HostState, recorded: Recorded, policy: Policy) -> Step[HostState]:
    """What a fact of no thread means for rawr as a whole. A thread's own facts never come here."""
    handlers = HOST.get(type(recorded.fact))
    if handlers is None:
        return Step(state)
    draft = HostDraft(state, recorded.seq, recorded.at, policy)
    for handler in handlers:
        handler(draft, recorded.fact)
    return draft.finish()
