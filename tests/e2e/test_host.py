"""One process owns a home (D7): work goes on when a terminal closes, and many commands share one host. On the real
Codex."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import pytest

from rawr.core.policy.policy import Policy
from rawr.journal.reader import JournalReader
from rawr.runtime.replaying import replay_journal
from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.beside import MORNING, end_host, person, served
from tests.e2e.test_run_program import DEADLINE, DONE, FREE, Desk, Ran, ended

pytestmark = pytest.mark.mission("D7")

WAITS = '- { run: "while [ ! -e go ]; do sleep 0.05; done", usage: 12000 }\n'


class Hosted(Desk):
    """A person's machine, where rawr works in the background."""

    variables: Mapping[str, str] = MappingProxyType({})
    """More of their terminal."""

    def _env(self) -> dict[str, str]:
        return {**super()._env(), "RAWR_FOREGROUND": "0", **self.variables}

    async def status(self) -> dict[str, object]:
        return (await self.rawr("host", "status", "--json")).lines[0]

    def facts(self, kind: str) -> list[object]:
        with JournalReader.open(self.home) as reader:
            return [one for one in reader.facts() if type(getattr(one, "fact", None)).__name__ == kind]


@asynccontextmanager
async def hosted(script: str, folder: Path, *, kind: type[Hosted] = Hosted) -> AsyncIterator[Hosted]:
    with scripted_codex(parse_scenario(f"name: host\nreplies:\n{script}"), folder) as codex:
        it = kind(codex, folder / "rawr")
        try:
            yield it
        finally:
            await over(it.home)


async def over(home: Path) -> None:
    await end_host(home)


async def until(look: Callable[[], bool], what: str) -> None:
    async with asyncio.timeout(DEADLINE):
        while not look():  # noqa: ASYNC110 - other processes do not tell us
            await asyncio.sleep(0.02)
    assert look(), what


async def reads(process: asyncio.subprocess.Process, word: str) -> str:
    """The next line with this word."""
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE):
        while word not in (line := (await process.stdout.readline()).decode()):
            assert line, f"no {word}: {(await process.stderr.read()).decode() if process.stderr else ''}"
    return line


def intact(home: Path) -> None:
    with JournalReader.open(home) as reader:
        assert replay_journal(reader, policy=Policy()).divergences == ()


async def test_a_run_goes_on_when_its_terminal_closes(tmp_path: Path) -> None:
    """And `rawr attach` comes back to it, with what happened before, and the run's own exit code."""
    async with hosted(WAITS + DONE, tmp_path) as it:
        process = await it.run("Build it.", "--done", "test -e go", *FREE)
        await reads(process, "ItemStarted")
        process.send_signal(signal.SIGHUP)
        left = await ended(process)
        assert (left.code, left.summary["type"]) == (0, "left"), left.err
        run = str(left.summary["run"])
        assert (await it.status())["runs"] != []
        back = await it.start("attach", run, "--json")
        await reads(back, "RunSubmitted")
        (it.workspace / "go").touch()
        seen = await ended(back)
        assert (seen.code, seen.summary["done"], seen.summary["run"]) == (0, "checked", run), seen.err
        intact(it.home)


async def test_leaving_an_attached_run_does_not_touch_it(tmp_path: Path) -> None:
    async with hosted(WAITS + DONE, tmp_path) as it:
        started = await ended(await it.run("Build it.", "--done", "test -e go", "--detach", *FREE))
        assert started.code == 0, started.err
        back = await it.start("attach", "--json")
        await reads(back, "RunSubmitted")
        back.send_signal(signal.SIGINT)
        assert (await ended(back)).summary["type"] == "left"
        (it.workspace / "go").touch()
        await until(lambda: it.facts("DoneChecked") != [], "the run goes on")


