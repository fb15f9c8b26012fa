"""What an allow rule no longer does, for a person who wrote it when a rule covered all that followed (C10)."""

from rawr.approvals.git.writing import ACCEPTED, writes_files
from rawr.approvals.verbs.opening import opened

MOST = 5


def no_longer(rule: str) -> str:
    """One line; empty if nothing has changed for the rule."""
    found = opened(rule)
    if any(one.hooks or one.files for one in found):
        return ""
    shows = f"`rawr approvals opens '{rule}'` lists what it opens."
    if not any(one.verb for one in found):
        return f"The rule `{rule}` no longer opens any words that follow: it opens exactly its own."
    if len(found) > 1:
        return f"The rule `{rule}` no longer opens everything: it opens {len(found)} commands, each as listed. {shows}"
    [one] = found
    if one.verb.startswith("git ") and writes_files(tuple(one.verb.split()[1:])):
        return f"The rule `{rule}` needs the rule `{ACCEPTED}` beside it: git writes files. {shows}"
    also = f", nor {' '.join(one.needs_a_rule[:MOST])}" if one.needs_a_rule else ""
    return (
        f"The rule `{rule}` no longer opens every argument: none that names a program, other settings, another place "
        f"or a secret{also}. {shows}"
    )
