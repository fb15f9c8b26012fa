"""A look around in a workspace (C15): what it shows, and that nothing there can run, hang or flood it."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from rawr.core.guidance.rules import checks
from rawr.core.guidance.scene import Scene
from rawr.observe.workspace import research as research_module
from rawr.observe.workspace.research import MAX_BYTES, research
from tests.observe.test_hostile import hostile  # noqa: F401 - a fixture


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a commit, and work that is not committed."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# Parser\n\nIt parses.\n")
    (folder / "Makefile").write_text("X := 1\n.PHONY: test\ntest: build\n\tpytest\nbuild:\n\ttrue\nVAR = a:b\n")
    (folder / "package.json").write_text('{"scripts": {"lint": "eslint .", "test": "jest"}}')
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n[tool.ruff]\n")
    (folder / "src" / "a.py").write_text("# TODO: finish\n# FIXME\n")
    (folder / "src" / "b.py").write_text("x = 1\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin the parser")
    return folder


def lines(folder: Path) -> list[str]:
    return research(str(folder)).splitlines()


# -- what it shows ---------------------------------------------------------------------------------------------------


def test_a_clean_repository(project: Path) -> None:
    told = lines(project)
    assert told[0].startswith("A git repository, on branch main, at ")
    assert told[1] == "Newest commits:"
    assert told[2].endswith(" Begin the parser")
    assert told[3] == "Here (6): .gitignore, Makefile, README.md, package.json, pyproject.toml, src/"
    assert "Files by language: Python 2, Markdown 1." in told
    assert "TODO and FIXME notes: 2, in 2 files that were read; most in src/a.py 2" in told
    assert told[-3:] == ["README.md begins:", "# Parser", "It parses."]
    assert not any(line.startswith(("Changed", "Unknown", "Staged")) for line in told)


def test_how_it_is_tested_and_built(project: Path) -> None:
    text = research(str(project))
    ways = ["make test", "make build", "npm run lint", "npm run test", "pytest (tests)", "ruff check"]
    assert "\n".join(f"- {way}" for way in ways) in text
    assert checks(Scene(message="go", goal="go", research=text)) == (
        "make test",
        "npm run lint",
        "npm run test",
        "pytest (tests)",
        "ruff check",
    )


def test_what_is_not_committed(project: Path) -> None:
    (project / "src" / "b.py").write_text("x = 2  # longer\n")
    (project / "README.md").unlink()
    (project / "new.py").write_text("")
    (project / "noise.log").write_text("")
    (project / "staged.py").write_text("")
    git(project, "add", "staged.py")
    told = lines(project)
    assert "Staged (1): staged.py" in told
    assert "Changed since git last saw them (2): README.md, src/b.py" in told
    assert "Unknown to git (1): new.py" in told


def test_a_folder_of_a_repository_is_looked_at_by_itself(project: Path) -> None:
    (project / "src" / "b.py").write_text("x = 2  # longer\n")
    (project / "README.md").write_text("# Another, longer parser\n")
    told = lines(project / "src")
    assert "Changed since git last saw them (1): b.py" in told
    assert "Here (2): a.py, b.py" in told


def test_a_worktree_and_a_detached_head(project: Path) -> None:
    git(project, "worktree", "add", "-q", "--detach", "../tree")
    told = lines(project.parent / "tree")
    assert told[0].startswith("A git repository, not on a branch, at ")
    assert not any(line.startswith("Changed") for line in told)


@pytest.mark.parametrize("kind", ["nothing", "empty", "unborn", "bare", "file", "missing"])
def test_odd_places_are_fine(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "here"
    match kind:
        case "nothing" | "empty":
            place.mkdir()
            if kind == "nothing":
                (place / "a").write_text("")
        case "unborn":
            place.mkdir()
            git(place, "init", "-q")
        case "bare":
            place.mkdir()
            git(place, "init", "-q", "--bare")
        case "file":
            place.write_text("")
        case "missing":
            pass
    expected = {
        "nothing": "No git repository.",
        "empty": "No git repository.",
        "unborn": "A git repository, on branch",
        "bare": "A git repository, on branch",
        "file": "The workspace is no folder.",
        "missing": "There is no such workspace.",
    }
    assert research(str(place)).startswith(expected[kind])


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 10_000])
def test_a_place_with_a_strange_name(name: str) -> None:
    assert research(name) == "There is no such workspace."


# -- what it must not do ---------------------------------------------------------------------------------------------


def test_nothing_of_a_hostile_repository_is_run(hostile: tuple[Path, Path]) -> None:  # noqa: F811
    """B6: filters, hooks, pagers, aliases, file watchers: none of them, also where a file has changed."""
    folder, marker = hostile
    (folder / "a.txt").write_text("one\n")
    tame = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "filter.evil.clean=cat", "filter.evil.process=")
    settings = [part for one in (*tame, f"core.worktree={folder}") for part in ("-c", one)]
    git(folder, *settings, "add", "a.txt")
    marker.unlink(missing_ok=True)
    (folder / "a.txt").write_text("two\n")  # the same size, and at once: git itself would have to read it
    (folder / "Makefile").write_text(f"x := $(shell touch {marker})\ntest:\n\ttouch {marker}\n")
    (folder / "package.json").write_text('{"scripts": {"preinstall": "touch executed"}}')
    told = research(str(folder))
    assert not marker.exists(), marker.read_text()
    assert "- make test" in told


def test_links_that_lead_out_are_not_followed(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "README.md").write_text("SECRET")
    (secret / "more.py").write_text("# TODO SECRET\n" * 50)
    (project / "README.md").unlink()
    (project / "README.md").symlink_to(secret / "README.md")
    (project / "Makefile").unlink()
    (project / "Makefile").symlink_to("/etc/passwd")
    (project / "out").symlink_to(secret)
    (project / "loop").symlink_to(project)
    told = research(str(project))
    assert "SECRET" not in told
    assert "root" not in told
    assert "out@" in told
    assert "notes: 2," in told


def test_a_link_that_stays_inside_is_followed(project: Path) -> None:
    (project / "docs").mkdir()
    (project / "README.md").rename(project / "docs" / "README.md")
    (project / "README.md").symlink_to("docs/README.md")
    assert "It parses." in research(str(project))


def test_pipes_devices_and_binary_files_are_left_alone(project: Path) -> None:
    (project / "README.md").unlink()
    os.mkfifo(project / "README.md")
    (project / "Makefile").write_bytes(b"\0\1\2test:\n")
    os.mkfifo(project / "src" / "pipe.py")
    (project / "package.json").write_text("[" * 100_000)
    (project / "pyproject.toml").write_text("a = " + "[" * 5_000)
    begun = time.monotonic()
    told = research(str(project))
    assert time.monotonic() - begun < 3
    assert "begins:" not in told
    assert "make" not in told


def test_what_cannot_be_read_is_left_out(project: Path) -> None:
    (project / "src").chmod(0)
    try:
        assert research(str(project)).startswith("A git repository")
    finally:
        (project / "src").chmod(0o755)


def test_names_cannot_do_anything(project: Path) -> None:
    """Control characters, halves of characters, and whole pages are made harmless."""
    for name in ("a\x1b[31m.py", "line\nbreak.py", "right\u202eleft.py", "x" * 200 + ".py"):
        (project / name).write_text("")
    Path(os.fsdecode(os.fsencode(project) + b"/\xff\xfe.py")).write_text("")
    (project / "README.md").write_bytes(b"\x1b]0;title\x07\xff\xfe words\r\n" * 10)
    told = research(str(project))
    told.encode()
    assert not set(told) & set("\x1b\x07\r\u202e")
    assert all(len(line) < 8_000 for line in told.splitlines())


def test_it_is_bounded_in_size(project: Path) -> None:
    for number in range(400):
        (project / f"{'é' * 50}{number}.py").write_text("# TODO\n")
    (project / "README.md").write_text("word " * 100_000)
    (project / "Makefile").write_text("".join(f"target{n}{'y' * 100}:\n" for n in range(5_000)))
    told = research(str(project))
    assert len(told.encode()) <= MAX_BYTES
    assert "and 350 more" in told or "more" in told


def test_it_is_bounded_in_entries(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not all of it" not in research(str(project))
    monkeypatch.setattr(research_module, "MAX_ENTRIES", 10)
    assert "not all of it was looked at" in research(str(project))


def test_it_is_bounded_in_depth(project: Path) -> None:
    deep = project
    for number in range(100):
        deep = deep / "d"
        deep.mkdir()
        (deep / f"{number}.py").write_text("")
    assert "not all of it was looked at" in research(str(project))


def test_it_is_bounded_in_time(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that never answers."""
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}{os.pathsep}{os.environ['PATH']}")
    begun = time.monotonic()
    told = research(str(project), 1.0)
    assert time.monotonic() - begun < 3
    assert told.startswith("A git repository, on branch main")


def test_without_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    told = research(str(project))
    assert told.startswith("A git repository, on branch main, at ")
    assert "# Parser" in told
