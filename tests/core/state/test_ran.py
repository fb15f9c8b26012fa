"""What ran is remembered as far as a packet may make claims about it (D2)."""

from rawr.core.state.ran import MAX_CODES, MAX_RAN, Ended, Ran, Runs, add, ended, programs_in


def test_each_command_is_there_once_with_its_exit_codes() -> None:
    """The newest code counts, and earlier ones are no lie."""
    runs = add(Runs(), (Ended("make", 2), Ended("ls", 0), Ended("make", 0), Ended("make", 2)))
    assert runs.newest == (Ran("ls", (0,)), Ran("make", (0, 2)))
    many = add(runs, tuple(Ended("make", code) for code in range(20)))
    assert len(many.newest[-1].codes) == MAX_CODES


def test_of_a_forgotten_command_the_program_is_still_known() -> None:
    runs = add(Runs(), (Ended("uv run pytest -q", 0), *(Ended(f"echo {n}", 0) for n in range(MAX_RAN))))
    assert (len(runs.newest), runs.dropped, runs.programs, runs.scripts) == (
        MAX_RAN,
        True,
        frozenset({"pytest"}),
        False,
    )


def test_a_script_may_have_run_tests() -> None:
    for command in ("make", "sh run_tests.sh", "./ci.sh test", "docker compose run app", "tox"):
        assert add(Runs(), (Ended(command, 0),)).scripts, command
    for command in ("git commit -m x", "cat tests/a.py", "npm run build", "python plot.py", "pytest -q"):
        assert not add(Runs(), (Ended(command, 0),)).scripts, command


def test_so_does_what_an_output_says_at_its_end() -> None:
    """A script of any name."""
    assert ended("./go", exit_code=0, output="x\n" * 900 + "12 passed in 0.4s\n").tested
    assert not ended("./go", exit_code=0, output="12 passed\n" + "x\n" * 900).tested


def test_programs_are_known_by_their_names() -> None:
    assert programs_in("cd a && npm run test:unit; cargo  test && py.test") == ("npm test:unit", "cargo test", "pytest")
    assert programs_in("echo pytests; cat my-pytest.ini; ls") == ()
