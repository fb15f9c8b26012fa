"""The hash of exactly what was approved, for the audit record (C10).

Each part goes in with its length and in order, so no two different approvals share an encoding: moving a letter from
the command to the folder gives another hash.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.requests import CommandApproval, FileChangeApproval


def digest_of(command: str, cwd: Path | str) -> str:
    """The hash of a command line and the folder that it runs in."""
    return _digest("command", command, str(cwd))


def digest_of_changes(changes: Iterable[tuple[str, str]]) -> str:
    """The hash of file changes: each a path and what happens there, in order."""
    return _digest("changes", *(part for change in changes for part in change))


def digest_of_request(opened: Real[OpenRequest], *, workspace: str) -> str:
    """The hash of what a person decides about: the same as a rule's for the same command or changes."""
    request = opened.thing
    match request.question:
        case CommandApproval(command=command, cwd=cwd):
            return digest_of(command, cwd or workspace)
        case FileChangeApproval(grant_root="") if request.paths:
            return digest_of_changes([(str(Path(workspace, path)), "change") for path in request.paths])
        case _ as other:
            return _digest(type(other).__name__, msgspec.json.encode(other).decode())


def _digest(kind: str, *parts: str) -> str:
    hashed = hashlib.sha256(b"rawr approval 1\n")
    for part in (kind, *parts):
        # Text from a process may hold lone surrogates; they are hashed as they are.
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(len(data).to_bytes(8, "big"))
        hashed.update(data)
    return hashed.hexdigest()
