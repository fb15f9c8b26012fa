"""The files that a packet says are there (D2): in what it says was done and found, not in what it plans."""

import re

from rawr.core.handover.clauses import around, clauses, is_stated
from rawr.core.handover.packet import Packet, Section

MOST = 40
_ENDINGS = (
    "adoc|bat|c|cc|cfg|cjs|conf|cpp|cs|css|csv|dart|diff|env|ex|exs|go|gradle|graphql|h|hpp|html|ini|ipynb|java|js|json|"
    "jsonl|jsx|kt|kts|less|lock|log|lua|md|mdx|mjs|patch|php|pl|png|properties|proto|ps1|py|pyi|r|rb|rs|rst|scala|scss|"
    "sh|sql|svelte|svg|swift|tf|toml|ts|tsv|tsx|txt|vue|xml|yaml|yml|zig"
)
_PATH = re.compile(
    rf"(?<![\w/@:.\\~$<{{*-])(?:~?/|\.{{1,2}}/)?[\w.@+-]+(?:/[\w.@+-]+)*\.(?:{_ENDINGS})(?![\w/<{{*]|\.\w)"
)
_SPAN = re.compile(r"`([^`\n]+)`")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+|\b[\w.-]+@[\w.-]+:\S+")
_NO_FILES = re.compile(r"(?:node|next|vue|nuxt|three|react|express|d3|chart|ember|angular|alpine)\.js", re.IGNORECASE)
_GONE = re.compile(
    r"\b(?:delet\w+|remov\w+|renam\w+|mov(?:ed|es|ing)|replac\w+|dropp\w+|gone|former(?:ly)?|old|used to|no longer|"
    r"not found|enoent|nonexistent|upstream|remote|library|dependency|package's|obsolete|superseded|merged into|"
    r"split|extract\w+|temporary|temp|cleaned up|container|server|production|host|bucket|artifact|when|goes to|"
    r"stdlib|standard library|semantics)\b",
    re.IGNORECASE,
)
"""Words beside the name of a file that need not be there, or not here."""
_WROTE = re.compile(r"\b(?:wrote|written|saved|recorded|documented|noted|stored|created|notes?|added)\b", re.IGNORECASE)


def named(packet: Packet) -> tuple[str, ...]:
    """Each path once, in their order."""
    found: dict[str, None] = {}
    for section, strict in ((Section.COMPLETED, False), (Section.STATE, False), (Section.FINDINGS, True)):
        for clause in clauses(packet.sections.get(section, "")):
            if _GONE.search(clause) or (strict and not _WROTE.search(clause)):
                continue
            for path in _in(clause):
                found.setdefault(path)
    return tuple(found)[:MOST]


def _in(clause: str) -> list[str]:
    """Commands name files too, which need not be there when they are over."""
    plain = _SPAN.sub(lambda span: _blank(span) if " " in span[1] or "*" in span[1] else f" {span[1]} ", clause)
    plain = _URL.sub(_blank, plain)
    found = []
    for one in _PATH.finditer(plain):
        path = one.group()
        stated = is_stated(around(plain, one.start(), one.start())) and is_stated(_after(plain, one.end()))
        if stated and not _NO_FILES.fullmatch(path):
            found.append(path)
    return found


def _after(clause: str, start: int) -> str:
    """Up to the next comma: “notes.md is still to be written”."""
    return re.split(r"[,;:(]|\band\b", clause[start:], maxsplit=1)[0]


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
