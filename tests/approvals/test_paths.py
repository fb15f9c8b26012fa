"""C10: where a path leads, and which program a name is, is asked of the real file system."""

import os
import time
from pathlib import Path

import msgspec
import pytest

from rawr.approvals import Surroundings, judge_command
from rawr.approvals.reach import NOWHERE, Reach
from rawr.approvals.reading.globs import MAX_ENTRIES

PATH = tuple(os.environ["PATH"].split(os.pathsep))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("x\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x\n")
    return folder


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return Surroundings(home=tmp_path / "home", path=PATH)


def safe(line: str, workspace: Path, around: Surroundings, cwd: Path | None = None, reach: Reach | None = None) -> bool:
    return judge_command(line, cwd=cwd or workspace, workspace=workspace, around=around, reach=reach).safe


def test_symlinks_are_followed(workspace: Path, around: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace / "in").symlink_to("src")
    (workspace / "out").symlink_to("../outside")
    (workspace / "src" / "chain").symlink_to("../out")
    (workspace / "loop").symlink_to("loop")
    assert safe("cat in/app.py", workspace, around)
    assert not safe("cat loop", workspace, around)
    for path in ("out/secret", "src/chain/secret", "in/chain/secret", "out", "in/../../outside/secret", "out/new"):
        assert not safe(f"cat {path}", workspace, around), path
        assert not safe(f"touch {path}", workspace, around), path
    for number, target in enumerate(("/proc/self/cwd", "/dev/stdin", "/dev/fd/0", "/proc/self/fd")):
        (workspace / f"magic{number}").symlink_to(target)
        (workspace / "src" / f"magic{number}").symlink_to(f"../magic{number}")
        for path in (target, f"magic{number}", f"src/magic{number}/x", f"in/magic{number}"):
            assert not safe(f"cat {path}", workspace, around), path
    (workspace / "src" / "link").symlink_to("../../outside/secret")
    assert not safe("cat src/*", workspace, around)
    assert safe("cat src/*.py", workspace, around)
    monkeypatch.chdir(workspace)
    for path in ("/proc/self/cwd/src/app.py", "/usr/../proc/self/cwd/src/app.py"):
        assert not safe(f"cat {path}", workspace, around), "another process is elsewhere"


def test_cd_is_followed(workspace: Path, around: Surroundings) -> None:
    (workspace / "in").symlink_to("src/deep")
    assert safe("cd src && cat ../src/app.py", workspace, around)
    assert not safe("cd src && cat ../../outside/secret", workspace, around)
    assert not safe("cd src; cat ../app", workspace, around), "if cd fails, this is outside"
    assert safe("cd src || exit 1; cat app.py", workspace, around)
    assert not safe("true && cd src; cat ../x", workspace, around)
    assert not safe("cd in && ls ..", workspace, around), "the shell and the system go up differently"
    assert not safe("(cd src); cat ../x", workspace, around)
    assert safe("(cd src && ls ..); ls", workspace, around)
    assert safe("cd src/deep && cd .. && ls ..", workspace, around)
    assert not safe("cd src && cd .. && cd .. && ls", workspace, around)
    assert not safe("timeout 5 cd src && cat ../src/app.py", workspace, around)
    assert not safe("cd src", workspace, msgspec.structs.replace(around, variables={"CDPATH": "/"}))


