"""What a packet claims and the record does not bear out (D2): files, commits, branches, commands and how they ended,
pull requests, steps of the plan.

A claim is held against the record only where it states something plainly; what is denied, planned or quoted is none. A
claim that cannot be judged passes: a false alarm costs a turn, and teaches the agent that the check is noise.
"""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from rawr.core.handover import paths
from rawr.core.handover.clauses import around, clauses, is_stated
from rawr.core.handover.outcomes import outcomes
from rawr.core.handover.packet import Packet, Section
from rawr.core.speech import Own, line, say, word
from rawr.core.state.ledger import Commit, Ledger
from rawr.core.state.sequence import Seen
from rawr.core.vocabulary.facts import PlanStep

DONE_IN = (Section.COMPLETED, Section.STATE)
"""Where a packet says what was done. Elsewhere it speaks of what holds, is asked or comes next."""
_SHA = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NO_COMMIT = re.compile(
    r"\b(?:sha-?256|sha-?1sum|sha-?512|md5|digest|checksum|hash(?:es)?|uuid|guid|etag|token|trace|request id|build id|"
    r"image|container|colou?r|based? on|on top of|parent|branched|upstream|rebased|tag)\b",
    re.IGNORECASE,
)
_COMMITTED = re.compile(
    r"\bcommitted (?:it|them|this|that|all|the|as|in|to|on|everything|both|with)\b"
    r"|\b(?:is|are|was|were|been|it) committed\b"
    r"|\bmade (?:a|an|one|two|three|four|\d+) (?:\w+ )?commits?\b|^\W*committed\b",
    re.IGNORECASE,
)
_ALREADY = re.compile(r"\b(?:already|previously|earlier|by the user|user['’]s|before this)\b", re.IGNORECASE)
_PULL = re.compile(
    r"\b(?:opened|created|submitted|raised|filed|merged|sent|put up|published|updated)\b[^.;]{0,40}?"
    r"\b(?:PR|pull[- ]request|MR|merge[- ]request)\b"
    r"|\b(?:PR|pull[- ]request|MR|merge[- ]request)\b(?: #?\d+)?[^.;,]{0,30}?\b(?:is|was|has been|are)\s+(?:now\s+)?"
    r"(?:open(?:ed)?|created|merged|submitted|up|ready for review|in review)\b"
    r"|\bgh pr (?:create|merge)\b|\b(?:PR|pull[- ]request|MR)\s*:\s*(?:#\d|https?://)",
    re.IGNORECASE,
)
_ALL_STEPS = re.compile(
    r"\b(?:all|every|each|both)\b(?: of)?(?: the)?(?: \w+)?(?: plan)? ?(?:steps?|items?(?= [^.;]*\bplan\b))\b"
    r"[^.;,]{0,30}"
    r"\b(?:done|completed?|finished)\b|\b(?:completed|finished) (?:all|every|each)\b[^.;,]{0,30}\bplan\b"
    r"|\b(?:the )?(?:whole |entire )?plan (?:is|was|has been) (?:now )?(?:fully |all )?(?:done|completed?|finished)\b",
    re.IGNORECASE,
)
_NONE_LEFT = re.compile(
    r"\bnothing (?:is |remains )?(?:left |open )?(?:to do )?on the plan\b"
    r"|\bno (?:open |remaining |further )?(?:plan )?(?:steps?|items?) (?:are |is )?(?:left|open|remain\w*)\b",
    re.IGNORECASE,
)
_PULL_NAMED = re.compile(r"/(?:pull|merge_requests)/(\d+)|[#!](\d+)")
_BRANCH_NAME = r"[`“\"']?([A-Za-z0-9][\w./-]*[\w])[`”\"']?"
_USUAL = "main|master|develop|development|trunk|staging|production"
_BRANCH = re.compile(
    rf"\b(?:(?:current|working|active|git|checked[- ]out)\s+)?branch(?:\s+(?:is|name)(?: now)?)?\s*:\s*{_BRANCH_NAME}"
    rf"|\bbranch\s+(?:is\s+(?:now\s+)?)?[`“\"']([\w./-]+)[`”\"']"
    rf"|\bon\s+(?:the\s+)?[`“\"']?({_USUAL}|[\w.-]+/[\w./-]+)[`”\"']?\s+branch\b"
    rf"|\bon\s+(?:the\s+)?branch\s+{_BRANCH_NAME}|\bon\s+(?:the\s+)?[`“\"']([\w./-]+)[`”\"']\s+branch\b"
    rf"|\b(?:we are|i am|i['’]m|currently|HEAD is|work is|committed(?: \w+)?|commits?)\s+on\s+"
    rf"[`“\"']?({_USUAL}|[\w.-]+/[\w./-]+)\b"
    rf"|\b(?:switched to|checked out|moved (?:over )?to)\s+(?:[`“\"']([\w./-]+)[`”\"']|({_USUAL})\b)(?!/)"
    rf"|\bon\s+({_USUAL})\b(?=\s*[,:;.)]|\s*$)",
    re.IGNORECASE,
)
_NO_BRANCH = re.compile(
    r"\b(?:merge[sd]?|merging|rebase[sd]?|from|off|against|protected|target\w*|default|base[sd]?|upstream|compared?|"
    r"diverge[sd]?|behind|ahead|cut|forked|deployed?|runs?|ci|lives?|exists?|user|also)\b",
    re.IGNORECASE,
)


Kind = Literal["section", "file", "commit", "branch", "plan", "failure", "decision", "claim", "phase"]


class Claim(Struct, frozen=True):
    """A false one, in words that say what is so instead."""

    kind: Kind
    text: Own


