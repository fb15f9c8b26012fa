"""Checking a packet against what really happened (D2).

The record is what rawr saw itself: files changed, commits, plan steps, commands that failed, decisions of the user.
A packet that lacks a section, leaves something out or claims what is not so is sent back once with the findings.
"""

import re
from typing import Literal

from msgspec import Struct

from rawr.core.facts import PlanStep
from rawr.core.ledger import Commit, Ledger
from rawr.core.packet import Packet, Section

SHOWN = 12
"""The most findings of one kind that are told."""
ENOUGH = 80
"""A command or an answer counts as mentioned by this many characters from its start."""


class Finding(Struct, frozen=True):
    """Something that the packet lacks or gets wrong, in words that the agent can act upon."""

    kind: Literal["section", "file", "commit", "plan", "failure", "decision", "claim"]
    text: str


_SHA = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_ALL_PASS = re.compile(
    r"(?<!not )\ball (?:the |\d+ )?tests? (?:are |is |now )?(?:pass|passing|green)"
    r"|\btests? (?:are )?all (?:pass|green)",
    re.IGNORECASE,
)
_TEST_COMMAND = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|ctest"
    r"|(?:cargo|go|npm|yarn|pnpm|make|mvn|gradle|dotnet|swift|mix|bazel)\s+(?:run\s+)?test)"
)


def check(packet: Packet, ledger: Ledger, plan: tuple[PlanStep, ...]) -> tuple[Finding, ...]:
    """What is wrong with a packet, worst first. Empty means that it may go on as it is."""
    missing = [section for section in Section if section not in packet.sections]
    return (
        *(Finding("section", f"The section “{section.value}” is missing or empty.") for section in missing),
        *_false_claims(packet, ledger, plan),
        *_unmentioned(_flat(packet.text), ledger, plan),
    )


def _false_claims(packet: Packet, ledger: Ledger, plan: tuple[PlanStep, ...]) -> list[Finding]:
    completed = packet.sections.get(Section.COMPLETED, "")
    unknown = [
        sha for sha in dict.fromkeys(_SHA.findall(completed)) if not any(_same(sha, one) for one in ledger.commits)
    ]
    undone = [step for step in plan if step.status != "completed" and _claims_done(completed, step.step)]
    failing = [one for one in ledger.failures if _TEST_COMMAND.search(one.command)]
    wrong = failing[-1:] if _ALL_PASS.search(packet.text) else []
    return [
        *(Finding("commit", f"Commit {sha} was not made in this thread, as far as is recorded.") for sha in unknown),
        *(Finding("plan", f"The plan step “{step.step}” is {_spoken(step)}, not completed.") for step in undone),
        *(
            Finding("claim", f"Not all tests pass: `{one.command}` ended with exit code {one.exit_code}.")
            for one in wrong
        ),
    ]


def _flat(text: str) -> str:
    """The words without the line breaks and indents that they came in."""
    return " ".join(text.lower().split())


def _claims_done(completed: str, step: str) -> bool:
    return len(step) > 8 and _flat(step) in _flat(completed)


def _spoken(step: PlanStep) -> str:
    return "in progress" if step.status == "in_progress" else "to do"


def _same(sha: str, commit: Commit) -> bool:
    return commit.sha.startswith(sha) or sha.startswith(commit.sha)


def _unmentioned(said: str, ledger: Ledger, plan: tuple[PlanStep, ...]) -> list[Finding]:
    files = [one.path for one in ledger.files if not _mentions_path(said, one.path)]
    commits = [one for one in ledger.commits if not _mentions_commit(said, one)]
    done = [one.step for one in plan if one.status == "completed" and _flat(one.step) not in said]
    left = [one.step for one in plan if one.status != "completed" and _flat(one.step) not in said]
    failures = [one for one in ledger.failures if _start(one.command) not in said]
    decisions = [one for one in ledger.decisions if _start(one.answer) not in said]
    return [
        *(Finding("file", f"The changed file {path} is not mentioned.") for path in files[-SHOWN:]),
        *(Finding("commit", f"Commit {one.sha[:7]} “{one.subject}” is not mentioned.") for one in commits[-SHOWN:]),
        *(Finding("plan", f"The completed plan step “{step}” is not mentioned.") for step in done[-SHOWN:]),
        *(Finding("plan", f"The open plan step “{step}” is not mentioned.") for step in left[:SHOWN]),
        *(Finding("failure", f"The failed command `{one.command}` is not mentioned.") for one in failures[-SHOWN:]),
        *(
            Finding("decision", f"The user's decision “{one.answer}” on “{one.question}” is not mentioned.")
            for one in decisions[-SHOWN:]
        ),
    ]


def _start(text: str) -> str:
    """The beginning by which a text is known: a long one is not quoted whole, and the record has not all of it."""
    return _flat(text[:ENOUGH])


def _mentions_commit(said: str, commit: Commit) -> bool:
    return commit.sha[:7] in said or (bool(commit.subject.strip()) and _flat(commit.subject) in said)


def _mentions_path(said: str, path: str) -> bool:
    name = _flat(path.rsplit("/", 1)[-1])
    return _flat(path) in said or (len(name) > 3 and name in said)
