"""C10: git's objects are read as git reads them, from loose files and from packs, and what is damaged is said to be."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.observe.repository.packs import Objects, Unreadable

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    def run(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, env=ENV, check=True, capture_output=True, text=True).stdout

    run("init", "-q", "--template=")
    (tmp_path / "wide").mkdir()
    for number in range(300):  # a tree that is worth a delta, and more than one block
        (tmp_path / "wide" / f"file-{number}").write_text(f"{number}\n")
    for number in range(6):
        (tmp_path / "wide" / f"file-{number}").write_text("changed\n")
        run("add", ".")
        run("commit", "-q", "-m", f"commit {number}")
    run("tag", "-a", "-m", "a tag", "v1")
    return run


def _folder(git: Git) -> Path:
    return Path(git("rev-parse", "--absolute-git-dir").strip())


@pytest.mark.parametrize(
    "packed", [(), ("repack", "-adfq"), ("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")]
)
def test_every_object(packed: tuple[str, ...], git: Git) -> None:
    if packed:
        git(*packed)
        git("prune-packed")
    listed = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
    steps: list[int] = []
    objects = Objects(_folder(git), steps.append)
    for line in listed.splitlines():
        oid, kind, size = line.split()
        found = objects.read(oid)
        assert (found.kind, len(found.data)) == (kind, 0 if kind == "blob" else int(size))
        assert oid in objects.beginning(oid[:7])
        assert objects.has(oid)
    assert len(listed.splitlines()) > 300
    assert sum(steps) > len(listed.splitlines())
    assert not objects.has("1" * 40)


def test_what_is_not_there_or_damaged(git: Git) -> None:
    head = git("rev-parse", "HEAD").strip()
    folder = _folder(git)
    with pytest.raises(Unreadable, match="is not there"):
        Objects(folder, lambda _: None).read("1" * 40)
    git("repack", "-adfq")
    pack = next((folder / "objects" / "pack").glob("*.pack"))
    whole = pack.read_bytes()
    pack.chmod(0o600)
    for text in (b"", whole[:40], b"\xff" * len(whole), bytes(len(whole)), whole[:12] + b"\x6f" * len(whole)):
        pack.write_bytes(text)
        with pytest.raises(Unreadable):
            Objects(folder, lambda _: None).read(head)
    pack.with_suffix(".idx").unlink()
    loose = folder / "objects" / head[:2]
    loose.mkdir(exist_ok=True)
    (loose / head[2:]).write_bytes(b"not packed")
    with pytest.raises(Unreadable, match="damaged"):
        Objects(folder, lambda _: None).read(head)
