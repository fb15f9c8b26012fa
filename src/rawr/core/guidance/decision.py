"""What follows a turn of a guided run: continue, review, rest, or end (C4, C15).

As for any run, guards come first and last, and the answer is one of the moves that they leave open. A model's statement
that the job is complete is a claim like the agent's own: if there is a check, the check decides (C7).
"""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.flaws import directive_flaw
from rawr.core.guidance import rules
from rawr.core.guidance.rules import Settled
from rawr.core.guidance.steps import SHOWN, of, record, scene
from rawr.core.run import checks, ending, going_on
from rawr.core.run import guards as run_guards
from rawr.core.run.guards import Guard
from rawr.core.text import head
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import GuidanceDecision
from rawr.core.vocabulary.reasons import Reason


def decided(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """As for any run: guards first, then the answer, among the moves that they leave open (C4)."""
    run = ending.run_of(draft)
    guards = run_guards.both(run, draft.policy.full_auto, now=draft.at)
    if ending.rests_by_guard(draft, guards):
        return
    now, said = scene(draft), fact.opinion
    if not isinstance(said, GuidanceDecision):
        why = rules.no_opinion(fact)
        # Without any model, the rules do all of guidance.
        if draft.policy.models.on_error == "pause" and fact.code != "unavailable":
            ending.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, why, guards=guards)
            return
        _carry_out(draft, Settled(rules.done_or_on(now), "rules", why), fact, guards)
        return
    unsure = rules.unsure(said.confidence, draft.policy.models.min_confidence_percent)
    if unsure:
        detail = head(f"{unsure} that it should {said.action}: {said.reason}", SHOWN)
        ending.stop(draft, "paused", Reason.RUN_PAUSED_UNSURE, detail, guards=guards)
    elif said.action not in now.moves:
        ending.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, f"“{said.action}” is not open to it", guards=guards)
    else:
        _carry_out(draft, Settled(said, "model"), fact, guards)


def _carry_out(
    draft: ThreadDraft, settled: Settled[GuidanceDecision], fact: ModelAnswered, guards: tuple[Guard, ...]
) -> None:
    run, opinion = ending.run_of(draft), settled.opinion
    record(draft, "decide", settled, fact)
    said = ending.Said(by=settled.by, confidence=opinion.confidence, detail=head(opinion.reason, SHOWN))
    ending.change(draft, guidance=replace(of(draft), stage=""))
    match opinion.action:
        case "continue":
            reason = Reason.RUN_CONTINUED_MODEL if settled.by == "model" else Reason.RUN_CONTINUED_POLICY
            ending.note(draft, reason, "continue", guards=guards, said=said)
            hint = "" if directive_flaw(opinion.next_input) else head(opinion.next_input, SHOWN)
            ending.change(draft, claimed=False, guidance=replace(of(draft), hint=hint))
            going_on.after_moment(draft)
        case "pause":
            ending.stop(draft, "paused", Reason.RUN_PAUSED_MODEL, said.detail, guards=guards, said=said)
        case "stop" if not run.claimed and not run.order.done:
            ending.stop(draft, "stopped", Reason.RUN_STOPPED_MODEL, said.detail, guards=guards, said=said)
        case "review":
            checks.review(draft, guards)
        case "stop" | "complete":
            # Done means checked: a model's word is no better than the agent's (C7).
            ending.change(draft, claimed=True)
            if run.order.done:
                checks.check(draft, Reason.RUN_CHECKED_CLAIM)
            else:
                checks.finish(draft, "self_reported")
