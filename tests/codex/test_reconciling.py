"""What Codex wrote down and did not report becomes facts: each call once, in its place in the turn (C2)."""

from pathlib import Path
from typing import Any

from rawr.codex.reconciling import MAX_FOUND, Read, read_session
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import ReadSession
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.session import Found, SessionMark, plan_digest
from tests.history.rollouts import (
    AT_MS,
    PATCH,
    began,
    called,
    context,
    custom,
    ended,
    event,
    exited,
    returned,
)

START = SessionMark()
DENIED = "fatal: Unable to create '/project/.git/index.lock': Read-only file system\n"


def ran(call: str, command: str, *, code: int = 0, output: str = "", turn: str = "T1") -> tuple[bytes, bytes]:
    cmd = called("exec_command", {"cmd": command}, call=call, turn=turn)
    return cmd, returned(exited(code, output), call=call, turn=turn)


def planned(*steps: tuple[str, str], call: str = "plan", output: str = "Plan updated") -> tuple[bytes, bytes]:
    plan = [{"step": step, "status": status} for step, status in steps]
    return called("update_plan", {"plan": plan}, call=call), returned(output, call=call)


class File:
    """A session file, and the reads of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rollout.jsonl"

    def add(self, *lines: bytes) -> "File":
        with self.path.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))
        return self

    def read(self, *told: str, mark: SessionMark | None = START, **more: Any) -> Read:
        return read_session(ReadSession(path=str(self.path), mark=mark, told=told, **{"turn": "T1", **more}))


def calls(read: Read) -> list[str]:
    return [one.item.id for one in read.told if isinstance(one, facts.ItemCompleted)]


def mark_of(read: Read) -> SessionMark:
    assert read.last is not None
    return read.last.mark


def test_a_denied_command_is_a_fact_in_its_place(tmp_path: Path) -> None:
    """C2: with its exit code and its output, after the call before it."""
    file = File(tmp_path).add(began("T1"), context("T1"), *ran("a", "ls"))
    file.add(*ran("b", "git commit -m x", code=128, output=DENIED), *ran("c", "make", code=2), ended("T1"))
    read = file.read("a", "c")
    assert read.told == (
        facts.ItemCompleted(
            turn="T1",
            item=items.Command(
                id="b",
                command="git commit -m x",
                cwd="/project",
                status="failed",
                exit_code=128,
                output_tail=DENIED,
            ),
            found=Found(at=AT_MS, after="a", behind=1),
        ),
    )
    assert read.last is not None
    assert (read.ended, read.last.found, read.last.ended, read.last.trouble) == (True, 1, True, "")


def test_a_command_that_was_called_again_is_overtaken(tmp_path: Path) -> None:
    """The later call says how it stands, reported or not."""
    file = File(tmp_path).add(began("T1"), *ran("a", "make", code=1), *ran("b", "make"), ended("T1"))
    [found] = file.read("b").told
    assert isinstance(found, facts.ItemCompleted)
    assert found.found == Found(at=AT_MS, overtaken=True)


def test_each_call_is_told_once(tmp_path: Path) -> None:
    """By its id: told by Codex, or found before. The next read goes on from the mark."""
    file = File(tmp_path).add(began("T1"), *ran("a", "ls", code=1), ended("T1"))
    first = file.read()
    assert calls(first) == ["a"]
    assert (file.read("a").told, file.read(mark=mark_of(first))) == ((), Read((), None, ended=False))
    file.add(began("T2"), *ran("b", "ls", code=1, turn="T2"), ended("T2"))
    assert calls(file.read(mark=mark_of(first), turn="T2")) == ["b"]


def test_a_call_without_its_output_is_read_again_with_it(tmp_path: Path) -> None:
    """Joined in the middle of a turn: nothing between the two reads is lost or told twice."""
    call, output = ran("b", "git commit", code=128)
    file = File(tmp_path).add(began("T1"), *ran("a", "ls", code=1), call)
    first = file.read(over=False)
    assert (calls(first), mark_of(first).turn) == (["a"], "T1")
    file.add(output, ended("T1"))
    assert calls(file.read("a", mark=mark_of(first))) == ["b"]


def test_a_call_that_never_returned_holds_nothing_up(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), ran("a", "sleep 9")[0], event("turn_aborted", turn_id="T1"))
    read = file.read()
    assert (read.told, read.ended, mark_of(read).offset) == ((), True, file.path.stat().st_size)


def test_what_runs_on_and_what_has_no_item_is_not_news(tmp_path: Path) -> None:
    running = "Chunk ID: 1\nWall time: 0.2 seconds\nProcess running with session ID 7\nOutput:\n"
    file = File(tmp_path).add(
        began("T1"),
        called("exec_command", {"cmd": "make serve"}, call="a"),
        returned(running, call="a"),
        called("write_stdin", {"session_id": 7}, call="b"),
        returned(exited(0, ""), call="b"),
        called("request_user_input", {"questions": []}, call="c"),
        returned("{}", call="c"),
        ended("T1"),
    )
    assert file.read().told == ()


def test_other_calls_are_items_of_their_kind(tmp_path: Path) -> None:
    file = File(tmp_path).add(
        began("T1"),
        context("T1"),
        custom("apply_patch", PATCH, call="a"),
        returned("patch rejected: writing outside of the project", call="a", custom=True),
        called("nonsense", {}, call="b"),
        returned("unsupported call: nonsense", call="b"),
        called("exec_command", {"cmd": "x", "sandbox_permissions": "require_escalated"}, call="c"),
        returned("approval policy is Never; reject command", call="c"),
        called("exec_command", "{bad", call="d"),
        returned("failed to parse function arguments", call="d"),
        ended("T1"),
    )
    found = [one.item for one in file.read().told if isinstance(one, facts.ItemCompleted)]
    changes = (items.Change("/project/a.txt", "add"), items.Change("/project/b.txt", "update", "/project/c.txt"))
    assert found == [
        items.FileChange(id="a", changes=changes, status="failed"),
        items.ToolCall(id="b", tool="nonsense", status="failed", arguments="{}"),
        items.Command(
            id="c",
            command="x",
            cwd="/project",
            status="failed",
            output_tail="approval policy is Never; reject command",
        ),
        items.ToolCall(id="d", tool="exec_command", status="failed", arguments="{bad"),
    ]


def test_commands_in_a_script_that_codex_did_not_show(tmp_path: Path) -> None:
    """Code mode: what it shows has ids of its own, between the call and its output."""
    script = "await tools.exec_command({cmd: 'git commit'}); await tools.exec_command({cmd: 'ls'});"
    printed = [{"type": "input_text", "text": f'{{"exit_code":{code},"output":"o"}}'} for code in (128, 0)]
    shown = {"type": "CommandExecution", "id": "exec-1", "command": ["bash", "-lc", "ls"], "exit_code": 0}
    file = File(tmp_path).add(began("T1"), custom("exec", script, call="a"))
    file.add(event("item_completed", turn_id="T1", item=shown), returned(printed, call="a", custom=True), ended("T1"))
    [found] = [one.item for one in file.read("exec-1").told if isinstance(one, facts.ItemCompleted)]
    assert isinstance(found, items.Command)
    assert (found.id, found.command, found.exit_code, found.status) == ("a#0", "git commit", 128, "failed")


# -- plans ------------------------------------------------------------------------------------------------------------


def test_the_newest_plan_is_found_unless_it_is_known(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), *planned(("a", "pending"), call="p1"), *planned(("a", "completed")))
    file.add(*planned(("nonsense", "pending"), call="p3", output="failed to parse function arguments"), ended("T1"))
    steps = (PlanStep("a", "completed"),)
    [found] = file.read().told
    assert isinstance(found, facts.PlanUpdated)
    assert (found.turn, found.steps, found.found is not None) == ("T1", steps, True)
    assert file.read(plan=plan_digest(steps)).told == ()


def test_who_joins_learns_of_the_plan_and_of_the_running_turn(tmp_path: Path) -> None:
    """D1: what was done in earlier turns is not news, and is counted."""
    file = File(tmp_path).add(began("T0"), *ran("a", "make", code=1, turn="T0"), *planned(("x", "pending")))
    file.add(ended("T0"), began("T1"), *ran("b", "git commit", code=128))
    read = file.read(mark=None, over=False)
    assert calls(read) == ["b"]
    assert [type(one).__name__ for one in read.told] == ["ItemCompleted", "PlanUpdated"]
    assert read.last is not None
    assert read.last.earlier == 2


# -- trouble ----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_missing_is_told_once(tmp_path: Path) -> None:
    file = File(tmp_path)
    read = file.read()
    assert read.last is not None
    assert (read.last.trouble, read.last.mark) == ("missing", SessionMark())
    assert file.read(trouble="missing").last is None
    joined = file.read(mark=None).last
    assert joined is not None
    assert joined.mark == SessionMark()


def test_in_another_file_only_the_turn_counts(tmp_path: Path) -> None:
    """Truncated and written anew: earlier calls may be on record, and rawr no longer knows which."""
    file = File(tmp_path).add(began("T0"), *ran("a", "make", code=1, turn="T0"), ended("T0"))
    mark = mark_of(file.read(turn="T0"))
    file.path.unlink()
    file.add(event("note", text="x" * 9_000), began("T0"), *ran("a", "make", code=1, turn="T0"), ended("T0"))
    file.add(began("T1"), *ran("b", "git commit", code=128), ended("T1"))
    read = file.read(mark=mark)
    assert read.last is not None
    assert (calls(read), read.last.trouble) == (["b"], "replaced")


def test_dirt_is_counted_and_told(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), b"\x00\xff garbage", *ran("a", "git commit", code=128), b"{", ended("T1"))
    read = file.read()
    assert read.last is not None
    assert (calls(read), read.last.unread, read.last.trouble) == (["a"], 2, "garbled")
    assert read.last.problem.startswith("2 of 6 lines could not be read")


def test_a_kind_of_a_later_version_is_counted_and_no_trouble(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), b'{"timestamp":"t","type":"moon","payload":{}}', ended("T1"))
    read = file.read()
    assert read.last is not None
    assert (read.last.unread, read.last.trouble) == (1, "")


def test_of_very_many_only_the_first_are_told(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), *(one for n in range(MAX_FOUND + 5) for one in ran(f"c{n}", "x", code=1)))
    read = file.add(ended("T1")).read()
    assert read.last is not None
    assert (len(read.told), read.last.omitted) == (MAX_FOUND, 5)


def test_of_more_calls_than_are_remembered_the_first_count_as_told(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), *ran("a", "x"), *ran("b", "y"), *ran("c", "git commit", code=1), ended("T1"))
    assert calls(file.read("b", overflow=True)) == ["c"]


def test_a_command_that_was_cut_off_did_not_fail(tmp_path: Path) -> None:
    """D2: a packet need not name it, as it need not where Codex reports the command."""
    for n, said in enumerate(("aborted by user after 3.1s", "Wall time: 0.1 seconds\naborted by user")):
        (folder := tmp_path / str(n)).mkdir()
        cut = called("exec_command", {"cmd": "sleep 9"}, call="a"), returned(said, call="a")
        (found,) = File(folder).add(began("T1"), *cut, event("turn_aborted", turn_id="T1")).read().told
        assert isinstance(found, facts.ItemCompleted)
        assert isinstance(found.item, items.Command)
        assert (found.item.status, found.item.exit_code, found.item.went_wrong) == ("running", None, False)


# -- while the next turn runs -----------------------------------------------------------------------------------------


def test_a_late_read_ends_where_the_turn_does(tmp_path: Path) -> None:
    """C2: what is written of the next turn is read at its own end, and once."""
    file = File(tmp_path).add(began("T1"), context("T1"), *ran("a", "git commit -m x", code=128), ended("T1"))
    file.add(began("T2"), context("T2"), *ran("b", "ls", turn="T2"), *planned(("a", "completed")))
    late = file.read(late=True)
    assert (calls(late), late.ended) == (["a"], True)
    file.add(ended("T2"))
    assert calls(file.read(mark=mark_of(late), turn="T2")) == ["b"]


def test_a_read_that_was_kept_waiting_takes_nothing_of_the_next_turn(tmp_path: Path) -> None:
    """C2: what Codex is about to report of that is not unreported."""
    file = File(tmp_path).add(began("T1"), context("T1"), *ran("a", "git commit -m x", code=128), ended("T1"))
    file.add(began("T2"), context("T2"), *ran("b", "ls", turn="T2"))
    first = file.read()
    assert (calls(first), first.ended) == (["a"], True)
    again = file.read(mark=mark_of(first))
    assert (again.told, again.last, again.ended) == ((), None, True)


def test_a_late_read_of_a_turn_without_an_end_stops_before_the_next(tmp_path: Path) -> None:
    file = File(tmp_path).add(began("T1"), context("T1"), *ran("a", "git commit -m x", code=128))
    file.add(began("T2"), context("T2"), *ran("b", "ls", turn="T2"))
    late = file.read(late=True)
    assert (calls(late), late.ended) == (["a"], True)
    assert calls(file.add(ended("T2")).read(mark=mark_of(late), turn="T2")) == ["b"]
