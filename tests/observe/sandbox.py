"""A small world of repositories in which command lines are really run, and the truth about what they did.

The truth does not come from the code under test: it compares git's own lists of objects before and after, and asks
which of the new commits HEAD has stood on.
"""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rawr.observe.intents.reading import Intent, intents
from rawr.observe.repository.git import Movement, Repository, aliases, branches, family, locate, look, movements
from rawr.observe.repository.refs import LogPosition
from rawr.observe.repository.verdict import Verdict, committed

GITCONFIG = """
[user]
    name = Ada
    email = ada@example.org
[init]
    defaultBranch = main
[commit]
    gpgsign = false
[protocol "file"]
    allow = always
[advice]
    detachedHead = false
[alias]
    ci = commit
    cim = ci -m
    cam = commit -a -m
    amend = commit --amend --no-edit
    st = status
    dry = commit --dry-run
    save = !git add -A && git commit -m saved
    mention = !echo git commit -m x
    fn = "!f() { git commit -m \\"$1\\"; }; f"
    commit = status
    loopa = loopb
    loopb = loopa
    quiet = -c core.quotePath=false commit -q
    nb = checkout -b
"""

COMMIT_SH = """#!/bin/sh
git add -A
git commit -q -m 'from a script'
"""

GH = """#!/bin/sh
case "$1 $2" in
  "pr create")
    for word in "$@"; do [ "$word" = --dry-run ] && { echo "Would have created a Pull Request with:"; exit 0; }; done
    [ -f .pr ] && { echo "a pull request for branch x already exists:"; echo https://github.com/o/r/pull/7; exit 1; }
    [ -n "$GH_BROKEN" ] && { echo "HTTP 401: Bad credentials" >&2; exit 4; }
    echo "Creating pull request for x into main in o/r"; echo https://github.com/o/r/pull/12;;
  "pr merge") echo "✓ Merged pull request o/r#12 (x)"; [ -n "$GH_BROKEN" ] && exit 1; exit 0;;
  "pr "*) [ -n "$GH_BROKEN" ] && exit 1; echo done;;
  *) echo "unknown command" >&2; exit 1;;
esac
"""

GT = """#!/bin/sh
case "$1" in
  create|c) git checkout -q -b "stack-$$" && git commit -q --allow-empty -m "stacked";;
  modify|m) git commit -q --amend --no-edit;;
  submit|s|ss) echo "https://app.graphite.dev/github/pr/o/r/31 (created)";;
  land|merge) [ -n "$GT_BROKEN" ] && exit 1; echo merged;;
  log) echo "a stack";;
  *) exit 1;;
esac
"""


HELPERS = {
    "refuse": "#!/bin/sh\nmkdir -p .git/hooks; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/$1; chmod +x .git/hooks/*\n",
    "commits": "#!/bin/sh\nmkdir -p .git/hooks; cp commit.sh .git/hooks/$1\n",
    "unlogged": "#!/bin/sh\ngit config core.logAllRefUpdates false; rm -rf .git/logs\n",
}


@dataclass(frozen=True)
class Seen:
    """What came of one line."""

    line: str
    truth: bool
    new_commits: int
    exit_code: int
    output: str
    intents: tuple[Intent, ...]
    movements: tuple[Movement, ...]
    verdict: Verdict
    branches_before: frozenset[str]
    branches_after: frozenset[str]


