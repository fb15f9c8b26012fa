"""Only what the agent committed is the agent's: nothing of a person's, and nothing twice (B6). With the real git."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rawr.core.real import Real
from rawr.core.vocabulary.effects import ObserveCommand
from rawr.core.vocabulary.facts import CommandObserved
from rawr.observe.watching import RepositoryWatch
from tests.observe.at_work import AtWork, git


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A clone: what is pushed to ``up`` can be pulled."""
    git(tmp_path, "init", "-q", "-b", "main", "up")
    git(tmp_path / "up", "config", "receive.denyCurrentBranch", "ignore")
    commits(tmp_path / "up", "Begin")
    git(tmp_path, "clone", "-q", "up", "work")
    return tmp_path / "work"


def commits(folder: Path, *subjects: str) -> None:
    for subject in subjects:
        (folder / f"{subject}.txt").write_text(subject)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", subject)


@contextmanager
def meanwhile(thread: AtWork, line: str, seen: list[CommandObserved] | None = None) -> Iterator[None]:
    """What a person does while the line runs: the look comes after both."""
    ended = thread.does(line)
    yield
    found = thread.sees(line, ended)
    if seen is not None:
        seen.append(found)


@pytest.fixture
def thread(place: Path) -> AtWork:
    return AtWork(RepositoryWatch(), place).joins().begins()


# -- a person in another terminal -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "true",
        "sleep 0",
        "git status",
        "git log --oneline -3",
        "while false; do true; done; echo tests passed",
        "make test",
        "./test.sh",
        "python3 -c 'print(1)'",
        "git add -A && git stash list",
        "git push -q",
    ],
)
def test_a_persons_commit_during_a_command_is_theirs(thread: AtWork, place: Path, line: str) -> None:
    (place / "Makefile").write_text("test:\n\t@echo ok\nrelease:\n\tgit commit -qm 'Release'\n")
    (place / "test.sh").write_text("#!/bin/sh\necho ok\n")
    (place / "test.sh").chmod(0o755)
    with meanwhile(thread, line):
        commits(place, "Mine, not theirs")
    thread.ends()
    assert thread.commits == []


@pytest.mark.parametrize("first", ["person", "agent"])
@pytest.mark.parametrize(
    "line",
    [
        "git commit --allow-empty -m 'By the agent'",
        "git commit -q --allow-empty -m 'By the agent'",
        "git commit -q --allow-empty -F - <<'E'\nBy the agent\nE",
        "git commit -q --allow-empty -m 'By the agent'; false",
    ],
)
def test_two_commits_during_one_command(thread: AtWork, place: Path, line: str, first: str) -> None:
    if first == "agent":
        with meanwhile(thread, line):
            commits(place, "By a person")
    else:
        commits(place, "By a person")
        thread.runs(line)
    thread.ends()
    assert thread.commits == ["By the agent"]


def test_a_message_that_nobody_can_read(thread: AtWork, place: Path) -> None:
    """As many as the line commits, and the newest."""
    (place / "message").write_text("From a file\n")
    commits(place, "By a person")
    thread.runs("git commit -q --allow-empty -F message")
    thread.ends()
    assert thread.commits == ["From a file"]


def test_a_person_between_two_commands(thread: AtWork, place: Path) -> None:
    thread.runs("true")
    commits(place, "By a person")
    thread.runs("git commit -q --allow-empty -m 'By the agent'")
    commits(place, "By a person again")
    thread.ends()
    thread.begins().ends()
    assert thread.commits == ["By the agent"]


def test_the_commit_that_the_agent_may_not_make(thread: AtWork, place: Path) -> None:
    """Codex's sandbox refused it, and the person makes it, in the agent's words."""
    thread.sees("git commit -m 'Add the parser'", (128, "fatal: Unable to create '.git/index.lock': Read-only"))
    commits(place, "Add the parser")
    thread.runs("true")
    thread.ends()
    assert thread.commits == []


