"""``rawr run`` as a program on the real Codex: exit codes, the summary, Ctrl-C, resuming, tasks, words from outside."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.cli import warm
from tests.e2e.golden import SUMMARY
from tests.e2e.rig import SocketServer

DEADLINE = 60
DONE = '- say: "Nothing is left to do: all is well."\n'
HANGS = '- { say: "Working on it.", fault: hang }\n'
Line = dict[str, object]


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def lines(self) -> list[Line]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def summary(self) -> Line:
        return self.lines[-1]


class Desk:
    """A person's machine: their Codex on a script, and a home for rawr."""

    def __init__(self, codex: ScriptedCodex, home: Path) -> None:
        self.codex = codex
        self.home = home
        self.workspace = codex.home.workspace

    def _env(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH")]))
        return {**self.codex.env(), "RAWR_HOME": str(self.home), "PYTHONPATH": path}

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        program = (sys.executable, "-m", "rawr", *words)
        return await asyncio.create_subprocess_exec(
            *program,
            env=self._env(),
            cwd=self.workspace,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *words: str) -> asyncio.subprocess.Process:
        return await self.start("run", *words, "--json", *self.codex_flags())

    def codex_flags(self) -> tuple[str, ...]:
        return ("--codex-bin", str(self.codex.binary), "--codex-home", str(self.codex.home.path))

    async def rawr(self, *words: str) -> Ran:
        """A command beside a run, such as ``status``: from a process that has read the code, or it takes its time."""
        done = await asyncio.to_thread(warm.run, words, env=self._env(), deadline=DEADLINE, cwd=self.workspace)
        return Ran(*done)

    async def resume(self, name: str) -> Ran:
        return await ended(await self.start("resume", name, "--json", *self.codex_flags()))


async def ended(process: asyncio.subprocess.Process) -> Ran:
    async with asyncio.timeout(DEADLINE):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def desk(script: str, folder: Path) -> AsyncIterator[Desk]:
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), folder) as codex:
        yield Desk(codex, folder / "rawr")


FREE = ("--sandbox", "danger-full-access", "--approvals", "never")


async def test_done_is_exit_code_0_and_a_summary(tmp_path: Path) -> None:
    """C1, C7."""
    async with desk('- { run: "touch built.txt" }\n' + DONE, tmp_path) as it:
        ran = await ended(await it.run("Build it.", "--done", "test -e built.txt", *FREE))
        assert ran.code == 0, ran.err
        assert {key: ran.summary[key] for key in ("type", "done", "turns", "compactions", "stop")} == {
            "type": "summary",
            "done": "checked",
            "turns": 1,
            "compactions": 0,
            "stop": {"reason": "run.done.checked", "detail": ""},
        }
        assert {"thread", "run", "tokens"} <= ran.summary.keys()


async def test_what_the_agent_says_cannot_break_a_line(tmp_path: Path) -> None:
    """C1: for readers that end a line at whatever Unicode ends one with. It means the same."""
    said = r"Nothing is left to do:\u2028\u2029\x85\v\f\x1c\0 all is well."
    async with desk(f'- say: "{said}"\n', tmp_path) as it:
        ran = await ended(await it.run("Build it.", *FREE))
        assert ran.code == 0, ran.err
        texts = [line["fact"]["item"].get("text") for line in ran.lines if "item" in line.get("fact", {})]  # type: ignore[index,operator]
        assert "Nothing is left to do:\u2028\u2029\x85\x0b\x0c\x1c\0 all is well." in texts


@pytest.mark.parametrize(
    ("script", "flags", "code", "reason"),
    [
        ('- say: "Hm."\n' * 9, ("--max-turns", "2"), 3, "run.stopped.turns"),
        ('- say: "Hm."\n' * 9, (), 3, "run.stopped.progress"),
        ("- { fault: { http: 401 } }\n", (), 4, "run.failed.turn"),
    ],
    ids=["budget", "standstill", "failed"],
)
async def test_other_ends_have_other_codes(
    tmp_path: Path, script: str, flags: tuple[str, ...], code: int, reason: str
) -> None:
    """C5, C6."""
    async with desk(script, tmp_path) as it:
        ran = await ended(await it.run("Build it.", *flags, *FREE))
        assert (ran.code, ran.summary["stop"]["reason"]) == (code, reason)  # type: ignore[index]


def appears(file: Path) -> None:
    until = time.monotonic() + DEADLINE
    while not file.exists():
        assert time.monotonic() < until, f"{file} never appeared"
        time.sleep(0.01)


