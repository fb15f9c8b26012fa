"""What a person types at a run's terminal while it works, and how they come and go (C10, C11, C16, C18)."""

import asyncio
import os
import pwd
import re
import shlex
import uuid
from pathlib import Path

from rawr.approvals import digest_of
from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.test_run_program import DONE, FREE, HANGS, Desk, Ran, appears, ended, working

from .seat import ASKS, COLOUR, DEADLINE, RAWR, run, seat, wants

# -- while it works -------------------------------------------------------------------------------------------------


async def test_what_is_typed_unasked_goes_into_the_running_turn(tmp_path: Path) -> None:
    """C18: it stays on the screen while other lines come, can be corrected, and the agent hears it at once."""
    heard = '- { when: { user: "Use tabs, please" }, say: "Nothing is left to do: tabs." }\n'
    async with run(HANGS + heard, tmp_path, "Build it.", *FREE) as (it, screen):
        await working(it)
        screen.type("Use spaces\x17tap\x7fb\x1b[D\x1bOAs, ")
        await screen.until(lambda _: screen.last == "> Use tabs,", deadline=DEADLINE)
        assert (await it.rawr("hold", "--turns", "3")).code == 0
        assert (await it.rawr("pause", "nobody")).code == 1
        await screen.until(lambda _: screen.last == "> Use tabs,", deadline=DEADLINE)
        screen.says("please.")
        await screen.sees("A message was added to the running turn.")
        it.codex.model.release()
        await screen.sees("you Use tabs, please.", "Nothing is left to do: tabs.")
        assert await screen.over() == 0


async def test_what_is_typed_before_the_run_has_begun_reaches_the_agent(tmp_path: Path) -> None:
    """C18: while Codex still starts, and while its thread does; it is said to be kept, and comes once, in its order."""
    heard = '- { when: { user: "Be brief." }, say: "Nothing is left to do: tabs." }\n'
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{HANGS}{heard}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        flags = ("--codex-bin", str(_slow(codex.binary, tmp_path)), "--codex-home", str(codex.home.path))
        async with seat(it, *RAWR, "run", "Build it.", *FREE, *flags) as screen:
            await asyncio.to_thread(appears, tmp_path / "starting")
            screen.says("Use tabs.")
            screen.says("Be brief.")
            (tmp_path / "go").touch()
            shown = await screen.sees("Kept until the run starts.", "A message was added to the running turn.")
            assert shown.count("Kept until the run starts.") == 2
            await working(it)
            codex.model.release()
            assert await screen.over() == 0
            texts = codex.model.requests[-1].user_texts
            assert [text for text in texts if text in ("Use tabs.", "Be brief.")] == ["Use tabs.", "Be brief."]


async def test_what_is_typed_where_no_run_begins_is_refused(tmp_path: Path) -> None:
    """C18: Codex has no such thread."""
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{DONE}"), tmp_path, check=False) as codex:
        it = Desk(codex, tmp_path / "rawr")
        flags = ("--codex-bin", str(_slow(codex.binary, tmp_path)), "--codex-home", str(codex.home.path))
        async with seat(it, *RAWR, "run", "Build it.", "--resume", str(uuid.uuid4()), *flags) as screen:
            await asyncio.to_thread(appears, tmp_path / "starting")
            screen.says("Use tabs.")
            (tmp_path / "go").touch()
            await screen.sees("No run is under way to receive it. Nothing was sent.")
            assert await screen.over() == 69


def _slow(codex: Path, folder: Path) -> Path:
    """A Codex whose server waits for a file before it starts."""
    program = folder / "slow-codex"
    program.write_text(
        "#!/bin/bash\n"
        f'if [ "$1" = app-server ]; then touch {folder}/starting; until [ -e {folder}/go ]; do sleep 0.05; done; fi\n'
        f'exec {shlex.quote(str(codex))} "$@"\n'
    )
    program.chmod(0o755)
    return program


async def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    """C10: not even a yes; it comes back when the question is answered."""
    script = '- { fault: hang, run: { cmd: "touch ../proof.txt", escalate: true } }\n' + HANGS + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await working(it)
        screen.type("y")
        await screen.until(lambda _: screen.last.endswith("> y"), deadline=DEADLINE)
        it.codex.model.release()
        await screen.asked("touch ../proof.txt")
        screen.says("")
        await screen.sees("“” is not an answer")
        screen.says("n")
        await screen.sees("you decline")
        await screen.until(lambda _: screen.last.endswith("> y"), deadline=DEADLINE)
        screen.says("es, go on")
        await screen.sees("A message was added to the running turn.")
        await working(it, 2)
        it.codex.model.release()
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, False)
        assert any("yes, go on" in one.user_texts for one in it.codex.model.requests)