def test_a_person_amends_the_agents_commit(thread: AtWork, place: Path) -> None:
    """It stays on record, by its new name."""
    before = thread.runs("git commit -q --allow-empty -m 'By the agent'").commits[0].sha
    seen: list[CommandObserved] = []
    with meanwhile(thread, "true", seen):
        git(place, "commit", "-q", "--amend", "--allow-empty", "-m", "Better words")
    [one] = seen[0].rewritten
    assert (one.subject, one.amends, one.sha) == ("Better words", before, head(place))
    assert thread.commits == ["By the agent"]


# -- the agent, by whatever means -----------------------------------------------------------------------------------

SCRIPTS = {
    "commit.sh": "#!/bin/sh\ngit commit -q --allow-empty -m 'By the agent'\n",
    "any.sh": '#!/bin/sh\ngit commit -q --allow-empty -m "$1"\n',
    "outer.sh": "#!/bin/sh\n./commit.sh\n",
    "commit.py": "import subprocess\nsubprocess.run(['git', 'commit', '-q', '--allow-empty', '-m', 'By the agent'])\n",
    "Makefile": "test:\n\t@true\nship: test\n\t@git commit -q --allow-empty -m 'By the agent'\n",
}


@pytest.mark.parametrize(
    "line",
    [
        "./commit.sh",
        "./any.sh 'By the agent'",
        "bash -lc './outer.sh'",
        "source commit.sh",
        "python3 commit.py",
        "make ship",
        "python3 -c \"import subprocess; subprocess.run(['git','commit','-q','--allow-empty','-m','By the agent'])\"",
        "gc() { git commit -q --allow-empty -m 'By the agent'; }; gc",
        "git -c alias.save='commit -q --allow-empty -m' save 'By the agent'",
        "M='By the agent'; git commit -q --allow-empty -m \"$M\"",
    ],
)
@pytest.mark.usefixtures("identity")
def test_what_hides_a_commit(thread: AtWork, place: Path, line: str) -> None:
    for name, text in SCRIPTS.items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    thread.runs(line)
    thread.ends()
    assert thread.commits == ["By the agent"]


@pytest.fixture
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts start git without the names that ``AtWork`` gives it."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "a")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@example.org")


def test_a_commit_in_the_background(thread: AtWork, place: Path) -> None:
    """It is done after its line has ended, and found by another look, or by the one at the turn's end."""
    line = "(sleep 9; git commit -q --allow-empty -m 'Late') & echo started"
    thread.sees(line, (0, "started"))
    git(place, "commit", "-q", "--allow-empty", "-m", "Late")
    commits(place, "By a person")
    thread.ends()
    assert thread.commits == ["Late"]


def test_two_commands_at_once(thread: AtWork, place: Path) -> None:
    """The look after one finds the commit of the other, which has yet to end."""
    line = "git commit -q --allow-empty -m 'Slow'; sleep 9"
    ended = thread.does(line.replace("; sleep 9", ""))
    assert thread.runs("true").commits == ()
    thread.sees(line, ended)
    assert thread.commits == ["Slow"]


# -- known commits, written anew or brought in ----------------------------------------------------------------------


def head(place: Path) -> str:
    return git(place, "rev-parse", "HEAD").strip()


@pytest.fixture
def behind(thread: AtWork, place: Path) -> AtWork:
    """The agent has committed, and others have pushed."""
    commits(place.parent / "up", "Theirs 1", "Theirs 2")
    thread.runs("echo a > mine.txt && git add mine.txt && git commit -q -m 'Mine'")
    thread.commits.clear()
    return thread


@pytest.mark.parametrize(
    "line",
    [
        "git pull -q --rebase",
        "git -c pull.rebase=true pull -q",
        "git -c pull.rebase=true pull",
        "git pull --rebase origin main",
        "git fetch -q && git rebase -q origin/main",
        "git fetch -q && git rebase -q --apply origin/main",
        "git fetch -q; git rebase origin/main && git push -q",
        "git fetch -q; GIT_SEQUENCE_EDITOR=true git rebase -q -i origin/main",
        'git fetch -q; GIT_SEQUENCE_EDITOR="sed -i s/^pick/reword/" GIT_EDITOR=true git rebase -q -i origin/main',
    ],
)
@pytest.mark.usefixtures("identity")
def test_a_rebase_brings_no_commit_again(behind: AtWork, place: Path, line: str) -> None:
    """Neither the agent's own nor the others'; its own is known by its new name."""
    before = head(place)
    seen = behind.runs(line)
    behind.ends()
    assert behind.commits == []
    assert [(one.subject, one.amends, one.sha) for one in seen.rewritten] == [("Mine", before, head(place))]
    assert git(place, "log", "--format=%s").split("\n")[:3] == ["Mine", "Theirs 2", "Theirs 1"]


