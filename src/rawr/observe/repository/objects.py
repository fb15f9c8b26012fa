"""Read a commit (B6): its parents, time and subject. From the loose object, or else through git.

Through git rather than ``packs``, because git also follows alternates and reads SHA-256 repositories; ``packs`` does
neither.
"""

import os
import re
import zlib

from msgspec import Struct

from rawr.observe.files import read_range, read_small
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository

_MAX_OBJECT = 1 << 20
_MAX_TEXT = 256 * 1024
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CLOCK_SLACK = 0.05
"""A file's time comes from a coarser clock than ours."""


class Commit(Struct, frozen=True):
    oid: str
    parents: tuple[str, ...]
    committed_at: int
    subject: str
    written_at: float | None
    """When the object was written here; None if it is in a pack."""
    author: str = ""
    """Name, address and date, as git has them."""


def read_commit(repository: Repository, oid: str) -> Commit | None:
    if not _OID.fullmatch(oid):
        return None
    path = repository.common_dir / "objects" / oid[:2] / oid[2:]
    loose = read_range(path, 0, limit=_MAX_OBJECT)
    if loose is not None:
        data = _inflated(loose.data)
        if data is None or not data.startswith(b"commit "):
            return None
        return _parsed(oid, data.partition(b"\0")[2], written_at=loose.mtime)
    text = run_git(repository, "cat-file", "commit", oid)
    return None if text is None else _parsed(oid, text, written_at=None)


def made_since(repository: Repository, commit: Commit, *, at: float) -> bool:
    """It was made here after that time, not fetched. A commit's date is easy to set, a file's hardly."""
    if commit.written_at is None:
        return commit.committed_at >= int(at)
    if commit.written_at < at - _CLOCK_SLACK:
        return False
    fetched = read_small(repository.git_dir / "FETCH_HEAD", _MAX_OBJECT)
    return fetched is None or os.fsencode(commit.oid) not in fetched


def _inflated(data: bytes) -> bytes | None:
    try:
        return zlib.decompressobj().decompress(data, _MAX_TEXT)
    except zlib.error:
        return None


def _parsed(oid: str, data: bytes, *, written_at: float | None) -> Commit | None:
    header, _, message = data.partition(b"\n\n")
    parents = tuple(parent.decode() for parent in re.findall(rb"^parent ([0-9a-f]{40,64})$", header, re.MULTILINE))
    time = re.search(rb"^committer [^\n]*? (\d{1,15}) [+-]\d{4}$", header, re.MULTILINE)
    author = re.search(rb"^author ([^\n]*)$", header, re.MULTILINE)
    encoding = re.search(rb"^encoding ([\w.-]{1,32})$", header, re.MULTILINE)
    subject = message.lstrip(b"\n").partition(b"\n")[0]
    name = encoding[1].decode() if encoding else "utf-8"
    try:
        text = subject.decode(name, "replace")
    except (LookupError, UnicodeError):
        text = subject.decode("utf-8", "replace")
    who = author[1].decode("utf-8", "replace") if author else ""
    return Commit(oid, parents, int(time[1]) if time else 0, text, written_at, who)