class Sandbox:
    """``template`` is made once; ``work`` is a fresh copy of it for each line, always at the same place."""

    def __init__(self, folder: Path) -> None:
        self.template = folder / "template"
        self.work = folder / "work"
        self.repo = self.work / "repo"
        self.work.mkdir(parents=True)
        self.env = {
            "HOME": str(self.work / "home"),
            "PATH": f"{self.work / 'bin'}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GIT_TERMINAL_PROMPT": "0",
            "TERM": "dumb",
        }
        self._build()
        self.before = self._commits()
        shutil.move(self.work, self.template)

    def _build(self) -> None:
        home = self.work / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(GITCONFIG)
        bin_dir = self.work / "bin"
        bin_dir.mkdir()
        for name, text in (("gh", GH), ("gt", GT), *HELPERS.items()):
            (bin_dir / name).write_text(text)
            (bin_dir / name).chmod(0o755)
        done = subprocess.run(["bash", "-ec", BUILD], cwd=self.work, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        (self.repo / "commit.sh").write_text(COMMIT_SH)
        (self.repo / "commit.sh").chmod(0o755)

    def fresh(self) -> None:
        if self.work.exists():
            shutil.rmtree(self.work)
        shutil.copytree(self.template, self.work, symlinks=True)

    def run(self, line: str) -> Seen:
        self.fresh()
        here = locate(self.repo)
        assert here is not None
        found = intents(line, aliases=aliases(here))
        watched = {repository.git_dir: repository for repository in family(here)}
        for repository in self._named(found):
            watched.setdefault(repository.git_dir, repository)
        positions = {path: look(repository).log_position for path, repository in watched.items()}
        before = branches(here)
        began = time.time()
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.repo,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30,
        )
        for repository in (*self._named(found), *family(here)):
            watched.setdefault(repository.git_dir, repository)  # it came into being only now
        moved: list[Movement] = []
        for path, repository in watched.items():
            new, _ = movements(repository, positions.get(path, LogPosition(None, None, 0, "", began)))
            moved += new
        new_commits = self._stood_on(self._commits() - self.before)
        return Seen(
            line,
            new_commits > 0,
            new_commits,
            done.returncode,
            done.stdout.decode("utf-8", "replace"),
            found,
            tuple(moved),
            committed(found, moved, exit_code=done.returncode),
            before,
            branches(here),
        )

    def _named(self, found: tuple[Intent, ...]) -> list[Repository]:
        places = [locate(self.repo / intent.directory) for intent in found if intent.directory is not None]
        return [repository for repository in places if repository is not None]

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], env=self.env, cwd=self.work, capture_output=True, text=True)
        return done.stdout

    def _stores(self) -> list[Path]:
        return [Path(folder) for folder, names, files in os.walk(self.work) if "HEAD" in files and "objects" in names]

    def _commits(self) -> set[str]:
        found: set[str] = set()
        for store in self._stores():
            listed = self._git(f"--git-dir={store}", "cat-file", "--batch-all-objects", "--batch-check")
            found |= {line.split()[0] for line in listed.splitlines() if line.split()[1] == "commit"}
        return found

    def _stood_on(self, new: set[str]) -> int:
        """How many of these HEAD has stood on, in any working tree."""
        if not new:
            return 0
        stood: set[str] = set()
        for folder, _, files in os.walk(self.work):
            if "HEAD" in files and ("index" in files or "commondir" in files):
                stood |= set(self._git(f"--git-dir={folder}", "rev-list", "HEAD").split())
                stood |= set(self._git(f"--git-dir={folder}", "reflog", "show", "--format=%H", "HEAD").split())
        return len(new & stood)


BUILD = r"""
git init -q --bare --template= up.git
git init -q --template= subsource
( cd subsource; echo 1 > s.txt; git add .; git commit -q -m 'sub one' )
git init -q --template= repo
cd repo
echo 1 > a.txt; echo 1 > b.txt; git add .; git commit -q -m one
echo 2 > a.txt; git commit -q -a -m two
git submodule --quiet add ../subsource sub; git commit -q -m 'with a submodule'
( cd sub; git checkout -q main; echo 2 > s.txt; git add s.txt )
git remote add origin ../up.git; git push -q -u origin main
git branch plain
git checkout -q -b feature main; echo g > g.txt; git add g.txt; git commit -q -m 'feature one'
echo h > h.txt; git add h.txt; git commit -q -m 'feature two'
git checkout -q -b clash main; echo clash > a.txt; git commit -q -a -m 'clash'
git format-patch -q -1 feature --stdout > ../patch.mbox
git checkout -q main
echo 3 > a.txt; git commit -q -a -m three; git push -q
git checkout -q -b ff; echo f > f.txt; git add f.txt; git commit -q -m 'forward'
git checkout -q -b ahead main; echo u > u.txt; git add u.txt; git commit -q -m 'upstream'; git push -q origin ahead
git checkout -q main
for r in . sub ../up.git ../subsource; do git -C $r gc -q --prune=now; done
git worktree add -q ../wt -b wt
( cd ../wt; echo w > w.txt; git add w.txt )
rm -rf ../subsource; shopt -s globstar dotglob; rmdir ../**/info ../**/branches 2> /dev/null || true
mkdir dir
echo 3 > staged.txt; git add staged.txt
echo 9 >> b.txt
echo n > untracked.txt
echo dir > dir/d.txt
"""