async def test_the_run_has_a_plan_beside_the_agents(tmp_path: Path) -> None:
    """C16: the work, the check that fails once, the report; each change is shown."""
    plan = '- { do: [{ plan: ["doing: build"] }, { run: "true" }] }\n'
    script = plan + DONE + '- { run: "touch ok" }\n' + DONE
    async with run(script, tmp_path, "Build it.", "--done", "test -e ok", *FREE) as (_, screen):
        shown = await screen.sees("Done, and the check passed.")
        assert await screen.over() == 0
        lines = [line for line in shown.splitlines() if re.match(r"(auto|plan) .*[✓▸○]", line)]
        assert [re.sub(r"^(\w+) +│ ", r"\1: ", line) for line in lines] == [
            "auto: ▸ work   ○ check   ○ report",
            "plan: ▸ build",
            "auto: ✓ work   ▸ check   ○ report",
            "auto: ▸ work   ○ check (tried once)   ○ report",
            "auto: ✓ work   ▸ check (attempt 2)   ○ report",
            "auto: ✓ work   ✓ check (attempt 2)   ✓ report",
        ]


async def test_status_says_where_the_run_stands(tmp_path: Path) -> None:
    """C16, C18: its plan, the newest decision, the newest diff and what will stop it; while it runs, and afterwards."""
    patch = "- patch: |\n    *** Begin Patch\n    *** Add File: a.txt\n    +one\n    +two\n    *** End Patch\n"
    async with run(patch + HANGS + DONE, tmp_path, "Build it.", "--done", "test -e a.txt", *FREE) as (it, screen):
        await working(it, 2)
        await screen.sees("add")
        thread = (await it.rawr("status", "--json")).lines[0]
        assert isinstance(thread["run"], dict)
        assert isinstance(thread["decision"], dict)
        assert thread["diff"] == {"files": 1, "added": 2, "removed": 0}
        assert [(one["name"], one["status"]) for one in thread["run"]["run_plan"]] == [
            ("work", "in_progress"),
            ("check", "pending"),
            ("report", "pending"),
        ]
        assert (thread["run"]["until"], thread["run"]["max_turns"]) == ("test -e a.txt", 200)
        assert {"id", "at", "reason", "meaning"} == thread["decision"].keys()
        it.codex.model.release()
        assert await screen.over() == 0
        told = (await it.rawr("status")).out
        for line in (
            "✓ work   ✓ check   ✓ report",
            "stop: run.done.checked",
            "last diff: 1 file, +2 -0",
            ": The job is done: the check passed. (run.done.checked)",
        ):
            assert line in told, told


# -- coming and going -----------------------------------------------------------------------------------------------


async def test_ctrl_c_at_a_question_pauses_and_it_is_asked_again(tmp_path: Path) -> None:
    """C10, C13: exit code 2, nothing is left open, and after a resume it is answered from another terminal, with the
    commands that rawr prints there; each answer is on record: who, about exactly what, yes or no."""
    script = wants("touch ../proof.txt") + COLOUR + wants("touch ../proof.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../proof.txt")
        screen.type("y\x03")
        shown = await screen.sees(
            "pausing; press Ctrl-C again to stop", "Not done: paused. run.paused.person", "rawr resume"
        )
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (2, False)
        name = re.search(r"rawr resume (r\d+)", shown)
        assert name, shown
        assert (await it.rawr("approvals")).out == "Nothing is waiting for you.\n"
        assert (await it.rawr("approve", "1/0")).code == 1
        async with seat(it, *RAWR, "resume", name[1], *it.codex_flags()) as again:
            await again.asked("Which colour?")
            assert (await it.rawr(*printed(await it.rawr("approvals"), "Blue"))).code == 0
            await again.sees("answered elsewhere: Blue (a question: Which colour?)")
            await again.asked("touch ../proof.txt")
            assert (await it.rawr(*printed(await it.rawr("approvals"), "approves it"))).code == 0
            await again.sees("answered elsewhere: accept (approval of:")
            assert (await again.over(), (tmp_path / "proof.txt").exists()) == (0, True)
        told = (await it.rawr("log", "--json")).lines
        blue, accept = [one["evidence"] for one in told if one.get("reason") == "request.answered.person"]
        assert isinstance(blue, dict)
        assert isinstance(accept, dict)
        assert (blue["verdict"], accept["verdict"], accept["who"]) == (
            "Blue",
            "accept",
            pwd.getpwuid(os.getuid()).pw_name,
        )
        command = "/bin/bash -lc 'touch ../proof.txt'"
        assert accept["digest"] == digest_of(command, it.workspace)


