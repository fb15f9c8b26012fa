"""What moved HEAD, according to git's own log of it (B6).

``movements`` returns what came after a position. If the log was cut, rewritten or switched off, the commits themselves
tell, so a commit is never missed; only its kind may be less exact.
"""

import re
import time

from msgspec import Struct

from rawr.observe.files import read_range
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.objects import made_since, read_commit
from rawr.observe.repository.refs import LogPosition, head_of, mark_before, uses_reftable
from rawr.observe.repository.unlogged import MovementKind, Step, steps_between

MAX_READ = 1 << 20
MAX_MOVEMENTS = 1000
MAX_SUBJECT = 500

_ENTRY = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\n]*?(\d{1,15}) [+-]\d{4}(?:\t([^\n]*))?")
_MAKES = frozenset({"pick", "squash", "fixup", "reword", "edit", "continue", "merge"})
_REBASE = re.compile(r"(?:pull(?: .*)?|rebase(?: -\w+)?) \((?P<step>[\w ]+)\)")
_ZERO = re.compile(r"0+")


class Movement(Struct, frozen=True):
    kind: MovementKind
    before: str | None
    after: str
    subject: str
    at: int
    made: bool
    """It created a commit. A fast-forward, a reset or a checkout only goes to one."""


class _Line(Struct, frozen=True):
    before: str | None
    after: str
    at: int
    message: str


def movements(repository: Repository, since: LogPosition) -> tuple[tuple[Movement, ...], LogPosition]:
    """What moved HEAD since then, oldest first, and the position to continue from."""
    at = time.time()
    lines, size, last = _new_lines(repository, since)
    branch, head = head_of(repository)
    found = [_movement(repository, line, since) for line in lines]
    # Git writes the log before it moves the branch, so HEAD may still be where one of these lines began.
    expected = {since.head, *(line.after for line in lines), *(line.before for line in lines)}
    if head is not None and head not in expected:
        start = lines[-1].after if lines else since.head
        steps = steps_between(repository, start, head, at=since.at, switched=branch != since.branch and not lines)
        found += [_from_step(step) for step in steps]
    elif not lines and branch != since.branch and head is not None:
        found.append(Movement("checkout", since.head, head, _moving(since.branch, branch), int(since.at), made=False))
    return tuple(found[-MAX_MOVEMENTS:]), LogPosition(head, branch, size, last, at)


def _moving(before: str | None, after: str | None) -> str:
    return f"moving from {before or 'a commit'} to {after or 'a commit'}"


def _new_lines(repository: Repository, since: LogPosition) -> tuple[list[_Line], int, str]:
    if uses_reftable(repository):
        return _asked(repository, since)
    path = repository.git_dir / "logs" / "HEAD"
    overlap = min(since.size, 8 * 1024)
    chunk = read_range(path, since.size - overlap, limit=MAX_READ + overlap)
    if chunk is None:
        return [], 0, ""
    if chunk.size > chunk.start + len(chunk.data):  # more than fits: keep the newest
        chunk = read_range(path, -MAX_READ, limit=MAX_READ) or chunk
    data = chunk.data[: chunk.data.rfind(b"\n") + 1]
    size, last = chunk.start + len(data), mark_before(data)
    seen = since.size - chunk.start
    if chunk.size >= since.size and 0 <= seen <= len(data) and mark_before(data[:seen]) == since.last:
        return _parsed(data[seen:]), size, last
    if seen < 0:  # cut off by the limit: begin at a whole line
        return _parsed(data[data.find(b"\n") + 1 :]), size, last
    tail = read_range(path, -MAX_READ, limit=MAX_READ)
    lines = [] if tail is None else _parsed(tail.data[: tail.data.rfind(b"\n") + 1])
    return _after(lines, since), size if tail is None else tail.size, last


def _after(lines: list[_Line], since: LogPosition) -> list[_Line]:
    """The new lines of a rewritten log: those after the last one seen, or else those that continue from HEAD."""
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if f"{line.before or '0' * len(line.after)} {line.after} {line.at}" == since.last:
            return lines[at + 1 :]
    for at, line in enumerate(lines):
        if line.before == since.head and line.at >= int(since.at):
            return lines[at:]
    return []


