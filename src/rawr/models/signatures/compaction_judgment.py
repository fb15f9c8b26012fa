"""Should rawr compact now? (A18) A person's own ``judgment.md`` replaces these instructions."""

import dspy


class CompactionJudgment(dspy.Signature):
    """Decide whether the context of a coding agent is compacted right now.

    After a compaction the agent has a packet of its own, recorded facts and the person's directives, but no longer the
    details. In the tiers early and ready there is room: say true only where one self-contained piece of work has ended
    and the next can start from a packet; when in doubt, false. In the tier asap room is short: say false only if the
    agent could not pick up again what it is in the middle of. In the tier emergency, always true.
    """

    context: str = dspy.InputField(desc="tier, context left, boundaries seen, plan, commits, messages and changes")

    should_compact: bool = dspy.OutputField(desc="true to compact now, false to leave the context as it is")
    reason: str = dspy.OutputField(desc="one sentence that names what decided it")
