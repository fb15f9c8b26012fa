"""A run in the host behaves as if it ran in the terminal in which it was ordered (D7). On the real Codex."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.test_host import WAITS, Hosted, intact, over, reads, until
from tests.e2e.test_run_program import DONE, FREE, ended

pytestmark = pytest.mark.mission("D7")

SAYS = '- { run: "echo codex=$COLOUR >> seen.txt", usage: 12000 }\n'
CHECK = ("--done", "echo check=$COLOUR >> seen.txt; echo colour=$COLOUR; test -e go")
SECRET = "zq7vX2mNp0LrT9wKd4YhB6uJ"


class Terminal(Hosted):
    """One of a person's terminals, with variables of its own."""

    def __init__(self, desk: Hosted, **variables: str) -> None:
        super().__init__(desk.codex, desk.home)
        self._variables = variables

    def _env(self) -> dict[str, str]:
        return {**super()._env(), **self._variables}

    @property
    def seen(self) -> list[str]:
        file = self.workspace / "seen.txt"
        return file.read_text().split() if file.exists() else []

    async def pid(self) -> int:
        pid = (await self.status())["pid"]
        assert isinstance(pid, int)
        return pid

    async def sees(self, line: str, times: int = 1) -> None:
        await until(lambda: self.seen.count(line) >= times, line)

    def checked(self, thread: object) -> list[str]:
        """What the check of a thread printed, each time."""
        with JournalReader.open(self.home) as reader:
            found = [getattr(one, "fact", None) for one in reader.facts(str(thread))]
        return [fact.output.strip() for fact in found if isinstance(fact, facts.DoneChecked)]


