"""The user's message comes first: sent 0 to 20 ms after turns' ends, beside a rawr that compacts (A13, A15, D5)."""

import asyncio
import contextlib
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from msgspec import Struct

from rawr.codex.wire import methods
from rawr.codex.wire.base import Wire
from rawr.core.vocabulary import facts, items
from tests.e2e.beside import COMMITTED, MORNING, WORK, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers, quoted
from tests.e2e.haste import PROMPT, Fates, Hurried
from tests.e2e.held_back import held_back
from tests.e2e.test_closed_thread import shared, thread_of
from tests.e2e.test_host import over
from tests.e2e.test_run_program import FREE, desk

pytestmark = pytest.mark.mission("A13", "A15", "D5")

REPLIES = f"""
- {{ when: {{ compaction: true }}, say: "A summary.", usage: 20000, times: always, delay: 0.03 }}
- {{ when: {{ user: "please$" }}, say: "I read it; what I found is in the notes.", usage: 150000, times: always }}
- {{ when: {{ user: "Heads-up" }}, say: {quoted(PACKET)}, usage: 152000, times: always }}
- {{ when: {{ user: "Handoff" }}, say: "I go on with the draft.", usage: 20000, times: always }}
- {{ when: {{ user: "(?i)(packet|Do not|correct)" }}, say: {quoted(PACKET)}, usage: 152000, times: always }}
"""
EAGER = """
[rawr_auto_compaction]
cooldown_turns = 0
cooldown_seconds = 0
need_turns = 0
{more}
[rawr_auto_compaction.policy.asap]
requires_any_boundary = ["{boundary}"]
"""
"""Every turn's end is a moment to compact."""


class Variant(Struct, frozen=True):
    more: str = ""
    boundary: str = "turn_complete"
    after: float = 0.0
    host: bool = False


VARIANTS = {
    "same turn": Variant(host=True),
    "own turn": Variant('packet_turn = "own"'),
    "watcher": Variant('packet_author = "watcher"'),
    "idle": Variant('packet_author = "watcher"\nidle_seconds = 2', "idle", 1.98),
    "in step": Variant('packet_author = "watcher"', after=0.98),
}
"""How the packet is asked for; a user who comes back as the idle timer fires; and one in step with the pause before
a compaction, so that turns of theirs are cut off. ``rawr watch`` runs in a host, unless it is told not to."""
MESSAGES, COMPACTIONS = int(os.environ.get("MESSAGES", "250")), int(os.environ.get("COMPACTIONS", "50"))
"""Of the long version, for each variant."""