def printed(ran: Ran, does: str) -> list[str]:
    """The command that ``rawr approvals`` prints for this."""
    line = next(one for one in ran.out.splitlines() if does in one)
    return shlex.split(line.partition(does)[0])[1:]


async def test_what_is_answered_elsewhere_takes_no_answer_here(tmp_path: Path) -> None:
    """C10: half a line that was meant for it is not taken for the next question's."""
    script = wants("touch ../first.txt") + wants("touch ../second.txt") + DONE
    async with run(script, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../first.txt")
        screen.type("y")
        await screen.until(lambda _: screen.last.endswith("> y"), deadline=DEADLINE)
        assert (await it.rawr("deny", "1/0")).code == 0
        await screen.sees("answered elsewhere: decline (approval of: /bin/bash -lc 'touch ../first.txt')")
        await screen.asked("touch ../second.txt")
        screen.says("")
        await screen.sees("“” is not an answer")
        screen.says("y")
        assert await screen.over() == 0
        assert ((tmp_path / "first.txt").exists(), (tmp_path / "second.txt").exists()) == (False, True)


async def test_ctrl_d_leaves_the_answers_to_others(tmp_path: Path) -> None:
    """C11: it is said, the run goes on, and what is asked from then on says what waits."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", *ASKS) as (it, screen):
        await screen.asked("touch ../proof.txt")
        screen.type("\x04")
        await screen.sees("rawr no longer reads input here. `rawr approvals` lists what is waiting")
        assert (await it.rawr("approve", "1/0")).code == 0
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_what_comes_through_a_pipe_answers_nothing(tmp_path: Path) -> None:
    """C10: only a person at a terminal does. Half a line there holds nothing up either."""
    script = wants("touch ../proof.txt") + '- say: "Hm."\n'
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{script}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        it.home.mkdir(mode=0o700)
        (it.home / "config.toml").write_text("[limits]\nperson = 2\n")
        process = await asyncio.create_subprocess_exec(
            *RAWR,
            *("run", "Build it.", *ASKS, *it.codex_flags()),
            env=it._env(),
            cwd=it.workspace,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            await process.stdout.readuntil(b"waits for your answer")
        process.stdin.write(b"y\ny\nhalf a li")
        ran = await ended(process)
        assert (ran.code, (tmp_path / "proof.txt").exists()) == (2, False), ran.err
        assert "run.paused.unanswered" in ran.out


async def test_a_job_in_the_background_is_not_stopped_for_reading(tmp_path: Path) -> None:
    """C18: what is typed there is for the shell."""
    may_ask = parse_scenario(f"name: run\nreplies:\n{HANGS}{DONE}")
    with scripted_codex(may_ask, tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        line = shlex.join([*RAWR, "run", "Build it.", *FREE, *it.codex_flags()])
        async with seat(it, "bash", "-m", "-c", f"{line} & wait $!; echo code $?; stty -a") as screen:
            await working(it)
            screen.says("y")
            it.codex.model.release()
            await screen.sees("Done, according to the agent", "code 0", "isig icanon iexten echo")
            assert await screen.over() == 0
            assert all("y" not in one.user_texts for one in codex.model.requests)


async def test_the_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    """C18: line by line and with an echo, also where the run was paused."""
    with scripted_codex(parse_scenario(f"name: run\nreplies:\n{HANGS}"), tmp_path) as codex:
        it = Desk(codex, tmp_path / "rawr")
        line = shlex.join([*RAWR, "run", "Build it.", *FREE, *it.codex_flags()])
        async with seat(it, "bash", "-c", f"trap : INT; {line}; echo code $?; stty -a") as screen:
            await working(it)
            screen.type("half a li")
            await screen.until(lambda _: screen.last == "> half a li", deadline=DEADLINE)
            screen.type("\x03")
            await screen.sees("code 2", "isig icanon iexten echo")
            assert await screen.over() == 0
