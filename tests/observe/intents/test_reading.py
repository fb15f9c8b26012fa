"""A5, B6: what a line sets out to do, as a table. ``?`` before a kind: it may not run; ``~``: a dry run."""

import pytest

from rawr.observe.intents.forge import pr_from_output
from rawr.observe.intents.reading import Intent, intents

ALIASES = {
    "ci": "commit",
    "cim": "ci -m",
    "amend": "commit --amend --no-edit",
    "save": "!git add -A && git commit -m saved",
    "fn": '!f() { git commit -m "$1"; }; f',
    "says": "!echo git commit",
    "commit": "status",
    "a": "b",
    "b": "a",
    "glob": "-c core.x=y commit",
}


def kinds(line: str) -> str:
    found = intents(line, aliases=ALIASES)
    return " ".join(("" if intent.certain else "?") + ("~" if intent.dry_run else "") + intent.kind for intent in found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git commit -m x", "commit"),
        ("git commit --amend", "amend"),
        ("git commit --ame", "amend"),
        ("git commit -m --amend", "commit"),
        ("git commit -am --dry-run", "commit"),
        ("git commit -- --amend", "commit"),
        ("git commit -n -m x", "commit"),
        ("git commit --dry-run", "~commit"),
        ("git commit --porcelain", "~commit"),
        ("git commit --short --amend", "~amend"),
        ("git commit --dry-run --no-dry-run", "commit"),
        ("git commit -Skey -m x", "commit"),
        ("git commit --help", ""),
        ("git help commit", ""),
        ("git --help commit", ""),
        ("git -p --no-pager -c a.b=c -C d --git-dir x/.git commit", "commit"),
        ("git ci -m x", "commit"),
        ("git CI -m x", "commit"),
        ("git cim x", "commit"),
        ("git amend", "amend"),
        ("git save", "?commit"),
        ("git fn x", "?commit"),
        ("git says", ""),
        ("git a", ""),
        ("git glob -m x", "commit"),
        ("git -c alias.zz='!git commit' zz", "commit"),
        ("git -c alias.zz=commit zz --amend", "amend"),
        ("git stash", ""),
        ("git stash branch x", "branch_create branch_switch"),
        ("git merge x", "merge"),
        ("git merge --abort", ""),
        ("git merge --squash x", ""),
        ("git merge --continue", "merge"),
        ("git rebase main", "rebase"),
        ("git rebase --abort", ""),
        ("git rebase -i --continue", "rebase"),
        ("git cherry-pick a b", "cherry_pick"),
        ("git cherry-pick -n a", ""),
        ("git revert --no-edit HEAD", "revert"),
        ("git revert --no-commit HEAD", ""),
        ("git am < x", "commit"),
        ("git pull", "merge"),
        ("git pull --rebase", "rebase"),
        ("git pull -r origin x", "rebase"),
        ("git pull --rebase=false", "merge"),
        ("git pull --dry-run", "~merge"),
        ("git subtree pull -P lib x main", "merge"),
        ("git push", "push"),
        ("git push -n", "~push"),
        ("git push --dry-run origin x", "~push"),
        ("git branch x", "branch_create"),
        ("git branch", ""),
        ("git branch -d x", ""),
        ("git branch -m a b", ""),
        ("git branch --list 'x*'", ""),
        ("git branch -u origin/x", ""),
        ("git checkout -b x", "branch_create branch_switch"),
        ("git checkout x", "branch_switch"),
        ("git checkout -", "branch_switch"),
        ("git checkout x --", "branch_switch"),
        ("git checkout -- x", ""),
        ("git checkout main -- x", ""),
        ("git checkout main x", ""),
        ("git checkout .", ""),
        ("git checkout --ours x", ""),
        ("git switch x", "branch_switch"),
        ("git switch -c x", "branch_create branch_switch"),
        ("git switch --orphan x", "branch_create branch_switch"),
        ("git worktree add ../x", "branch_create"),
        ("git worktree add -b y ../x main", "branch_create"),
        ("git worktree add ../x main", ""),
        ("git worktree list", ""),
        ("git status", ""),
        ("git commit-tree x", ""),
        ("git $x commit", ""),
        ("git submodule foreach 'git commit -m x'", "?commit"),
        ("hub commit -m x", "commit"),
        ("hub pull-request -m x", "pr_create"),
    ],
)
def test_git(line: str, expected: str) -> None:
    """B6: options, aliases, dry runs, and what makes no commit."""
    assert kinds(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gh pr create --fill", "pr_create"),
        ("gh pr create -f --dry-run", "~pr_create"),
        ("gh pr create --web", "~pr_create"),
        ("gh pr create --title 'gh pr merge' --body x", "pr_create"),
        ("gh pr -R o/r merge 5 --squash", "pr_merge"),
        ("gh -R o/r pr close 5", "pr_close"),
        ("gh pr reopen 5", "pr_reopen"),
        ("gh pr edit 5 --add-label x", "pr_update"),
        ("gh pr review --approve", "pr_review"),
        ("gh pr ready", "pr_ready"),
        ("gh pr merge --disable-auto", "pr_update"),
        ("gh pr view", ""),
        ("gh pr create --help", ""),
        ("gh pr checkout 5", "branch_switch"),
        ("gh pr list --search create", ""),
        ("gh issue create", ""),
        ("gh api repos/o/r/pulls -f title=x", "pr_create"),
        ("gh api repos/o/r/pulls", ""),
        ("gh api -X PUT repos/o/r/pulls/5/merge", "pr_merge"),
        ("glab mr create --fill", "pr_create"),
        ("glab mr merge 5", "pr_merge"),
        ("glab mr approve 5", "pr_review"),
        ("glab mr update 5 --ready", "pr_ready"),
        ("gt submit", "push pr_create"),
        ("gt ss", "push pr_create"),
        ("gt stack submit --update-only", "push pr_update"),
        ("gt submit --dry-run", "~push ~pr_create"),
        ("gt land", "pr_merge"),
        ("gt merge", "pr_merge"),
        ("gt create -m x", "stack_change branch_create branch_switch commit"),
        ("gt c x", "stack_change branch_create branch_switch"),
        ("gt modify", "stack_change amend"),
        ("gt m -c -m x", "stack_change commit"),
        ("gt move --onto main", "stack_change"),
        ("gt restack", "stack_change"),
        ("gt sync", "stack_change"),
        ("gt fold", "stack_change"),
        ("gt split", "stack_change"),
        ("gt upstack onto main", "stack_change"),
        ("gt co x", "branch_switch"),
        ("gt log", ""),
        ("gt commit -m x", "commit"),
        ("gt push", "push"),
    ],
)
def test_forges(line: str, expected: str) -> None:
    """A5, B6: gh, glab and gt, with their flags."""
    assert kinds(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git add -A && git commit -m x && git push", "?commit ?push"),
        ("bash -lc 'git commit -m x'", "commit"),
        ("A=1 env B=2 timeout 5 git commit", "commit"),
        ("(git commit -m x) & wait", "commit"),
        ("echo $(git commit -m x)", "commit"),
        ("xargs git commit -m", "?commit"),
        ("f() { git commit; }", ""),
        ("f() { git commit; }; f", "?commit"),
        ("f() { g; }; g() { git commit; }; f", "?commit"),
        ("for i in 1 2; do git commit -m $i; done", "?commit"),
        ("echo git commit -m x", ""),
        ("echo 'git commit' # git commit", ""),
        ("grep 'git commit' x", ""),
        ("cat <<E\ngit commit\nE", ""),
        ("git commit -m 'git push; gh pr create'", "commit"),
        ("git commit -m \"$(cat <<'E'\ngit push\nE\n)\"", "commit"),
        ("git log --grep='git commit'", ""),
        ("python -c 'git commit'", ""),
        ("alias gc='git commit'", ""),
        ("command -v git commit", ""),
        ("", ""),
    ],
)
def test_lines(line: str, expected: str) -> None:
    """B6: what is run counts, what is only mentioned does not."""
    assert kinds(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("powershell.exe -Command 'git commit -m x'", "?commit"),
        ("powershell.exe -NoProfile -c 'git add -A; git commit -m \"a b\"; git push'", "?commit ?push"),
        (r"'C:\Program Files\PowerShell\7\pwsh.exe' -Command 'git commit -m x'", "?commit"),
        ("pwsh -c 'git add . ; if ($?) { git commit -m x }'", "?commit"),
        ("pwsh -c 'git checkout -b topic && git commit -m x'", "?branch_create ?branch_switch ?commit"),
        ("pwsh -Command '& git commit -m x'", "?commit"),
        ("pwsh -Command \"git commit -m @'\nTitle; git push\n'@\"", "?commit"),
        ("pwsh -Command 'Write-Output \"git commit\"'", ""),
        ("pwsh -File build.ps1", ""),
        ('pwsh -Command "$code"', ""),
    ],
)
def test_powershell(line: str, expected: str) -> None:
    """B6: what it runs, as far as that can be read."""
    assert kinds(line) == expected


