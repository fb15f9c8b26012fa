"""Retention: what the agent still knows when its context has been compacted, with rawr and with Codex alone.

Measured: one job (``job.py``, ``scenarios/job.yaml``) on the real Codex and a real repository, four turns with commits,
a plan, changed files (patched, and written by commands), failed commands, standing directives and answers of the user.
The model is a script, and so is the summary that Codex asks it for: a good one that names nearly everything, a poor
one, an empty one. Then the facts are counted that stand, letter by letter, in the first model request after the
compaction. With rawr that is the turn of its handoff, which it comes to by itself, as shipped; with Codex alone,
``thread/compact/start`` with nothing around it, and then the user's "Go on.". More rows have a packet without the files
that commands wrote, one that is wrong on purpose, and none at all.

Tokens are counted the same way on both sides, from the first request of the job to that one: the bytes of every request
and of every reply, by four, as if nothing were cached. What a scripted reply reports as its usage sets the pressure
and is not counted.

Unfair would be: counting only what rawr adds (what Codex itself keeps counts for both, the user's messages first of
all); facts in words that only rawr uses (the good summary is written in the words that are counted); facts that did not
happen (commits and files are compared with the repository); a tool that only one side's agent uses (rawr offers one
more, and it is paid for and not called). What a real model makes of a request is not measured, and the script decides
how good a summary is: the rows say what is there in each case, not how often each case comes. In the remote row the
model's server compacts, as with an OpenAI account: its summary is sealed, and only what stands beside it is counted.
"""

from bench import job
from bench.job_runs import BYTES_PER_TOKEN, Outcome, alone, with_rawr
from bench.measuring import ratio_of, spread
from bench.report import Goal, Result, Row, Size, number

ALL = Goal(at_least=100)
SUMMARIES: tuple[job.Summary, ...] = ("good", "poor", "empty")
PACKETS: dict[job.Packet, str] = {
    "forgetful": "packet without what commands wrote",
    "hostile": "hostile packet",
    "none": "no packet",
}


def run(size: Size) -> Result:
    theirs = {summary: alone(size.folder / f"alone-{summary}", summary) for summary in SUMMARIES}
    ours = {f"{one} summary": (with_rawr(size.folder / one, one, "whole"), theirs[one]) for one in SUMMARIES}
    for packet, words in PACKETS.items():
        outcome = with_rawr(size.folder / packet, "empty", packet)
        ours[f"empty summary, {words}"] = (outcome, theirs["empty"])
    sealed = with_rawr(size.folder / "sealed", "good", "whole", remote=True)
    ours["remote, whatever was sealed"] = (sealed, alone(size.folder / "alone-sealed", "good", remote=True))
    for outcome, _ in ours.values():
        assert not job.NOT_A_FACT.stands_in(outcome.first.all_text), "a command that was mended is told as failing"
    return Result(
        (
            *(_kept(figure, rawr, codex) for figure, (rawr, codex) in ours.items()),
            _spent("a packet that is taken at once", *ours["poor summary"]),
            _spent("one that is sent back", *ours["empty summary, hostile packet"]),
            _carried(*ours["poor summary"]),
            _carried(*ours["remote, whatever was sealed"], where=", remote"),
        ),
        tuple(_by_kind(f"{one} summary", *ours[f"{one} summary"]) for one in SUMMARIES),
    )


def _kept(figure: str, rawr: Outcome, codex: Outcome) -> Row:
    ours, theirs = (job.present(outcome.first.all_text).total() for outcome in (rawr, codex))
    of = len(job.FACTS)
    return Row(
        figure=f"facts kept, {figure}",
        measured=spread([100 * ours / of]),
        unit=" %",
        ours=f"{ours} of {of}, {_thousands(rawr.tokens)}",
        against=f"{theirs} of {of}, {_thousands(codex.tokens)} (Codex alone)",
        goal=ALL,
    )


def _spent(figure: str, rawr: Outcome, codex: Outcome) -> Row:
    """rawr's price: the whole context is read once more for the packet, and again where that is sent back."""
    return Row(
        figure=f"tokens, {figure}",
        measured=ratio_of([rawr.tokens], [codex.tokens]),
        ours=f"{_thousands(rawr.tokens)} in {rawr.requests} requests",
        against=f"{_thousands(codex.tokens)} in {codex.requests} (Codex alone)",
    )


def _carried(rawr: Outcome, codex: Outcome, *, where: str = "") -> Row:
    """What the context holds from then on, in every request that follows."""
    ours, theirs = (len(outcome.first.all_text.encode()) / BYTES_PER_TOKEN for outcome in (rawr, codex))
    return Row(
        figure=f"tokens in the context afterwards{where}",
        measured=ratio_of([ours], [theirs]),
        ours=_thousands(ours),
        against=f"{_thousands(theirs)} (Codex alone)",
    )


def _by_kind(figure: str, rawr: Outcome, codex: Outcome) -> str:
    ours, theirs = (job.present(outcome.first.all_text) for outcome in (rawr, codex))
    wanted = job.count(job.FACTS)
    parts = ", ".join(f"{kind} {ours[kind]} against {theirs[kind]} of {wanted[kind]}" for kind in wanted)
    return f"{figure}: {parts}"


def _thousands(tokens: float) -> str:
    return f"{number(tokens / 1000)} k tokens"
