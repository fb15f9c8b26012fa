"""C10: programs that the user's own configuration names, and that come from the workspace all the same.

Each is really set up so that it leaves a mark. Every line of git that is still approved is run by the real git, and
there must be no mark; and for each of them a line is shown that does leave one, and is not approved.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Surroundings, judge_command
from tests.approvals.corpus import HARMLESS

LINES = [line for line in HARMLESS if line.startswith("git ") and "\n" not in line]
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


class Setting:
    """A workspace that holds what a helper of the user's would find from there."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.hooks = folder / "home", folder / "workspace", folder / "hooks"
        for place in (self.home, self.root / "src", self.root / "docs", self.hooks):
            place.mkdir(parents=True)
        self.mark = folder / "mark"
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}
        (self.root / "tidy.py").write_text(f"open({str(self.mark)!r}, 'a').write('tidy')\nimport sys\nprint(1)\n")
        for tool in ("tool", "git-lfs", "difft", "xxd"):
            (self.root / tool).write_text(f"#!/bin/sh\necho {tool} >> {self.mark}\ncat\n")
            (self.root / tool).chmod(0o755)
        (self.root / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
        (self.root / "src" / "app.py").write_text("def main():\n    return 1\n")
        (self.root / "docs" / "guide.md").write_text("# Guide\n")
        (self.root / "README.md").write_text("one\n")
        self.git("init", "-q", "--template=", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "one")
        self._sign()
        (self.root / "README.md").write_text("two\n")
        (self.root / "src" / "app.py").write_text("def main():\n    return 2\n")

    def _sign(self) -> None:
        """git asks gpg about a commit that says it is signed."""
        commit = self.git("cat-file", "commit", "HEAD")
        head, _, rest = commit.partition("\n\n")
        signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{rest}"
        (self.root / "signed").write_text(signed)
        name = self.git("hash-object", "-t", "commit", "-w", "signed").strip()
        self.git("update-ref", "HEAD", name)
        (self.root / "signed").unlink()

    def git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.root, env=self.env, capture_output=True, text=True).stdout

    def judge(self, line: str) -> Judgment:
        return judge_command(line, cwd=self.root, workspace=self.root, around=Surroundings.read(self.env))

    def run(self, lines: list[str]) -> str:
        """All of them, as Codex would. What was left as a mark is given back."""
        self.mark.unlink(missing_ok=True)
        self.git("update-index", "--force-write-index", "--really-refresh")
        self.mark.unlink(missing_ok=True)
        (self.root / "docs" / "guide.md").touch()
        script = "".join(f"( {line}\n) </dev/null >/dev/null 2>&1\n" for line in lines)
        subprocess.run(["bash", "-c", script], cwd=self.root, env=self.env, check=False)
        return self.mark.read_text() if self.mark.exists() else ""


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


PYTHON = f"{sys.executable} -m tidy"
HOOK = f"#!/bin/sh\n{PYTHON}\n"

RUNS = {
    "a filter": ('[filter "x"]\n\tclean = COMMAND\n', "git diff"),
    "a filter that is required": ('[filter "x"]\n\trequired\n\tclean = "COMMAND"\n', "git status"),
    "a filter that goes on": ('[filter "x"]\n\tprocess = COMMAND\n', "git diff"),
    "an external diff": ("[diff]\n\texternal = COMMAND\n", "git diff"),
    "a driver for diffs": ('[diff "x"]\n\tcommand = COMMAND\n', "git diff"),
    "a driver in an old spelling": ("[diff.x]\n\tcommand = COMMAND\n", "git diff"),
    "text for diffs": ('[diff "x"]\n\ttextconv = COMMAND\n', "git diff"),
    "text for patches": ('[diff "x"]\n\ttextconv = COMMAND\n', "git log -p"),
    "text for blame": ('[diff "x"]\n\ttextconv = COMMAND\n', "git blame README.md"),
    "a watcher": ("[core]\n\tfsmonitor = COMMAND\n", "git status"),
    "gpg for signatures": ("[gpg]\n\tprogram = ./tool\n[log]\n\tshowSignature = true\n", "git log"),
    "gpg by a format": ('[gpg]\n\tprogram = ./tool\n[format]\n\tpretty = "%G? %s"\n', "git log"),
    "gpg by a format of one's own": ('[gpg]\n\tprogram = ./tool\n[pretty]\n\tmine = "%GS"\n', "git log --format=mine"),
    "a line that goes on": ("[user]\n\tname = x \\\n\ty\n[diff]\n\texternal = COMMAND\n", "git diff"),
    "behind a comment": ("[user]\n\tname = x # \\\n[diff]\n\texternal = COMMAND\n", "git diff"),
    "on the same line": ("[diff] external = COMMAND\n", "git diff"),
}
"""Settings of the user's own, and a line that runs them."""

