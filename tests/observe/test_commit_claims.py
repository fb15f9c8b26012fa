"""Every commit has one thread, and one only, whoever looks first (B6)."""

import random
from pathlib import Path

import pytest

from rawr.observe.watching import RepositoryWatch
from tests.observe.at_work import AtWork, git


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def two(place: Path) -> tuple[AtWork, AtWork]:
    watch = RepositoryWatch()
    one, other = (AtWork(watch, place, name).joins().begins() for name in ("a", "b"))
    return one, other


WAYS = (
    "git commit --allow-empty -m '{subject}'",
    "git commit -q --allow-empty -m '{subject}'",
    "git commit -q --allow-empty -F - <<'E'\n{subject}\n\nMore of it.\nE",
    "git commit --allow-empty -m '{subject}' > /dev/null",
)


def test_two_hundred_interleaved_commits(place: Path) -> None:
    """In every order of committing and looking."""
    order = random.Random(7)  # noqa: S311
    threads = two(place)
    made: dict[str, list[str]] = {"a": [], "b": []}
    for number in range(100):
        pending = []
        for thread in order.sample(threads, 2):
            subject = f"Part {number} by {thread.thread}"
            line = order.choice(WAYS).format(subject=subject)
            pending.append((thread, line, thread.does(line)))
            made[thread.thread].append(subject)
            if order.random() < 0.3:
                thread.sees(*pending.pop()[1:])
        for thread, line, ended in order.sample(pending, len(pending)):
            thread.sees(line, ended)
    for thread in threads:
        thread.ends()
    assert {thread.thread: thread.commits for thread in threads} == made


def test_git_found_another_commit_in_its_way(place: Path) -> None:
    """Its complaint names that one."""
    one, other = two(place)
    one.does("git commit -q --allow-empty -m 'Mine'")
    found = git(place, "rev-parse", "HEAD").strip()
    refused = f"fatal: cannot lock ref 'HEAD': is at {found} but expected {'0' * 40}"
    other.sees("git commit -q --allow-empty -m 'Theirs'", (128, refused))
    one.sees("git commit -q --allow-empty -m 'Mine'", (0, ""))
    assert (one.commits, other.commits) == (["Mine"], [])


def test_a_script_that_commits_gets_its_commit_when_it_is_alone(place: Path) -> None:
    """What the repository shows counts, whoever did it."""
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    (place / "work.sh").write_text("git switch -qc topic; git commit -q --allow-empty -m 'By a script'")
    seen = thread.runs("source work.sh")
    assert (thread.commits, seen.switched_to, seen.created) == (["By a script"], ("topic",), ("topic",))


def test_what_only_a_silent_script_accounts_for_is_settled_when_the_last_turn_ends(place: Path) -> None:
    """The other's line may be the better reason until then."""
    one, other = two(place)
    (place / "work.sh").write_text("words='By a script'; git commit -q --allow-empty -m \"$words\"")
    ended = other.does("source work.sh")
    one.runs("true")
    other.sees("source work.sh", ended)
    one.ends()
    assert (one.commits, other.commits) == ([], [])
    other.ends()
    assert (one.commits, other.commits) == ([], ["By a script"])


def test_an_amended_commit_stays_with_its_thread(place: Path) -> None:
    one, other = two(place)
    one.runs("git commit --allow-empty -m 'First'")
    other.runs("git commit --allow-empty -m 'Second'")
    amends = "git commit -q --amend --no-edit --allow-empty --date=2001-01-01T00:00:00"
    ended = other.does(amends)
    one.runs("true")
    other.sees(amends, ended)
    assert (one.commits, other.commits) == (["First"], ["Second", "Second"])


def test_a_worktree_brings_no_commit_again(place: Path, tmp_path: Path) -> None:
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    thread.runs("git commit -q --allow-empty -m 'Once'")
    thread.runs("git worktree add -q ../tree -b topic")
    thread.runs("cd ../tree && git commit -q --allow-empty -m 'In the tree'")
    thread.runs("git worktree add -q ../again topic~1 --detach; git -C ../again reset -q --hard topic")
    thread.ends()
    assert thread.commits == ["Once", "In the tree"]


@pytest.mark.parametrize("way", ["cd ~/x", 'cd "$HOME/x"', "cd $HOME/x", "cd ${HOME}/x", 'cd "${HOME}"/x'])
def test_a_repository_in_the_home_folder(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    home = tmp_path / "home"
    (home / "x").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    git(home / "x", "init", "-q", "-b", "main")
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    seen = thread.runs(f"{way} && git commit -q --allow-empty -m 'There'")
    assert ([one.subject for one in seen.commits], seen.agreed) == (["There"], True)


@pytest.mark.parametrize("line", ["D=../other; cd $D && {commit}", "cd $(echo ../other) && {commit}"])
def test_a_commit_in_a_place_that_is_not_known_is_noted(place: Path, line: str) -> None:
    other = place.parent / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    seen = thread.runs(line.format(commit="git commit -q --allow-empty -m x"))
    assert (seen.commits, seen.agreed) == ((), False)
    assert seen.why.endswith("another repository (a place that is not known), or not at all")


def test_a_merge_has_its_own_subject(place: Path) -> None:
    """Not git's words on how it was made."""
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    thread.runs("git switch -qc side && git commit -q --allow-empty -m 'Aside' && git switch -q main")
    thread.runs("git commit -q --allow-empty -m 'Main' && git merge -q --no-ff -m 'Bring it in' side")
    assert thread.commits == ["Aside", "Main", "Bring it in"]