def _asked(repository: Repository, since: LogPosition) -> tuple[list[_Line], int, str]:
    """Through git: the log of a reftable repository. Its size is the number of entries seen."""
    text = run_git(
        repository,
        "reflog",
        "show",
        "--no-abbrev",
        "--date=unix",
        f"--max-count={MAX_MOVEMENTS}",
        "--format=%H %gd %gs",
        "HEAD",
        "--",  # there may be a file with that name
    )
    rows = re.findall(rb"^([0-9a-f]{40,64}) HEAD@\{(\d+)\} (.*)$", text or b"", re.MULTILINE)[::-1]
    lines: list[_Line] = []
    before = since.head
    for oid, at, message in rows:
        lines.append(_Line(before, oid.decode(), int(at), message.decode("utf-8", "replace")))
        before = oid.decode()
    marks = [f"{line.after} {line.at} {line.message}" for line in lines]
    last = marks[-1] if marks else ""
    seen = (
        marks.index(since.last) + 1
        if since.last in marks
        else 0
        if not since.last and since.head is None
        else len(lines)
    )
    return lines[seen:], len(lines), last


def _parsed(data: bytes) -> list[_Line]:
    lines: list[_Line] = []
    for raw in data.split(b"\n")[-MAX_MOVEMENTS - 1 :]:
        entry = _ENTRY.fullmatch(raw)
        # Renaming the branch leaves HEAD unset for a moment; the next line reports it.
        if entry is not None and not _ZERO.fullmatch(entry[2].decode()):
            before = entry[1].decode()
            message = (entry[4] or b"").decode("utf-8", "replace")
            lines.append(_Line(None if _ZERO.fullmatch(before) else before, entry[2].decode(), int(entry[3]), message))
    return lines


def _movement(repository: Repository, line: _Line, since: LogPosition) -> Movement:
    action, colon, subject = line.message.partition(": ")
    if not colon:
        action, subject = "", line.message
    kind, makes = classify(action, subject)
    if kind == "other" and line.before != line.after and not subject.startswith("Fast-forward"):
        commit = read_commit(repository, line.after)
        before = read_commit(repository, line.before) if line.before else None
        if commit is not None and made_since(repository, commit, at=since.at):
            amended = before is not None and commit.parents == before.parents
            kind = "amend" if amended else "merge" if len(commit.parents) > 1 else "commit"
            makes, subject = True, commit.subject
    made = makes and line.before != line.after
    if made and kind in ("merge", "pull") and (merged := read_commit(repository, line.after)) is not None:
        # The log says how it was merged, not what the commit says.
        subject = merged.subject
    return Movement(kind, line.before, line.after, subject[:MAX_SUBJECT], line.at, made)


def classify(action: str, subject: str) -> tuple[MovementKind, bool]:
    """The movement that an entry's first words mean, and True if it makes a commit."""
    forwards = subject.lower().startswith(("fast-forward", "updating head", "checkout "))
    rebase = _REBASE.fullmatch(action)
    if rebase is not None:
        return "rebase", rebase["step"] in _MAKES and not forwards
    first, _, rest = action.partition(" ")
    kind: MovementKind = _FIRST.get(first, "other")
    if kind == "commit":
        kind = _COMMITS.get(rest, "commit")
    makes = kind in ("commit", "amend", "merge", "cherry_pick", "revert", "pull", "rebase")
    if action.startswith("rebase finished") or action == "initial pull":
        return ("pull" if action == "initial pull" else "rebase"), False
    return kind, makes and not forwards


_FIRST: dict[str, MovementKind] = {
    "commit": "commit",
    "am": "commit",
    "merge": "merge",
    "pull": "pull",
    "rebase": "rebase",
    "cherry-pick": "cherry_pick",
    "revert": "revert",
    "reset": "reset",
    "checkout": "checkout",
    "switch": "checkout",
    "clone": "clone",
    "branch": "branch",
    "Branch": "branch",
}
_COMMITS: dict[str, MovementKind] = {"(amend)": "amend", "(merge)": "merge", "(cherry-pick)": "cherry_pick"}


def _from_step(step: Step) -> Movement:
    return Movement(step.kind, step.before, step.after, step.subject[:MAX_SUBJECT], step.at, step.made)
