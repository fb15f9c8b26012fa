"""Command lines for the truth test: picked by hand where a person would doubt, and a product of everything with all."""

import random
import shlex

HAND_PICKED = r"""
git commit -m x
git commit -am 'a message'
git commit -m '--amend'
git commit --amend --no-edit
git commit --amend -m y
git commit --am --no-edit
git commit -nm x
git commit -n -m x
git commit --dry-run
git commit --dry
git commit --short
git commit --porcelain
git commit --long
git commit -m x --dry-run
git commit -m x --no-dry-run
git commit --allow-empty -m x
git commit -F /dev/null --allow-empty-message
git commit -C HEAD
git commit --fixup HEAD
git commit --squash HEAD -m s
git commit
git commit -m ''
git commit --help >/dev/null
git commit -h
git help commit >/dev/null
git --version commit
git commit --bogus
git commit -m x nosuchfile
git commit -m x b.txt
git commit -o b.txt -m only
git commit --author='B <b@x>' -m x
git commit --date=2001-01-01T00:00:00 -m old
GIT_COMMITTER_DATE=2001-01-01T00:00:00 GIT_AUTHOR_DATE=2001-01-01T00:00:00 git commit -m old
GIT_REFLOG_ACTION=deploy git commit -m custom
GIT_REFLOG_ACTION=deploy git merge ff
git stash
git stash push -u -m wip
git stash && git stash pop
git stash branch fromstash
git add -A && git commit -m all
git add -A; git commit -m all; git commit -m again
git add -A && git commit -m one && git commit --allow-empty -m two
git commit -m x; git reset --hard HEAD~1
git commit -m x && git reset -q --soft HEAD~1
git reset --soft HEAD~1
git reset --hard HEAD~1
git reset
git reset --hard HEAD && git commit -m nothing
git stash -q && git commit -m nothing || true
git commit -m x >/dev/null 2>&1
for i in 1 2; do git commit --allow-empty -m "n $i"; done
for f in staged.txt b.txt; do git add $f; git commit -m "add $f"; done
i=0; while [ $i -lt 3 ]; do git commit --allow-empty -qm $i; i=$((i+1)); done
for i in; do git commit --allow-empty -m "n $i"; done
msg="a; git commit"; git commit -m "$msg"
G=git; $G commit -m hidden
C=commit; git $C -m hidden
git "com""mit" -m x
git com\mit -m x
g''it commit -m x
\git commit -m x
/usr/bin/git commit -m x
"git" 'commit' -m x
git $'commit' -m $'two\nlines'
git commit -m "$(printf 'a\nb')"
git -C . commit -m x
git -C dir commit -m x
git -C ../repo commit -m x
git -C ../wt commit -m 'in the worktree'
git -C sub commit -m 'in the submodule'
git -C nosuch commit -m x
git -C sub -C .. commit -m x
git -c user.name=Z commit -m x
git -c alias.zz=commit zz -m x
git -c alias.zz='!git commit -m z' zz
git -c core.hooksPath=/dev/null --no-pager commit -m x
git --git-dir=.git --work-tree=. commit -m x
git --git-dir .git commit -m x
GIT_DIR=.git GIT_WORK_TREE=. git commit -m x
GIT_DIR=../repo/.git git --work-tree=../repo commit -m x
cd sub && git commit -m sub
cd ../wt && git commit -m wt
cd ../wt; git commit -m wt
(cd ../wt && git commit -m wt) && git status
(cd ../wt && git status) && git commit -m here
cd dir && git commit -m x
cd nosuch && git commit -m x
cd nosuch; git commit -m x
cd nosuch || git commit -m x
pushd ../wt >/dev/null && git commit -m wt; popd >/dev/null
cd ../wt && cd - >/dev/null && git commit -m back
cd / && git commit -m x
cd "$HOME" && git commit -m x
cd "$PWD" && git commit -m x
env -C ../wt git commit -m wt
git ci -m x
git cim x
git cam x
git amend
git dry
git st
git save
git mention
git fn 'a message'
git quiet -m x
git loopa
git nosuchalias -m x
git CI -m x
git cim 'git commit' --dry-run
git merge ff
git merge --no-ff ff -m merged
git merge feature -m merged
git merge --no-edit feature
git merge --squash feature
git merge --no-commit --no-ff feature
git stash -q; git merge --no-commit --no-ff feature && git commit -m finished
git merge --ff-only feature
git merge clash
git merge clash; git merge --abort
git stash -q; git merge clash; git checkout --ours a.txt; git add a.txt; git commit -m resolved
git merge plain
git merge nosuch
git rebase feature
git stash -q; git rebase feature
git stash -q; git checkout -q feature && git rebase main
git stash -q; git checkout -q feature && git rebase ff
git stash -q; git checkout -q feature && git rebase clash
git stash -q; git checkout -q clash && git rebase feature
git stash -q; git checkout -q ahead; git rebase --onto feature main ahead
git stash -q; git checkout -q feature; GIT_SEQUENCE_EDITOR="sed -i 's/^pick/reword/'" git rebase -i main
git stash -q; git checkout -q feature; GIT_SEQUENCE_EDITOR="sed -i '2s/^pick/squash/'" git rebase -i main
git stash -q; git checkout -q feature; GIT_SEQUENCE_EDITOR="sed -i '1d'" git rebase -i main
git stash -q; git checkout -q feature; GIT_SEQUENCE_EDITOR=true git rebase -i main
git stash -q; git checkout -q feature; git rebase --exec 'git commit --amend --no-edit -q' main
git stash -q; git checkout -q feature; git rebase --exec 'git commit --allow-empty -m e -q' main
git stash -q; git checkout -q feature; git rebase --abort
git stash -q; git checkout -q feature; git rebase --no-ff main
git stash -q; git checkout -q -b c2 feature; echo z > a.txt; git commit -qam z; git rebase clash; git rebase --abort
git cherry-pick feature
git cherry-pick ff
git cherry-pick main
git cherry-pick -n feature
git cherry-pick -n feature && git commit -m picked
git cherry-pick clash
git cherry-pick nosuch
git stash -q; git cherry-pick main..feature
git stash -q; git cherry-pick --ff ff
git stash -q; git cherry-pick -x feature
git revert --no-edit HEAD~1
git stash -q; git revert --no-edit HEAD~1
git stash -q; git revert -n HEAD~1
git stash -q; git revert --no-edit nosuch
git am ../patch.mbox
git stash -q; git am ../patch.mbox
git stash -q; git am -q < ../patch.mbox
git apply ../patch.mbox
git pull -q origin ahead
git stash -q; git pull -q origin ahead
git stash -q; git pull -q --rebase origin ahead
git pull
git stash -q; git commit -q --allow-empty -m local; git pull -q --no-rebase --no-edit origin ahead
git stash -q; git commit -q --allow-empty -m local; git pull -q --rebase origin ahead
git fetch origin
git fetch . feature:copied
git push
git push -n
git push --dry-run
git commit -m x && git push -q
git push origin main:refs/heads/elsewhere
git checkout feature
git checkout -b new
git checkout -b new && git commit -m x
git nb new
git checkout -- b.txt
git checkout b.txt
git checkout HEAD~1
git checkout -q HEAD~1 && git commit -m detached
git checkout --orphan fresh && git commit -m first
git checkout main
git checkout -
git checkout -p </dev/null
git switch feature
git switch -c new
git switch -c new feature && git commit --allow-empty -m x
git switch --detach
git switch nosuch
git branch new
git branch new && git commit -m x
git branch -d plain
git branch -m main trunk
git branch
git branch --list 'f*'
git branch -f plain HEAD~1
git tag v1
git tag -a v1 -m 'git commit'
git worktree add ../wt2
git worktree add ../wt2 -b wt2 && git -C ../wt2 commit --allow-empty -m x
git worktree add -q ../wt2 feature
git worktree list
git submodule foreach 'git commit -m sub'
git submodule foreach 'echo git commit'
git submodule update
git commit-tree HEAD^{tree} -m loose </dev/null
git update-ref HEAD $(git commit-tree HEAD^{tree} -p HEAD -m plumbed </dev/null)
git update-ref HEAD HEAD~1
git update-ref refs/heads/side HEAD~1
git symbolic-ref HEAD refs/heads/feature
git notes add -m note
git gc -q
git gc -q && git commit -m x
git pack-refs --all && git commit -m x
git reflog expire --expire=now --all
git reflog expire --expire=now --all && git commit -m x
git commit -m x && git reflog expire --expire=now --all
git config core.logAllRefUpdates false; git commit -m x
../bin/unlogged; git commit -m x
../bin/unlogged; git commit -qm x; git commit --allow-empty -qm y
../bin/unlogged; git commit --amend --no-edit
../bin/unlogged; git stash -q; git merge ff
../bin/unlogged; git stash -q; git merge --no-edit feature
../bin/unlogged; git stash -q; git checkout -q feature
../bin/unlogged; git stash -q; git reset -q --hard HEAD~1
../bin/unlogged; git stash -q; git pull -q origin ahead
rm -rf .git/logs; git commit -m x
../bin/refuse pre-commit; git commit -m x
../bin/refuse pre-commit; git commit -nm x
../bin/refuse commit-msg; git commit -m x
../bin/refuse commit-msg; git commit -m x || true
../bin/refuse post-commit; git commit -m x
../bin/commits pre-push; git push -q
./commit.sh
bash commit.sh
sh -c ./commit.sh
. ./commit.sh
cd dir && ../commit.sh
echo './commit.sh' > /dev/null
make -f /dev/null
printf 'all:\n\tgit commit -m made\n' > m.mk; make -f m.mk
python3 -c "import subprocess; subprocess.run(['git','commit','-qm','py'])"
python3 -c "print('git commit -m x')"
perl -e 'system("git commit -q -m pl")'
echo git commit -m x
echo "git commit -m x"
echo 'git commit -m x' > note.txt
printf '%s\n' 'git commit -m x'
grep -r "git commit" . || true
git grep 'git commit' || true
git log --grep='git commit'
git log -1 --format='git commit'
cat commit.sh
sed -n '/git commit/p' commit.sh
man git commit 2>/dev/null; true
# git commit -m x
true # && git commit -m x
true '#' && git commit -m x
: git commit -m x
alias gc='git commit -m x'
alias gc='git commit -m x'; gc
function gc { git commit -m x; }
function gc { git commit -m x; }; gc
gc() ( git commit -m x ); gc
f() { g; }; g() { git commit -m x; }; f
f() { g; }; g() { git commit -m x; }
f() { git commit -m x; }; true || f
which git commit
type git
command -v git commit
git status; echo commit
test "git commit" = x && git commit -m x
[[ "git commit" == git* ]] && git commit -m x
echo 'git commit -m x' | cat
echo 'git commit -m x' | bash
echo 'git commit -m x' | sh -s
bash <<< 'git commit -m x'
cat <<< 'git commit -m x'
git commit -F - <<< 'from a string'
git init -q other && cd other && git commit --allow-empty -m first
git init -q other && git -C other commit --allow-empty -m first
git clone -q . ../cloned
git clone -q . ../cloned && git -C ../cloned commit --allow-empty -m there
mkdir other; cd other; git init -q; git commit --allow-empty -qm a; git commit --allow-empty -qm b
git commit -m x & wait
sleep 0 & git commit -m x; wait
(git commit -m x)
{ git commit -m x; }
! git commit -m x
! false && git commit -m x
time git commit -m x
time (git commit -m x)
time { git commit -m x; }
coproc git commit -m x; wait
coproc N { git commit -m x; }; wait
if git diff --cached --quiet; then echo clean; else git commit -m x; fi
if ! git diff --cached --quiet; then git commit -m x; fi
git diff --cached --quiet || git commit -m x
git diff --cached --quiet && git commit -m x
case $(git rev-parse --abbrev-ref HEAD) in main) git commit -m x;; *) echo no;; esac
case $(git rev-parse --abbrev-ref HEAD) in other) git commit -m x;; esac
git rev-parse --verify -q nosuch || { git commit -m x; echo yes; }
test -f nosuch && git commit -m x || echo no
echo "$(git commit -m x)"
echo "`git commit -m x`"
x=$(git commit -m x)
export x=$(git commit -m x)
echo '$(git commit -m x)'
echo "\$(git commit -m x)"
diff <(git commit -m x) /dev/null
echo ${x:-$(git commit -m x)}
echo ${PATH:+$(git commit -m x)}
echo $((1 + $(git commit -qm x; echo 1)))
eval 'git commit' -m x
eval "git commit -m x"
eval echo git commit -m x
xargs -n1 git commit -m < /dev/null
echo x | xargs git commit -m
echo x | xargs -I{} git commit -m {}
echo a.txt | xargs grep 'git commit'
find . -maxdepth 1 -name a.txt -exec git commit -m x \;
find . -maxdepth 1 -name nosuch -exec git commit -m x \;
trap 'git commit -m x' EXIT
trap 'git commit -m x' INT
timeout 20 git commit -m x
timeout -s KILL 20s git commit -m x
timeout 0.000001 sleep 1; git commit -m x
nohup git commit -m x > /dev/null 2>&1
nice git commit -m x
nice -n 3 env A=1 timeout 9 git commit -m x
env git commit -m x
env -u FOO A=b git commit -m x
env -i PATH="$PATH" HOME="$HOME" git commit -m x
/usr/bin/env git commit -m x
env bash -c 'git commit -m x'
bash -c 'git commit -m "$1"' _ 'a message'
bash -ec 'false; git commit -m x'
bash -c 'false; git commit -m x'
bash -euo pipefail -c 'git add -A; git commit -m x'
bash -lc "cd ../wt && git commit -m 'wt'"
bash -c "bash -c 'bash -c \"git commit -m deep\"'"
sh -c 'exec git commit -m x'
exec git commit -m x
exec git status; git commit -m x
command git commit -m x
builtin echo git commit -m x
stdbuf -o0 git commit -m x
setsid -w git commit -m x
set -e; git commit -m x
set -e; false; git commit -m x
set -e; false || true; git commit -m x
exit; git commit -m x
exit 3 || git commit -m x
true && exit; git commit -m x
(exit 1); git commit -m x
false; git commit -m x
true || git commit -m x
false || git commit -m x
false && git commit -m x
false && git commit -m x || git commit -m y
true && true && git commit -m x && false
git commit -m x | tee /dev/null | head -1
git status | grep -q staged && git commit -m x
yes 2>/dev/null | head -1 | git commit -F -
git commit -m x; exit 7
git commit -m x || exit 1; echo ok
git commit -m x;echo
git add . ; git  commit   -m   x
git commit \
git	commit	-m	x
gt create -m x
gt modify
gt log
gt submit
gh pr create --title t --body 'git commit -m x'
hub commit -m x || true
"""

