"""C10: the audit's hash is of exactly what was approved."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rawr.approvals import digest_of, digest_of_changes
from rawr.approvals.digest import digest_of_request
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.requests import CommandApproval, Elicitation, FileChangeApproval, Question

text = st.text(st.characters(codec=None), max_size=20)


def test_it_stays_the_same() -> None:
    assert digest_of("ls", Path("/w")) == "6dcb90750dac1df320c1f1cb33bbd642c18668ff3b52296c45f1c7823e0b1bc9"
    assert digest_of("ls", "/w") == digest_of("ls", Path("/w"))
    assert digest_of_changes([("a", "b")]) != digest_of("a", "b")


@given(text, text, text, text)
def test_different_things_differ(command: str, cwd: str, other: str, elsewhere: str) -> None:
    assert (digest_of(command, cwd) == digest_of(other, elsewhere)) == ((command, cwd) == (other, elsewhere))


@given(text, text)
def test_nothing_can_be_moved_from_one_part_to_the_other(command: str, cwd: str) -> None:
    if cwd:
        assert digest_of(command, cwd) != digest_of(command + cwd[:1], cwd[1:])


def asked(question: Question, paths: tuple[str, ...] = ()) -> str:
    return digest_of_request(Real(OpenRequest("1/0", question, 0, "T", paths=paths)), workspace="/w")


def test_a_persons_is_the_same_as_a_rules() -> None:
    assert asked(CommandApproval(command="ls", cwd="/w/x")) == digest_of("ls", "/w/x")
    assert asked(CommandApproval(command="ls", cwd="")) == digest_of("ls", "/w")
    changes = digest_of_changes([("/w/a", "change"), ("/b", "change")])
    assert asked(FileChangeApproval(), ("a", "/b")) == changes
    assert asked(FileChangeApproval(grant_root="/"), ("a", "/b")) != changes


def test_every_question_has_one() -> None:
    questions = (FileChangeApproval(), FileChangeApproval(grant_root="/"), Elicitation(server="s", message="m"))
    assert len({asked(one) for one in (*questions, Elicitation(server="s", message="n"))}) == 4
