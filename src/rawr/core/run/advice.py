"""A model's say in what a run does next (C3, C4). Guards come first and last: the model is asked only if none objects,
and its answer is one of the moves that they leave open. If anything is wrong with the answer, the run pauses or follows
the rules; it never acts on a guess.
"""

from rawr.core.draft import ThreadDraft
from rawr.core.flaws import directive_flaw
from rawr.core.policy.tiers import percent_remaining
from rawr.core.run import checks, ending, going_on, guards, instructions
from rawr.core.run.guards import Guard
from rawr.core.run.table import Move as RunMove
from rawr.core.speech import Own, as_json, joined, line, rows, say, shortened, word
from rawr.core.state.run import Run, TurnSummary
from rawr.core.state.thread import ThreadState
from rawr.core.text import head, tail
from rawr.core.thread import asking, outbox
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import FullAutoDecision, Move
from rawr.core.vocabulary.reasons import Reason

MAX_FIELD = 6_000
RECENT = 6
"""How many turns and compactions the model sees."""


def asks(draft: ThreadDraft) -> bool:
    return draft.policy.models.decisions == "model"


def open_moves(run: Run) -> tuple[Move, ...]:
    """The moves from which the model may choose. A review is among them while one is still allowed."""
    if run.order.review != "never" and run.reviews < checks.MAX_REVIEWS:
        return ("continue", "pause", "stop", "review")
    return ("continue", "pause", "stop")


def ask(draft: ThreadDraft) -> None:
    """No guard objects: what next?"""
    ending.move(draft, RunMove.MODEL_ASKED)
    asking.ask(draft, "full_auto_decision", inputs(draft.state))


def inputs(state: ThreadState) -> dict[str, str]:
    """All inputs of the signature, as text, each bounded."""
    run, turn, usage = state.run, state.last_turn, state.usage
    assert run is not None, "only asked for a run"  # noqa: S101
    percent = percent_remaining(in_context=usage.in_context, window=usage.window) if usage is not None else None
    problem = turn.problem.message if turn is not None and turn.problem is not None else ""
    diff = state.diff.files if state.diff is not None else ()
    approvals = [one for one in state.requests if type(one.question).__name__ != "UserInput"]
    rules = "\n".join(f"- {one.text}" for one in state.ledger.directives if one.standing)
    steps = rows(say("[{status}] {step}", status=word(one.status), step=line(one.step)) for one in state.plan.steps)
    changes = rows(
        say("{path} +{added} -{removed}", path=line(one.path), added=one.added, removed=one.removed) for one in diff
    )
    fields = {
        "thread_id": state.id,
        "turn_id": turn.id if turn is not None else "",
        "goal": run.order.goal,
        "directives": rules,
        "last_turn_status": turn.status if turn is not None else "",
        "turn_error": problem,
        "turn_plan": shortened(steps, MAX_FIELD),
        "diff_summary": shortened(changes, MAX_FIELD),
        "token_usage": f"{run.tokens} used by the run, {percent} % of the context left",
        "pending_approvals": str(len(approvals)),
        "pending_tool_inputs": str(len(state.requests) - len(approvals)),
        "recent_actions": shortened(_recent(run), MAX_FIELD),
        "compaction_events": shortened(_compactions(state), MAX_FIELD),
        "last_message": tail(turn.agent_text, MAX_FIELD) if turn is not None else "",
        "agent_claims_done": "yes" if run.claimed else "no",
        "open_moves": ", ".join(open_moves(run)),
    }
    return {name: head(text, MAX_FIELD) for name, text in fields.items()}


def _recent(run: Run) -> Own:
    """The last decisions, each with what was done in the turn before it, and the turn that is decided on now."""
    turns = {one.turn: one for one in run.history}
    told: list[dict[str, object]] = [
        {
            **(_done(turns.pop(one.turn)) if one.turn in turns else {}),
            "action": one.action,
            "reason": one.reason,
            "by": one.by,
            "confidence": one.confidence,
            "outcome": "overridden" if one.overridden else "executed",
        }
        for one in run.decided[-RECENT:]
    ]
    if run.history and run.history[-1].turn in turns:
        told.append(_done(run.history[-1]))
    return rows(as_json(one) for one in told)


