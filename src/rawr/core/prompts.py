"""The texts that rawr says to an agent, as data. They come from seven files that a person may edit (A22).

Placeholders stand in braces, ``{name}``; which of them a text may use is listed here, and ``render`` puts values in.
What is put in is not searched for placeholders again, so that no text from a model can pull in another.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "heads_up": ("phase", "reason", "sequence"),
    "packet_request": (),
    "handoff": ("sequence", "author", "packet", "recorded", "directives", "scratch", "closing"),
    "scratch_write": ("file", "phase"),
    "watcher_packet": ("goal", "completed", "state", "invariants", "findings", "questions", "next"),
    "judgment": (),
    "judgment_context": (
        "tier",
        "percentRemaining",
        "boundariesJson",
        "threadId",
        "turnId",
        "totalUsageTokens",
        "modelContextWindow",
        "lastAgentMessage",
        "transcriptExcerpt",
        "planTrail",
        "userRequests",
        "commits",
        "changesSinceCompaction",
    ),
}

PINNED = ("packet", "recorded", "directives")
"""What every handoff holds, whatever its text says (D3)."""


class Prompts(Struct, frozen=True):
    """The body of each prompt file, frontmatter taken off. The defaults here are bare; the shipped texts are files."""

    heads_up: str = "[rawr {sequence}] Pause here, at {phase}: {reason}."
    packet_request: str = "Write the continuation packet, and nothing else."
    """The body of ``auto-compact.md``; it is sent verbatim."""
    handoff: str = (
        "[rawr {sequence}] Handoff. The packet, by {author}:\n\n{packet}\n\n"
        "Recorded by rawr:\n\n{recorded}\n\n{directives}\n\n{scratch}\n\n{closing}"
    )
    scratch_write: str = "Append your notes on {phase} to {file}."
    watcher_packet: str = (
        "Written by rawr.\n\n{goal}\n\n{completed}\n\n{state}\n\n{invariants}\n\n{findings}\n\n{questions}\n\n{next}"
    )
    judgment: str = "Decide whether to compact now."
    judgment_context: str = "\n".join(f"{name}: {{{name}}}" for name in PLACEHOLDERS["judgment_context"])


PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_ALONE = re.compile(r"^[ \t]*\{([A-Za-z_]+)\}[ \t]*(?:\n|\Z)(?:[ \t]*\n)?", re.MULTILINE)
"""A placeholder that has its line to itself, with the empty line after it."""


def render(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders filled. One that has no value stays as it is, for everyone to see.

    Where an empty value would leave an empty paragraph, the paragraph goes too.
    """
    kept = _ALONE.sub(lambda found: "" if values.get(found[1]) == "" else found[0], template)
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), kept)