COMMANDS = (
    PYTHON,
    "python3 -m tidy",
    "sh tool",
    "./tool",
    "sh ./tool -x",
    "env sh tool",
    f"{sys.executable} tidy.py",
    "PYTHONPATH=. python3 -m tidy",
    "perl -I. tool",
    "make tool",
    "npx tool",
    "sh -c ./tool",
)


@pytest.mark.mission("C10")
@pytest.mark.parametrize("kind", RUNS)
def test_what_the_user_configured_does_not_run_what_the_agent_wrote(kind: str, setting: Setting) -> None:
    text, runs = RUNS[kind]
    assert all(setting.judge(line).safe for line in ("git diff", "git status", "git log -p", "git blame README.md"))
    (setting.home / ".gitconfig").write_text(text.replace("COMMAND", PYTHON))
    assert not setting.judge(runs).safe
    assert setting.run([runs]) != "", "the trap does not snap"
    approved = [line for line in LINES if setting.judge(line).safe]
    assert len(approved) > 20, "branch, tag and rev-parse run no helper"
    assert setting.run(approved) == "", approved


@pytest.mark.parametrize("command", COMMANDS)
def test_no_way_to_write_it_is_safe(command: str, setting: Setting) -> None:
    for key in ("clean", "process"):
        (setting.home / ".gitconfig").write_text(f'[filter "x"]\n\t{key} = {command}\n')
        assert not setting.judge("git diff").safe
    for text in ("[diff]\n\texternal", '[diff "x"]\n\tcommand', '[diff "x"]\n\ttextconv', "[core]\n\tfsmonitor"):
        (setting.home / ".gitconfig").write_text(f"{text} = {command}\n")
        assert not setting.judge("git diff").safe, text
        assert not setting.judge("git log -p").safe, text


@pytest.mark.mission("C10")
def test_settings_by_way_of_files_and_variables(setting: Setting) -> None:
    evil = setting.home / "more"
    evil.write_text(f"[diff]\n\texternal = {PYTHON}\n")
    config = setting.home / ".gitconfig"
    for text in (
        "[include]\n\tpath = more\n",
        "[include]\n\tpath = ~/more\n",
        f'[include]\n\tpath = "{setting.home}/mo\\\\re"\n\tpath = more\n',
        f'[includeIf "gitdir:{setting.root}/"]\n\tpath = more\n',
        '[includeIf "onbranch:main"]\n\tpath = more # x\n',
    ):
        config.write_text(text)
        assert not setting.judge("git diff").safe, text
        assert setting.run(["git diff"]) != "", f"the trap does not snap: {text}"
    config.write_text("")
    for variables in (
        {"GIT_CONFIG_GLOBAL": str(evil)},
        {"GIT_CONFIG_SYSTEM": str(evil), "GIT_CONFIG_NOSYSTEM": "0"},
        {"XDG_CONFIG_HOME": str(setting.home / "xdg")},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.external", "GIT_CONFIG_VALUE_0": PYTHON},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "Diff.X.Command", "GIT_CONFIG_VALUE_0": PYTHON},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "include.path", "GIT_CONFIG_VALUE_0": str(evil)},
        {"GIT_CONFIG_PARAMETERS": f"'diff.external'='{PYTHON}'"},
        {"GIT_EXTERNAL_DIFF": PYTHON},
    ):
        (setting.home / "xdg" / "git").mkdir(parents=True, exist_ok=True)
        (setting.home / "xdg" / "git" / "config").write_text(evil.read_text())
        plain, setting.env = setting.env, {**setting.env, **variables}
        assert not setting.judge("git diff").safe, variables
        if "Diff.X.Command" not in variables.values():  # names of drivers keep their case
            assert setting.run(["git diff"]) != "", f"the trap does not snap: {variables}"
        setting.env = plain


