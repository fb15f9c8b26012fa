"""Which job passes which effect and which move of the golden path. A new one must be added here, and to some job.

The rehearsals hold the table to its word: a job that no longer passes what stands here breaks a rule.
"""

from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import effects
from tests.crash.points import effect_points, phase_points

SECOND_LIFE = "second life"
"""Passed only by a rawr that comes back after a kill."""

EFFECTS: dict[type[effects.Effect], str] = {
    effects.StartThread: "run",
    effects.ListThreads: "watch",
    effects.LookAtThread: "late",
    effects.ResumeThread: "watch",
    effects.FindMessage: SECOND_LIFE,
    effects.StartTurn: "run",
    effects.SteerTurn: "native",
    effects.InterruptTurn: "stalled",
    effects.InjectPacket: "stalled",
    effects.StartCompaction: "run",
    effects.ObserveCommand: "watch",
    effects.WatchRepository: "run",
    effects.ObserveTree: "run",
    effects.ReadSession: "run",
    effects.RunCheck: "run",
    effects.StartReview: "guided",
    effects.NameThread: "guided",
    effects.JudgeApproval: "guided",
    effects.AskModel: "guided",
    effects.ResearchRepository: "guided",
    effects.LookUpClaims: "run",
    effects.AnswerRequest: "run",
    effects.SetDeadline: "run",
    effects.CancelDeadline: "run",
    effects.Notify: "run",
}
ELSEWHERE: dict[type[effects.Effect], str] = {
    effects.ClearGoal: "Who takes a goal over clears it as they join. This is for one that came up later, when the run"
    " is resumed, and twice is as good as once: tests/e2e/test_run_threads.py.",
    effects.FindSaid: "It takes a Codex that ends a turn before it tells of its message, by a few milliseconds; no job"
    " can bring that about each time. It only reads, and without its outcome the person is told to send the message"
    " again: tests/core/compaction/test_cut_off.py, tests/codex/test_driver.py.",
    effects.RestartCodex: "It kills Codex itself, and the run rests after it: tests/e2e/test_wedged.py.",
}
"""Effects that no job passes, and why not."""
MOVES: dict[tuple[Phase, Phase], str] = {
    (Phase.IDLE, Phase.AWAITING_JUDGMENT): "guided",
    (Phase.IDLE, Phase.HEADS_UP_INJECTED): "run",
    (Phase.AWAITING_JUDGMENT, Phase.IDLE): "vetoed",
    (Phase.AWAITING_JUDGMENT, Phase.HEADS_UP_INJECTED): "guided",
    (Phase.HEADS_UP_INJECTED, Phase.AWAITING_SCRATCH): "guided",
    (Phase.HEADS_UP_INJECTED, Phase.AWAITING_PACKET): "run",
    (Phase.HEADS_UP_INJECTED, Phase.IDLE): "stopped-heads-up",
    (Phase.AWAITING_SCRATCH, Phase.AWAITING_PACKET): "guided",
    (Phase.AWAITING_SCRATCH, Phase.IDLE): "stopped-scratch",
    (Phase.AWAITING_PACKET, Phase.AWAITING_PACKET): "guided",
    (Phase.AWAITING_PACKET, Phase.COMPACTING): "run",
    (Phase.AWAITING_PACKET, Phase.HANDOFF_PENDING): "forestalled",
    (Phase.AWAITING_PACKET, Phase.IDLE): "stopped-packet",
    (Phase.COMPACTING, Phase.HANDOFF_PENDING): "run",
    (Phase.COMPACTING, Phase.AWAITING_PACKET): "overtaken",
    (Phase.COMPACTING, Phase.IDLE): "failing",
    (Phase.HANDOFF_PENDING, Phase.IDLE): "run",
}


def promised(job: str) -> set[str]:
    """The points that a job must pass."""
    kinds = {kind.__name__ for kind, name in EFFECTS.items() if name == job}
    moves = {f"{one.value}>{to.value}" for (one, to), name in MOVES.items() if name == job}
    return {point for point in effect_points() | phase_points() if point.partition(":")[2] in kinds | moves}
