import pytest

from rawr.core.state.mode import MODES, named_in


@pytest.mark.parametrize(
    ("phase", "mode"),
    [
        *((one, one) for one in MODES),
        ("Reading the sources", "research"),
        ("draft", "implement"),
        ("write the tests", "implement"),
        ("testing on a large file", "test"),
        ("verification", "test"),
        ("ship 2.0", "release"),
        ("deploy", "release"),
        ("", ""),
        ("part two", ""),
        ("latest prototype", ""),
    ],
)
def test_a_phase_names_the_kind_of_work(phase: str, mode: str) -> None:
    """B3: by whole words; a name that says nothing is none."""
    assert named_in(phase) == mode
