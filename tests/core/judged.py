"""Threads on which a model is asked before a compaction, and what it may answer."""

from typing import Any

from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.thread.asking import DEADLINE
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel, StartTurn
from rawr.core.vocabulary.opinions import CompactionJudgment, NoOpinion
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence
from tests.core.samples import GOLDEN, Story, decided

PROMPT = "Decide whether to compact now."
TOKENS = {"early": 60_000, "ready": 80_000, "asap": 100_000, "emergency": 235_000}
PERCENT = {"early": 81, "ready": 72, "asap": 64, "emergency": 9}


def asking(compaction: AutoCompaction = GOLDEN.compaction, **models: Any) -> Policy:
    """Every tier has somebody asked; also emergency, where that counts for nothing."""
    rules: dict[str, Any] = {name: _asks(getattr(compaction, name)) for name in ("early", "ready", "asap", "emergency")}
    return replace(GOLDEN, compaction=replace(compaction, **rules), models=replace(Models(), **models))


def _asks(tier: TierPolicy) -> TierPolicy:
    return replace(tier, decision_prompt_path="judgment.md", decision_prompt=PROMPT)


JUDGED = asking()
WAIT = f"{DEADLINE}compaction_judgment"
APPROVED = "compact, m says: A phase is over."
PREFLIGHT = asking(replace(GOLDEN.compaction, asap=TierPolicy(65, ("turn_complete",))))


def approval(question: str, reason: str = "A phase is over.", *, tokens: int = 0) -> facts.ModelAnswered:
    return _answer(question, CompactionJudgment(should_compact=True, reason=reason), tokens)


def veto(question: str, reason: str = "It is in the middle of it.", *, tokens: int = 0) -> facts.ModelAnswered:
    return _answer(question, CompactionJudgment(should_compact=False, reason=reason), tokens)


def _answer(question: str, opinion: CompactionJudgment, tokens: int) -> facts.ModelAnswered:
    return facts.ModelAnswered(
        effect=question, signature="compaction_judgment", opinion=opinion, model="m", attempts=1, tokens=tokens
    )


def nothing(question: str, code: NoOpinion = "unavailable") -> facts.ModelAnswered:
    return facts.ModelAnswered(effect=question, signature="compaction_judgment", code=code, problem="no model")


def approves(story: Story) -> Story:
    return story.tell(approval(story.name(AskModel)))


def vetoes(story: Story) -> Story:
    return story.tell(veto(story.name(AskModel)))


def fails(story: Story, code: NoOpinion = "unavailable") -> Story:
    return story.tell(nothing(story.name(AskModel), code))


def awaiting(tier: str = "asap", policy: Policy = JUDGED) -> Story:
    """A turn of work has ended at a boundary, and a model is asked."""
    return decided(policy=policy, tokens=TOKENS[tier])


# -- what it leads to -------------------------------------------------------------------------------------------------


def evidence(story: Story, reason: Reason) -> dict[str, Evidence]:
    [found] = [one.evidence for one in story.records if one.reason is reason]
    return found


def rules(policy: Policy = JUDGED, **changes: Any) -> Policy:
    return replace(policy, compaction=replace(policy.compaction, **changes))


def texts(story: Story) -> list[str]:
    return [one.text for one in story.wanted(StartTurn)]


def asked(story: Story) -> int:
    return len(story.wanted(AskModel))
