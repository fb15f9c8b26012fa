"""Where the agent may write, and which paths lead through there (D11)."""

import os
from pathlib import Path

import pytest

from rawr.core.vocabulary.limits import NOT_TOLD, Sandboxing
from rawr.mounts import Mounts
from rawr.writable import Reach, Root, other_names, writable_roots

pytestmark = pytest.mark.mission("D11")

WRITES = Sandboxing("workspace-write")


def folders(sandbox: Sandboxing, workspace: str = "/w", **env: str) -> list[str]:
    return [root.folder for root in writable_roots(sandbox, workspace, env)]


def test_codexs_defaults() -> None:
    assert folders(WRITES, TMPDIR="/var/folders/x") == ["/w", "/tmp", "/var/folders/x"]
    assert folders(Sandboxing("workspace-write", slash_tmp=False, tmpdir=False), TMPDIR="/x") == ["/w"]
    assert folders(Sandboxing("workspace-write", roots=("/more",), slash_tmp=False)) == ["/w", "/more"]


def test_a_root_that_cannot_be_named_opens_nothing() -> None:
    assert folders(Sandboxing("workspace-write", roots=("/a\0b", "relative"), slash_tmp=False)) == ["/w"]


@pytest.mark.parametrize("folder", [".", "..", "tmp", "~/tmp"])
def test_a_relative_tmpdir_is_any_folder(folder: str) -> None:
    """Codex takes it from the folder of each command, and the agent chooses that."""
    assert folders(WRITES, TMPDIR=folder) == ["/w", "/tmp", "/"]
    assert folders(Sandboxing("workspace-write", tmpdir=False), TMPDIR=folder) == ["/w", "/tmp"]
    assert f"TMPDIR is `{folder}`" in Reach(writable_roots(WRITES, "/w", {"TMPDIR": folder})).problem
    assert Reach(writable_roots(WRITES, "/w", {"TMPDIR": "/t"})).problem == ""


def test_a_workspace_that_is_not_known_yet() -> None:
    assert folders(WRITES, "") == ["/tmp"]


@pytest.mark.parametrize("mode", ["", NOT_TOLD, "external-sandbox", "tomorrows-sandbox"])
def test_a_sandbox_that_rawr_does_not_know_may_write(mode: str) -> None:
    assert folders(Sandboxing(mode)) == ["/w", "/tmp"]


def test_where_nothing_can_be_written_and_where_nothing_can_be_kept() -> None:
    assert folders(Sandboxing("read-only"), TMPDIR="/t") == []
    assert folders(Sandboxing("danger-full-access"), TMPDIR="/t") == []


def on_the_way(root: Path, path: Path, *, mounts: Mounts | None = None) -> bool:
    return Reach((Root(str(root), ""),), mounts=mounts).root_on_the_way(path) is not None


def test_inside_and_beside(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    assert on_the_way(work, work)
    assert on_the_way(work, work / "not" / "there" / "yet")
    assert not on_the_way(work, tmp_path / "work-2")
    assert not on_the_way(work, work / ".." / "beside")
    assert on_the_way(work, work / "x" / ".." / ".." / "beside")
    assert not on_the_way(work, tmp_path)


def test_a_root_that_does_not_exist_yet(tmp_path: Path) -> None:
    assert on_the_way(tmp_path / "later", tmp_path / "later" / "home")


def test_links_are_followed_at_both_ends(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    for folder in (work / "in", home):
        folder.mkdir(parents=True)
    (tmp_path / "to-work").symlink_to(work)
    (home / "config.toml").symlink_to("../to-work/in/rules.toml")
    assert on_the_way(work, tmp_path / "to-work" / "home")
    assert on_the_way(tmp_path / "to-work", work / "home")
    assert on_the_way(work, home / "config.toml")
    assert not on_the_way(work, home)


def test_a_link_that_the_agent_can_turn_counts_wherever_it_leads(tmp_path: Path) -> None:
    """Also one link of several, and one whose end is missing."""
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    (work / "way").symlink_to(home)
    (tmp_path / "first").symlink_to(work / "way")
    (tmp_path / "dangling").symlink_to(work / "nowhere")
    assert on_the_way(work, tmp_path / "first" / "config.toml")
    assert on_the_way(work, tmp_path / "dangling")


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert not on_the_way(tmp_path / "work", tmp_path / "a" / "x")


def test_a_bind_mount_of_a_folder_in_the_workspace() -> None:
    table = "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /proj/sub /mnt/x rw - ext4 d rw\n"
    assert on_the_way(Path("/proj"), Path("/mnt/x/home"), mounts=Mounts(table))
    assert on_the_way(Path("/mnt/x"), Path("/proj/sub/home"), mounts=Mounts(table))
    assert not on_the_way(Path("/proj/other"), Path("/mnt/x/home"), mounts=Mounts(table))


def test_the_same_folder_under_another_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that does not tell letters apart gives the same folder for both."""
    (tmp_path / "Work").mkdir()
    if not (tmp_path / "work").exists():
        real = os.stat

        def blind(path: str, **how: bool) -> os.stat_result:
            return real(str(path).replace(f"{tmp_path}/work", f"{tmp_path}/Work"), **how)

        monkeypatch.setattr("rawr.writable.os.stat", blind)
    assert on_the_way(tmp_path / "Work", tmp_path / "work" / "home")


def test_what_lies_inside(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "home" / "work"
    work.mkdir(parents=True)
    (tmp_path / "link").symlink_to(work)
    assert Reach((Root(str(tmp_path / "link"), ""),)).root_inside(home) is not None
    assert Reach((Root(str(home), ""),)).root_inside(home) is not None
    assert Reach((Root(str(tmp_path / "home-2"), ""),)).root_inside(home) is None


def test_other_names_of_a_file(tmp_path: Path) -> None:
    """In its own folder they are as safe as it is."""
    (tmp_path / "home").mkdir()
    file = tmp_path / "home" / "config.toml"
    file.touch()
    assert other_names(file) == 0
    (tmp_path / "home" / "same").hardlink_to(file)
    assert other_names(file) == 0
    (tmp_path / "else").hardlink_to(file)
    assert other_names(file) == 1
    assert other_names(tmp_path / "nothing") == 0
    assert other_names(tmp_path) == 0
