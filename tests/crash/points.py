"""The named moments at which something can be killed.

They are derived from what rawr is made of, so that none can be forgotten: every effect has five, every fact two, every
phase of the golden path two. The names say what has happened by then and what has not.
"""

from typing import Literal, get_args

from rawr.core.compaction.table import TABLE
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import effects, facts

Stage = Literal["writing", "before", "sent", "answered", "recorded", "told", "kept", "entering", "phase"]

EFFECT_STAGES: dict[Stage, str] = {
    "writing": "decided, and not in the journal",
    "before": "in the journal, and not begun",
    "sent": "on its way to Codex, or begun",
    "answered": "its outcome is known, and not in the journal",
    "recorded": "its outcome is in the journal",
}
FACT_STAGES: dict[Stage, str] = {
    "told": "taken, and not in the journal",
    "kept": "in the journal, and nothing done about it",
}
PHASE_STAGES: dict[Stage, str] = {
    "entering": "the golden path moves there, and the journal does not have it",
    "phase": "it is there, in the journal",
}
STAGES = {**EFFECT_STAGES, **FACT_STAGES, **PHASE_STAGES}

LOCAL = frozenset({effects.SetDeadline, effects.CancelDeadline, effects.Notify})
"""Done on the spot, with no outcome to wait for."""
_NO_OUTCOME: frozenset[Stage] = frozenset({"answered", "recorded"})
TRANSIENT = Phase.ASSESSING
"""It is entered and left within one fact, so nothing can be killed in it."""


def effect_points() -> set[str]:
    return {
        f"{stage}:{kind.__name__}"
        for kind in get_args(effects.AnyEffect)
        for stage in EFFECT_STAGES
        if kind not in LOCAL or stage not in _NO_OUTCOME
    }


def fact_points() -> set[str]:
    return {f"{stage}:{kind.__name__}" for kind in get_args(facts.AnyFact) for stage in FACT_STAGES}


def transitions() -> set[tuple[Phase, Phase]]:
    """The moves of the table that can be seen from outside: what passes through the transient phase is one move."""
    into = {phase for (phase, _), following in TABLE.items() if following is TRANSIENT}
    out_of = {following for (phase, _), following in TABLE.items() if phase is TRANSIENT}
    direct = {(phase, to) for (phase, _), to in TABLE.items() if TRANSIENT not in (phase, to)}
    through = {(phase, to) for phase in into for to in out_of if phase is not to}
    return direct | through


def phase_points() -> set[str]:
    return {f"{stage}:{one.value}>{to.value}" for one, to in transitions() for stage in PHASE_STAGES}


def all_points() -> set[str]:
    return effect_points() | fact_points() | phase_points()