def _done(turn: TurnSummary) -> dict[str, object]:
    return {
        "turn": turn.turn,
        "status": turn.status,
        "commands": turn.commands,
        "failed": turn.commands_failed,
        "files": turn.files,
        "plan": f"{turn.plan_done}/{turn.plan_steps}",
        "problem": head(turn.problem, 200),
    }


def _compactions(state: ThreadState) -> Own:
    return rows(
        as_json({"by": one.by, "ok": one.ok, "tokens_before": one.tokens_before, "tokens_after": one.tokens_after})
        for one in state.compactions[-RECENT:]
    ) or say("none so far")


def decided(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """The answer is here. Changes in the meantime take precedence."""
    run = draft.state.run
    if run is None or not run.active or run.waiting != "model":
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    if draft.state.sequence is not None:
        # A person asked for a compaction in the meantime. Its end, or that of its handoff, continues the run.
        ending.move(draft, RunMove.COMPACTING)
    if draft.state.sequence is not None or draft.state.turn is not None:
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    asked = guards.both(run, draft.policy.full_auto, now=draft.at)
    said = _said(fact.opinion)
    if ending.rests_as_asked(draft) or ending.rests_by_guard(draft, asked, said=said):
        return
    if outbox.work_waits(draft.state):
        # A person has decided in the meantime what comes next.
        going_on.queue_up(draft)
    elif not isinstance(fact.opinion, FullAutoDecision):
        _without(draft, f"{fact.code}: {fact.problem}", asked)
    elif fact.opinion.confidence * 100 < draft.policy.models.min_confidence_percent:
        detail = f"it is {fact.opinion.confidence:.2f} sure that it should {fact.opinion.action}: {fact.opinion.reason}"
        ending.stop(draft, "paused", Reason.RUN_PAUSED_UNSURE, head(detail, 500), guards=asked, said=said)
    elif fact.opinion.action not in open_moves(run):
        detail = f"“{fact.opinion.action}” is not open to it"
        ending.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, detail, guards=asked, said=said)
    elif fact.opinion.next_input.strip() and directive_flaw(fact.opinion.next_input):
        # The model has not understood the question; do not send its answer to an agent (C15).
        detail = "its next step is the text of an error"
        ending.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, detail, guards=asked, said=said)
    else:
        _carry_out(draft, fact.opinion, asked)


def _without(draft: ThreadDraft, why: str, guards: tuple[Guard, ...]) -> None:
    run = ending.run_of(draft)
    if draft.policy.models.on_error == "pause":
        ending.stop(draft, "paused", Reason.RUN_PAUSED_REPLY, head(why, 500), guards=guards)
    elif run.claimed:
        checks.finish(draft, "self_reported")
    else:
        going_on.by_rules(draft, guards)


def _said(opinion: object) -> ending.Said:
    """What the model proposed, whether or not it is carried out."""
    if not isinstance(opinion, FullAutoDecision):
        return ending.Said()
    return ending.Said(
        by="model",
        confidence=opinion.confidence,
        detail=head(opinion.reason, 500),
        proposed=opinion.action,
    )


def _carry_out(draft: ThreadDraft, opinion: FullAutoDecision, guards: tuple[Guard, ...]) -> None:
    run = ending.run_of(draft)
    said = _said(opinion)
    match opinion.action:
        case "continue":
            ending.note(draft, Reason.RUN_CONTINUED_MODEL, "continue", guards=guards, said=said)
            ending.remark(draft, joined((run.note, instructions.next_step(opinion.next_input))))
            ending.change(draft, claimed=False)
            going_on.after_moment(draft)
        case "pause":
            ending.stop(draft, "paused", Reason.RUN_PAUSED_MODEL, said.detail, guards=guards, said=said)
        case "stop" if run.claimed:
            checks.finish(draft, "self_reported")
        case "stop" if run.order.done:
            # Done means checked: the model's word is no better than the agent's.
            ending.change(draft, claimed=True)
            checks.check(draft, Reason.RUN_CHECKED_CLAIM)
        case "stop":
            ending.stop(draft, "stopped", Reason.RUN_STOPPED_MODEL, said.detail, guards=guards, said=said)
        case "review":
            checks.review(draft, guards)
