"""A step of guidance: its basis, whom it asks, and its record (C15)."""

from rawr.core.draft import ThreadDraft
from rawr.core.guidance import wording
from rawr.core.guidance.rules import Settled
from rawr.core.guidance.scene import Scene, scene_of
from rawr.core.run import advice, ending
from rawr.core.state.run import Guidance, GuidanceStage
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.opinions import AnyOpinion
from rawr.core.vocabulary.reasons import Reason

SHOWN = 500
"""Characters of a text that a record shows."""

RECORDED: dict[GuidanceStage, Reason] = {
    "route": Reason.GUIDANCE_ROUTED_MESSAGE,
    "understand": Reason.GUIDANCE_UNDERSTOOD_TASK,
    "plan": Reason.GUIDANCE_PLANNED_WORK,
    "direct": Reason.GUIDANCE_DIRECTED_AGENT,
    "decide": Reason.GUIDANCE_DECIDED_TURN,
}


def record(draft: ThreadDraft, stage: GuidanceStage, settled: Settled[AnyOpinion], fact: ModelAnswered) -> None:
    draft.note(
        RECORDED[stage],
        run=ending.run_of(draft).id,
        by=settled.by,
        why=settled.why,
        model=fact.model if settled.by == "model" else "",
        **wording.evidence(settled.opinion),
    )
    draft.do(Notify(level="info", text=wording.shown(settled)))


def scene(draft: ThreadDraft) -> Scene:
    state, run = draft.state, ending.run_of(draft)
    return scene_of(
        state,
        summary=advice.inputs(state) if state.last_turn is not None else {},
        moves=(*advice.open_moves(run), "complete"),
        now=draft.at,
    )


def models(draft: ThreadDraft) -> tuple[str, ...]:
    return ending.run_of(draft).order.models or draft.policy.models.order


def of(draft: ThreadDraft) -> Guidance:
    it = ending.run_of(draft).guidance
    assert it is not None, "only asked for a guided run"  # noqa: S101
    return it
