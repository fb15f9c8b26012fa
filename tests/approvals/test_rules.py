"""C10: the user's rules extend the policy both ways."""

import pytest

from rawr.approvals import InvalidRule, Rules, rule_problems

from .world import World

ALLOW = Rules(allow=("pytest", "npm test", "make check", "./scripts/test.sh", "git commit"))


@pytest.mark.parametrize(
    "line",
    [
        "pytest",
        "pytest -x tests/test_app.py",
        "npm test",
        "npm test -- --watch=false",
        "make check",
        "timeout 600 pytest -q",
        "bash -lc 'cd src && pytest'",
        "pytest 2>&1 | tail -20",
        "ls && npm test && git status",
        "./scripts/test.sh",
        "git commit -m 'x y'",
        "pytest tests/*.py",
        "env LC_ALL=C pytest",
        "PYTHONPATH=. pytest -q",
        "PYTHONPATH=src:. pytest",
        "PYTHONPATH=src: pytest",
        "env PYTHONPATH=src CI=1 timeout 60 pytest",
        "CI=1 NODE_ENV=test npm test",
        "PYTHONDONTWRITEBYTECODE=1 RUST_BACKTRACE=full make check",
        "PORT=8080 ./scripts/test.sh",
        'for f in tests/*.py; do pytest "$f"; done',
        "if [ -f package.json ]; then npm test; fi",
    ],
)
def test_allowed(line: str, world: World) -> None:
    assert not world.judge(line).safe
    assert world.judge(line, rules=ALLOW).safe


@pytest.mark.parametrize(
    "line",
    [
        "npm",
        "npm install",
        "npm 'test x'",
        "make",
        "make checked",
        "pytest > out.txt",
        "pytest >> ../out.txt",
        "pytest $(rm x)",
        "pytest $ARGS",
        "pytest; rm x",
        "pytest | tee out",
        "FOO=1 pytest",
        "PATH=. pytest",
        "LD_PRELOAD=./x.so pytest",
        "LD_LIBRARY_PATH=. pytest",
        "DYLD_INSERT_LIBRARIES=x pytest",
        "BASH_ENV=x pytest",
        "ENV=x pytest",
        "PYTHONSTARTUP=x pytest",
        "PYTHONHOME=. pytest",
        "PYTHONWARNINGS=ignore::src.x pytest",
        "PYTEST_PLUGINS=x pytest",
        "PYTEST_ADDOPTS='-p x' pytest",
        "PYTHONBREAKPOINT=x.y pytest",
        "NODE_OPTIONS='-r ./x' npm test",
        "NODE_PATH=../x npm test",
        "npm_config_script_shell=./x npm test",
        "PAGER=evil git commit -m x",
        "EDITOR=evil git commit -m x",
        "GIT_EDITOR=evil git commit -m x",
        "GIT_DIR=x git commit -m x",
        "GIT_SSH_COMMAND=evil git commit -m x",
        "PYTHONPATH=. git commit -m x",
        "PYTHONPATH=. ./scripts/test.sh",
        "PYTHONPATH=.. pytest",
        "PYTHONPATH=/tmp pytest",
        "PYTHONPATH=~/x pytest",
        "PYTHONPATH=src:../x pytest",
        "PYTHONPATH=link-out pytest",
        "PYTHONPATH=$PWD pytest",
        "PYTHONPATH=src:$(evil) pytest",
        "PYTHONPATH=. bash -c pytest",
        "MAKEFLAGS=--eval=x make check",
        "SHELL=./x make check",
        "HOME=. npm test",
        "TMPDIR=.. pytest",
        "CI=$(evil) npm test",
        "PORT=x npm test",
        "CI=1; npm test",
        "env -S 'CI=1 npm test'",
        "sudo pytest",
        "xargs pytest",
        "'pytest'",
        "/tmp/pytest",
        "scripts/test.sh",
        "pytest ../*",
        "cd .. && pytest",
        "git -C .. commit -m x",
        "find . -exec pytest {} +",
    ],
)
def test_a_rule_speaks_for_one_command_only(line: str, world: World) -> None:
    assert not world.judge(line, rules=ALLOW).safe


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("ls", "ls"),
        ("bash -lc 'ls'", "ls"),
        ("timeout 5 ls -la", "ls"),
        ("pwd; ls", "ls"),
        ("git log", "git log"),
        ("git --no-pager log", "git log"),
        ("git -C src log --oneline", "git log"),
        ("git log", "git"),
        ("/bin/bash -lc 'pwd'", "bash"),
        ("pytest --pdb", "pytest --pdb"),
        ("pytest", "pytest"),
    ],
)
def test_deny_wins(line: str, rule: str, world: World) -> None:
    judgment = world.judge(line, rules=Rules(allow=("pytest",), deny=(rule,)))
    assert f"The rule `{rule}` denies it." in judgment.reasons
    assert not judgment.safe