@pytest.mark.parametrize(
    ("line", "directory"),
    [
        ("git commit", "."),
        ("git -C sub commit", "sub"),
        ("git -C a -C b commit", "a/b"),
        ("git -C a -C /b commit", "/b"),
        ('git -C "$x" commit', None),
        ("cd sub && git commit", "sub"),
        ("cd sub; cd ..; git commit", "sub/.."),
        ("cd /x && cd y && git -C z commit", "/x/y/z"),
        ("(cd sub && true); git commit", "."),
        ("cd sub | true; git commit", "."),
        ("bash -c 'cd sub'; git commit", "."),
        ("cd sub && (git commit)", "sub"),
        ("cd sub && bash -c 'cd x; git commit'", "sub/x"),
        ("pushd sub; popd; git commit", "."),
        ("cd sub; cd -; git commit", "."),
        ('cd "$x" && git commit', None),
        ("cd && git commit", None),
        ('cd "$x"; cd /y; git commit', "/y"),
        ("env -C sub git commit", "sub"),
        ("env --chdir=sub git -C x commit", "sub/x"),
        ("git --git-dir=sub/.git --work-tree=other commit", "sub"),
        ("GIT_WORK_TREE=other GIT_DIR=sub/.git git commit", "sub"),
        ("git --work-tree=sub commit", "sub"),
        ("git --git-dir=sub/.git commit", "sub"),
        ("GIT_DIR=sub/.git git commit", "sub"),
        ("eval 'cd sub'; git commit", "sub"),
        ("git submodule foreach 'git commit'", None),
        ("gt --cwd sub modify", "sub"),
    ],
)
def test_where(line: str, directory: str | None) -> None:
    """B6: the directory, through ``cd``, ``-C`` and the environment."""
    assert {intent.directory for intent in intents(line)} == {directory}


