"""What follows a turn of a guided run: on with it, a review, a rest, or the end (C4, C15).

As for any run, guards come first and last, and the answer is one among the moves that they leave open. That the job is
complete is a claim like the agent's own: where there is a check, the check says so (C7).
"""

from msgspec.structs import replace

from rawr.core.compaction import decision as deciding
from rawr.core.draft import ThreadDraft
from rawr.core.guidance import pipeline as guidance
from rawr.core.guidance import rules as guidance_rules
from rawr.core.guidance.rules import Settled
from rawr.core.run import checks as run_checks
from rawr.core.run import ending as run_rest
from rawr.core.run import guards as run_guards
from rawr.core.run import turn_end as fullauto
from rawr.core.run.guards import Guard
from rawr.core.text import head
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import GuidanceDecision
from rawr.core.vocabulary.reasons import Reason


def decided(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """As for any run: guards first, then the answer, among the moves that they leave open (C4)."""
    run = run_rest.run_of(draft)
    guards = (*run_guards.budgets(run, now=draft.at), *run_guards.soft(run, draft.policy.full_auto))
    hit = next((guard for guard in guards if guard.hit), None)
    if hit is not None:
        run_rest.stop(draft, "stopped", hit.reason, hit.detail, guards=guards)
        return
    now, said = guidance.scene(draft), fact.opinion
    if not isinstance(said, GuidanceDecision):
        why = guidance_rules.no_opinion(fact)
        # Where there is no model at all, guidance is the rules' from beginning to end.
        if draft.policy.models.on_error == "pause" and fact.code != "unavailable":
            run_rest.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, why, guards=guards)
            return
        _carry_out(draft, Settled(guidance_rules.done_or_on(now), "rules", why), fact, guards)
        return
    unsure = guidance_rules.unsure(said.confidence, draft.policy.models.min_confidence_percent)
    if unsure:
        detail = head(f"{unsure} that it should {said.action}: {said.reason}", guidance.SHOWN)
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_UNSURE, detail, guards=guards)
    elif said.action not in now.moves:
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, f"“{said.action}” is not open to it", guards=guards)
    else:
        _carry_out(draft, Settled(said, "model"), fact, guards)


def _carry_out(
    draft: ThreadDraft, settled: Settled[GuidanceDecision], fact: ModelAnswered, guards: tuple[Guard, ...]
) -> None:
    run, opinion = run_rest.run_of(draft), settled.opinion
    guidance.record(draft, "decide", settled, fact)
    said = run_rest.Said(by=settled.by, confidence=opinion.confidence, detail=head(opinion.reason, guidance.SHOWN))
    run_rest.change(draft, guidance=replace(guidance.of(draft), stage=""))
    match opinion.action:
        case "continue":
            reason = Reason.RUN_CONTINUED_MODEL if settled.by == "model" else Reason.RUN_CONTINUED_POLICY
            run_rest.note(draft, reason, "continue", guards=guards, said=said)
            hint = "" if guidance_rules.directive_flaw(opinion.next_input) else head(opinion.next_input, guidance.SHOWN)
            run_rest.change(draft, claimed=False, guidance=replace(guidance.of(draft), hint=hint))
            deciding.weigh(draft)
            fullauto.go_on_or_await_handoff(draft)
        case "pause":
            run_rest.stop(draft, "paused", Reason.RUN_PAUSED_MODEL, said.detail, guards=guards, said=said)
        case "stop" if not run.claimed and not run.order.done:
            run_rest.stop(draft, "stopped", Reason.RUN_STOPPED_MODEL, said.detail, guards=guards, said=said)
        case "review":
            run_checks.review(draft, guards)
        case "stop" | "complete":
            # Done means checked: a model's word is no better than the agent's (C7).
            run_rest.change(draft, claimed=True)
            if run.order.done:
                fullauto.check(draft)
            else:
                fullauto.finish(draft, "self_reported")
