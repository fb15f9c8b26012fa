"""What the words of a git command refer to (C10): commits, and the paths in their trees.

Read from git's files. If git would choose among several meanings of a name, all of them count. Anything that is not
certainly a commit is not understood: a blob, a tree, a search in messages, a time in a log.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rawr.approvals.credentials import suspect
from rawr.approvals.git.index import Index
from rawr.approvals.looking import MAX_DEPTH, Looking
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.packs import Objects, Unreadable
from rawr.observe.repository.refs import uses_reftable

MAX_PACKED = 4 << 20
MAX_LOG = 1 << 20
LATELY = 20
"""How many entries of HEAD's log count if any of them may be meant."""
MAX_LINKS = 5
MAX_TAGS = 5
MAX_PARENTS = 200
"""Steps back from a name, as in ``HEAD~20``."""

_REVISION = re.compile(
    r"\^?(?P<name>@|[A-Za-z0-9_][A-Za-z0-9_./+-]*)(?:@\{(?P<entry>\d{1,6})\})?(?P<steps>(?:~\d{0,3}|\^\d?(?![{!@-])|\^\{(?:commit|)\})*)(?:\^[!@]|\^-\d?)?",
    re.ASCII,
)
_STEP = re.compile(r"([~^])(\d*)(\{\w*\})?")
_HEX = re.compile(r"[0-9a-f]{4,40}", re.IGNORECASE)
_DESCRIBED = re.compile(r".*-g([0-9a-f]{4,40})", re.IGNORECASE)
_OID = re.compile(rb"[0-9a-f]{40}(?=\s|$)")
_LINK = re.compile(rb"ref:\s*(\S+)\s*$")
_PREFIXES = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
_FIELD = re.compile(rb"^(tree|parent|object) ([0-9a-f]{40})$", re.MULTILINE)
_ENTRY = re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL)
_FOLDER = b"40000"
_LOGGED = re.compile(rb"^([0-9a-f]{40}) ([0-9a-f]{40}) ", re.MULTILINE)
_NOTHING = "0" * 40