def test_the_rule_is_named(world: World) -> None:
    assert world.judge("npm test", rules=ALLOW).reasons == ("`npm` is allowed by the rule `npm test`.",)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"allow": ("",)}, "An empty allow rule means nothing."),
        ({"deny": ("  ",)}, "An empty deny rule means nothing."),
        ({"allow": ("npm test; rm x",)}, "contains 'test;'"),
        ({"allow": ("ls | sh",)}, "contains '|'"),
        ({"allow": ("make $X",)}, "contains '$X'"),
        ({"allow": ("make *",)}, "contains '*'"),
        ({"deny": ("'rm'",)}, "plain words"),
        ({"allow": ("sudo make",)}, "begins with 'sudo'"),
        ({"allow": ("bash -c",)}, "begins with 'bash'"),
        ({"allow": ("xargs",)}, "begins with 'xargs'"),
        ({"allow": ("env",)}, "begins with 'env'"),
        ({"allow": ("/bin/bash",)}, "begins with '/bin/bash'"),
        ({"allow": ("/usr/bin/dash -c",)}, "begins with '/usr/bin/dash'"),
        ({"allow": ("busybox",)}, "begins with 'busybox'"),
        ({"allow": ("watch ls",)}, "begins with 'watch'"),
        ({"protect": ("../x",)}, "not inside the workspace"),
        ({"protect": ("/etc",)}, "not inside the workspace"),
        ({"protect": ("",)}, "not inside the workspace"),
    ],
)
def test_rules_that_are_none(rules: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(InvalidRule) as refused:
        Rules(**rules)
    assert message in str(refused.value)
    assert refused.value.way_out


def test_what_is_wrong_with_rules_is_told_at_once() -> None:
    assert rule_problems(("pytest", "make check"), ("git push",)) == ()
    plain = "a rule is plain words, without quotes, patterns, variables or shell operators."
    way_out = "Write the first words of one command, such as 'make check'."
    assert rule_problems(("bash", "npm test", "rm *"), ("git push; x", "")) == (
        "The allow rule 'bash' begins with 'bash', which runs other commands. Name the command it would run instead.",
        f"The allow rule 'rm *' contains '*': {plain} {way_out}",
        f"The deny rule 'git push; x' contains 'push;': {plain} {way_out}",
        "An empty deny rule means nothing. Write a command, such as 'npm test'.",
    )
    for allow, deny in ((("bash",), ()), ((), ("git push; x",))):
        assert rule_problems(allow, deny)
        with pytest.raises(InvalidRule):
            Rules(allow=allow, deny=deny)


@pytest.mark.parametrize("line", ["git pus?", "git [p]ush", "gi? push", "git -C . pus*", "f=push; git $f"])
def test_a_pattern_or_a_variable_does_not_evade_a_denial(line: str, world: World) -> None:
    """A file called ``push`` would make it one."""
    (world.workspace / "push").touch()
    try:
        judgment = world.judge(line, rules=Rules(allow=("git", "git hooks"), deny=("git push",)))
        assert "The rule `git push` denies it." in judgment.reasons
    finally:
        (world.workspace / "push").unlink()
