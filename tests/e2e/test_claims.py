"""What a packet claims and did not happen (D2), and what the agent had just offered (A14), with nothing configured.

``rawr run`` and ``rawr watch`` in the background, on the real Codex, in a real repository.
"""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from rawr.views.record import InvariantView
from tests.e2e.beside import MORNING, Person, Watching, person, rawr_watch, served
from tests.e2e.golden import JOB, PACKET, SUMMARY, WORK, answers
from tests.e2e.test_host import Hosted, intact, over
from tests.e2e.test_run_program import FREE, ended

FALSE = PACKET.replace(
    "Research: all is read.",
    """\
Research: all is read.
- Wrote src/quoting.py and its tests.
- My notes are in notes.md.
- Committed as deadbee1 on branch `feature/quotes`.
- pytest passed, 12 tests.
- `sh broken.sh` ended with exit code 0.
- Opened PR #7.""",
)
CLAIMED = (
    "There is no file “src/quoting.py”.",
    "There is no file “notes.md”.",
    "Commit deadbee1 was not made in this thread, as far as is recorded.",
    "The work is not on branch “feature/quotes”, but on “trunk”.",
    "rawr saw no run of “pytest”.",
    "“sh broken.sh” ended with exit code 3.",
    "rawr saw nobody open or change a pull request in this thread.",
)
RUNS = '- { run: "exit 3 # sh broken.sh", usage: 58000 }\n'
OVER = """\
- { when: { user: "Handoff" }, plan: ["done: research", "done: draft", "done: ship"], usage: 20000 }
- { say: "Nothing is left to do.", usage: 21000 }
"""


def repository(codex: ScriptedCodex) -> None:
    (codex.home.workspace / "broken.sh").write_text("exit 3\n")
    for words in (("init", "-q", "-b", "trunk"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *words], cwd=codex.home.workspace, env=codex.env(), check=True)


@asynccontextmanager
async def hosted(script: str, folder: Path) -> AsyncIterator[Hosted]:
    with scripted_codex(parse_scenario(f"name: claims\nreplies:\n{script}"), folder) as codex:
        repository(codex)
        it = Hosted(codex, folder / "rawr")
        try:
            yield it
        finally:
            await over(it.home)


async def test_false_claims_go_back_once_and_are_corrected(tmp_path: Path) -> None:
    """D2: the agent repeats them, so the handoff says what is so."""
    work = '- { run: "sh broken.sh", usage: 58000 }\n' + WORK
    script = work + answers("Heads-up", FALSE) + answers("does not agree", FALSE) + SUMMARY + OVER
    async with hosted(script, tmp_path) as it:
        ran = await ended(await it.run(JOB, *FREE))
        assert (ran.summary["status"], ran.summary["compactions"]) == ("done", 1), ran.err
        requests = it.codex.model.requests
        corrections = [one.last_user for one in requests if "does not agree" in one.last_user]
        [handoff] = {one.last_user for one in requests if "] Handoff: the context" in one.last_user}
        assert len(corrections) == 1
        for claim in CLAIMED:
            assert f"- {claim}" in corrections[0]
            assert f"\nthe packet is wrong here: {claim}" in handoff
        intact(it.home)


async def test_an_honest_packet_is_taken_at_once(tmp_path: Path) -> None:
    """D2: with files, a commit, a branch, and a command that fails and says so."""
    work = (
        '- { run: "echo x > draft.txt && git add -A && git commit -qm Draft", usage: 50000 }\n'
        '- { run: "sh broken.sh", usage: 58000 }\n'
    ) + WORK
    honest = PACKET.replace(
        "Research: all is read.",
        "Research: all is read. Wrote draft.txt, committed as “Draft” on trunk. `sh broken.sh` ended with exit code 3; "
        "pytest was not run, and no PR is open. notes.md is still to be written.",
    )
    async with hosted(work + answers("Heads-up", honest) + SUMMARY + OVER, tmp_path) as it:
        ran = await ended(await it.run(JOB, *FREE))
        assert (ran.summary["status"], ran.summary["compactions"]) == ("done", 1), ran.err
        assert not any("does not agree" in one.last_user for one in it.codex.model.requests)
        assert not any("the packet is wrong here" in one.last_user for one in it.codex.model.requests)


