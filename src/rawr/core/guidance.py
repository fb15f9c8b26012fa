"""Guidance: a user's first message is routed, understood and planned before the agent is told what to do (C15)."""

from rawr.core.draft import ThreadDraft
from rawr.core.facts import ModelAnswered
from rawr.core.reasons import Reason


def answered(draft: ThreadDraft, fact: ModelAnswered) -> None:
    draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