def named(home: Path, *names: str) -> None:
    """In the user's config: these variables go along."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f"[host]\nenvironment = {list(names)!r}\n", encoding="utf-8")


@asynccontextmanager
async def terminals(script: str, folder: Path, *colours: str) -> AsyncIterator[list[Terminal]]:
    with scripted_codex(parse_scenario(f"name: host\nreplies:\n{script}"), folder) as codex:
        desk = Hosted(codex, folder / "rawr")
        named(desk.home, "COLOUR", "MY_API_KEY", "PASSWORD", "REAL")
        try:
            yield [Terminal(desk, COLOUR=colour) for colour in colours]
        finally:
            await over(desk.home)


async def test_each_run_has_the_environment_of_its_terminal(tmp_path: Path) -> None:
    """Its check, its Codex and its notify command; at the same time, in one host."""
    async with terminals(SAYS + WAITS + DONE, tmp_path, "red", "blue") as (red, blue):
        notify = ("--notify", f"echo notify=$COLOUR >> {red.workspace}/seen.txt")
        runs = [await one.run("Build it.", *CHECK, *notify, *FREE) for one in (red, blue)]
        await red.sees("codex=red")
        await red.sees("codex=blue")
        status = await red.status()
        assert status["processes"] == 2
        told = (await red.rawr("host", "status")).out
        assert "2 Codex processes" in told
        (red.workspace / "go").touch()
        done = [await ended(one) for one in runs]
        assert [one.code for one in done] == [0, 0], [one.err for one in done]
        assert [red.checked(one.summary["thread"]) for one in done] == [["colour=red"], ["colour=blue"]]
        for line in ("notify=red", "notify=blue"):
            await red.sees(line)
        assert sorted(red.seen) == sorted(f"{who}={c}" for who in ("codex", "check", "notify") for c in ("red", "blue"))
        assert "PATH" not in done[1].err
        intact(red.home)


async def test_equal_environments_share_a_codex(tmp_path: Path) -> None:
    """Whatever differs between any two terminals."""
    async with terminals(SAYS + WAITS + DONE, tmp_path, "red") as (red,):
        other = Terminal(red, COLOUR="red", TERM="dumb", TMUX_PANE="%7", SSH_TTY="/dev/pts/9", OLDPWD="/", SHLVL="4")
        runs = [await one.run("Build it.", *CHECK, *FREE) for one in (red, other)]
        await red.sees("codex=red", times=2)
        assert (await red.status())["processes"] == 1
        (red.workspace / "go").touch()
        assert [(await ended(one)).code for one in runs] == [0, 0]


async def test_no_secret_of_an_environment_is_written_down(tmp_path: Path) -> None:
    """Nor shown: not in the journal and its packed rows, not in a log, not in the status, not if something fails."""
    async with terminals(SAYS + WAITS + DONE, tmp_path, "red") as (red,):
        ada = Terminal(red, COLOUR="red", MY_API_KEY=SECRET, PASSWORD=f"x{SECRET}")
        digest = sha256(SECRET.encode()).hexdigest()
        check = ("--done", f'[[ "$(printf %s "$MY_API_KEY" | sha256sum)" == {digest}* ]] && test -e go')
        process = await ada.run("Build it.", *check, *FREE)
        await ada.sees("codex=red")
        fails = tmp_path / "codex-that-fails"
        fails.write_text('#!/usr/bin/env bash\n[ "$1" = --version ] && exec "$REAL" "$@"\necho "no" >&2; exit 3\n')
        fails.chmod(0o755)
        eve = Terminal(red, REAL=str(red.codex.binary), PASSWORD=SECRET)
        broken = await ended(await eve.start("run", "Build it.", "--codex-bin", str(fails), "--json", *FREE))
        assert broken.code != 0
        status = await ada.rawr("host", "status", "--json")
        assert (status.code, SECRET in status.out) == (0, False)
        (ada.workspace / "go").touch()
        done = await ended(process)
        assert (done.code, done.summary["done"]) == (0, "checked"), done.err
        for text in (done.out, done.err, broken.out, broken.err):
            assert SECRET not in text
        await ada.rawr("host", "stop")  # with its last words
        assert _holding(ada.home, SECRET) == []
        assert _holding(ada.home, "Build it.") != [], "it would be found"


def _holding(home: Path, text: str) -> list[str]:
    """Where a text is under a home: in the bytes of a file, or in a row as it reads unpacked."""
    files = [one for one in home.rglob("*") if one.is_file()]
    found = [one.name for one in files if text.encode() in one.read_bytes()]
    with JournalReader.open(home) as reader:
        rows = (*reader.facts(), *reader.decisions(), *reader.effects(), *reader.frames())
        found += [type(one).__name__ for one in rows if text.encode() in msgspec.json.encode(one)]
    return found


async def test_resume_takes_the_environment_of_its_terminal(tmp_path: Path) -> None:
    """In the same host, to and fro, and nothing of the work between is forgotten. Looking on changes nothing."""
    async with terminals(SAYS + WAITS + SAYS + WAITS + SAYS + WAITS + DONE, tmp_path, "red", "blue") as (red, blue):
        first = await red.run("Build it.", *CHECK, *FREE)
        await red.sees("codex=red")
        looking = await blue.start("attach", "--json")  # so that the host stays
        run = await _paused(first)
        host = await red.pid()
        await ended(looking)
        second = await blue.start("resume", run, "--json", *blue.codex_flags())
        await red.sees("codex=blue")
        attached = await red.start("attach", run, "--json")
        await reads(attached, "RunSubmitted")
        assert (await red.status())["processes"] == 1
        assert await _paused(second) == run
        third = await red.start("resume", run, "--json", *red.codex_flags())
        await red.sees("codex=red", times=2)
        (red.workspace / "go").touch()
        done = await ended(third)
        assert (done.code, done.summary["done"]) == (0, "checked"), done.err
        assert await red.pid() == host
        assert red.checked(done.summary["thread"])[-1] == "colour=red"
        heard = red.codex.model.requests[-1]
        assert [one for one in heard.user_texts if one == "Build it."] == ["Build it."]
        assert len(heard.tool_outputs()) >= 5, "what the other Codex did is in the history that this one went on from"
        intact(red.home)


async def test_a_codex_at_work_is_not_ended_for_another_run(tmp_path: Path) -> None:
    """Codex gives no thread away while it runs. So the person is told, and nothing runs in the wrong environment."""
    async with terminals(SAYS + WAITS + SAYS + WAITS + DONE, tmp_path, "red", "blue") as (red, blue):
        busy = await red.run("Keep at it.", "--done", "test -e go", *FREE)
        await red.sees("codex=red")
        first = await red.run("Build it.", *CHECK, *FREE)
        await red.sees("codex=red", times=2)
        run = await _paused(first)
        refused = await blue.resume(run)
        assert refused.code == 1
        assert "is open in a Codex with another environment, which is at work for r" in refused.err
        assert "codex=blue" not in red.seen
        assert "check=blue" not in red.seen
        (red.workspace / "go").touch()
        assert (await ended(busy)).code == 0
        done = await blue.resume(run)
        assert (done.code, done.summary["status"]) == (0, "done"), done.err
        assert blue.checked(done.summary["thread"])[-1] == "colour=blue"


async def _paused(process: asyncio.subprocess.Process) -> str:
    process.send_signal(signal.SIGINT)
    ran = await ended(process)
    assert ran.summary["status"] == "paused", ran.err
    return str(ran.summary["run"])


async def test_words_to_a_run_that_rests_bring_their_terminal(tmp_path: Path) -> None:
    """`rawr override`, to a run of an earlier host, while this one is at work for somebody else."""
    async with terminals(SAYS + WAITS + SAYS + DONE, tmp_path, "red", "blue") as (red, blue):
        first = await red.run("Build it.", *CHECK, *FREE)
        await red.sees("codex=red")
        run = await _paused(first)
        await red.rawr("host", "stop")
        other = await red.run("Something else.", *FREE)
        await red.sees("codex=red", times=2)
        (red.workspace / "go").touch()
        said = await blue.rawr("override", run, "Go on with it.", *blue.codex_flags())
        assert said.code == 0, said.err
        await red.sees("check=blue")
        assert "codex=blue" in red.seen
        assert (await ended(other)).code == 0


async def test_a_killed_host_and_another_terminal(tmp_path: Path) -> None:
    """The names of its connections are gone with it."""
    async with terminals(SAYS + WAITS + SAYS + WAITS + DONE, tmp_path, "red", "blue") as (red, blue):
        process = await red.run("Build it.", *CHECK, *FREE)
        await red.sees("codex=red")
        os.kill(await red.pid(), signal.SIGKILL)
        assert (await ended(process)).code in (1, 2)
        again = await blue.start("resume", "--json", *blue.codex_flags())
        await blue.sees("codex=blue")
        (red.workspace / "go").touch()
        done = await ended(again)
        assert (done.code, done.summary["status"]) == (0, "done"), done.err
        assert set(blue.checked(done.summary["thread"])) == {"colour=blue"}
        assert blue.seen.count("codex=red") == 1
        intact(red.home)


async def test_a_unit_that_resumes_has_its_own_environment(tmp_path: Path) -> None:
    async with terminals(SAYS + WAITS + SAYS + WAITS + DONE, tmp_path, "red", "green") as (red, unit):
        process = await red.run("Build it.", *CHECK, *FREE)
        await red.sees("codex=red")
        os.kill(await red.pid(), signal.SIGKILL)
        await ended(process)
        env = unit._env() | {"PATH": f"{unit.codex.binary.parent}:{os.environ['PATH']}"}
        served = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rawr", "host", "serve", "--stay", "--resume"),
            env=env,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await red.sees("codex=green")
        (red.workspace / "go").touch()
        await red.sees("check=green")
        await red.rawr("host", "stop")
        await served.wait()


async def test_as_shipped_keys_that_nobody_named_stay_in_the_terminal(tmp_path: Path) -> None:
    """D25: with an empty config. The run says so as it starts, and when its check speaks of one; ``--env`` sends it."""
    check = ("--done", 'test -n "$DATABASE_URL" || { echo "DATABASE_URL is not set"; exit 1; }')
    script = SAYS + DONE + '- say: "Still done: all is well."\n' + SAYS + DONE
    with scripted_codex(parse_scenario(f"name: host\nreplies:\n{script}"), tmp_path, check=False) as codex:
        desk = Hosted(codex, tmp_path / "rawr")
        ada = Terminal(desk, DATABASE_URL="postgres://ada@db", PIP_CACHE_DIR="/cache", COLOUR="red")
        try:
            listed = (await ada.rawr("host", "environment", "--json")).lines[0]
            assert "postgres" not in str(listed)
            assert {"DATABASE_URL", "COLOUR"} <= set(listed["stay"])  # type: ignore[call-overload]
            assert {"PATH", "PIP_CACHE_DIR", "SCRIPTED_KEY"} <= set(listed["sent"])  # type: ignore[call-overload]
            flags = (*FREE, *ada.codex_flags(), "--max-turns", "1", "--plain")
            first = await ended(await ada.start("run", "Build it.", *check, *flags))
            assert first.code == 3, first.err
            assert "of this terminal stay here (`rawr host environment`)" in first.err
            assert "The check speaks of DATABASE_URL, which stayed in your terminal" in first.out
            assert ada.seen == ["codex="], "nor has Codex any"
            sent = ("--env", "DATABASE_URL", "--env", "COL*")
            second = await ended(await ada.start("run", "Build it.", *check, *sent, *flags))
            assert second.code == 0, second.out + second.err
        finally:
            await over(desk.home)
