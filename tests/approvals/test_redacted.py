"""C10, D12: what a redactor takes out of a line is judged with the rest of it, because it is what will run.

The way is the runtime's own: a fact goes into the redactor as the loop hands it in, the core makes an effect of what is
written, and the effect is revealed before it is judged.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rawr.approvals.approving import Approver
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.effects import JudgeApproval
from rawr.core.vocabulary.facts import ItemStarted, RequestReceived, TurnStarted
from rawr.core.vocabulary.items import Change, FileChange
from rawr.core.vocabulary.requests import CommandApproval
from rawr.journal.redact import Redactor
from tests.core.samples import Story

from .corpus import DANGEROUS, HARMLESS
from .world import World

FORMS = (
    'rg "mysql -pfoo$({})"',
    'grep "PASSWORD=$({})" README.md',
    'ls "--token=$({})"',
    'cat "https://user:$({})@host/"',
    "API_KEY=$({}) ls",
    'grep -r "Authorization: Bearer $({})" .',
    "curl -u me:$({}) --version",
    'echo "sk-proj-$({})"',
)
"""Around a substitution, where a redactor that does not know shells takes all of it for a secret."""


def in_every_form(line: str, number: int) -> Iterator[str]:
    """Each line in one of the forms by turns, and, if it is short, as it would be hidden whole."""
    yield FORMS[number % len(FORMS)].format(line)
    if len(line) < 200:
        yield f'ls --password="{line}"'


def as_judged(redactor: Redactor, command: str) -> str:
    """What the judge gets to see of a command that Codex asks about."""
    asked = RequestReceived(request="1/1", question=CommandApproval(command=command, cwd="/"))
    written = msgspec.json.decode(redactor.foreign(msgspec.json.encode(asked)), type=RequestReceived)
    assert isinstance(written.question, CommandApproval)
    effect = JudgeApproval(request="1/1", command=written.question.command, cwd="/", workspace="/")
    real = redactor.reveal(effect)
    assert real is not None
    return real.thing.command


@pytest.mark.mission("C10", "D12")
def test_no_dangerous_line_is_approved_because_it_looks_like_a_secret(world: World) -> None:
    redactor = Redactor()
    approved, hidden = [], 0
    for number, line in enumerate(DANGEROUS):
        for form in in_every_form(line, number):
            judged = as_judged(redactor, form)
            assert judged == form
            hidden += redactor.text(form) != form
            # In quotes a line is only data, unless the shell looks into them.
            if world.judge(judged).safe and FORMS[number % len(FORMS)].format(line) == form:
                approved.append(form)
    assert hidden > len(DANGEROUS), "most of these forms hold what a redactor takes out"
    assert approved == []


@pytest.mark.mission("C10", "D12")
def test_a_line_and_what_is_judged_of_it_are_the_same(world: World) -> None:
    """Also where an agent has read placeholders in a journal, and writes them down again."""
    redactor = Redactor()
    known = redactor.text("API_KEY=sk-proj-" + "Zx9" * 14).removeprefix("API_KEY=")
    for line in (*HARMLESS, *DANGEROUS):
        for command in (line, f"{line} {known}", f"ls {known}; {line}"):
            assert as_judged(redactor, command) == command


def test_a_placeholder_in_a_command_is_judged_as_the_glob_that_it_is(world: World) -> None:
    """The shell knows nothing of placeholders: between its brackets are letters, each of which is a file's name."""
    redactor = Redactor()
    known = redactor.text("API_KEY=sk-proj-" + "Zx9" * 14).removeprefix("API_KEY=")
    link = world.workspace / "a"
    link.symlink_to("/etc/passwd")
    try:
        assert not world.judge(as_judged(redactor, f"cat {known}")).safe
    finally:
        link.unlink()


@pytest.mark.mission("C10", "D12")
@pytest.mark.parametrize("kind", ["link", "hooks", "moved"])
def test_a_file_change_is_judged_by_its_real_paths(tmp_path: Path, kind: str) -> None:
    """A path that a redactor takes for a secret may be a link; and what a file is moved to counts like what it was."""
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    for folder in (workspace / ".git" / "hooks", outside):
        folder.mkdir(parents=True)
    name = "d?token=" + "tr0ub4dor-and-3"
    (workspace / name).symlink_to(workspace / ".git" / "hooks" if kind == "hooks" else outside)
    change = Change("a.txt", "update", f"{name}/x") if kind == "moved" else Change(f"{name}/x", "add")
    redactor = Redactor()
    begun = ItemStarted(turn="T", item=FileChange(id="f", changes=(change,), status="running"))
    written = msgspec.json.decode(redactor.foreign(msgspec.json.encode(begun)), type=ItemStarted)
    assert "tr0ub4dor" not in str(written)
    story = Story(ThreadState("t", cwd=str(workspace), online=True, ours=True)).tell(TurnStarted(turn="T"), written)
    assert story.state.turn is not None
    paths = story.state.turn.open_items[0].paths
    effect = JudgeApproval(request="1/1", command="", cwd=str(workspace), workspace=str(workspace), paths=paths)
    real = redactor.reveal(effect)
    assert real is not None
    assert not Approver()(real).safe