class Known(Struct, frozen=True):
    """What a packet is held against."""

    ledger: Ledger
    plan: tuple[PlanStep, ...] = ()
    seen: Seen | None = None
    """What was looked up. None: nothing was, and nothing is claimed to be missing."""
    branches: frozenset[str] = frozenset()
    """The branches that the thread was seen on."""
    notes: str = ""
    """The file that rawr asked the agent to write: the handoff names it, so the packet need not."""


def named_commits(packet: Packet) -> tuple[str, ...]:
    """The ids in what the packet says was done."""
    return tuple(dict.fromkeys(sha for _, sha in _commits(packet)))[: paths.MOST]


def false_claims(packet: Packet, known: Known) -> list[Claim]:
    return [*_files(packet, known), *_made(packet, known), *_branches(packet, known), *_rest(packet, known)]


def _files(packet: Packet, known: Known) -> Iterator[Claim]:
    if known.seen is None:
        return
    recorded = tuple(one.path for one in known.ledger.files)
    for path in paths.named(packet):
        if path in known.seen.missing and not any(f"/{one}".endswith(f"/{path}") for one in recorded):
            yield Claim("file", say("There is no file {path}.", path=line(path)))


def _commits(packet: Packet) -> Iterator[tuple[str, str]]:
    for clause in clauses(packet.sections.get(Section.COMPLETED, "")):
        for found in _SHA.finditer(clause):
            if not _NO_COMMIT.search(around(clause, found.start(), found.end())):
                yield clause, found.group()


def _made(packet: Packet, known: Known) -> Iterator[Claim]:
    made = known.ledger.commits
    for sha in named_commits(packet):
        # One that the repository has, and nobody was seen to make, may be from before.
        elsewhere = known.seen is not None and bool(known.seen.branch) and sha not in known.seen.unknown
        if not elsewhere and not any(_same(sha, one) for one in made):
            text = say("Commit {sha} was not made in this thread, as far as is recorded.", sha=word(sha))
            yield Claim("commit", text)
    if made or known.seen is None:
        return
    for clause in _done(packet):
        found = _COMMITTED.search(clause)
        states = found is not None and is_stated(clause) and not _ALREADY.search(clause) and not _SHA.search(clause)
        if states and (known.ledger.files or known.seen.branch):
            yield Claim("commit", say("No commit was made in this thread, as far as is recorded."))
            return


def _branches(packet: Packet, known: Known) -> Iterator[Claim]:
    now = known.seen.branch if known.seen is not None else ""
    if not now:
        return
    there = {now, *known.branches, *(one.branch for one in known.ledger.commits)}
    told: set[str] = set()
    for clause in _done(packet):
        for found in _BRANCH.finditer(clause):
            name = next(filter(None, found.groups()), "").rstrip(".,")
            before = clause[max(found.start() - 60, 0) : found.start()].rpartition(", ")[2]
            denied = _NO_BRANCH.search(f"{before} {found.group()}") or not is_stated(before)
            if name and name not in there and name not in told and not denied and not name.endswith(("/", ".md")):
                told.add(name)
                text = say("The work is not on branch {name}, but on {now}.", name=line(name), now=line(now))
                yield Claim("branch", text)


def _rest(packet: Packet, known: Known) -> Iterator[Claim]:
    pulled = bool(known.ledger.pulls)
    for clause in _done(packet):
        found = _PULL.search(clause)
        states = found is not None and is_stated(clause) and not _ALREADY.search(clause)
        if states and known.seen is not None and not pulled and not _is_the_users(clause, known.ledger):
            pulled = True
            yield Claim("claim", say("rawr saw nobody open or change a pull request in this thread."))
        if (_ALL_STEPS.search(clause) and is_stated(clause)) or _NONE_LEFT.search(clause):
            for step in known.plan:
                if step.status != "completed":
                    yield Claim("plan", _not_done(step))
    for clause in clauses(packet.sections.get(Section.COMPLETED, "")):
        for step in known.plan:
            if step.status != "completed" and _claims(clause, step.step):
                yield Claim("plan", _not_done(step))
    if known.seen is not None:
        for section in (*DONE_IN, Section.FINDINGS):
            for clause in clauses(packet.sections.get(section, "")):
                yield from (Claim("claim", text) for text in outcomes(clause, known.ledger.runs))


def _is_the_users(clause: str, ledger: Ledger) -> bool:
    """Return True if the user had named that pull request: it may have been there."""
    said = "\n".join((ledger.goal, *(one.text for one in ledger.directives)))
    given = {next(filter(None, one)) for one in _PULL_NAMED.findall(said)}
    return any(next(filter(None, one)) in given for one in _PULL_NAMED.findall(clause))


def _done(packet: Packet) -> Iterator[str]:
    for section in DONE_IN:
        yield from clauses(packet.sections.get(section, ""))


_NOT_YET = re.compile(
    r"\b(?:begun|started|in progress|under way|underway|ongoing|open|partly|partially|half|continues?|working on|left|"
    r"doing|comes?|follows?|to do|todo|stub|wip)\b",
    re.IGNORECASE,
)


def _claims(clause: str, step: str) -> bool:
    if len(step) <= _SHORT:
        return False
    words = " ".join(clause.lower().split())
    at = words.find(" ".join(step.lower().split()))
    if at < 0:
        return False
    rest = words[:at] + words[at + len(step) :]
    return is_stated(rest) and _NOT_YET.search(rest) is None


_SHORT = 8
"""Characters of a step that may be in a sentence by chance."""


def _not_done(step: PlanStep) -> Own:
    how = say("in progress") if step.status == "in_progress" else say("to do")
    return say("The plan step {step} is {how}, not completed.", step=line(step.step), how=how)


def _same(sha: str, commit: Commit) -> bool:
    return commit.sha.startswith(sha) or sha.startswith(commit.sha)