@pytest.mark.usefixtures("identity")
def test_a_rebase_with_a_conflict_goes_on_in_another_command(behind: AtWork, place: Path) -> None:
    up = place.parent / "up"
    (up / "mine.txt").write_text("b\n")
    commits(up, "Theirs 3")
    before = head(place)
    behind.runs("git pull -q --rebase")
    seen = behind.runs("echo c > mine.txt; git add mine.txt; GIT_EDITOR=true git rebase --continue")
    behind.ends()
    assert behind.commits == []
    assert [one.amends for one in seen.rewritten] == [before]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("git pull -q --no-rebase --no-edit", "Merge"),
        ("git fetch -q && git merge -q --no-edit origin/main", "Merge"),
        ("git fetch -q && git reset -q --hard origin/main", ""),
        ("git reset -q --hard HEAD~1 && git pull -q", ""),
        ("git fetch -q && git switch -q -c theirs origin/main", ""),
        ("git fetch -q && git cherry-pick origin/main", "Theirs 2"),
    ],
)
def test_what_others_made_is_not_the_agents(behind: AtWork, line: str, made: str) -> None:
    """The merge itself is, and a commit that it picked."""
    seen = behind.runs(line)
    behind.ends()
    assert [one.partition(" branch")[0].partition(" remote")[0] for one in behind.commits] == ([made] if made else [])
    assert seen.agreed


def test_an_amended_commit_is_one(behind: AtWork, place: Path) -> None:
    before = head(place)
    [one] = behind.runs("git commit -q --amend -m 'Mine, better'").commits
    assert (one.subject, one.amends) == ("Mine, better", before)


def test_commits_that_a_rebase_adds_are_new(behind: AtWork) -> None:
    """``--exec`` may commit."""
    behind.runs(
        "git rebase -q --exec \"git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'Added'\" HEAD~1"
    )
    assert behind.commits == ["Added"]


def test_a_rebase_in_the_home_of_several_threads(place: Path) -> None:
    """Each commit stays with its thread."""
    watch = RepositoryWatch()
    one, other = (AtWork(watch, place, name).joins().begins() for name in ("a", "b"))
    one.runs("git commit --allow-empty -m 'First'")
    other.runs("git commit --allow-empty -m 'Second'")
    commits(place.parent / "up", "Theirs")
    one.runs("git pull -q --rebase")
    other.runs("git commit -q --amend --no-edit --allow-empty --date=2001-01-01T00:00:00")
    for thread in (one, other):
        thread.ends()
    assert (one.commits, other.commits) == (["First"], ["Second", "Second"])


def test_a_commit_by_a_tool(thread: AtWork, place: Path) -> None:
    """An MCP server's tool has no command line."""
    commits(place, "By a tool")
    effect = ObserveCommand(
        turn="t1", item="i", command="", cwd=str(place), exit_code=0, output="", tool="git git_commit"
    )
    [seen] = thread.watch.look(Real(effect), thread=thread.thread)
    assert isinstance(seen, CommandObserved)
    assert [one.subject for one in seen.commits] == ["By a tool"]


@pytest.mark.parametrize(
    "text",
    ["a" * 60_000, "a:" * 30_000, "git " + "./-=" * 15_000, "git " * 15_000, "curl -d " * 8_000, "\t\n" * 30_000],
    ids=["a word", "colons", "dots", "gits", "curls", "blanks"],
)
@pytest.mark.parametrize("line", ["make", "./script", "python3 script.py", "bash script.sh"])
def test_a_script_of_an_adversary_holds_nothing_up(thread: AtWork, place: Path, text: str, line: str) -> None:
    for name in ("Makefile", "script", "script.py", "script.sh"):
        (place / name).write_text(text)
    assert thread.sees(line, (0, "")).commits == ()