def test_home() -> None:
    """``~`` is known when the caller knows it."""
    for line in ("cd && git commit", "cd ~ && git commit", "git -C ~ commit", 'git -C "$HOME" commit'):
        assert [intent.directory for intent in intents(line, home="/home/ada")] == ["/home/ada"]


def test_an_intent_keeps_the_command_as_written() -> None:
    assert intents('env A=1 git -C sub ci -m "$x"', aliases=ALIASES) == (
        Intent("commit", "sub", dry_run=False, certain=True, argv=("git", "-C", "sub", "ci", "-m", None)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Creating pull request\nhttps://github.com/o/r/pull/12\n", "https://github.com/o/r/pull/12"),
        ("https://github.example.org/o/r/pull/3/files#x", "https://github.example.org/o/r/pull/3"),
        ("https://gitlab.com/g/s/r/-/merge_requests/5", "https://gitlab.com/g/s/r/-/merge_requests/5"),
        ("https://app.graphite.dev/github/pr/o/r/31 (created)", "https://app.graphite.dev/github/pr/o/r/31"),
        ("remote: Create a pull request by visiting:\nremote:  https://github.com/o/r/pull/new/x", None),
        ("https://gitlab.com/o/r/-/merge_requests/new?x=1", None),
        ("see https://github.com/o/r/issues/5", None),
        ("", None),
    ],
)
def test_the_address_in_the_output(text: str, url: str | None) -> None:
    assert pr_from_output(text) == url