MULTI_LINE = (
    "git add -A\ngit commit -m x\n",
    "git add -A\n\n# git commit\ngit status\n",
    "git add -A &&\n  git commit -m x",
    "git commit \\\n  -m x \\\n  --allow-empty\n",
    "cat > note.md <<'EOF'\ngit commit -m x\nEOF\n",
    "cat > note.md <<'EOF'\ngit commit -m x\nEOF\ngit add note.md && git commit -m noted",
    "cat > note.md <<EOF && git commit -m x\ntext $(echo a)\nEOF\n",
    "cat > note.md <<EOF; git commit -m x\ntext\nEOF\n",
    "cat <<A <<B; git commit -m x\n1\nA\ngit commit -m no\nB\n",
    "cat > note.md <<EOF\n$(git commit -m 'inside')\nEOF\n",
    "cat > note.md <<'EOF'\n$(git commit -m 'inside')\nEOF\n",
    "cat > note.md <<EOF\n\\$(git commit -m 'inside')\nEOF\n",
    "git commit -F - <<'EOF'\nfix: a (thing)\n\ngit commit --amend\nEOF\n",
    "git commit -F - <<EOF -q\nfix: a thing\nEOF\n",
    "git commit -m \"$(cat <<'EOF'\nfix: it's (a) \"thing\" `here`\n\nEOF\n)\"",
    "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\" && git status",
    "bash <<'EOF'\ngit add -A\ngit commit -m x\nEOF\n",
    "bash -s <<EOF\necho git commit\nEOF\n",
    "sh <<EOF\nif false; then git commit -m x; fi\nEOF\n",
    "python3 - <<'PY'\nprint('git commit -m x')\nPY\n",
    "python3 - <<'PY'\nimport subprocess\nsubprocess.run(['git', 'commit', '-qm', 'py'])\nPY\n",
    'while read x; do\n  git commit --allow-empty -m "$x"\ndone <<EOF\none\ntwo\nEOF\n',
    'while read x; do\n  echo "$x"\ndone <<EOF\ngit commit -m x\nEOF\n',
    "if true\nthen\n  git commit -m x\nfi\n",
    'f() {\n  local m=$1\n  git commit -m "$m"\n}\nf one\n',
    'f() {\n  local m=$1\n  git commit -m "$m"\n}\n',
    "set -euo pipefail\ngit add -A\ngit diff --cached --quiet || git commit -m x\n",
    "(\n  cd ../wt\n  git commit -m x\n)\n",
    "git commit -m 'two\nlines; git push'\n",
    'git commit -m "one\n\ngit commit -m two\n"',
    "echo 'one\ngit commit -m x\n'",
    "case x in\n  x)\n    git commit -m x\n    ;;\nesac\n",
    "{\n  echo a\n  git commit -m x\n} > log.txt 2>&1\n",
    "git commit -m x\r\n",
    "git status\r\ngit commit -m x\r\n",
)  # fmt: skip

