"""A command as bash would run it, for a person who decides (C10)."""

from rawr.views.parsed import MOST, parsed_lines


def test_a_wrapper_is_unwrapped_and_every_part_has_a_line() -> None:
    assert parsed_lines("bash -lc 'git push --force origin main && rm -rf \"my build\"'") == (
        "git push --force origin main",
        "rm -rf 'my build'  (perhaps)",
    )


def test_what_only_running_tells_is_said() -> None:
    assert parsed_lines("rm -rf $DIR > out.txt") == ("rm -rf (known only when it runs) >out.txt",)
    assert parsed_lines("A=1 make | tee log") == ("A=1 make  (pipeline)", "tee log  (pipeline)")


def test_what_is_not_understood_is_said_last() -> None:
    assert parsed_lines("echo 'never closed")[-1].startswith("not understood: ")


def test_it_is_bounded() -> None:
    lines = parsed_lines("; ".join(f"echo {n}" for n in range(100)))
    assert lines[MOST] == f"and {100 - MOST} more"
    assert len(lines) == MOST + 1