def test_a_workspace_and_folder_through_symlinks(workspace: Path, around: Surroundings, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(workspace)
    assert safe("ls && cat src/app.py", alias, around)
    assert safe("ls", workspace, around, cwd=alias / "src")
    assert safe("cd deep && ls", workspace, around, cwd=alias / "src")
    assert not safe("cd .. && ls", workspace, around, cwd=alias / "src")
    assert not safe("ls", alias / "src", around, cwd=alias)


def test_patterns(workspace: Path, around: Surroundings) -> None:
    assert safe("ls *", workspace, around)
    assert safe("wc -l src/*.py src/d?ep/*", workspace, around)
    assert not safe("ls */../../*", workspace, around)
    (workspace / "src" / "-delete").write_text("")
    assert safe("cat src/*", workspace, around), "src/-delete is no option"
    assert not safe("cd src && cat *", workspace, around)
    assert not safe("find * -name x", workspace, around, cwd=workspace / "src")
    for number in range(MAX_ENTRIES + 1):
        (workspace / "src" / "deep" / str(number)).touch()
    assert not safe("ls src/deep/*", workspace, around)


def test_shadowed_programs(workspace: Path, around: Surroundings, tmp_path: Path) -> None:
    bin_dir = workspace / "bin"
    bin_dir.mkdir()
    first = msgspec.structs.replace(around, path=(str(bin_dir), *PATH))
    assert not safe("ls", workspace, first), "nothing of that name is there, and something can come"
    assert safe("ls", workspace, first, reach=NOWHERE)
    (bin_dir / "ls").write_text("#!/bin/sh\n")
    assert safe("ls", workspace, first, reach=NOWHERE), "it cannot be run"
    (bin_dir / "ls").chmod(0o755)
    assert not safe("ls", workspace, first, reach=NOWHERE)
    assert safe("pwd && echo x", workspace, first)
    assert safe("pwd && cat src/app.py", workspace, first, reach=NOWHERE)
    assert safe("ls", workspace, msgspec.structs.replace(around, path=(*PATH, str(bin_dir))))
    reason = judge_command("ls", cwd=workspace, workspace=workspace, around=first).reasons[0]
    assert str(bin_dir)[:40] in reason
    assert "Start rawr without it" in reason
    for open_to_agents in ("/tmp", "/tmp/bin", str(workspace / "not" / "there")):
        assert not safe("ls", workspace, msgspec.structs.replace(around, path=(open_to_agents, *PATH)))
    for path in (("", *PATH), (".", *PATH), ("bin", *PATH)):
        assert not safe("ls", workspace, msgspec.structs.replace(around, path=path)), path
    indirect = tmp_path / "indirect"
    indirect.mkdir()
    (indirect / "cat").symlink_to(bin_dir / "ls")
    assert not safe("cat src/app.py", workspace, msgspec.structs.replace(around, path=(str(indirect), *PATH)))
    functions = msgspec.structs.replace(around, functions=frozenset({"ls", "echo", "cd"}))
    assert [safe(line, workspace, functions) for line in ("ls", "echo x", "cd src", "pwd")] == [
        False,
        False,
        False,
        True,
    ]
    assert not safe("timeout 5 ls", workspace, first)


def test_programs_that_the_project_chooses(workspace: Path, around: Surroundings, tmp_path: Path) -> None:
    """asdf and its like put one program in the place of many; it runs what ``.tool-versions`` names."""
    managed, shims, system = tmp_path / "managed" / "bin", tmp_path / ".asdf" / "shims", tmp_path / "system" / "bin"
    for folder in (managed, shims, system):
        folder.mkdir(parents=True)
    for folder in (shims, system):
        (folder / "rg").write_text("#!/bin/sh\n")
        (folder / "rg").chmod(0o755)
    (managed / "mise").symlink_to("/bin/true")
    (tmp_path / "mise").write_bytes(b"")
    (tmp_path / "mise").chmod(0o755)
    (managed / "node").symlink_to(tmp_path / "mise")
    assert not safe("rg x", workspace, msgspec.structs.replace(around, path=(str(shims), str(system))))
    assert safe("rg x", workspace, msgspec.structs.replace(around, path=(str(system), str(shims))))
    assert not safe("node --version", workspace, msgspec.structs.replace(around, path=(str(managed), str(system))))


@pytest.mark.parametrize(
    ("name", "value", "fine"),
    [
        ("LD_LIBRARY_PATH", "/opt/lib:", False),
        ("LD_LIBRARY_PATH", ":/opt/lib", False),
        ("LD_LIBRARY_PATH", "lib", False),
        ("LD_LIBRARY_PATH", "/opt/lib:/usr/lib", True),
        ("LD_PRELOAD", "./x.so", False),
        ("LD_PRELOAD", "/usr/lib/a.so lib/b.so", False),
        ("LD_PRELOAD", "libjemalloc.so", True),
        ("BASH_ENV", ".envrc", False),
        ("BASH_ENV", "/etc/bashrc", True),
        ("BASH_ENV", "$HOME/.bashrc", True),
        ("GIT_EXTERNAL_DIFF", "tools/diff --x", False),
        ("GIT_EXTERNAL_DIFF", "difft", True),
        ("PERL5LIB", "lib", False),
    ],
)
def test_an_environment_that_takes_code_from_the_workspace(
    name: str, value: str, fine: bool, workspace: Path, around: Surroundings
) -> None:
    variables = Surroundings.read({"HOME": str(around.home), "PATH": os.environ["PATH"], name: value})
    assert safe("ls", workspace, variables) is fine
    inside = Surroundings.read({"HOME": str(around.home), "PATH": os.environ["PATH"], name: f"{workspace}/lib"})
    assert not safe("ls", workspace, inside)


def test_the_configuration_of_rg(workspace: Path, around: Surroundings, tmp_path: Path) -> None:
    def configured(path: Path) -> Surroundings:
        return msgspec.structs.replace(around, variables={"RIPGREP_CONFIG_PATH": str(path)})

    assert safe("rg x", workspace, configured(tmp_path / "rc"))
    assert not safe("rg x", workspace, configured(workspace / "rc"))
    assert not safe("touch rc", workspace, configured(workspace / "rc"))
    assert not safe("rg x", workspace, configured(Path("rc"))), "from wherever it runs"


def test_a_maze_of_links_is_left_at_once(workspace: Path, around: Surroundings) -> None:
    for level in range(12):
        for name in "abcdef":
            (workspace / f"{name}{level}").symlink_to("/".join(f"{other}{level + 1}/.." for other in "abcdef"))
    began = time.process_time()
    assert not safe("cat a0/b0/c0/d0", workspace, around)
    assert time.process_time() - began < 2


def test_grep_follows_no_link_out_of_the_workspace(workspace: Path, around: Surroundings) -> None:
    """``-R`` follows links, as ``-r`` does not."""
    (workspace / "lib").mkdir()
    (workspace / "src" / "in").symlink_to("../lib")
    (workspace / "lib" / "back").symlink_to("../src")
    (workspace / "src" / "gone").symlink_to("nowhere")
    assert safe("grep -R x src", workspace, around)
    (workspace / "lib" / "out").symlink_to("../../outside")
    assert safe("grep -r x src", workspace, around)
    assert not safe("grep -R x src", workspace, around)
    assert not safe("grep -R --include='*.py' x lib", workspace, around)
    assert safe("grep -R --exclude-dir=src --exclude-dir=lib x .", workspace, around)
    assert not safe("grep -R --exclude-dir='l*' x .", workspace, around)
    assert not safe("grep -R --exclude-dir=out x lib", workspace, around)


@pytest.mark.parametrize("name", ["secrets.json", "settings"])
def test_grep_follows_no_link_to_credentials(name: str, workspace: Path, around: Surroundings) -> None:
    (workspace / ".env").write_text("KEY=x\n")
    (workspace / "src" / name).symlink_to("../.env")
    assert not safe("grep -R x src", workspace, around)


def test_grep_follows_no_link_to_a_folder_with_credentials(workspace: Path, around: Surroundings) -> None:
    (workspace / "conf").mkdir()
    (workspace / "conf" / ".env").write_text("KEY=x\n")
    (workspace / "src" / "conf").symlink_to("../conf")
    assert not safe("grep -R x src", workspace, around)
    assert safe("grep -R --include='*.py' x src", workspace, around)


@pytest.mark.parametrize("linked", [False, True])
def test_grep_waits_for_no_pipe(linked: bool, workspace: Path, around: Surroundings) -> None:
    """GNU's ``-R`` opens a pipe and waits for ever; ``-r`` does not."""
    os.mkfifo(workspace / ("pipe" if linked else "src/pipe"))
    if linked:
        (workspace / "src" / "pipe").symlink_to("../pipe")
    assert safe("grep -r x src", workspace, around)
    assert not safe("grep -R x src", workspace, around)


def test_a_bracket_is_a_pattern_and_a_name(workspace: Path, around: Surroundings) -> None:
    page = workspace / "app" / "[id]"
    page.mkdir(parents=True)
    (page / "page.tsx").write_text("x\n")
    for line in ("cat app/[id]/page.tsx", "cat app/[[...slug]]/x", "git diff -- app/[id]/page.tsx", "ls app/[!a]*"):
        assert safe(line, workspace, around) == (not line.startswith("git")), line  # there is no repository
    (workspace / "app" / "i").symlink_to("../../outside")
    assert not safe("ls app/[id]", workspace, around)
    assert not safe("cat app/[id]/secret", workspace, around)
    assert not safe("cat app/[!]x]/secret", workspace, around)
    assert safe("cat app/'[id]'/page.tsx", workspace, around)


def test_a_pattern_from_the_root(workspace: Path, around: Surroundings) -> None:
    assert safe(f"wc -l {workspace}/src/*.py", workspace, around)
    assert safe(f"/bin/zsh -lc 'ls {workspace}/src/*'", workspace, around)
    (workspace / "src" / "out").symlink_to("../../outside")
    assert not safe(f"ls {workspace}/src/*", workspace, around)
    assert not safe(f"cat {workspace}/../outside/*", workspace, around)
    assert not safe("ls /*/passwd", workspace, around)


def test_a_pattern_that_matches_nothing_is_a_word(workspace: Path, around: Surroundings) -> None:
    assert safe("grep -rn x --include=*.py src", workspace, around)
    assert safe("find . -name *.py", workspace, around)
    (workspace / "--include=x.py").touch()
    (workspace / "a.py").touch()
    assert not safe("grep -rn x --include=*.py src", workspace, around)
    assert not safe("find . -name *.py", workspace, around)


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "codex" / "skills" / "tidy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("# Tidy\n")
    (tmp_path / "codex" / "auth.json").write_text("{}")
    return folder


def test_skills_may_be_read(skill: Path, workspace: Path, around: Surroundings) -> None:
    """Codex tells the agent to read them; everything else in its home is nobody's business."""
    codex = skill.parents[1]

    def may(line: str) -> bool:
        found = judge_command(line, cwd=workspace, workspace=workspace, around=around, protected=(codex,))
        return found.safe

    assert may(f"cat {skill}/SKILL.md")
    assert may(f"sed -n '1,200p' {skill}/SKILL.md && ls {skill}")
    assert may(f"cat {skill.parent}/*/SKILL.md")
    assert may(f"cat {around.home}/.agents/skills/x/SKILL.md")
    assert not may(f"cat {codex}/auth.json")
    assert not may(f"cat {skill}/../../auth.json")
    assert not may(f"ls {codex}")
    assert not may(f"cat {codex}/skills2/x")
    assert not may(f"grep -r x {skill}")
    assert not may(f"rg x {skill}")
    assert not may(f"touch {skill}/x")
    assert not may(f"cd {skill} && ls")
    assert not may(f"bash {skill}/run.sh")
    (skill / ".env").write_text("KEY=x\n")
    (skill / "link.md").symlink_to("../../auth.json")
    os.link(codex / "auth.json", skill / "hard.md")
    (skill.parent / "other").symlink_to(workspace.parent / "outside")
    for name in ("tidy/.env", "tidy/link.md", "tidy/hard.md", "other/secret"):
        assert not may(f"cat {skill.parent}/{name}"), name
    assert not safe(f"cat {skill}/SKILL.md", workspace, around)
