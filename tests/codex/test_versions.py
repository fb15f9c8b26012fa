import pytest

from rawr.codex.versions import CodexTooOld, greeted_by, refuse_too_old, too_old


@pytest.mark.parametrize(
    ("version", "refused"),
    [
        ("0.133.0", True),
        ("0.144.3", True),
        ("0.144.4", False),
        ("0.144.4-alpha.1", False),
        ("0.163.0", False),
        ("1.0.0", False),
        ("0.0.0", False),
        ("", False),
        ("nightly", False),
    ],
)
def test_by_number_and_never_by_guessing(version: str, refused: bool) -> None:
    """A version that says nothing, as a build from source does, is judged by what it can do."""
    assert too_old(version) is refused


def test_the_refusal_has_a_way_out() -> None:
    with pytest.raises(CodexTooOld, match=r"version 0\.133\.0; rawr needs 0\.144\.4 or newer") as caught:
        refuse_too_old("0.133.0")
    assert "Update Codex" in caught.value.way_out


@pytest.mark.parametrize(
    ("greeting", "version"),
    [
        ("rawr/0.166.0 (Debian 12.0.0; x86_64) xterm (rawr; 0.1.0)", "0.166.0"),
        ("Codex Desktop/0.149.0-alpha.2 (Mac OS 15; arm64)", "0.149.0"),
        ("stand-in/1", ""),
        ("", ""),
    ],
)
def test_the_version_in_a_greeting(greeting: str, version: str) -> None:
    """D1: the server of a user is another process; what it says in the greeting is all there is."""
    assert greeted_by(greeting) == version