async def test_ctrl_c_still_pauses_and_resume_continues(tmp_path: Path) -> None:
    """C13: in the same host or, once it has exited, in the next one."""
    async with hosted(WAITS + '- say: "Where was I?"\n' + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await reads(process, "ItemStarted")
        process.send_signal(signal.SIGINT)
        paused = await ended(process)
        assert (paused.code, paused.summary["status"]) == (2, "paused"), paused.err
        (it.workspace / "go").touch()
        again = await it.resume(str(paused.summary["run"]))
        assert (again.code, again.summary["status"]) == (0, "done"), again.err
        intact(it.home)


async def test_a_watch_and_three_runs_on_one_home(tmp_path: Path) -> None:
    """Started from four terminals; each sees its own, and the golden path is walked on the user's thread."""
    builds = '- { when: { user: "^Build" }, run: "touch built.txt", usage: 12000, times: 3 }\n'
    built = '- { when: { tool: "." }, say: "Nothing is left to do: all is well.", usage: 12000, times: 3 }\n'
    async with served(MORNING + builds + built, tmp_path) as (codex, server):
        it = Hosted(codex, tmp_path / "rawr")
        try:
            async with person(server, codex.home.workspace) as ada:
                watch = await it.start("watch", "--json", "--socket", str(server.path))
                await reads(watch, "ServerConnected")
                runs = [await it.run(f"Build {number}.", *FREE) for number in range(3)]
                done = await asyncio.gather(*map(ended, runs))
                assert [one.code for one in done] == [0, 0, 0], [one.err for one in done]
                assert len({one.summary["run"] for one in done}) == 3
                for one in done:
                    assert {line["thread"] for line in one.lines if line.get("thread")} == {one.summary["thread"]}
                await ada.until_over(await ada.say("good morning"))
                seen = await reads(watch, "TurnCompleted")
                assert ada.thread in seen
                watch.send_signal(signal.SIGINT)
                assert (await ended(watch)).code == 130
                assert (await it.status()).get("watching", "") == ""
                intact(it.home)
        finally:
            await over(it.home)


async def test_a_watch_goes_on_when_its_terminal_closes(tmp_path: Path) -> None:
    """D1: the next `rawr watch` finds it at work."""
    async with served(MORNING, tmp_path) as (codex, server):
        it = Hosted(codex, tmp_path / "rawr")
        try:
            async with person(server, codex.home.workspace) as ada:
                watch = await it.start("watch", "--json", "--socket", str(server.path))
                await reads(watch, "ServerConnected")
                watch.send_signal(signal.SIGHUP)
                assert (await ended(watch)).code == 0
                assert (await it.status())["watching"] == str(server.path)
                await ada.until_over(await ada.say("good morning"))
                await until(lambda: it.facts("ThreadJoined") != [], "it joins")
                other = await ended(await it.start("watch", "--socket", str(server.path), "--mode", "tag"))
                assert other.code == 1
                assert "already watches" in other.err
                await it.rawr("host", "stop")
                assert (await it.rawr("host", "status")).code == 1
        finally:
            await over(it.home)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_host_that_is_ended_loses_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """Killed, or asked to exit: its client says so, and the run is continued by the next one, exactly once."""
    async with hosted(WAITS + '- say: "Where was I?"\n' + DONE, tmp_path) as it:
        process = await it.run("Build it.", *FREE)
        await reads(process, "ItemStarted")
        pid = (await it.status())["pid"]
        assert isinstance(pid, int)
        os.kill(pid, number)
        told = await ended(process)
        assert told.code in (1, 2), told.err
        (it.workspace / "go").touch()
        again = await it.start("resume", "--json", *it.codex_flags())
        done = await ended(again)
        assert (done.code, done.summary["status"]) == (0, "done"), done.err
        asked = it.codex.model.requests[-1].user_texts
        assert [text for text in asked if text == "Build it."] in ([], ["Build it."]), "never twice"
        intact(it.home)


async def test_a_killed_host_with_a_watch_and_two_runs_loses_nothing(tmp_path: Path) -> None:
    """Each of its clients says so; the runs are continued by name, and the watch by the same command."""
    builds = WAITS.replace("- {", '- { when: { user: "^Build" },').replace("usage: 12000", "usage: 12000, times: 2")
    on = '- { when: { user: "." }, say: "Nothing is left to do: all is well.", usage: 12000, times: always }\n'
    async with served(MORNING + builds + on, tmp_path) as (codex, server):
        it = Hosted(codex, tmp_path / "rawr")
        try:
            async with person(server, codex.home.workspace) as ada:
                watch = await it.start("watch", "--json", "--socket", str(server.path))
                await reads(watch, "ServerConnected")
                runs = [await it.run(f"Build {number}.", "--done", "test -e go", *FREE) for number in range(2)]
                for run in runs:
                    await reads(run, "ItemStarted")
                names = [str(run["run"]) for run in (await it.status())["runs"]]  # type: ignore[attr-defined]
                os.kill(int(str((await it.status())["pid"])), signal.SIGKILL)
                told = [await ended(one) for one in (watch, *runs)]
                assert [one.code for one in told] == [1, 1, 1], [one.err for one in told]
                assert all("The host is gone" in one.err for one in told)
                (it.workspace / "go").touch()
                watch = await it.start("watch", "--json", "--socket", str(server.path))
                await reads(watch, "ServerConnected")
                done = await asyncio.gather(*map(it.resume, names))
                assert [(one.code, one.summary["done"]) for one in done] == [(0, "checked")] * 2, [o.err for o in done]
                asked = [request.user_texts for request in codex.model.requests]
                assert max(texts.count(f"Build {number}.") for texts in asked for number in range(2)) == 1, (
                    "never twice"
                )
                await ada.until_over(await ada.say("good morning"))
                await reads(watch, "TurnCompleted")
                watch.send_signal(signal.SIGINT)
                assert (await ended(watch)).code == 130
                intact(it.home)
        finally:
            await over(it.home)


async def test_a_client_that_is_killed_takes_nothing_with_it(tmp_path: Path) -> None:
    async with hosted(WAITS + DONE, tmp_path) as it:
        process = await it.run("Build it.", "--done", "test -e go", *FREE)
        await reads(process, "ItemStarted")
        process.kill()
        await process.wait()
        (it.workspace / "go").touch()
        await until(lambda: it.facts("DoneChecked") != [], "the run goes on")
        intact(it.home)


async def test_it_exits_by_itself(tmp_path: Path) -> None:
    async with hosted(DONE, tmp_path) as it:
        done = await ended(await it.run("Build it.", *FREE))
        assert done.code == 0, done.err
        pid = (await it.status())["pid"]
        assert isinstance(pid, int)
        await until(
            lambda: not Path(f"/proc/{pid}/cmdline").read_bytes() if Path(f"/proc/{pid}").exists() else True, ""
        )
        assert (await it.rawr("host", "status")).code == 1
        assert not (it.home / "host.sock").exists()


async def test_two_commands_at_once_share_one_host(tmp_path: Path) -> None:
    script = ('- { run: "touch built.txt", usage: 12000 }\n' + DONE) * 2
    async with hosted(script, tmp_path) as it:
        both = await asyncio.gather(it.run("One.", *FREE), it.run("Two.", *FREE))
        done = [await ended(one) for one in both]
        assert [one.code for one in done] == [0, 0], [one.err for one in done]
        assert len(it.facts("RuntimeStarted")) == 1


async def test_a_rawr_in_the_foreground_keeps_the_home_to_itself(tmp_path: Path) -> None:
    """Whoever comes second is told, whichever way round."""
    async with hosted(WAITS + DONE, tmp_path) as it:
        first = await it.run("Build it.", "--foreground", *FREE)
        await reads(first, "ItemStarted")
        second: Ran = await ended(await it.run("And this.", *FREE))
        assert second.code == 74
        assert "is in use by process" in second.err
        (it.workspace / "go").touch()
        assert (await ended(first)).code == 0


async def test_another_user_can_neither_read_nor_speak(tmp_path: Path) -> None:
    async with hosted(WAITS + DONE, tmp_path) as it:
        process = await it.run("Build it.", "--done", "test -e go", *FREE)
        await reads(process, "ItemStarted")
        socket = it.home / "host.sock"
        assert (socket.stat().st_mode & 0o777, it.home.stat().st_mode & 0o777) == (0o600, 0o700)
        if os.getuid() == 0:
            tried = (
                "import os, socket, sys; os.setgid(65534); os.setuid(65534);"
                f"s = socket.socket(socket.AF_UNIX); s.connect({str(socket)!r})"
            )
            refused = await asyncio.create_subprocess_exec(sys.executable, "-c", tried, stderr=asyncio.subprocess.PIPE)
            _, said = await refused.communicate()
            assert b"PermissionError" in said
            # Even where the folder lets them in, the host does not: it asks the kernel who is there.
            for place in (it.home, *list(it.home.parents)[:4], socket):
                place.chmod(0o777)
            spoken = f"{tried}; s.sendall(b'x'); s.settimeout(10); sys.exit(len(s.recv(1)))"
            cut = await asyncio.create_subprocess_exec(sys.executable, "-c", spoken, stderr=asyncio.subprocess.PIPE)
            await cut.communicate()
            assert cut.returncode in (0, 1), "nothing is answered"
            it.home.chmod(0o700)
        (it.workspace / "go").touch()
        assert (await ended(process)).code == 0
