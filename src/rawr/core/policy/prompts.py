"""rawr's texts for an agent, as data. They come from files that a person may edit (A22).

Placeholders are in braces, ``{name}``; the ones that a text may use are listed here, and ``speech.render`` fills them
with quoted values only, so that no text from a model can pass for rawr's.
"""

from msgspec import Struct

from rawr.core.speech import Template, template

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "heads_up": ("phase", "reason", "sequence", "how"),
    "packet_request": (),
    "handoff": ("sequence", "author", "packet", "recorded", "directives", "scratch", "offered", "words", "closing"),
    "scratch_write": ("file", "phase"),
    "watcher_packet": ("goal", "completed", "state", "invariants", "findings", "questions", "next", "closing"),
    "correction": ("sequence", "findings"),
    "landing": ("sequence", "room", "request"),
    "recovery": ("sequence", "recorded", "directives", "scratch", "offered", "closing"),
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
        "mode",
        "planTrail",
        "userRequests",
        "commits",
        "changesSinceCompaction",
    ),
}

PINNED = ("packet", "recorded", "directives")
"""What every handoff contains, whatever its text says (D3). One after somebody else's compaction has no packet."""


class Prompts(Struct, frozen=True):
    """The body of each prompt file, without frontmatter. The defaults here are bare; the shipped texts are files."""

    heads_up: Template = template("[rawr {sequence}] Pause here, at {phase}: {reason}. {how}")
    packet_request: Template = template("Write the continuation packet, and nothing else.")
    """The body of ``auto-compact.md``; sent verbatim."""
    handoff: Template = template(
        "[rawr {sequence}] Handoff. The packet, by {author}:\n\n{packet}\n\n"
        "Recorded by rawr:\n\n{recorded}\n\n{directives}\n\n{scratch}\n\n{offered}\n\n{words}\n\n{closing}"
    )
    scratch_write: Template = template("Append your notes on {phase} to {file}.")
    watcher_packet: Template = template(
        "Written by rawr.\n\n{goal}\n\n{completed}\n\n{state}\n\n{invariants}\n\n{findings}\n\n{questions}\n\n"
        "{next}\n\n{closing}"
    )
    correction: Template = template("[rawr {sequence}] The packet does not agree with the record:\n\n{findings}")
    landing: Template = template("[rawr {sequence}] The context is nearly full, {room} fit: stop here.\n\n{request}")
    recovery: Template = template(
        "[rawr {sequence}] Handoff: the context was compacted, not by rawr.\n\n"
        "Recorded by rawr:\n\n{recorded}\n\n{directives}\n\n{scratch}\n\n{offered}\n\n{closing}"
    )
    judgment: Template = template("Decide whether to compact now.")
    judgment_context: Template = template("\n".join(f"{name}: {{{name}}}" for name in PLACEHOLDERS["judgment_context"]))