def test_hooks_of_the_user(setting: Setting) -> None:
    (setting.home / ".gitconfig").write_text(f"[core]\n\thooksPath = {setting.hooks}\n")
    (setting.hooks / "pre-commit").write_text(HOOK)
    assert setting.judge("git status").safe, "that one runs only with a commit"
    (setting.hooks / "post-index-change").write_text(HOOK)
    (setting.hooks / "post-index-change").chmod(0o755)
    assert not setting.judge("git status").safe
    assert setting.run(["git status"]) != "", "the trap does not snap"
    assert setting.run([line for line in LINES if setting.judge(line).safe]) == ""


@pytest.mark.parametrize("entry", [".", "", "tools", "ROOT"])
def test_a_path_that_leads_into_the_workspace(entry: str, setting: Setting) -> None:
    """Names on the list are fine only as long as they are the system's."""
    text = '[filter "x"]\n\tclean = git-lfs clean -- %f\n[diff "x"]\n\ttextconv = xxd\n[diff]\n\texternal = difft\n'
    (setting.home / ".gitconfig").write_text(text)
    setting.env["PATH"] = os.pathsep.join([entry.replace("ROOT", str(setting.root)), setting.env["PATH"]])
    assert not setting.judge("git diff").safe
    if entry != "tools":
        assert setting.run(["git diff"]) != "", "the trap does not snap"
    assert setting.run([line for line in LINES if setting.judge(line).safe]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tpager = delta\n[pager]\n\tlog = less -R\n[interactive]\n\tdiffFilter = delta --color-only\n",
        "[core]\n\teditor = code --wait\n\tsshCommand = ssh -i ~/.ssh/work\n[credential]\n\thelper = ./tool\n",
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n\tprocess = git-lfs filter-process\n',
        '[alias]\n\tst = status\n\tdiff = !./tool\n\tstatus = !./tool\n\tf = "!f() { git log; }; f"\n',
        "[core]\n\tfsmonitor = false\n\tuntrackedCache = true\n[gpg]\n\tprogram = /usr/bin/gpg2\n",
        "[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = x\n[pull]\n\trebase = true\n[rerere]\n\tenabled = 1\n",
        "[diff]\n\tcolorMoved = default\n\talgorithm = histogram\n\tsubmodule = short\n[merge]\n\tff = only\n",
        '[diff "x"]\n\ttextconv = /usr/bin/xxd -p\n[diff "y"]\n\txfuncname = "^def .*"\n',
        "[mergetool]\n\tcmd = ./tool\n[difftool]\n\tcmd = ./tool\n[delta]\n\tnavigate = true\n[ghq]\n\troot = ~/src\n",
        "[format]\n\tpretty = oneline\n[log]\n\tdate = iso\n\tshowSignature = false\n",
        '[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n[init]\n\tdefaultBranch = main\n',
    ],
)
def test_ordinary_configurations_are_fine(text: str, setting: Setting) -> None:
    (setting.home / ".gitconfig").write_text(text)
    judged = {line: setting.judge(line) for line in LINES}
    refused = {line: judgment.reasons for line, judgment in judged.items() if not judgment.safe}
    assert len(refused) <= 2, refused
    assert setting.run(["git diff", "git status", "git log -p", "git blame README.md", "git show"]) == ""


def test_a_configuration_that_is_not_understood(setting: Setting) -> None:
    for text in (
        "[core",
        "name = x\n",
        '[diff "x]\n',
        "[core]\n\tx = \\q\n",
        '[core]\n\tx = "a\n',
        "[core]\n\t1x = a\n",
    ):
        (setting.home / ".gitconfig").write_text(text)
        assert not setting.judge("git diff").safe, text
    (setting.home / ".gitconfig").write_bytes(b"\xff\xfe")
    assert not setting.judge("git diff").safe


def test_how_changes_of_submodules_are_shown(setting: Setting) -> None:
    """``log`` reads the submodule's commits, and may have git fetch them by settings that the agent wrote."""
    (setting.home / ".gitconfig").write_text("[diff]\n\tsubmodule = log\n")
    assert not any(setting.judge(line).safe for line in ("git diff", "git show", "git log -p", "git diff-tree -p HEAD"))
    assert all(setting.judge(line).safe for line in ("git status", "git log", "git log --oneline", "git branch -v"))