async def working(it: Desk, requests: int = 1) -> None:
    await it.codex.model.wait_for_async(lambda request: request.number >= requests, deadline=30)


async def test_ctrl_c_pauses_and_resume_goes_on(tmp_path: Path) -> None:
    """C5, C13: exit code 2; the run is found by its name and ends as ordered."""
    async with desk(HANGS + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        process.send_signal(signal.SIGINT)
        ran = await ended(process)
        assert (ran.code, ran.summary["status"]) == (2, "paused")
        again = await it.resume(str(ran.summary["run"]))
        assert (again.code, again.summary["done"]) == (0, "self_reported"), again.err
        assert again.summary["thread"] == ran.summary["thread"]


MARK = "{ call: { tool: phase_complete, arguments: { phase: research, summary: Read. } } }"
SEQUENCE = (
    f"- {{ do: [{MARK}], usage: 90000 }}\n"
    '- { say: "The research is finished, and all of it is in my notes.", usage: 100000 }\n'
    '- { when: { user: "Heads-up" }, say: "No packet yet.", fault: hang }\n' + SUMMARY + DONE
)


@pytest.mark.parametrize("moment", ["turn", "check", "retry", "sequence"])
async def test_killed_and_resumed(tmp_path: Path, moment: str) -> None:
    """C13, D5: rawr dies with -9, and its Codex with it; nothing is sent twice, and the job is finished."""
    scripts = {
        "turn": HANGS + DONE,
        "check": DONE + DONE,
        "retry": "- { fault: { http: 500 } }\n" + DONE,
        "sequence": SEQUENCE,
    }
    async with desk(scripts[moment], tmp_path) as it:
        check = ("--done", "test -e go || { touch checking; sleep 30; }") if moment == "check" else ()
        process = await it.run("Build it.", *check, *FREE)
        await working(it, 3 if moment == "sequence" else 1)
        if moment == "check":
            await asyncio.to_thread(appears, it.workspace / "checking")
        process.kill()
        await process.wait()
        (it.workspace / "go").touch()
        status = (await it.rawr("status", "--json")).lines[0]["run"]
        assert isinstance(status, dict)
        assert status["status"] == "cut off"
        it.codex.model.release()
        again = await it.resume(str(status["id"]))
        assert again.code == 0, again.err + again.out[-2000:]
        requests = it.codex.model.requests
        assert all(one.user_texts.count("Build it.") <= 1 for one in requests)
        assert all(len([said for said in one.user_texts if "] Handoff:" in said]) <= 1 for one in requests)


async def test_a_model_that_hangs_is_tried_again(tmp_path: Path) -> None:
    """C5: not a word comes, and Codex would wait for ever; the turn is ended and the run goes on."""
    async with desk(HANGS + DONE, tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[rawr_full_auto]\nstall_seconds = 1\n")
        ran = await ended(await it.run("Build it.", *FREE))
        assert (ran.code, ran.summary["done"]) == (0, "self_reported"), ran.err
        reasons = {one["reason"] for line in ran.lines if line["type"] == "fact" for one in line["decisions"]}  # type: ignore[attr-defined]
        assert "run.retried.passing" in reasons


async def test_several_tasks_on_one_codex(tmp_path: Path) -> None:
    """C12."""
    script = '- { when: { user: "^first" }, say: "Nothing is left to do: one." }\n'
    script += '- { when: { user: "^second" }, say: "Nothing is left to do: two." }\n'
    async with desk(script, tmp_path) as it:
        tasks = tmp_path / "tasks.yaml"
        tasks.write_text(
            f"- {{ prompt: first job, dir: {it.workspace} }}\n- {{ prompt: second job, dir: {it.workspace} }}\n"
        )
        ran = await ended(await it.run("--tasks", str(tasks), "--sandbox", "danger-full-access"))
        assert ran.code == 0, ran.err
        ends = [line for line in ran.lines if line["type"] == "summary"]
        assert [one["done"] for one in ends] == ["self_reported", "self_reported"]
        assert len({one["thread"] for one in ends}) == 2


async def test_words_from_outside(tmp_path: Path) -> None:
    """C13, C18: status, pause at the end of the turn, override, from another terminal."""
    async with desk(
        HANGS + '- { when: { user: "Do this instead" }, say: "Nothing is left to do: this." }\n', tmp_path
    ) as it:
        process = await it.run("Build it.", *FREE)
        await working(it)
        run = (await it.rawr("status", "--json")).lines[0]["run"]
        assert isinstance(run, dict)
        assert (run["status"], run["live"]) == ("running", True)
        told = await it.rawr("override", str(run["id"]), "Do this instead.", "--json")
        assert told.lines[0]["reasons"][0] == "run.overridden.person"  # type: ignore[index]
        it.codex.model.release()
        ran = await ended(process)
        assert (ran.code, ran.summary["done"]) == (0, "self_reported")


async def test_an_answer_after_its_time_resumes_the_run(tmp_path: Path) -> None:
    """C11: unattended, the run pauses with the question shown; the answer goes to the agent and the work goes on."""
    asks = '- { run: { cmd: "touch ../proof.txt", escalate: true, why: "May I?" } }\n'
    answered = '- { when: { user: "here is the answer: do without" }, say: "Nothing is left to do: done without." }\n'
    # Between the decline and the end of its turn the agent may get a word in.
    async with desk(asks + answered + '- say: "Then I wait."\n', tmp_path) as it:
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[limits]\nperson = 1\n")
        ran = await ended(await it.run("Build it.", "--sandbox", "read-only"))
        assert (ran.code, ran.summary["stop"]["reason"]) == (2, "run.paused.unanswered")  # type: ignore[index]
        assert "touch ../proof.txt" in ran.summary["stop"]["detail"]  # type: ignore[index]
        again = await ended(
            await it.start("answer", str(ran.summary["run"]), "do without", "--json", *it.codex_flags())
        )
        assert (again.code, again.summary["done"]) == (0, "self_reported"), again.err


async def test_on_the_codex_that_runs_already(tmp_path: Path) -> None:
    """``--attach``: the thread is on the shared server, where other clients see it."""
    async with desk(DONE, tmp_path) as it:
        server = SocketServer(it.codex)
        await server.start()
        await server.listening()
        link = it.codex.home.path / "app-server-control" / "app-server-control.sock"
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(server.path)
        try:
            ran = await ended(await it.run("Build it.", "--attach", *FREE))
            assert (ran.code, ran.summary["done"]) == (0, "self_reported"), ran.err
        finally:
            await server.close()


async def test_the_receipts(tmp_path: Path) -> None:
    """C17: every decision with its grounds, in words and as JSON."""
    async with desk('- say: "Hm."\n' + DONE, tmp_path) as it:
        ran = await ended(await it.run("Build it.", *FREE))
        log = await it.rawr("log", str(ran.summary["thread"]), "--json")
        decided = {str(line["reason"]): line for line in log.lines}
        assert {"run.started.submitted", "run.continued.policy", "run.done.reported"} <= decided.keys()
        continued = decided["run.continued.policy"]
        assert any("turns ok" in one for one in continued["evidence"]["guards"])  # type: ignore[index]
        word = await it.rawr("log", str(continued["id"]), "--label", "bad", "--note", "too soon", "--json")
        assert (word.code, word.lines[0]["label"]) == (0, "bad"), word.err
        again = await it.rawr("log", str(continued["id"]), "--label", "good")
        assert (again.code, "is good" in again.out) == (0, True)
        newest = (await it.rawr("log", str(ran.summary["thread"]), "--json")).lines
        assert [one.get("label") for one in newest if one["id"] == continued["id"]] == ["good"]
        nothing = await it.rawr("log", "nonsense", "--label", "good")
        assert (nothing.code, "No decision matches nonsense" in nothing.err) == (1, True)
        told = await it.rawr("explain", str(continued["id"]))
        assert "The job is not done, and no guard objects." in told.out
        assert "turns ok" in told.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 64, "PROMPT"),
        (("a", "--tasks", "x"), 64, "PROMPT"),
        (("a", "--approvals", "maybe"), 64, "'never', 'policy', 'ask'"),
        (("a", "--review", "maybe"), 64, "'never', 'on-error', 'at-end'"),
        (("a", "--unsafe", "maybe"), 64, "'wait', 'decline'"),
        (("a", "--sandbox", "maybe"), 64, "'workspace-write'"),
        (("a", "--max-cost", "0"), 64, "more than 0"),
        (("a", "--max-cost", "nan"), 64, "more than 0"),
        (("a", "--max-turns", "100001"), 64, "100000"),
        (("a", "--max-cost", "3"), 78, "prices"),
        (("a", "-C", "/nowhere/at/all"), 1, "no folder"),
        (("--resume", "r99"), 1, "No run"),
        (("--tasks", "/nowhere.yaml"), 78, "cannot be read"),
        (("   ",), 64, "empty"),
    ],
)
async def test_what_cannot_be_ordered(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    async with desk(DONE, tmp_path) as it:
        ran = await ended(await it.run(*words))
        assert (ran.code, said in ran.err) == (code, True), ran.err
