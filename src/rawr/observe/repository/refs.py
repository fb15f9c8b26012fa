"""Where HEAD points (B6), read from files in a fraction of a millisecond.

Repositories that keep their references in another format (reftable) are read through git itself.
"""

import os
import re
import time
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from rawr.observe.files import read_range, read_small
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository

OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/(?!.*(?:\.\.|//|\\|[\x00-\x20\x7f~^:?*\[]))[^/].*[^/]", re.DOTALL)
_ENTRY = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\n]*?(\d+) [+-]\d{4}(?:\t[^\n]*)?\n?\Z")
_TAIL = 8 * 1024
_MAX_PACKED = 64 << 20
_LINKS = 5


class LogPosition(Struct, frozen=True):
    """How far a repository has been seen. Everything after it is new."""

    head: str | None
    branch: str | None
    size: int
    """The size of HEAD's log, up to its last whole line."""
    last: str
    """That line without names and text: it shows whether the log is still the same one."""
    at: float
    """When the repository was looked at."""


class RepoView(Struct, frozen=True):
    root: Path
    branch: str | None
    """``None`` when HEAD is detached."""
    head: str | None
    """``None`` before the first commit."""
    log_position: LogPosition


def look(repository: Repository) -> RepoView:
    """Cheap: two or three small reads, no process."""
    at = time.time()
    size, last = log_end(repository)
    branch, head = head_of(repository)
    return RepoView(repository.root, branch, head, LogPosition(head, branch, size, last, at))


def head_of(repository: Repository) -> tuple[str | None, str | None]:
    """The branch and the commit that HEAD points to."""
    text = read_small(repository.git_dir / "HEAD", 4096)
    if text is None:
        return None, None
    if not text.startswith(b"ref:"):
        oid = OID.fullmatch(text.strip())
        return None, oid[0].decode() if oid else None
    ref = os.fsdecode(text[len(b"ref:") :].strip())
    if ref == "refs/heads/.invalid" or uses_reftable(repository):
        return _asked(repository)
    return ref.removeprefix("refs/heads/"), resolve(repository, ref)


def uses_reftable(repository: Repository) -> bool:
    return (repository.common_dir / "reftable").is_dir()


def _asked(repository: Repository) -> tuple[str | None, str | None]:
    ref = run_git(repository, "symbolic-ref", "--quiet", "HEAD")
    oid = run_git(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    branch = os.fsdecode(ref.strip()).removeprefix("refs/heads/") if ref else None
    found = OID.fullmatch(oid.strip()) if oid else None
    return branch, found[0].decode() if found else None


def resolve(repository: Repository, ref: str) -> str | None:
    """The commit that a reference names, through links to other references."""
    for _ in range(_LINKS):
        if not _REF.fullmatch(ref):
            return None
        text = read_small(repository.common_dir / ref, 4096)
        if text is None:
            return _packed(repository, ref)
        if not text.startswith(b"ref:"):
            oid = OID.fullmatch(text.strip())
            return oid[0].decode() if oid else None
        ref = os.fsdecode(text[len(b"ref:") :].strip())
    return None


def _packed(repository: Repository, ref: str) -> str | None:
    path = repository.common_dir / "packed-refs"
    try:
        status = path.stat()
    except OSError:
        return None
    return _find_packed(str(path), ref, stamp=(status.st_mtime_ns, status.st_size, status.st_ino))


@lru_cache(maxsize=64)
def _find_packed(path: str, ref: str, *, stamp: tuple[int, int, int]) -> str | None:
    """The file may hold every branch of a large project; it is read again only when it has changed."""
    data = read_small(path, _MAX_PACKED) or b""
    line = re.search(rb"^([0-9a-f]{40,64}) " + re.escape(os.fsencode(ref)) + rb"$", data, re.MULTILINE)
    return line[1].decode() if line else None


def branches(repository: Repository, *, limit: int = 10_000) -> frozenset[str]:
    """All local branches: comparing before and after shows which were created."""
    found: set[str] = set()
    if uses_reftable(repository):
        listed = run_git(repository, "for-each-ref", "--format=%(refname)", "refs/heads/") or b""
        found |= {os.fsdecode(line).removeprefix("refs/heads/") for line in listed.splitlines()}
        return frozenset(found)
    top = repository.common_dir / "refs" / "heads"
    for folder, _, names in os.walk(top):
        prefix = os.path.relpath(folder, top)
        found |= {name if prefix == "." else f"{prefix}/{name}" for name in names if not name.endswith(".lock")}
        if len(found) > limit:
            break
    packed = read_small(repository.common_dir / "packed-refs", _MAX_PACKED) or b""
    found |= {os.fsdecode(name) for name in re.findall(rb"^[0-9a-f]{40,64} refs/heads/(\S+)$", packed, re.MULTILINE)}
    return frozenset(found)


def log_end(repository: Repository) -> tuple[int, str]:
    """The size of HEAD's log up to its last whole line, and the mark of that line."""
    chunk = read_range(repository.git_dir / "logs" / "HEAD", -_TAIL, limit=_TAIL)
    if chunk is None:
        return 0, ""
    whole = chunk.data.rfind(b"\n") + 1
    return chunk.start + whole if whole else 0, mark_before(chunk.data[:whole])


def mark_before(data: bytes) -> str:
    """The mark of the last line in a part of the log."""
    start = data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1
    entry = _ENTRY.match(data, start)
    return f"{entry[1].decode()} {entry[2].decode()} {entry[3].decode()}" if entry else ""
