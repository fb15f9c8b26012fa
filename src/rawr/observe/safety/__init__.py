"""Safe by proof (C10): what an agent may do without a person being asked."""

from rawr.observe.safety.changes import judge_changes
from rawr.observe.safety.commands import judge_command
from rawr.observe.safety.digest import digest_of, digest_of_changes
from rawr.observe.safety.judgment import Judgment
from rawr.observe.safety.rules import InvalidRule, Rules, rule_problems
from rawr.observe.safety.surroundings import Surroundings

__all__ = [
    "InvalidRule",
    "Judgment",
    "Rules",
    "Surroundings",
    "digest_of",
    "digest_of_changes",
    "judge_changes",
    "judge_command",
    "rule_problems",
]
