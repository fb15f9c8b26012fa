"""What all facts have in common."""

from typing import Literal

from msgspec import Struct

TurnStatus = Literal["completed", "interrupted", "failed"]
StepStatus = Literal["pending", "in_progress", "completed"]
AskPolicy = Literal["untrusted", "on-request", "never"]
"""When Codex asks for an approval, in its own words."""
Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]
FailureCode = Literal["refused", "unsent", "lost", "timed_out", "moot", "gone", "archived", "missing"]
"""``refused``: the server said no. ``unsent``: it never left. ``lost`` and ``timed_out``: it left, and its outcome is
not known. ``moot``: its target no longer exists. ``gone``: a secret that it needs is no longer known.
``archived`` and ``missing``: Codex has put the thread away, or has none of that name."""
Level = Literal["debug", "status", "info", "warning", "error"]


class Fact(Struct, frozen=True, gc=False, kw_only=True, tag_field="fact", tag=True, omit_defaults=True):
    """Base of all facts. ``gc=False``, here and elsewhere: a tree of values needs no garbage collector."""
