"""The truth from the repository (B6): where HEAD is, and what moved it.

These are the names that the rest of rawr uses; each lives in its own module. Nothing here runs what a repository's
configuration names, and nothing raises because a repository is odd.
"""

from rawr.observe.repository.aliases import aliases, remotes
from rawr.observe.repository.graphite import graphite_stack
from rawr.observe.repository.locating import Repository, family, locate
from rawr.observe.repository.reflog import Movement, movements
from rawr.observe.repository.refs import LogPosition, RepoView, branches, look
from rawr.observe.repository.unlogged import MovementKind

__all__ = [
    "LogPosition",
    "Movement",
    "MovementKind",
    "RepoView",
    "Repository",
    "aliases",
    "branches",
    "family",
    "graphite_stack",
    "locate",
    "look",
    "movements",
    "remotes",
]
