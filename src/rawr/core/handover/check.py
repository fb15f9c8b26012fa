"""Check a packet against what really happened (D2).

The record is what rawr itself saw: changed files, commits, plan steps, failed commands, the user's decisions. A packet
that lacks a section, leaves something out or claims something false goes back once, with the findings.
"""

import re

from msgspec import Struct

from rawr.core.handover import claims, phases
from rawr.core.handover.claims import Kind, Known
from rawr.core.handover.packet import Packet, Section
from rawr.core.speech import LINE, Own, bare, line, say, word
from rawr.core.state.ledger import Commit, Ledger
from rawr.core.state.thread import PhaseMark
from rawr.core.vocabulary.facts import PlanStep

SHOWN = 12
"""The most findings of one kind to report."""
ENOUGH = 80
"""A command or an answer counts as mentioned if this many characters from its start are."""


class Finding(Struct, frozen=True):
    """Something that the packet lacks or gets wrong, in words that the agent can act on."""

    kind: Kind
    text: Own


_ALL_PASS = re.compile(
    r"(?<!not )\ball (?:the |\d+ )?tests? (?:are |is |now )?(?:pass|passing|green)"
    r"|\btests? (?:are )?all (?:pass|green)",
    re.IGNORECASE,
)
_TEST_COMMAND = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|ctest"
    r"|(?:cargo|go|npm|yarn|pnpm|make|mvn|gradle|dotnet|swift|mix|bazel)\s+(?:run\s+)?test)"
)


def check(packet: Packet, known: Known, marks: tuple[PhaseMark, ...] = ()) -> tuple[Finding, ...]:
    """What is wrong with a packet, worst first. Empty means that it may be used as it is."""
    ledger, plan = known.ledger, known.plan
    missing = [section for section in Section if section not in packet.sections]
    return (
        *(Finding("section", say("The section {name} is missing or empty.", name=line(one.value))) for one in missing),
        *_false_claims(packet, known),
        *_unmentioned(bare(packet.text), ledger, plan, notes=known.notes),
        *(_missing("phase", what) for what in phases.unmentioned(bare(packet.text), marks)[:SHOWN]),
    )


def _false_claims(packet: Packet, known: Known) -> list[Finding]:
    failing = [one for one in known.ledger.failures if _TEST_COMMAND.search(one.command)]
    wrong = failing[-1:] if _ALL_PASS.search(packet.text) else []
    told = [
        *(Finding(one.kind, one.text) for one in claims.false_claims(packet, known)),
        *(
            Finding(
                "claim",
                say(
                    "Not all tests pass: {command} ended with exit code {code}.",
                    command=line(one.command),
                    code=one.exit_code,
                ),
            )
            for one in wrong
        ),
    ]
    return list(dict.fromkeys(told))


def corrections(packet: Packet, known: Known) -> tuple[Own, ...]:
    """What a packet that was taken says and is not so, for the handoff."""
    return tuple(one.text for one in _false_claims(packet, known))


def _unmentioned(said: str, ledger: Ledger, plan: tuple[PlanStep, ...], *, notes: str) -> list[Finding]:
    theirs = [one.path for one in ledger.files if not one.shared and not (notes and one.path.endswith(f"/{notes}"))]
    files = [one for one in theirs if not _mentions_path(said, one)]
    commits = [one for one in ledger.commits if not _mentions_commit(said, one)]
    done = [one.step for one in plan if one.status == "completed" and _step(one.step) not in said]
    left = [one.step for one in plan if one.status != "completed" and _step(one.step) not in said]
    failures = [one for one in ledger.failures if _start(one.command) not in said]
    decisions = [one for one in ledger.decisions if _start(one.answer) not in said]
    return [
        *(_missing("file", say("The changed file {path}", path=line(path))) for path in files[-SHOWN:]),
        *(
            _missing("commit", say("Commit {sha} {subject}", sha=word(one.sha[:7]), subject=line(one.subject)))
            for one in commits[-SHOWN:]
        ),
        *(_missing("plan", say("The completed plan step {step}", step=line(step))) for step in done[-SHOWN:]),
        *(_missing("plan", say("The open plan step {step}", step=line(step))) for step in left[:SHOWN]),
        *(
            _missing("failure", say("The failed command {command}", command=line(one.command)))
            for one in failures[-SHOWN:]
        ),
        *(
            _missing(
                "decision",
                say("The user's decision {answer} on {question}", answer=line(one.answer), question=line(one.question)),
            )
            for one in decisions[-SHOWN:]
        ),
    ]


def _missing(kind: Kind, what: Own) -> Finding:
    return Finding(kind, say("{what} is not mentioned.", what=what))


def _step(text: str) -> str:
    """A plan step must be mentioned in full, unless it is so long that rawr itself does not quote all of it."""
    return bare(text) if len(text) <= LINE else _start(text)


def _start(text: str) -> str:
    """The beginning that identifies a text: a long one is not quoted in full, and the record lacks some of it."""
    return bare(text[:ENOUGH])


def _mentions_commit(said: str, commit: Commit) -> bool:
    return commit.sha[:7] in said or (bool(commit.subject.strip()) and bare(commit.subject) in said)


def _mentions_path(said: str, path: str) -> bool:
    words = bare(path)
    name = words.rpartition("/")[2].strip()
    return words in said or (len(name) > 3 and name in said)
