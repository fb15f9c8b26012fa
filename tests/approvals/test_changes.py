"""C10: file changes inside the workspace, and not where later commands are decided."""

from pathlib import Path

import msgspec
import pytest

from rawr.approvals import Judgment, Rules, Surroundings, judge_changes


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "link").symlink_to("../outside")
    (folder / "dotgit").symlink_to(".git")
    (tmp_path / "outside").mkdir()
    (folder / "src" / "linked.py").symlink_to("../../outside/x.py")
    return folder


def judge(
    *paths: str | Path,
    workspace: Path,
    protected: tuple[Path, ...] = (),
    rules: Rules | None = None,
    path: tuple[str, ...] = (),
) -> Judgment:
    around = Surroundings(home=workspace.parent / "home", path=path)
    return judge_changes(paths, workspace=workspace, protected=protected, rules=rules, around=around)


@pytest.mark.mission("C10")
@pytest.mark.parametrize(
    "path",
    [
        "a.txt",
        "src/new/deep.py",
        "./src/x",
        "src/../x",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".github/x",
        "git",
        "ä.txt",
    ],
)
def test_inside(path: str, workspace: Path) -> None:
    assert judge(path, workspace=workspace).safe
    assert judge(workspace / path, workspace=workspace).safe


@pytest.mark.mission("C10")
@pytest.mark.parametrize(
    "path",
    [
        "../x", "/etc/passwd", "~/.bashrc", "src/../../x", "link/x", "src/linked.py", "", ".", "src/..",
        ".git", ".git/config", ".GIT/config", ".Git/hooks/pre-commit", "sub/.git/config", "src/../.git/HEAD",
        "dotgit/config",
        "git~1/config", ".git /config", ".git./config", ".\uff47\uff49\uff54/config", ".g\u200cit/config",
        ".codex/config.toml", ".Codex/x",
        ".agents/x", "sub/.codex/x", "a\nb", "a\x1b[2J", "a\u202eb", "a\0b",
    ],
)  # fmt: skip
def test_outside_or_not_the_agents(path: str, workspace: Path) -> None:
    judgment = judge(path, workspace=workspace)
    assert not judgment.safe
    assert judgment.reasons


def test_all_reasons_are_told(workspace: Path) -> None:
    assert judge("a.txt", "../x", ".git/config", workspace=workspace).reasons == (
        "`../x` is outside the workspace.",
        "`.git/config` is under .git.",
    )
    assert judge(workspace=workspace).reasons == ("It is not known which files would change.",)
    assert not judge(*(str(number) for number in range(1_001)), workspace=workspace).safe


def test_protected_folders(workspace: Path) -> None:
    home = workspace / "rawr-home"
    assert not judge("rawr-home/config.toml", workspace=workspace, protected=(home,)).safe
    assert judge("other/config.toml", workspace=workspace, protected=(home,)).safe
    tree = workspace / "codex" / "worktrees" / "1" / "app"
    (tree / "src").mkdir(parents=True)
    assert judge("x", "src/y", workspace=tree, protected=(workspace / "codex",)).safe, "Codex keeps work trees there"
    assert not judge("x", workspace=tree, protected=(workspace / "codex" / "worktrees",)).safe


def test_rules_and_path(workspace: Path) -> None:
    rules = Rules(protect=("infra",))
    assert not judge("infra/main.tf", workspace=workspace, rules=rules).safe
    assert judge("infrared", workspace=workspace, rules=rules).safe
    bin_dir = str(workspace / ".venv" / "bin")
    assert not judge(".venv/bin/ls", workspace=workspace, path=(bin_dir, "/elsewhere")).safe
    assert judge(".venv/lib/x", workspace=workspace, path=(bin_dir, "/elsewhere")).safe


def test_a_home_is_no_workspace(workspace: Path) -> None:
    around = Surroundings(home=workspace)
    assert not judge_changes(["x"], workspace=workspace, around=around).safe
    assert not judge_changes(
        ["x"], workspace=workspace, around=msgspec.structs.replace(around, home=workspace / "me")
    ).safe
    assert not judge_changes(["x"], workspace=workspace / "missing", around=around).safe