class Revisions:
    """One repository, as one judgment sees it. All of its methods may raise ``Unreadable``."""

    def __init__(self, repository: Repository, look: Looking) -> None:
        self._repository = repository
        self._look = look
        self._objects = Objects(repository.common_dir, look.spend)
        self._walked: dict[tuple[bytes, bytes], tuple[str, ...]] = {}
        packed = repository.common_dir / "packed-refs"
        self._packed = (look.read(packed, MAX_PACKED) if packed.exists() else b"") or b""
        if packed.exists() and not self._packed.strip():
            raise Unreadable("The refs of the repository cannot be read.")
        if uses_reftable(repository):
            raise Unreadable("The refs of the repository are in a format that rawr does not read.")
        if b" refs/replace/" in self._packed or look.names(repository.common_dir / "refs" / "replace"):
            raise Unreadable("Objects of the repository are replaced by others.")
        shallow = look.read(repository.common_dir / "shallow", MAX_PACKED) or b""
        self._shallow = frozenset(line.decode("ascii", "replace") for line in shallow.split())

    # -- words ----------------------------------------------------------------------------------------------------

    def commits(self, text: str) -> tuple[str, ...] | None:
        """The commits that a word names, or the ends of a range. None if it may be something else."""
        ends = [end for end in re.split(r"\.{2,3}", text, maxsplit=1) if end] if ".." in text else [text]
        found = [self._revision(end) for end in ends]
        if not ends or any(one is None for one in found):
            return None
        return tuple(oid for one in found for oid in one or ())

    def _revision(self, text: str) -> tuple[str, ...] | None:
        read = _REVISION.fullmatch(text)
        if read is None:
            return None
        named = self._named(read["name"]) if read["entry"] is None else self._entry(read["name"], int(read["entry"]))
        commits = [self._peeled(oid) for oid in named]
        for sign, number, _ in _STEP.findall(read["steps"]):
            commits = [self._back(oid, sign, number) for oid in commits if oid is not None]
        return tuple(oid for oid in commits if oid) if commits and all(commits) else None

    def _named(self, name: str) -> set[str]:
        name = "HEAD" if name == "@" else name
        found = {oid for ref in _refs(name) if (oid := self._ref(ref)) is not None}
        for hexes in (_HEX.fullmatch(name), _DESCRIBED.fullmatch(name)):
            if hexes is not None:
                found.update(self._objects.beginning(hexes[hexes.lastindex or 0].lower()))
        return found

    def _entry(self, name: str, number: int) -> set[str]:
        """``HEAD@{2}`` is the value two changes ago."""
        name = "HEAD" if name == "@" else name
        logs = [self._log(ref) for ref in _refs(name) if ".." not in ref]
        found = [[*(new for _, new in reversed(log)), log[0][0]] for log in logs if log]
        return {oids[number] for oids in found if number < len(oids) and oids[number] != _NOTHING}

    def _ref(self, ref: str) -> str | None:
        for _ in range(MAX_LINKS):
            if ".." in ref or ref.startswith("/"):
                return None
            for folder in dict.fromkeys((self._repository.git_dir, self._repository.common_dir)):
                data = self._look.read(folder / ref, 64 * 1024)
                if data is not None:
                    break
            else:
                line = re.search(rb"^([0-9a-f]{40}) " + re.escape(os.fsencode(ref)) + rb"$", self._packed, re.MULTILINE)
                return None if line is None else line[1].decode()
            link = _LINK.match(data)
            if link is None:
                oid = _OID.match(data)
                return None if oid is None else oid[0].decode()
            ref = os.fsdecode(link[1])
        raise Unreadable("A ref points to other refs without end.")

    def _peeled(self, oid: str) -> str | None:
        """The commit, also behind a tag; None if there is none."""
        for _ in range(MAX_TAGS):
            found = self._objects.read(oid)
            if found.kind == "commit":
                return oid
            if found.kind != "tag" or (behind := _fields(found.data, b"object")) is None:
                return None
            oid = behind[0]
        return None

    def _back(self, oid: str, sign: str, number: str) -> str | None:
        """``~3`` goes to the first parent three times, ``^2`` to the second once."""
        count = int(number or 1) if sign == "~" else 1
        which = 1 if sign == "~" else int(number or 1)
        if count > MAX_PARENTS:
            return None
        for _ in range(count if which else 0):
            parents = self.parents(oid)
            if len(parents) < which:
                return None
            oid = parents[which - 1]
        return oid

    # -- commits --------------------------------------------------------------------------------------------------

    def head(self) -> tuple[str, ...]:
        """Empty before the first commit."""
        oid = self._ref("HEAD")
        return () if oid is None else (oid,)

    def parents(self, oid: str) -> tuple[str, ...]:
        return () if oid in self._shallow else _fields(self._objects.read(oid).data, b"parent") or ()

    def everywhere(self) -> Iterator[str]:
        """The commits of every ref, and recent ones of HEAD and the stash, if they still exist."""
        common, own = self._repository.common_dir, self._repository.git_dir
        heads = [own / "HEAD", common / "HEAD", *self._files(common / "refs", 0)]
        read = [_OID.match(self._look.read(file, 4_096) or b"") for file in heads]
        found = [oid[0].decode() for oid in read if oid is not None]
        found += [oid.decode() for oid in re.findall(rb"^([0-9a-f]{40}) ", self._packed, re.MULTILINE)]
        found += [oid for pair in self._log("HEAD")[-LATELY:] for oid in pair]
        yield from self._kept(found)
        yield from self.stashed()

    def stashed(self) -> Iterator[str]:
        oid = self._ref("refs/stash")
        yield from self._kept([*([] if oid is None else [oid]), *(new for _, new in self._log("refs/stash"))])

    def _log(self, ref: str) -> list[tuple[str, str]]:
        """The old and new values of a ref, oldest first."""
        for folder in dict.fromkeys((self._repository.git_dir, self._repository.common_dir)):
            log = folder / "logs" / ref
            data = self._look.read(log, MAX_LOG)
            if data is not None:
                return [(old.decode(), new.decode()) for old, new in _LOGGED.findall(data)]
            if os.path.lexists(log) and not log.is_dir():
                raise Unreadable("A log of the repository is too long to look at.")
        return []

    def _files(self, folder: Path, depth: int) -> Iterator[Path]:
        if depth > MAX_DEPTH:
            raise Unreadable("The refs of the repository cannot be read.")
        for name in self._look.names(folder) or ():
            yield folder / name
            yield from self._files(folder / name, depth + 1)

    def _kept(self, oids: Iterable[str]) -> Iterator[str]:
        """The commits among them that still exist."""
        for oid in dict.fromkeys(oids):
            commit = self._peeled(oid) if oid != _NOTHING and self._objects.has(oid) else None
            if commit is not None:
                yield commit

    # -- trees ----------------------------------------------------------------------------------------------------

    def suspects(self, commits: Iterable[str], index: Index) -> Iterator[str]:
        """Paths of files in the trees of these commits whose names need a closer look.

        A folder that is identical in the index has been checked there.
        """
        for oid in commits:
            tree = _fields(self._objects.read(oid).data, b"tree")
            if not tree:
                raise Unreadable("A commit is not understood.")
            yield from self._below(b"", bytes.fromhex(tree[0]), index, 0)

    def _below(self, folder: bytes, tree: bytes, index: Index, depth: int) -> tuple[str, ...]:
        if (folder, tree) in index.trees:
            return ()
        if (folder, tree) not in self._walked:
            self._walked[folder, tree] = tuple(self._walk(folder, tree, index, depth))
        return self._walked[folder, tree]

    def _walk(self, folder: bytes, tree: bytes, index: Index, depth: int) -> Iterator[str]:
        found = self._objects.read(tree.hex())
        if found.kind != "tree" or depth > MAX_DEPTH:
            raise Unreadable("A tree is not understood.")
        at = 0
        self._look.spend(len(found.data) // 512)
        while at < len(found.data):
            entry = _ENTRY.match(found.data, at)
            if entry is None:
                raise Unreadable("A tree is not understood.")
            at = entry.end()
            path = folder + entry[2]
            if entry[1].lstrip(b"0") == _FOLDER:
                yield from self._below(path + b"/", entry[3], index, depth + 1)
            elif suspect(path):
                yield path.decode("utf-8", "surrogateescape")


def _refs(name: str) -> list[str]:
    """The refs that a short name may mean."""
    return [*(prefix + name for prefix in _PREFIXES), f"refs/remotes/{name}/HEAD"]


def _fields(data: bytes, name: bytes) -> tuple[str, ...] | None:
    """The values of a field in the header of a commit or a tag."""
    head = data.partition(b"\n\n")[0]
    return tuple(oid.decode() for kind, oid in _FIELD.findall(head) if kind == name) or None