# -- an open offer ----------------------------------------------------------------------------------------------------

OFFER = "The research is committed. Shall I drop the old table next, or keep it for one more release?"
RESEARCH = f"""
- {{ plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }}
- {{ run: "git commit -q --allow-empty -m 'Research done'", usage: 80000 }}
- {{ plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }}
- {{ say: "{OFFER}", usage: 132000 }}
"""
COMMITTED = PACKET + "Commit: Research done."
"""Beside the agent's own words, nothing in the packet tells of the offer."""


@asynccontextmanager
async def watched(script: str, folder: Path) -> AsyncIterator[tuple[ScriptedCodex, Watching, Person]]:
    home = folder / "rawr"
    async with served(MORNING + script, folder, prepare=repository) as (codex, server):
        try:
            async with (
                rawr_watch(codex, home, server=server, host=True) as watching,
                person(server, codex.home.workspace) as ada,
            ):
                await ada.until_over(await ada.say("good morning"))
                await watching.fact("ThreadJoined")
                yield codex, watching, ada
        finally:
            await over(home)


async def test_a_bare_yes_keeps_its_meaning(tmp_path: Path) -> None:
    """The user answers after the compaction, in one word: what it answers stands in the context, word for word."""
    script = (
        RESEARCH
        + answers("Heads-up", COMMITTED, usage=134_000)
        + SUMMARY
        + '- { when: { user: "Handoff" }, say: "I am ready.", usage: 20000 }\n'
        + '- { when: { user: "^yes$" }, say: "Dropped it.", usage: 21000 }\n'
    )
    async with watched(script, tmp_path) as (codex, watching, ada):
        await ada.say("three phases please")
        await watching.hears("I am ready.")
        await ada.until_over(await ada.say("yes"))
        last = codex.model.requests[-1]
        assert last.user_texts[-1] == "yes"
        handoff = last.user_texts[-2]
        assert f"\n\n```\n{OFFER}\n```\n" in handoff
        assert "do not do it before they have" in handoff
        assert last.all_text.count(OFFER) == 1, "it is in the handoff alone"


# -- invariants and mode ----------------------------------------------------------------------------------------------


async def test_invariants_and_mode_are_on_record(tmp_path: Path) -> None:
    """B3: the request begins from the user's, the packet adds its own, and a person says what kind of work comes."""
    packet = COMMITTED.replace("## Invariants\nNone.", "## Invariants\n- Rows keep their order.\n- Never push to main.")
    ready = '- { when: { user: "Handoff" }, say: "I am ready.", usage: 20000 }\n'
    noted = '- { when: { user: "^Three phases" }, say: "Noted.", usage: 21000 }\n'
    async with watched(noted + RESEARCH + answers("Heads-up", packet, usage=134_000) + SUMMARY + ready, tmp_path) as (
        codex,
        watching,
        ada,
    ):
        it = Hosted(codex, tmp_path / "rawr")
        said = await it.rawr("phase", "--mode", "test", "--thread", ada.thread)
        assert said.code == 0, said.err
        await ada.until_over(await ada.say("Three phases please."))
        await ada.say("Begin. Never push to main.")
        await watching.hears("I am ready.")
        [asked] = {one.last_user for one in codex.model.requests if "Heads-up" in one.last_user}
        assert asked.endswith("- “Begin. Never push to main.” (the user's)")
        assert "\nmode: test (set by the user)\n" in codex.model.requests[-1].last_user
        shown = await it.rawr("status", "--json", ada.thread)
        [record] = [
            msgspec.convert(line["record"], dict[str, object])
            for line in shown.lines
            if line.get("thread") == ada.thread
        ]
        assert record["mode"] == "test"
        invariants = msgspec.convert(record["invariants"], list[InvariantView])
        assert [(one.text, one.by) for one in invariants] == [
            ("Begin. Never push to main.", "user"),
            ("Rows keep their order.", "agent"),
        ]
