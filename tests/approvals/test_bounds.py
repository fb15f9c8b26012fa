"""C10: a judgment costs little, and no line, file name or folder makes it cost much.

What it costs is counted in steps, or compared for a line and one twice as long in the same run.
"""

import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Surroundings, judge_changes, judge_command
from rawr.approvals import looking as looks
from rawr.approvals.commands import MAX_LENGTH
from rawr.approvals.reading.globs import MAX_ENTRIES
from rawr.observe.shell import parsing as first_reader

from .hostile import LINES


class Counted:
    """Steps of all judgments."""

    spent = 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    spend = looks.Looking.spend

    def counted(self: looks.Looking, steps: int = 1) -> None:
        Counted.spent += steps
        spend(self, steps)

    monkeypatch.setattr(looks.Looking, "spend", counted)
    monkeypatch.setattr(looks, "SECONDS", 3600.0)
    folder = tmp_path / "workspace"
    (folder / "a").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / ("a" * 250)).touch()
    (folder / "L0").symlink_to("src")
    for number in range(1, 40):
        (folder / f"L{number}").symlink_to(f"L{number - 1}")
    return folder


def judge(line: str, place: Path) -> Judgment:
    around = Surroundings(home=place.parent / "home", path=(str(place.parent / "programs"),))
    return judge_command(line, cwd=place, workspace=place, around=around)


def steps(line: str, place: Path) -> int:
    Counted.spent = 0
    judge(line, place)
    return Counted.spent


@pytest.mark.mission("C10")
@pytest.mark.parametrize("name", LINES)
def test_no_line_is_looked_at_for_long(name: str, place: Path) -> None:
    line = LINES[name](MAX_LENGTH - 100)
    assert len(line) <= MAX_LENGTH
    assert steps(line, place) <= looks.STEPS + looks.MAX_NAMES
    assert judge(line, place).reasons


