"""B6: looking at a hostile repository runs nothing that its configuration names."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from rawr.observe.repository import gitrun
from rawr.observe.repository.git import aliases, branches, family, graphite_stack, locate, look, movements
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.objects import read_commit

PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.editor", "core.gitProxy", "pager.config",
    "pager.reflog", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean",
    "filter.evil.smudge", "filter.evil.process", "gpg.program", "credential.helper", "sequence.editor",
    "uploadpack.packObjectsHook", "core.alternateRefsCommand", "trailer.x.command", "interactive.diffFilter",
)  # fmt: skip
HOOKS = (
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "post-rewrite",
    "fsmonitor-watchman",
)


@pytest.fixture
def hostile(tmp_path: Path, own_home: Path) -> tuple[Path, Path]:
    """A repository in which everything that can run a program does, and the file that would prove it."""
    marker = tmp_path / "executed"
    evil = tmp_path / "evil.sh"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\n')
    evil.chmod(0o755)
    (own_home / ".gitconfig").write_text("[user]\n name = Ada\n email = a@example.org\n[alias]\n mine = commit\n")
    folder = tmp_path / "repo"
    folder.mkdir()
    commands = ["init", "-q", "--template="], ["commit", "-q", "--allow-empty", "-m", "one"]
    for command in commands:
        subprocess.run(["git", *command], cwd=folder, check=True)
    hooks = folder / ".git" / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).symlink_to(evil)
    with (folder / ".git" / "config").open("a") as config:
        for name in PROGRAMS:
            section, _, key = name.rpartition(".")
            first, _, rest = section.partition(".")
            config.write(f'[{first} "{rest}"]\n' if rest else f"[{first}]\n")
            config.write(f"\t{key} = {evil}\n")
        config.write(f"[core]\n\thooksPath = {hooks}\n\tworktree = {tmp_path}\n")
        config.write("[log]\n\tshowSignature = true\n[alias]\n")
        for name in ("config", "rev-parse", "cat-file", "merge-base", "reflog", "evil"):
            config.write(f"\t{name} = !{evil}\n")
        config.write(
            f'[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::{evil} %S\n\tpromisor = true\n'
        )
    (folder / ".gitattributes").write_text("* diff=evil filter=evil\n")
    return folder, marker


def test_looking_runs_nothing(hostile: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function that looks, through files and through git; also with an environment that names programs."""
    folder, marker = hostile
    evil = str(marker.parent / "evil.sh")
    for name in ("GIT_PAGER", "PAGER", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR", "LESSOPEN"):
        monkeypatch.setenv(name, evil)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", evil)
    repository = locate(folder)
    assert repository is not None
    view = look(repository)
    assert view.head is not None
    missing = "0" * 39 + "1"
    nowhere = msgspec.structs.replace(view.log_position, head=missing, last="", size=0)
    movements(repository, nowhere)
    (folder / ".git" / "logs" / "HEAD").unlink()
    movements(repository, nowhere)
    assert read_commit(repository, missing) is None  # a partial clone would fetch it
    assert aliases(repository)["evil"].startswith("!")
    assert aliases(repository)["mine"] == "commit"
    branches(repository)
    graphite_stack(repository)
    family(repository)
    (folder / ".git" / "reftable").mkdir()
    assert look(repository).head == view.head
    movements(repository, nowhere)
    branches(repository)
    run_git(repository, "cat-file", "commit", missing)
    assert not marker.exists(), marker.read_text()


def test_the_trap_would_have_snapped(hostile: tuple[Path, Path]) -> None:
    """The same repository, asked without care: the marker is there. Otherwise the test above proves nothing."""
    folder, marker = hostile
    for command in (["status"], ["cat-file", "commit", "0" * 39 + "1"], ["evil"]):
        marker.unlink(missing_ok=True)
        subprocess.run(
            ["git", "-c", "protocol.ext.allow=always", *command],
            cwd=folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
        assert marker.exists(), command


def test_a_repository_of_someone_else(hostile: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """``safe.directory`` stops git from looking around, not from reading what it is pointed to."""
    folder, marker = hostile
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setattr(gitrun, "_PASSED_ON", (*gitrun._PASSED_ON, "GIT_TEST_ASSUME_DIFFERENT_OWNER"))
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True)
    assert b"dubious ownership" in done.stderr
    repository = locate(folder)
    assert repository is not None
    assert look(repository).head is not None
    assert "evil" in aliases(repository)
    assert not marker.exists()


def test_links_and_loops(tmp_path: Path) -> None:
    """A ``.git`` that points to itself, a reference that does, and a log that is a directory."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / ".git").symlink_to(tmp_path / "a" / ".git")
    assert locate(tmp_path / "a") is None
    git_dir = tmp_path / "b" / ".git"
    for name in ("objects", "refs/heads", "logs/HEAD"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/x\n")
    (git_dir / "refs" / "heads" / "x").write_text("ref: refs/heads/x\n")
    repository = locate(tmp_path / "b")
    assert repository is not None
    view = look(repository)
    assert (view.branch, view.head) == ("x", None)
    assert movements(repository, view.log_position)[0] == ()
    assert isinstance(aliases(repository), dict)
