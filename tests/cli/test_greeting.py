"""A Codex that does not come up, under ``rawr run``: told at once in its own words, with the way out."""

from pathlib import Path

import pytest

from tests.cli.program import Ended, rawr
from tests.codex.servers import program
from tests.soaking import soak

COUNT = "open({count!r}, 'a').write('x')\n"
REFUSES = (
    "send({'id': read()['id'], 'error': {'code': -32600, 'message': 'clients of this age are not served'}}); read()"
)
STORIES = {
    "refuses the greeting": (REFUSES, 1, ("initialize was refused: clients of this age are not served.", "doctor")),
    "is too old": (
        "answer(read(), userAgent='rawr/0.136.0 (Debian)', codexHome='/c'); read()",
        1,
        ("version 0.136.0; rawr needs 0.144.4 or newer", "Update Codex"),
    ),
    "answers in another shape": ("answer(read(), userAgent=5); read()", 1, ("the shape rawr expects", "doctor")),
    "exits with a word": (
        "print('config.toml:3: no such key', file=sys.stderr); sys.exit(1)",
        1,
        ("exited with code 1", "config.toml:3: no such key", "doctor"),
    ),
    "exits without one": ("sys.exit(0)", 1, ("exited with code 0", "doctor")),
    "closes its output and lives": (
        "read(); os.close(1); time.sleep(600)",
        1,
        ("closed its output but did not exit", "doctor"),
    ),
    "is killed each time": ("os.kill(os.getpid(), signal.SIGKILL)", 6, ("killed by SIGKILL", "attempt 6", "doctor")),
}


def run(tmp_path: Path, story: str) -> tuple[Ended, int]:
    """What became of it, and how often Codex was started."""
    count = tmp_path / "count"
    codex = program(tmp_path / "codex", COUNT.format(count=str(count)) + story)
    env = {"RAWR_HOME": str(tmp_path / "rawr"), "CODEX_HOME": str(tmp_path)}
    (tmp_path / "work").mkdir()
    ended = rawr("run", "Build it.", "-C", str(tmp_path / "work"), "--plain", "--codex-bin", str(codex), env=env)
    return ended, len(count.read_text())


@pytest.mark.parametrize("name", [soak(name) if name == "is killed each time" else name for name in STORIES])
def test_it_is_told_at_once(tmp_path: Path, name: str) -> None:
    """C5: exit code 69; nobody is tried for a minute whose answer is no."""
    story, attempts, said = STORIES[name]
    ended, tried = run(tmp_path, story)
    assert (ended.code, tried) == (69, attempts), ended.err
    assert [part for part in said if part not in ended.err] == []
    assert "60 seconds" not in ended.err
    shown = ended.out.replace("\n", " ")
    assert [f"({number} of 5)" in shown for number in range(1, attempts)] == [True] * (attempts - 1)


def test_a_thread_that_is_closed_at_once_ends_the_run_with_a_word(tmp_path: Path) -> None:
    """C5: ``thread/closed`` in the first turn of a run. Exit code 2, a summary, and the way to go on."""
    story = """
        greet()
        while True:
            asked = read()
            thread = {"id": "01a1e0d9-8a7b-7af3-887e-4fc459ef37d8", "cwd": "/", "ephemeral": False}
            thread["status"] = {"type": "idle"}
            if asked.get("method") == "thread/start":
                sandbox = {"type": "workspaceWrite", "writableRoots": [], "networkAccess": False}
                sandbox |= {"excludeTmpdirEnvVar": False, "excludeSlashTmp": False}
                limits = {"sandbox": sandbox, "approvalPolicy": "on-request", "approvalsReviewer": "user"}
                answer(asked, thread=thread, cwd=asked["params"]["cwd"], model="m", **limits)
            elif asked.get("method") == "turn/start":
                answer(asked, turn={"id": "T", "status": "inProgress", "items": []})
                notify("turn/started", threadId=thread["id"], turn={"id": "T", "status": "inProgress", "items": []})
                notify("thread/closed", threadId=thread["id"])
            elif "id" in asked:
                send({"id": asked["id"], "error": {"code": -32601, "message": "no"}})
    """
    ended, _ = run(tmp_path, "\n".join(line[8:] for line in story.splitlines()))
    assert ended.code == 2, ended.err
    assert "Codex closed the thread" in ended.out
    assert "rawr resume r" in ended.out
