"""Replays a journal: compares what the facts led to then with what they lead to now."""

from collections import defaultdict

from rawr.core.policy.policy import Policy
from rawr.core.replay import Divergence, Replay, replay
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Unreadable


def replay_journal(reader: JournalReader, *, policy: Policy) -> Replay:
    """Replay every fact in the journal. An unreadable row is a divergence, not a reason to stop."""
    unreadable: list[Divergence] = []
    decisions: defaultdict[int, list[Decision]] = defaultdict(list)
    effects: defaultdict[int, list[Intended]] = defaultdict(list)
    for decision in reader.decisions():
        if isinstance(decision, Unreadable):
            unreadable.append(_unreadable(decision))
        else:
            decisions[decision.seq].append(decision)
    for effect in reader.effects():
        if isinstance(effect, Unreadable):
            unreadable.append(_unreadable(effect))
        else:
            effects[effect.seq].append(Intended(effect.id, effect.thread, effect.effect))
    facts: list[Recorded] = []
    for fact in reader.facts():
        if isinstance(fact, Unreadable):
            unreadable.append(_unreadable(fact))
        else:
            facts.append(fact)
    result = replay(
        facts,
        decisions={seq: tuple(found) for seq, found in decisions.items()},
        effects={seq: tuple(found) for seq, found in effects.items()},
        policy=policy,
    )
    return Replay(result.facts, (*unreadable, *result.divergences))


def _unreadable(row: Unreadable) -> Divergence:
    return Divergence(row.seq, f"unreadable {row.table}", row.body, row.problem)