COMMANDS = (
    "git commit -m x",
    "git commit -qam 'fix: a'",
    "git -C . commit -m x",
    "git -c user.name=z ci -m x",
    "git commit --amend --no-edit",
    "git commit --dry-run",
    "git commit --allow-empty -nm x",
    "git save",
    "git -C ../wt commit -m x",
    "cd sub && git commit -m x",
    "./commit.sh",
    "git status",
    "git merge --no-edit feature",
    "git commit -m x nosuch",
)

AROUND = (
    "bash -c {q}", "sh -lc {q}", "/bin/bash -lc {q}", "env bash -c {q}", "A=1 bash -c {q}", "eval {q}",
    "time bash -c {q}", "timeout 20 bash -c {q}", "nice -n 5 sh -c {q}", "nohup sh -c {q} > /dev/null 2>&1",
    "command bash -c {q}", "exec bash -c {q}", "stdbuf -oL bash -c {q}", "setsid -w bash -c {q}",
    "bash -c 'eval \"$1\"' _ {q}", "bash -c {qq}", "({c})", "{{ {c}; }}", "! {{ {c}; }}", "{c} &\nwait",
    "if true; then {c}; fi", "if false; then {c}; fi", "if {c}; then echo yes; fi", "while true; do {c}; break; done",
    "until {c}; do break; done", "for i in 1; do {c}; done", "case x in x) {c};; esac", "case y in x) {c};; esac",
    "f() {{ {c}; }}; f", "f() {{ {c}; }}", "true && {c}", "false && {{ {c}; }}", "false || {{ {c}; }}",
    "true || {{ {c}; }}", "{c} | cat", "{c}; echo done", "{c} && echo done", "{c} || echo failed",
    "echo $({c})", 'x=$({c}); echo "$x"', "cat <({c})", "bash <<'EOF'\n{c}\nEOF", "cat <<'EOF'\n{c}\nEOF",
    "cat <<EOF\n$({c})\nEOF", "echo {q}", "printf '%s' {q} > /dev/null", ": {q}", "# {c}", "true # {c}",
    "set -e; {c}", "set -e; false; {c}", "exit 0; {c}", "cd . && {c}", "trap {q} EXIT", "time {{ {c}; }}",
    "echo {q} | bash", "[ -f a.txt ] && {c}", "[[ -f nosuch ]] && {{ {c}; }}", "grep -q {q} a.txt",
    "git log -1 --grep {q}", "{c} > /dev/null 2>&1", "git add -A; {c}", "git add -A && {c} && git status",
    "git stash -q; {c}", "{c}\n{c}", "echo one\n{c}\necho two",
)  # fmt: skip


def hand_picked() -> list[str]:
    lines = [line for line in HAND_PICKED.splitlines() if line.strip()]
    return [*lines, *MULTI_LINE]


def generated(count: int, *, seed: int = 20) -> list[str]:
    """A seeded part of the product, with each surrounding and each command at least once."""
    product = [_around(around, command) for around in AROUND for command in COMMANDS]
    chosen = [_around(around, COMMANDS[at % len(COMMANDS)]) for at, around in enumerate(AROUND)]
    left = sorted(set(product) - set(chosen))
    random.Random(seed).shuffle(left)  # noqa: S311  # the same lines on every run
    return [*chosen, *left[: count - len(chosen)]]


def _around(around: str, command: str) -> str:
    quoted = shlex.quote(command)
    return around.format(c=command, q=quoted, qq=shlex.quote(f"bash -c {quoted}"))