GROWING: dict[str, Callable[[int], str]] = {
    "a path that goes in and out": lambda n: f"cat {'a/../' * (n // 5)}x",
    "a path that goes deep": lambda n: f"cat {'a/' * (n // 2)}x",
    "links": lambda n: f"cat {'L9/../' * (n // 6)}x",
    "words": lambda n: f"cat {' '.join(f'x{at}/y' for at in range(n // 8))}",
    "redirections": lambda n: f"cat {'<a/x ' * (n // 5)}",
    "commands": lambda n: ";".join(["cat a/x"] * (n // 8)),
    "stars": lambda n: f"ls {'*a' * 5}b",
    "quotes": lambda n: f"echo '{'a' * n}'",
    "formats": lambda n: f"git log --format={shlex.quote('%h' * (n // 2))}",
}


@pytest.mark.mission("C10")
@pytest.mark.parametrize("kind", GROWING)
def test_twice_as_long_costs_twice_as_much(kind: str, place: Path) -> None:
    small, large = (steps(GROWING[kind](length), place) for length in (190, 380))
    assert small > 0
    assert large <= 2 * small + 40


@pytest.mark.parametrize(
    ("part", "form"),
    [
        ("s/a/b/;", "sed '{}' x"),
        ("[a", "sed 's/{}/b/' x"),
        ("{print}", "awk '{}' x"),
        ("x = x + 1; ", "awk '{{ {} }}' x"),
        ("\\\\\\\\", "awk '/{}/' x"),
        (".a|", "jq '{}.' x"),
        ('"\\\\(', "jq '{}' x"),
        ("%(refname:", "git branch --format='{}'"),
        ("%<(", "git log --format='{}'"),
        ("%", "printf '{}' x"),
        ("%0", "printf '{}' x"),
        ("(a", "grep -P '{}' x"),
        ("a{1,2}", "grep -E '{}' x"),
        ("[[:a:", "grep '{}' x"),
        ("\\\\(", "grep '{}' x"),
        ("$a ", "echo {}"),
        ("`", "echo {}"),
        ("$(", "echo {}"),
        ("{a,", "echo {}"),
        ("'a'", "echo {}"),
        ("env ", "{} ls"),
        ("! ", "{} ls"),
        ("( ", "{} ls"),
        ("<<E ", "cat {}"),
        ("-a ! ", "[ {} x ]"),
        ("[core]\n", "echo '{}'"),
    ],
)
def test_twice_as_long_takes_not_much_more_than_twice_as_long(part: str, form: str, place: Path) -> None:
    """Compared in one run; what is quadratic takes four times as long, and what is worse does not come back."""
    times = part.replace("\\\\", "\\")

    def taken(length: int) -> float:
        line = form.format(times * (length // len(times)))
        began = time.process_time()
        judge(line, place)
        return time.process_time() - began

    taken(100)
    short = min(taken(6_500) for _ in range(3))
    long = min(taken(13_000) for _ in range(3))
    assert long <= 3.2 * short + 0.01


def test_many_files(place: Path) -> None:
    for number in range(MAX_ENTRIES + 10):
        (place / "src" / f"{'a' * 60}{number}").touch()
    assert not judge("ls src/*", place).safe
    assert steps("ls " + " ".join(["src/*a*b"] * 8), place) <= looks.STEPS + looks.MAX_NAMES
    assert judge("grep -r x src", place).safe


def test_folders_that_go_down_for_ever(place: Path) -> None:
    deep = place.joinpath(*["d"] * looks.MAX_DEPTH)
    deep.mkdir(parents=True)
    reason = f"A folder is more than {looks.MAX_DEPTH} levels deep."
    assert judge("grep -r x d", place).reasons == (reason,)
    around = Surroundings(home=place.parent / "home", path=(str(place.parent / "programs"),))
    assert judge_command("git status", cwd=deep, workspace=place, around=around).reasons == (reason,)


def test_a_great_index(place: Path) -> None:
    """Whether there are submodules is seen at once; which names there are takes a look at each."""
    subprocess.run(["git", "init", "-q", "--template=", "."], cwd=place, check=True)
    entries = 20_000
    listed = "".join(f"100644 {'1' * 40}\tsrc/folder{at % 50}/file{at}.py\n" for at in range(entries))
    subprocess.run(["git", "update-index", "--index-info"], cwd=place, input=listed, text=True, check=True)
    assert judge("git status", place).safe
    assert steps("git status", place) < entries
    assert judge("git diff", place).safe
    assert steps("git diff", place) < entries
    assert steps("git diff; git diff; git grep x; git log -p", place) < 2 * entries


def test_whoever_runs_out_proves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "STEPS", 200)
    for number in range(300):
        (place / "src" / f"f{number}").touch()
    assert judge("cat src/f1", place).safe
    assert judge("rg x src", place).reasons == ("rawr would have to look at too many files to judge it.",)
    changes = judge_changes([f"src/f{number}" for number in range(300)], workspace=place)
    assert changes.reasons == ("rawr would have to look at too many files to judge it.",)


def test_a_disk_that_does_not_answer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "SECONDS", 0.0)
    assert judge("cat src/x", place).reasons == ("Looking at its files takes too long.",)


def test_paths_that_no_system_takes(place: Path) -> None:
    assert judge(f"cat {'a/../' * 2_000}x", place).reasons == ("A path is longer than 4096 characters.",)
    assert not judge_changes(["a/../" * 2_000 + "x"], workspace=place).safe


def test_changes_are_bounded_too(place: Path) -> None:
    Counted.spent = 0
    judge_changes([f"L30/../{'a/../' * 50}{number}" for number in range(1_000)], workspace=place)
    assert Counted.spent <= looks.STEPS + looks.MAX_NAMES


@pytest.mark.mission("C10")
@pytest.mark.parametrize("inner", ["ls|" * 4_900 + "ls", "`" * 14_000, '"a"' * 4_900])
def test_a_line_in_a_shell_that_is_refused_is_not_read_twice(
    inner: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other reader would go through all of it, which takes longer than everything else together."""
    asked: list[str] = []
    parse = first_reader.parse

    def recorded(command: str, *, home: str | None = None) -> first_reader.Parsed:
        asked.append(command)
        return parse(command, home=home)

    monkeypatch.setattr(first_reader, "parse", recorded)
    assert not judge(f"bash -lc {shlex.quote(inner)}", place).safe
    assert asked == []
    assert judge("bash -lc 'ls | cat'", place).safe
    assert asked == ["ls | cat", "bash -lc 'ls | cat'"]