async def hurried(
    folder: Path, variant: str, *, messages: int, compactions: int, seed: int = 1, prompt: float = PROMPT
) -> Fates:
    how = VARIANTS[variant]
    (folder / "rawr").mkdir(mode=0o700)
    (folder / "rawr" / "config.toml").write_text(EAGER.format(more=how.more, boundary=how.boundary))
    async with (
        served(MORNING + REPLIES, folder) as (codex, server),
        rawr_watch(codex, folder / "rawr", server=server, host=how.host) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        try:
            await watching.joins(ada)
            one = Hurried(ada.client, ada.heard, ada.thread, seed=seed)
            await one.works(messages, compactions, after=how.after, prompt=prompt)
            fates = await one.fates()
        finally:
            await over(folder / "rawr")
        print(variant, fates, Counter(one for one in watching.reasons() if one.startswith("compact")))
        return fates


@pytest.mark.parametrize("variant", ["same turn", "watcher"])
async def test_a_user_in_a_hurry(tmp_path: Path, variant: str) -> None:
    """None lost, doubled, refused or answered twice, and each is answered."""
    fates = await hurried(tmp_path, variant, messages=10, compactions=2, prompt=1.0)
    assert fates.flaws == {}, str(fates)
    assert fates.compactions >= 2


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_user_in_a_hurry_all_day(tmp_path: Path, variant: str) -> None:
    fates = await hurried(tmp_path, variant, messages=MESSAGES, compactions=COMPACTIONS, seed=2)
    # A request that Codex refuses, the client is told of.
    assert variant == "in step" or not fates.refused, str(fates)
    assert fates.flaws.keys() <= {"refused"}, str(fates)
    assert variant == "in step" or len(fates.cut) * 100 <= fates.sent, str(fates)
    assert fates.compactions >= COMPACTIONS


PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
TYPED = "and mind the tests, please"
MINDED = "I mind them, and go on with the draft."


async def test_a_message_that_the_compaction_cut_off_is_answered_once(tmp_path: Path) -> None:
    """Their turn began before rawr could know: Codex ends it for the compaction. The handoff's turn brings the message
    again as it was, picture and all, and the compaction that ran has not failed. As shipped, with an empty config."""
    script = WORK + answers("Heads-up", COMMITTED) + SUMMARY + answers(TYPED, MINDED)
    async with (
        served(MORNING + script, tmp_path) as (codex, server),
        held_back(server, '"thread/compact/start"') as front,
        rawr_watch(codex, tmp_path / "rawr", server=front) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.say("three phases please")
        await front.here.wait()
        cut = await ada.say(TYPED, {"type": "image", "url": PIXEL})
        await ada.until_told(TYPED)
        front.go.set()
        await ada.until_over(cut)
        await ada.until_told(MINDED)
        await watching.decided("compact.audited.sequence")
        ended = {one.turn: one.status for one in ada.heard.all(facts.TurnCompleted)}
        assert ended[cut] == "interrupted"
        reasons = watching.reasons(thread=ada.thread)
        assert [one for one in reasons if one.startswith(("compact.cut", "compact.failed", "handoff"))] == [
            "compact.cut.message",
            "handoff.sent.compacted",
        ]
        asked = codex.model.requests[-1]
        handoff = asked.input[-1]["content"]
        assert isinstance(handoff, list)
        assert "Handoff: the context" in handoff[0]["text"]
        assert "was cut off as the compaction began" in handoff[0]["text"]
        assert PIXEL in [part.get("image_url") for part in handoff]
        assert [part.get("text") for part in handoff].count(TYPED) == 1
        said = [one.item for one in ada.heard.all(facts.ItemCompleted)]
        assert sum(isinstance(one, items.UserMessage) and one.text.startswith(TYPED) for one in said) == 1
        assert sum(isinstance(one, items.AgentMessage) and one.text == MINDED for one in said) == 1


@pytest.mark.soak
@pytest.mark.mission("C15")
async def test_a_user_in_a_hurry_on_the_thread_of_a_run(tmp_path: Path) -> None:
    """``rawr run --attach``: the run's thread is in the user's own Codex, where they type into it."""
    goes_on = '- { say: "The next step is done, and there is more to do.", usage: 150000, times: always }\n'
    (tmp_path / "rawr").mkdir(mode=0o700)
    tireless = "[rawr_full_auto]\nno_progress_turns = 99\ncompactions_in_turns = 99\n"
    (tmp_path / "rawr" / "config.toml").write_text(tireless + EAGER.format(more="", boundary="turn_complete"))
    async with desk(REPLIES + goes_on, tmp_path) as it, shared(it) as server:
        process = await it.run("Build it.", "--attach", *FREE)
        thread = await thread_of(process)
        reads = asyncio.create_task(process.communicate())
        await it.codex.model.wait_for_async(lambda _: True, deadline=30)
        async with person(server, it.workspace, thread=thread) as ada:
            one = Hurried(ada.client, ada.heard, thread, seed=3)
            await ada.heard.wait(facts.TurnCompleted)
            await one.works(8, 2)
            fates = await one.fates()
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await reads
        print("a run", fates)
        assert fates.flaws == {}, str(fates)
        assert fates.compactions >= 2


class _Shell(Wire, frozen=True):
    thread_id: str
    command: str


@pytest.mark.soak
@pytest.mark.parametrize("what", ["review", "command", "compaction"])
async def test_what_else_a_compaction_cuts_off(tmp_path: Path, what: str) -> None:
    """A review and a ``!`` command are named, to be begun again; a ``/compact`` is answered by rawr's."""
    review = '- { when: { user: "review" }, say: "No.", fault: hang, times: always }\n'
    summary = '- { when: { compaction: true }, say: "A summary.", times: always, delay: 0.3 }\n'
    script = summary + review + WORK + answers("Heads-up", COMMITTED) + CONTINUE
    async with (
        served(MORNING + script, tmp_path) as (codex, server),
        held_back(server, '"thread/compact/start"') as front,
        rawr_watch(codex, tmp_path / "rawr", server=front) as watching,
        person(server, codex.home.workspace) as ada,
    ):
        await watching.joins(ada)
        await ada.say("three phases please")
        await front.here.wait()
        before = len(ada.heard.all(facts.ItemStarted))
        match what:
            case "review":
                await ada.client.call(
                    methods.REVIEW_START,
                    methods.ReviewStart(thread_id=ada.thread, target={"type": "custom", "instructions": "review it"}),
                )
            case "command":
                shell = methods.Call("thread/shellCommand", _Shell, methods.Nothing)
                await ada.client.call(shell, _Shell(thread_id=ada.thread, command="sleep 20"))
            case _:
                await ada.client.call(methods.THREAD_COMPACT_START, methods.ThreadOnly(thread_id=ada.thread))
        await ada.heard.until(lambda: len(ada.heard.all(facts.ItemStarted)) > before)
        front.go.set()
        await watching.decided("compact.audited.sequence")
        await ada.until_told(GOES_ON)
        reasons = watching.reasons(thread=ada.thread)
        assert reasons.count("handoff.sent.compacted") == 1
        assert ("compact.cut.unseen" in reasons) is (what != "compaction")
