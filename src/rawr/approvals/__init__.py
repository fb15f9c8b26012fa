"""Safe by proof (C10): what an agent may do without asking a person."""

from rawr.approvals.changes import judge_changes
from rawr.approvals.commands import judge_command
from rawr.approvals.digest import digest_of, digest_of_changes
from rawr.approvals.judgment import Judgment
from rawr.approvals.rules import InvalidRule, Rules, rule_problems
from rawr.approvals.surroundings import Surroundings

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
